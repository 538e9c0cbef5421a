"""Compare the error probability that Algorithm 2 promises with its actual one, for each radius."""

from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ldpt import plots
from ldpt.plots import parts, products, style
from ldpt.plots.charts import LEAST_ERROR
from ldpt.radii import RADII
from ldpt.text import number

MIN_ERROR = 1e-12  # below, an exact chain's answer is rounding
KEYS = ["instance", "radius", "epsilon", "delta"]
ONE_ARM = {"family": "one-arm", "threshold": 0.9, "gap": 0.05, "epsilon": 1.0}  # of the line


class Data(NamedTuple):
    """``settings``: one row per setting with an error; ``silent``: settings without one."""

    settings: pd.DataFrame
    silent: pd.DataFrame
    one_arm: pd.DataFrame
    replicates: float


def prepare(files: Any, settings: Any) -> Data:
    """Return error probabilities, exact if known, else sampled or simulated."""
    simulated, chains, sampled = map(pd.read_csv, (files.summary, files.error_map, files.rare))
    exact = chains[(chains["method"] == "exact") & (chains["estimate"] > MIN_ERROR)]
    tables = [exact, sampled[sampled["reliable"]], simulated[simulated["errors"] > 0]]
    known = pd.concat([part[[*KEYS, *parts.LIMITS]] for part in tables])
    known = known.drop_duplicates(KEYS).reset_index(drop=True)
    silent = simulated[(simulated["errors"] == 0) & (simulated["high"] < simulated["delta"])]
    silent = silent[~silent.set_index(KEYS).index.isin(known.set_index(KEYS).index)]
    one_arm = exact[(exact[[*ONE_ARM]] == [*ONE_ARM.values()]).all(axis=1)]
    broken = known["low"] > known["delta"]
    replicates = parts.fewest_runs(simulated)
    return Data(known.assign(broken=broken), silent, one_arm, replicates)


def draw(data: Data) -> Figure:
    """Draw promised against actual error, with the verdict on each radius below its name."""
    if data.settings.empty:
        return parts.blank("no setting with an error")
    radii = parts.in_order(data.settings["radius"], RADII)
    grid = plots.calibration(data.settings, radius=radii, height=2.05)
    for radius, axes in grid.axes_dict.items():
        broken, settings, worst = _counts(data, radius)
        sentence = f"{broken} of {settings} broken, worst: {_shown(worst)} × promise"
        words = {"fontsize": 7.5, "transform": axes.transAxes, "va": "bottom"}
        axes.text(0, 1.015, sentence, color=style.BROKEN if broken else style.INK, **words)
        axes.set_title(style.label(radius), color=style.colour(radius), pad=14)
        line = data.one_arm[data.one_arm["radius"] == radius].sort_values("delta", kind="stable")
        axes.plot(line["delta"], line["estimate"], color=style.INK, linewidth=1.2)
    handles = [
        Line2D([], [], color=style.INK, linewidth=1.2, label="one arm, ε = 1"),
        Line2D([], [], color=style.INK, label="error = promise", **parts.BOUND),
        Line2D([], [], color=style.FAINT, marker="o", linestyle="", label="one setting"),
        Line2D([], [], color=style.BROKEN, marker="X", linestyle="", label="promise broken"),
    ]
    parts.method_legend(grid.figure, handles, where="lower")
    return grid.figure


def _shown(ratio: float) -> str:
    return number(ratio, 2) if ratio >= 0.01 else "below 0.01"


def _counts(data: Data, radius: str) -> tuple[int, int, float]:
    rows = data.settings[data.settings["radius"] == radius]
    silent = int((data.silent["radius"] == radius).sum())
    worst = (rows["estimate"] / rows["delta"]).max()
    return int(rows["broken"].sum()), len(rows) + silent, float(worst)


def facts(data: Data) -> dict[str, Any]:
    """Return in how many settings the printed radius breaks the guarantee, and who keeps it."""
    deep = data.settings["estimate"] < LEAST_ERROR
    radii = parts.in_order(data.settings["radius"], RADII)
    keeping = [style.label(radius) for radius in radii if _counts(data, radius)[0] == 0]
    broken, settings, worst = _counts(data, "printed")
    return {
        "replicates": data.replicates,
        "silent": len(data.silent),
        "least_shown": LEAST_ERROR,
        "deep": int(deep.sum()),
        "keeping": keeping or ["no radius"],
        "printed_broken": broken,
        "printed_settings": settings,
        "printed_worst": worst,
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
