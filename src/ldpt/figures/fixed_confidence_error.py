"""Does Algorithm 2 keep its promise: is its error probability at most delta for each radius?"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ldpt.figures import elements, style
from ldpt.figures.captions import number
from ldpt.radii import RADII

MIN_ERROR = 1e-12  # below, an exact chain's answer is rounding
MIN_SHOWN = 1e-10  # ratios below are far from the question
SIDE_BY_SIDE = 0.24  # decades of delta over which the privacy levels are spread
SPACE = 0.7  # between the columns of two privacy levels, in columns
HALF_MARKER = 0.14  # decades of error over delta that half a marker covers
EXACT: dict[str, Any] = {"marker": "_", "linestyle": "", "markersize": 4, "markeredgewidth": 1.0}
KEYS = ["method", "instance", "radius", "epsilon", "delta", "estimate", "low", "high", "errors"]


class Data(NamedTuple):
    """``cells``: one row per setting and method, with estimate, low, high of error / delta."""

    cells: pd.DataFrame
    replicates: int
    left_out: int  # settings without an error and with too few runs to rule one out


def prepare(summary: str, error_map: str, rare: str) -> Data:
    """Error probabilities over delta: simulated, by exact chains and by importance sampling."""
    simulated, chains, sampled = map(pd.read_csv, (summary, error_map, rare))
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
    """Error over delta against delta: one panel per radius, the failing region shaded.

    Radii that fail get a row of their own, wide enough to set the privacy levels side by side.
    """
    radii = elements.in_order(data.cells["radius"], RADII)
    failing = [r for r in radii if (data.cells.query("radius == @r")["low"] > 1).any()]
    kept = [r for r in radii if r not in failing]
    rows = [[r] * max(1, len(kept)) for r in failing] + [kept] * bool(kept)
    figure, panels = elements.mosaic(rows, 2.1)
    for radius, axes in panels.items():
        cells = data.cells[data.cells["radius"] == radius].reset_index(drop=True)
        if radius in failing:
            place = _in_columns(axes, cells)
        else:
            elements.log_axes(axes, "x")
            place = _around_delta(cells)
        _panel(axes, cells, place)
        axes.set_title(f"radius {style.label(radius)}")
        if radius in failing:
            _name_region(axes)
    for row in rows:
        panels[row[0]].set_ylabel("error over δ")
    for row in rows[-1:]:
        for radius in row:
            panels[radius].set_xlabel("error level δ")
    _same_heights([panels[r] for r in kept])
    elements.method_legend(figure, _handles())
    elements.epsilon_legend(figure, data.cells["epsilon"])
    return figure


def _around_delta(cells: pd.DataFrame) -> pd.Series:
    """Where cells stand on a logarithmic axis: the privacy levels side by side around delta."""
    levels = sorted(set(cells["epsilon"]))
    share = cells["epsilon"].map(levels.index) / max(1, len(levels) - 1) - 0.5
    return cells["delta"] * 10 ** (SIDE_BY_SIDE * share)


def _in_columns(axes: Axes, cells: pd.DataFrame) -> pd.Series:
    """Where cells stand if none may cover another: each delta and privacy level gets columns.

    Also labels the axis.
    """
    place, ticks, right = pd.Series(0.0, index=cells.index), {}, 0.0
    for delta, group in cells.groupby("delta"):
        left = right
        for _, level in group.groupby("epsilon"):
            column = _columns(level)
            place[level.index] = right + column
            right += column.max() + 1 + SPACE
        ticks[(left + right - 1 - SPACE) / 2] = f"{delta:g}" if delta > 0.01 else _power(delta)
        right += 4 * SPACE
        axes.axvline(right - 3 * SPACE, color=style.FAINT, linewidth=0.4)
    axes.set_xlim(-2 * SPACE, right - 3.2 * SPACE)
    axes.set_xticks(list(ticks), list(ticks.values()))
    return place


def _columns(cells: pd.DataFrame) -> pd.Series:
    """The first column for each cell in which its marker and interval touch no other."""
    limit = cells["errors"] == 0
    low = np.log10(cells["low"].where(~limit, cells["high"]).clip(lower=MIN_SHOWN)) - HALF_MARKER
    high = np.log10(cells["high"].where(cells["high"] < np.inf, cells["estimate"])) + HALF_MARKER
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
    shade = style.BOUND_COLOURS["upper"]
    top = 3 * max(1.0, cells["high"].where(cells["high"] < 1e6).max())
    least = cells.loc[cells["estimate"] > 0, "estimate"].min() / 3
    axes.set_ylim(max(least, MIN_SHOWN), max(top, 10))
    axes.axhline(1, color=shade, linewidth=0.8)
    axes.axhspan(1, 1e9, color=shade, alpha=0.1, linewidth=0)


def _name_region(axes: Axes) -> None:
    where = {"transform": axes.transAxes, "ha": "right", "va": "top"}
    axes.text(0.98, 0.95, "guarantee violated", color=style.BOUND_COLOURS["upper"], **where)


def _same_heights(panels: list[Axes]) -> None:
    """One vertical scale for the panels of a row."""
    low = min((axes.get_ylim()[0] for axes in panels), default=1.0)
    high = max((axes.get_ylim()[1] for axes in panels), default=1.0)
    for axes in panels:
        axes.set_ylim(low, high)
    for axes in panels[1:]:
        axes.tick_params(labelleft=False)


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
