"""Draw the README's picture: what privacy costs, the false guarantee, and the better rule."""

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.plots import elements, products, style
from ldpt.privacy import shrinkage
from ldpt.summarise import needed_budgets
from ldpt.text import number
from ldpt.util.reproducible import geomspace, power

WIDTH, HEIGHT, DPI = 8.46, 2.95, 200  # inches; 846 pixels wide on a web page, twice that on disk
FONT = "DejaVu Sans"  # sans serif, part of Matplotlib
PRICED = (0.01, 0.1, 1.0, 4.0)  # privacy levels whose price is written down
ONE_ARM = ("one-arm-0.9-0.05", 1.0)  # problem and epsilon of the false guarantee
RADII = ("printed", "coin", "onesided", "hoeffding")  # of which up to three are drawn
NAMES = {"printed": "as printed", "hoeffding": "Hoeffding"}
PLACES = {"printed": ((0, -12), "left", 0), "hoeffding": ((-7, -1), "right", -1)}  # of the names
POLICIES = ("apt", "lsa", "lsa-clipped")  # the first and the last that was run are drawn
LEAST_ERROR = 1e-9
MIN_ERRORS = 10  # fewer say little about where a curve is


class Data(NamedTuple):
    """What the four panels show."""

    prices: pd.DataFrame  # epsilon and price: pulls divided by pulls without privacy
    one_arm: pd.DataFrame  # delta, radius and exact error
    curves: pd.DataFrame  # rows of the fixed-budget summary of one problem
    spreads: dict[str, float]  # ratio of scaled budgets over the privacy levels, by policy
    radius: str
    instance: str


class Theme(NamedTuple):
    """Colours of a light or a dark page."""

    dark: bool
    ink: str
    background: str

    def colour(self, name: str) -> str:
        """Return the colour of a policy or radius."""
        method = style.method(name)
        return method.dark_colour if self.dark else method.colour


LIGHT, DARK = Theme(False, "#222222", "#ffffff"), Theme(True, "#e6edf3", "#0d1117")


def prepare(files: Any, settings: Any) -> Data:
    """Return prices of privacy, exact errors of one arm, and error curves of one problem."""
    costs, exact = pd.read_csv(files.confidence), pd.read_csv(files.error_map)
    budget = pd.read_csv(files.budget)
    name, epsilon = ONE_ARM
    exact = exact[(exact["method"] == "exact") & (exact["instance"] == name)]
    exact = exact[(exact["epsilon"] == epsilon) & exact["radius"].isin(RADII)]
    radius = elements.cheapest_valid(costs)
    instance = settings.panels[-1]
    curves = budget[(budget["instance"] == instance) & budget["policy"].isin(POLICIES)]
    needed = needed_budgets(curves, settings.error)
    ratio = (needed["estimate"] / needed["complexity"]).groupby(needed["policy"])
    spreads = {str(policy): float(x.max() / x.min()) for policy, x in ratio}
    costs = costs[(costs["radius"] == radius) & (costs["delta"] == settings.delta)]
    return Data(_prices(costs), exact, curves, spreads, radius, instance)


def _prices(costs: pd.DataFrame) -> pd.DataFrame:
    """Return the pulls of each problem divided by those without privacy."""
    free = costs[np.isinf(costs["epsilon"])].set_index("instance")["mean_pulls"]
    costs = costs[np.isfinite(costs["epsilon"]) & costs["instance"].isin(free.index)]
    return costs.assign(price=costs["mean_pulls"] / costs["instance"].map(free))


def draw(data: Data, theme: Theme = LIGHT) -> Figure:
    """Draw the four panels."""
    ink = dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color",
         "axes.edgecolor"), theme.ink,
    )  # fmt: skip
    page = dict.fromkeys(("figure.facecolor", "axes.facecolor"), theme.background)
    size = {"font.family": FONT, "font.size": 8.5, "axes.titlesize": 9.5, "axes.labelsize": 8.5}
    size |= {"axes.titleweight": "bold", "savefig.dpi": DPI, "mathtext.fontset": "dejavusans"}
    ticks = {"xtick.labelsize": 8, "ytick.labelsize": 8, "axes.titlepad": 7}
    plt = style.pyplot(**ink, **page, **size, **ticks)
    figure, grid = plt.subplots(
        1, 4, figsize=(WIDTH, HEIGHT), layout="constrained", width_ratios=[1.15, 1.25, 1, 1]
    )
    _price_panel(grid[0], data, theme)
    _error_panel(grid[1], data, theme)
    _curve_panels(grid[2:], data, theme)
    return figure


def _price_panel(axes: Axes, data: Data, theme: Theme) -> None:
    """Draw measured prices of privacy on the theoretical curve, with four of them in words."""
    prices = data.prices
    grid = geomspace(min(prices["epsilon"].min(), 0.5) / 1.4, 6, 200)
    axes.plot(
        grid, [power(shrinkage(e), -2.0) for e in grid], color=theme.ink, linewidth=1.2, zorder=1
    )
    dots = {"color": theme.colour("mixture"), "markersize": 4, "markeredgewidth": 0}
    axes.plot(prices["epsilon"], prices["price"], "o", **dots)
    elements.log_axes(axes)
    elements.plain_ticks(axes, "xy")
    for epsilon in PRICED:
        if epsilon >= grid[0]:
            price = power(shrinkage(epsilon), -2.0)
            beside = {"xytext": (6, 4), "textcoords": "offset points"}
            axes.annotate(f"×{number(price, 2)}", (epsilon, price), **beside)
    axes.set_title("What privacy costs")
    axes.set_xlabel("privacy level ε (← stronger)")
    axes.set_ylabel("responses ÷ without privacy")
    note = {"transform": axes.transAxes, "va": "bottom"}
    axes.text(0.04, 0.03, "line: tanh(ε/2)⁻²\ndots: measured", **note)
    above = {"transform": axes.transAxes, "va": "top", "ha": "right"}
    axes.text(1.02, 0.97, "above line:\nthresholds\nnear 0 or 1", **above)


def _error_panel(axes: Axes, data: Data, theme: Theme) -> None:
    """Draw the exact error of one arm against the promised one, with a name on each line."""
    table = data.one_arm[data.one_arm["estimate"] > 0]
    ends = np.array([table["delta"].min() / 2, 0.5])
    red = theme.colour("printed")
    elements.log_axes(axes)
    axes.set_ylim(LEAST_ERROR, 1)
    axes.set_xlim(*ends)
    axes.fill_between(ends, ends, 1, color=red, alpha=0.1, linewidth=0)
    axes.plot(ends, ends, color=theme.ink, linewidth=0.9)
    radii = elements.in_order(table["radius"], RADII)
    for radius in [r for r in radii if not (r == "onesided" and "coin" in radii)]:
        rows = table[table["radius"] == radius].sort_values("delta")
        colour = theme.colour(radius)
        axes.plot(rows["delta"], rows["estimate"], "o-", color=colour, markersize=4, linewidth=1.6)
        name = NAMES.get(radius, f"{style.label(radius)} (ours)")
        place, side, point = PLACES.get(radius, ((8, -9), "left", 0))
        at = rows[rows["estimate"] > 30 * LEAST_ERROR].iloc[point]
        look = {"color": colour, "fontweight": "bold", "textcoords": "offset points"}
        axes.annotate(name, (at["delta"], at["estimate"]), place, ha=side, **look)
    printed = table[(table["radius"] == "printed") & (table["delta"] == 0.1)]["estimate"]
    if len(printed):
        words = f"promised 10 %,\nerrs {100 * printed.iloc[0]:.0f} %"
        axes.text(0.03, 0.98, words, color=red, va="top", transform=axes.transAxes)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_title("One guarantee is false")
    axes.set_xlabel("promised error probability δ")
    axes.set_ylabel("actual error (exact)")


def _curve_panels(panels: Any, data: Data, theme: Theme) -> None:
    """Draw the error curves of Algorithm 1 and of the better rule on the same axes."""
    policies = elements.in_order(data.curves["policy"], POLICIES)
    chosen = [policies[0], policies[-1]]
    levels = style.ladder(data.curves["epsilon"])
    for axes, policy in zip(panels, chosen, strict=True):
        rows = data.curves[
            (data.curves["policy"] == policy) & (data.curves["errors"] >= MIN_ERRORS)
        ]
        for epsilon in levels:
            curve = rows[rows["epsilon"] == epsilon].sort_values("scaled_budget")
            colour = style.epsilon_colour(epsilon, theme.dark)
            look = {"color": colour, "markersize": 2.5, "linewidth": 1.3}
            axes.plot(curve["scaled_budget"], curve["estimate"], "o-", **look)
        elements.log_axes(axes, "y")
        axes.set_xlabel("budget ÷ $H_ε$")
        spread = data.spreads.get(policy, math.nan)
        words = f"same error: budgets\ndiffer by up to ×{spread:.1f}"
        axes.text(0.04, 0.03, words, transform=axes.transAxes, va="bottom")
        axes.set_title(style.label(policy))
    first, second = panels
    limits = [*first.get_xlim(), *second.get_xlim()], [*first.get_ylim(), *second.get_ylim()]
    for axes in panels:
        axes.set_xlim(0, max(limits[0]))
        axes.set_ylim(min(limits[1]) / 7, 1.3)
    second.tick_params(labelleft=False)
    first.set_ylabel("error probability")
    for row, epsilon in enumerate(levels):
        look = {"color": style.epsilon_colour(epsilon, theme.dark), "ha": "right", "va": "top"}
        place = {"xytext": (0, -11 * row), "textcoords": "offset points"}
        words = f"ε = {style.epsilon_label(epsilon)}"
        second.annotate(words, (0.99, 0.99), xycoords="axes fraction", **place, **look)


def facts(data: Data) -> dict[str, Any]:
    """Return names of methods and problem, and the spreads that the picture shows."""
    best = elements.in_order(data.curves["policy"], POLICIES)[-1]
    return {
        "radius": style.label(data.radius),
        "instance": data.instance,
        "policy": style.label(best),
        "epsilon": ONE_ARM[1],
        "apt_spread": data.spreads.get("apt", math.nan),
        "best_spread": data.spreads.get(best, math.nan),
    }


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        data = prepare(step.input, step.params)
        products.write(draw(data), facts(data), step)
        style.save_png(draw(data, DARK), step.output.dark, step.metadata)
