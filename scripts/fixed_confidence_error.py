"""Does Algorithm 2 keep its promise: is its error probability at most delta for each radius?"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ldpt.plots import captions, elements, style
from ldpt.radii import RADII
from ldpt.text import number

MIN_ERROR = 1e-12  # below, an exact chain's answer is rounding
MIN_SHOWN = 1e-10  # ratios below are far from the question
SPACE = 0.7  # between the columns of two privacy levels, in columns
HALF_MARKER = 0.025  # of the height of a panel
EXACT: dict[str, Any] = {"marker": "_", "linestyle": "", "markersize": 4, "markeredgewidth": 1.0}
KEYS = ["method", "instance", "radius", "epsilon", "delta", "estimate", "low", "high", "errors"]


class Data(NamedTuple):
    """``cells``: one row per setting and method, with estimate, low, high of error / delta."""

    cells: pd.DataFrame
    replicates: int
    left_out: int  # settings without an error and with too few runs to rule one out


def prepare(files: Any, settings: Any) -> Data:
    """Error probabilities over delta: simulated, by exact chains and by importance sampling."""
    simulated, chains, sampled = map(pd.read_csv, (files.summary, files.error_map, files.rare))
    measured = _over_delta(simulated)
    informative = (measured["errors"] > 0) | (measured["high"] < 1)
    exact = chains[(chains["method"] == "exact") & (chains["estimate"] > MIN_ERROR)]
    parts = {
        "simulated": measured[informative],
        "exact": _over_delta(exact).assign(errors=np.nan),
        "rare": _over_delta(sampled[sampled["reliable"]]).assign(errors=np.nan),
    }
    cells = pd.concat([part.assign(method=method)[KEYS] for method, part in parts.items()])
    return Data(cells, int(measured["replicates"].min()), int((~informative).sum()))


def _over_delta(table: pd.DataFrame) -> pd.DataFrame:
    return elements.scaled(table, table["delta"])


def draw(data: Data) -> Figure:
    """Error over delta against delta: one row per radius, the failing region shaded."""
    radii = elements.in_order(data.cells["radius"], RADII)
    figure, panels = elements.mosaic([[radius] for radius in radii], 1.45)
    for radius, axes in panels.items():
        cells = data.cells[data.cells["radius"] == radius].reset_index(drop=True)
        low, high = _limits(cells)
        _panel(axes, cells, _in_columns(axes, cells, HALF_MARKER * np.log10(high / low)))
        axes.set_ylim(low, high)
        axes.set_title(f"radius {style.label(radius)}")
        axes.set_ylabel("error over δ")
        if (cells["low"] > 1).any():
            _name_region(axes)
    panels[radii[-1]].set_xlabel("error level δ")
    elements.method_legend(figure, _handles())
    elements.epsilon_legend(figure, data.cells["epsilon"])
    return figure


def _limits(cells: pd.DataFrame) -> tuple[float, float]:
    """The vertical range of a panel: all ratios that are not far from the question, and 1."""
    least = cells.loc[cells["estimate"] > 0, "estimate"].min() / 3
    top = 3 * max(1.0, cells["high"].where(cells["high"] < 1e6).max())
    return max(least, MIN_SHOWN), max(top, 10.0)


def _in_columns(axes: Axes, cells: pd.DataFrame, half: float) -> pd.Series:
    """Where cells stand so that none covers another: each delta and privacy level gets columns.

    Also labels the axis. Half a marker covers ``half`` decades.
    """
    place, ticks, right = pd.Series(0.0, index=cells.index), {}, 0.0
    for delta, group in cells.groupby("delta"):
        left = right
        for _, level in group.groupby("epsilon"):
            column = _columns(level, half)
            place[level.index] = right + column
            right += column.max() + 1 + SPACE
        ticks[(left + right - 1 - SPACE) / 2] = f"{delta:g}" if delta > 0.01 else _power(delta)
        right += 4 * SPACE
        axes.axvline(right - 3 * SPACE, color=style.FAINT, linewidth=0.4)
    axes.set_xlim(-2 * SPACE, right - 3.2 * SPACE)
    axes.set_xticks(list(ticks), list(ticks.values()))
    return place


def _columns(cells: pd.DataFrame, half: float) -> pd.Series:
    """The first column for each cell in which its marker and interval touch no other."""
    limit = cells["errors"] == 0
    low = np.log10(cells["low"].where(~limit, cells["high"]).clip(lower=MIN_SHOWN)) - half
    high = np.log10(cells["high"].where(cells["high"] < np.inf, cells["estimate"])) + half
    ends: list[float] = []
    chosen = pd.Series(0, index=cells.index)
    for cell in low.sort_values().index:
        free = [i for i, end in enumerate(ends) if end <= low[cell]]
        chosen[cell] = free[0] if free else len(ends)
        ends[chosen[cell] : chosen[cell] + 1] = [high[cell]]
    return chosen


def _power(delta: float) -> str:
    return f"$10^{{{round(np.log10(delta))}}}$"


def _panel(axes: Axes, cells: pd.DataFrame, place: pd.Series) -> None:
    """All cells of a radius at their places."""
    elements.log_axes(axes, "y")
    for (method, epsilon), rows in cells.groupby(["method", "epsilon"]):
        x = place[rows.index]
        colour = style.epsilon_colour(float(epsilon))
        kwargs: dict[str, Any] = {"linestyle": "", "markersize": 3.5}
        if method == "exact":
            axes.plot(x, rows["estimate"], markeredgecolor=colour, zorder=3, **EXACT)
        elif method == "rare":
            kwargs |= {"markerfacecolor": "white", "markeredgecolor": colour}
            kwargs |= {"markeredgewidth": 0.7, "marker": style.RARE_MARKER}
            elements.estimates(axes, x, rows.drop(columns="errors"), colour, **kwargs)
        else:
            kwargs |= {"marker": "o", "markersize": 2.8}
            elements.estimates(axes, x, rows, colour, **kwargs)
    shade = style.NOTE
    axes.axhline(1, color=shade, linewidth=0.8)
    axes.axhspan(1, 1e9, color=shade, alpha=0.1, linewidth=0)


def _name_region(axes: Axes) -> None:
    where = {"transform": axes.transAxes, "ha": "right", "va": "top"}
    axes.text(0.98, 0.95, "guarantee violated", color=style.NOTE, **where)


def _handles() -> list[Line2D]:
    plain = {"linestyle": "", "color": style.FAINT}
    hollow = {"markerfacecolor": "white", "markeredgecolor": style.FAINT, "markeredgewidth": 0.7}
    return [
        Line2D([], [], marker="o", label="simulated", **plain),
        elements.zero_handle(),
        Line2D([], [], marker=style.RARE_MARKER, label="importance sampling", **plain | hollow),
        Line2D([], [], markeredgecolor=style.FAINT, label="one arm, exact", **EXACT),
    ]


def facts(data: Data) -> dict[str, Any]:
    """In how many settings each radius violates the guarantee, and the worst of them."""
    deep = (data.cells["estimate"] > 0) & (data.cells["estimate"] < MIN_SHOWN)
    found: dict[str, Any] = {"replicates": data.replicates, "left_out": data.left_out}
    found |= {"least_shown": MIN_SHOWN, "deep": int(deep.sum())}
    words: list[str] = []
    breaking: list[str] = []
    keeping: list[str] = []
    for radius in elements.in_order(data.cells["radius"], RADII):
        rows = data.cells[data.cells["radius"] == radius]
        broken, worst = int((rows["low"] > 1).sum()), float(rows["estimate"].max())
        found[f"{radius}_broken"], found[f"{radius}_cells"] = broken, len(rows)
        found[f"{radius}_worst"] = worst
        (breaking if broken else keeping).append(style.label(radius))
        words.append(f"{style.label(radius)} {broken} of {len(rows)} ({number(worst)})")
    none = ["no radius"]
    return found | {"verdicts": words, "breaking": breaking or none, "keeping": keeping or none}


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        data = prepare(step.input, step.params)
        captions.write(facts(data), step)
        style.save(draw(data), step.output.pdf, step.output.png, step.metadata)
