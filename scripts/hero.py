"""Draw the README's and the article's first picture: a broken promise, and what privacy costs."""

from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ldpt.plots import parts, products, style
from ldpt.privacy import shrinkage
from ldpt.text import number
from ldpt.util.reproducible import geomspace, power

ONE_ARM = {
    "family": "one-arm",
    "threshold": 0.9,
    "gap": 0.05,
    "epsilon": 1.0,
}  # of the false guarantee
SHOWN_DELTAS = (0.1, 0.01, 0.001, 0.0001)
PRICED = (0.01, 0.1, 1.0)  # privacy levels whose price is written down
PRINTED, VALID = "printed", "coin"
ABOVE = 34  # points between a panel and its title


class Data(NamedTuple):
    """``errors``: delta, radius and exact error; ``prices``: epsilon and price, by problem."""

    errors: pd.DataFrame
    prices: pd.DataFrame
    replicates: float
    radius: str  # beside the printed one


class Look(NamedTuple):
    """Size in inches, settings and colours of one file."""

    width: float
    height: float
    stacked: bool
    dark: bool
    settings: dict[str, Any]

    @property
    def ink(self) -> str:
        """Colour of axes and text."""
        return "#f0f6fc" if self.dark else style.INK

    @property
    def grey(self) -> str:
        """Colour of what is said in passing."""
        return "#9aa4af" if self.dark else "#666666"

    def colour(self, name: str) -> str:
        """Return the colour of a radius on this page."""
        method = style.method(name)
        return method.dark_colour if self.dark else method.colour


def web(width: float, height: float, stacked: bool, dark: bool) -> Look:
    """Return the look of a picture for web pages, where an inch is 100 pixels."""
    sans = {"font.family": "DejaVu Sans", "mathtext.fontset": "dejavusans", "savefig.dpi": 200}
    page = "#0d1117" if dark else "#ffffff"
    sans |= {"axes.titleweight": "bold"}
    size = {"font.size": 8.6, "xtick.labelsize": 8.6, "ytick.labelsize": 8.6, "axes.labelsize": 8.6}
    return Look(width, height, stacked, dark, sans | size | {"savefig.facecolor": page})


ARTICLE = Look(style.PAGE, 2.75, False, False, {})
WEB = {
    "png": web(8.46, 3.6, stacked=False, dark=False),
    "dark": web(8.46, 3.6, stacked=False, dark=True),
    "narrow": web(3.58, 5.3, stacked=True, dark=False),
    "narrow_dark": web(3.58, 5.3, stacked=True, dark=True),
}


def prepare(files: Any, settings: Any) -> Data:
    """Return exact errors of one arm, and prices of privacy on all problems."""
    costs, exact = pd.read_csv(files.confidence), pd.read_csv(files.error_map)
    exact = exact[(exact[[*ONE_ARM]] == [*ONE_ARM.values()]).all(axis=1)]
    radius = VALID if VALID in set(costs["radius"]) else parts.cheapest_valid(costs)
    exact = exact[exact["radius"].isin((PRINTED, radius))]
    exact = exact[exact["delta"].isin(SHOWN_DELTAS)]
    costs = costs[(costs["radius"] == radius) & (costs["delta"] == settings.delta)]
    return Data(exact, prices(costs), parts.fewest_runs(costs), radius)


def prices(costs: pd.DataFrame) -> pd.DataFrame:
    """Return the pulls of each problem divided by those without privacy."""
    free = costs.loc[np.isinf(costs["epsilon"]), ["instance", "mean_pulls"]]
    both = costs[np.isfinite(costs["epsilon"])].merge(free, on="instance", suffixes=("", "_free"))
    return both.assign(price=both["mean_pulls"] / both["mean_pulls_free"])


def draw(data: Data, look: Look = ARTICLE) -> Figure:
    """Draw both panels, side by side or one above the other."""
    ink = dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color",
         "axes.edgecolor"), look.ink,
    )  # fmt: skip
    with style.context(**ink, **look.settings):
        figure = plt.figure(figsize=(look.width, look.height), layout="constrained")
        page = look.settings.get("savefig.facecolor", "#ffffff")
        shape = (2, 1) if look.stacked else (1, 2)
        ratios = {"height_ratios": [1, 1]} if look.stacked else {"width_ratios": [1.5, 1]}
        grid = figure.subplots(*shape, gridspec_kw=ratios)
        figure.set_facecolor(page)
        for axes in grid:
            axes.set_facecolor(page)
        _error_panel(grid[0], data, look)
        _price_panel(grid[1], data, look)
    return figure


def _heading(axes: Axes, title: str, words: str, look: Look) -> None:
    """Write a title and a line under it above a panel, over its labels if panels are stacked."""
    size, weight = plt.rcParams["font.size"], plt.rcParams["axes.titleweight"]
    left = -46 if look.stacked else 0  # points
    place = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "bottom"}
    axes.set_title(" ", pad=ABOVE + 1.2 * size)  # makes room
    bold = {"fontsize": 1.35 * size, "fontweight": weight}
    lines = [
        axes.annotate(title, (0, 1), (left, ABOVE), **bold, **place),
        axes.annotate(words, (0, 1), (left, ABOVE - 13), color=look.grey, **place),
    ]
    for line in lines:
        line.set_in_layout(False)


def _error_panel(axes: Axes, data: Data, look: Look) -> None:
    """Draw a row per promised error: the promise as a tick, the errors made as marks."""
    size = plt.rcParams["font.size"]
    deltas = sorted(set(data.errors["delta"]), reverse=True)
    table = data.errors.pivot_table("estimate", "delta", "radius")
    bad, good = look.colour(PRINTED), look.colour(data.radius)
    axes.set_xscale("log")
    for row, delta in enumerate(deltas):
        axes.plot([delta] * 2, [row - 0.27, row + 0.27], color=look.ink, linewidth=2, zorder=3)
        found = table.loc[delta]
        if data.radius in found and found[data.radius] > 0:
            axes.plot([found[data.radius], delta], [row, row], color=good, linewidth=1, zorder=1)
            axes.plot([found[data.radius]], [row], "o", color=good, markersize=6)
        if PRINTED in found and found[PRINTED] > 0:
            gap = {"color": bad, "alpha": 0.28, "linewidth": 5, "solid_capstyle": "butt"}
            axes.plot([delta, found[PRINTED]], [row, row], zorder=2, **gap)
            axes.plot([found[PRINTED]], [row], "X", color=bad, markersize=7)
            beside = {"xytext": (6, 0), "textcoords": "offset points", "va": "center"}
            weight = {"fontweight": plt.rcParams["axes.titleweight"], "fontsize": 1.1 * size}
            words = f"{number(100 * found[PRINTED], 2)} %"
            axes.annotate(words, (found[PRINTED], row), color=bad, **weight, **beside)
    axes.set_yticks(range(len(deltas)), [f"{100 * delta:g} %" for delta in deltas])
    axes.set_ylim(len(deltas) - 0.5, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlim(right=20)
    axes.set_xticks([1e-6, 1e-4, 1e-2, 1], ["0.0001 %", "0.01 %", "1 %", "100 %"])
    axes.minorticks_off()
    axes.set_ylabel("promised")
    axes.set_xlabel("probability of a wrong answer (exact)")
    _heading(
        axes, "The promised error is not kept", "Algorithm 2, mean 0.95, threshold 0.9, ε = 1", look
    )
    marks = (
        ("|", "promise", look.ink),
        ("X", "as printed", bad),
        ("o", f"with {style.label(data.radius)} (ours)", good),
    )
    handles = [
        Line2D([], [], linestyle="", marker=marker, color=colour, label=words, markersize=6,
               markeredgewidth=2 if marker == "|" else 0)
        for marker, words, colour in marks
    ]  # fmt: skip
    place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1, "borderpad": 0}
    if look.stacked:
        place["bbox_to_anchor"] = (-0.22, 1)
    look_of = {"ncols": 3, "handlelength": 0.8, "columnspacing": 1, "labelcolor": "linecolor"}
    weight = {"weight": plt.rcParams["axes.titleweight"]}
    axes.legend(handles=handles, prop=weight, **place, **look_of).set_in_layout(False)


def _price_panel(axes: Axes, data: Data, look: Look) -> None:
    """Draw measured prices of privacy on the theoretical curve, some of them in words."""
    table = data.prices
    grid = geomspace(np.nanmin([table["epsilon"].min(), 0.5]) / 1.3, 6, 200)
    axes.plot(
        grid, [power(shrinkage(e), -2.0) for e in grid], color=look.ink, linewidth=1.8, zorder=1
    )
    dots = {
        "color": look.colour(data.radius),
        "markersize": 4.5,
        "markeredgewidth": 0,
        "alpha": 0.6,
    }
    axes.plot(table["epsilon"], table["price"], "o", **dots)
    axes.set(xscale="log", yscale="log")
    bold = {"fontweight": plt.rcParams["axes.titleweight"], "textcoords": "offset points"}
    for epsilon in PRICED:
        if epsilon >= grid[0]:
            price = power(shrinkage(epsilon), -2.0)
            axes.annotate(f"{number(price, 2)} ×", (epsilon, price), (9, 4), **bold)
    axes.set_xticks([x for x in (0.01, 0.1, 1) if x > grid[0]])
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_yticks([1, 100, 10_000], ["1 ×", "100 ×", "10 000 ×"])
    axes.minorticks_off()
    axes.set_ylim(0.6, 4 * np.nanmax([table["price"].max(), 10]))
    axes.set_xlabel("privacy level ε (small: private)")
    key = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "bottom"}
    size = plt.rcParams["font.size"]
    axes.annotate("line: tanh(ε/2)⁻²", (0.04, 0.03), (0, 1.3 * size), color=look.ink, **key)
    axes.annotate("dots: measured", (0.04, 0.03), (0, 0), color=look.colour(data.radius), **key)
    _heading(axes, "What privacy costs", "answers needed ÷ without privacy", look)


def facts(data: Data) -> dict[str, Any]:
    """Return the promise, the error made, and the prices that the picture shows."""
    printed = data.errors[(data.errors["radius"] == PRINTED) & (data.errors["delta"] == 0.1)]
    return {
        "promised": 0.1,
        "error_percent": 100 * float(printed["estimate"].max()),
        "epsilon": ONE_ARM["epsilon"],
        "price": power(shrinkage(1.0), -2.0),
        "problems": int(data.prices["instance"].nunique()),
        "replicates": data.replicates,
        "radius": style.label(data.radius),
    }


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step, style.context():
        data = prepare(step.input, step.params)
        products.write(draw(data), facts(data), step)
        for name, look in WEB.items():
            with style.context(**look.settings):
                style.save_png(draw(data, look), step.output[name], step.metadata)
