"""Compare the error probability that Algorithm 2 promises with its actual one, for each radius."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.plots import elements, products, style
from ldpt.radii import RADII
from ldpt.text import number

MIN_ERROR = 1e-12  # below, an exact chain's answer is rounding
LEAST, MOST = 1e-10, 1.0  # range of the vertical axis
JITTER = 0.25  # decades, so that settings with the same delta do not cover each other
BROKEN, HELD = style.NOTE, "#8593a0"
KEYS = ["instance", "radius", "epsilon", "delta"]
ONE_ARM = ("one-arm-0.9-0.05", 1.0)  # problem and epsilon of the line: the counterexample


class Data(NamedTuple):
    """``settings``: one row per setting with an error; ``silent``: settings without one."""

    settings: pd.DataFrame
    silent: pd.DataFrame
    one_arm: pd.DataFrame
    replicates: int


def prepare(files: Any, settings: Any) -> Data:
    """Return error probabilities, exact if known, else sampled or simulated."""
    simulated, chains, sampled = map(pd.read_csv, (files.summary, files.error_map, files.rare))
    exact = chains[(chains["method"] == "exact") & (chains["estimate"] > MIN_ERROR)]
    parts = [exact, sampled[sampled["reliable"]], simulated[simulated["errors"] > 0]]
    known = pd.concat([part[[*KEYS, *elements.LIMITS]] for part in parts])
    known = known.drop_duplicates(KEYS).reset_index(drop=True)
    silent = simulated[(simulated["errors"] == 0) & (simulated["high"] < simulated["delta"])]
    silent = silent[~silent.set_index(KEYS).index.isin(known.set_index(KEYS).index)]
    name, epsilon = ONE_ARM
    one_arm = exact[(exact["instance"] == name) & (exact["epsilon"] == epsilon)]
    broken = known["low"] > known["delta"]
    replicates = int(simulated["replicates"].min())
    return Data(known.assign(broken=broken), silent, one_arm, replicates)


def draw(data: Data) -> Figure:
    """Draw promised against actual error: one panel per radius, the broken region tinted."""
    radii = elements.in_order(data.settings["radius"], RADII)
    figure, panels = elements.panels(len(radii), len(radii), 2.35, sharey=True, sharex=True)
    deltas = [*data.settings["delta"], *data.silent["delta"]]
    ends = np.array([min(deltas) / 2.5, max(deltas) * 2.5])
    for axes, radius in zip(panels, radii, strict=True):
        elements.log_axes(axes)
        axes.set_ylim(LEAST, MOST)
        axes.set_xlim(*ends)
        axes.fill_between(ends, ends, MOST, color=BROKEN, alpha=0.08, linewidth=0)
        axes.plot(ends, ends, color=BROKEN, linewidth=0.8)
        _panel(axes, data, radius)
        axes.set_title(style.label(radius), color=style.colour(radius))
        _verdict(axes, data, radius)
    panels[0].set_ylabel("error probability")
    corner = {"transform": panels[-1].transAxes, "va": "top", "color": BROKEN}
    panels[-1].text(0.05, 0.97, "guarantee\nbroken", **corner)
    return figure


def _panel(axes: Axes, data: Data, radius: str) -> None:
    """Draw the settings of a radius, broken ones with intervals, and the one-armed problem."""
    rows = data.settings[data.settings["radius"] == radius]
    ranks = rows.groupby("delta")["estimate"].rank(method="first")
    # Neighbours in height get places far apart in width, by multiples of the golden ratio.
    shift = ((ranks * 0.618034) % 1 - 0.5) * 2 * JITTER
    x = rows["delta"] * 10**shift
    for broken, colour in ((False, HELD), (True, BROKEN)):
        at = rows["broken"] == broken
        chosen, size = rows[at], 2.4 if broken else 2.0
        axes.plot(x[at], chosen["estimate"], "o", color=colour, markersize=size, markeredgewidth=0)
        if broken:
            axes.vlines(x[at], chosen["low"], chosen["high"], color=colour, linewidth=0.5)
    line = data.one_arm[data.one_arm["radius"] == radius].sort_values("delta")
    axes.plot(line["delta"], line["estimate"], color="black", linewidth=1.4)


def _verdict(axes: Axes, data: Data, radius: str) -> None:
    """Write below a panel in how many settings the guarantee is broken, and the worst ratio."""
    broken, settings, worst = _counts(data, radius)
    words = f"promised δ\n{broken} of {settings} broken\nworst {_shown(worst)} δ"
    axes.set_xlabel(words, color=BROKEN if broken else style.INK)


def _shown(ratio: float) -> str:
    return number(ratio, 2) if ratio >= 0.01 else "below 0.01"


def _counts(data: Data, radius: str) -> tuple[int, int, float]:
    rows = data.settings[data.settings["radius"] == radius]
    silent = int((data.silent["radius"] == radius).sum())
    worst = (rows["estimate"] / rows["delta"]).max()
    return int(rows["broken"].sum()), len(rows) + silent, float(worst)


def facts(data: Data) -> dict[str, Any]:
    """Return in how many settings the printed radius breaks the guarantee, and who keeps it."""
    deep = data.settings["estimate"] < LEAST
    radii = elements.in_order(data.settings["radius"], RADII)
    keeping = [style.label(radius) for radius in radii if _counts(data, radius)[0] == 0]
    broken, settings, worst = _counts(data, "printed")
    return {
        "replicates": data.replicates,
        "silent": len(data.silent),
        "least_shown": LEAST,
        "deep": int(deep.sum()),
        "keeping": keeping or ["no radius"],
        "printed_broken": broken,
        "printed_settings": settings,
        "printed_worst": worst,
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
