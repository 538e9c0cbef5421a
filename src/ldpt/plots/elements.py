"""The parts that figures share: panels, curves of estimates, axes of privacy levels, labels.

Estimates come as columns ``estimate``, ``low`` and ``high``; a count of zero (``errors`` = 0) is
drawn as an upper limit: an open triangle that points down from the interval's upper end.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from ldpt.plots import style
from ldpt.policies import POLICIES
from ldpt.radii import RADII, VALID_RADII
from ldpt.text import number

NOT_RUN = "(not run)"  # in a caption, for what the config leaves out
XOf = Callable[[float], float]  # position of a privacy level on an axis
LIMITS = ["estimate", "low", "high"]
LABEL_HEIGHT, LABEL_WIDTH = 10.5, 40.0  # points that a label takes


# --- panels and rows ------------------------------------------------------------------------------


def panels(count: int, columns: int, height: float, **options: Any) -> tuple[Figure, list[Axes]]:
    """Return a figure with ``count`` panels in rows of ``height`` inches."""
    columns = min(count, columns)
    rows = math.ceil(count / columns)
    width = style.PAGE if columns > 1 else style.COLUMN
    height = height if count > 1 else max(height, 2.3)
    figure, grid = style.subplots(rows, columns, width, rows * height + 0.3, **options)
    axes = list(grid.flat)
    for spare in axes[count:]:
        spare.remove()
    return figure, axes[:count]


def rows_where(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """Return the rows with these values, or raise if no row matches."""
    chosen = table
    for column, value in values.items():
        chosen = chosen[chosen[column] == value]
    if chosen.empty:
        wanted = ", ".join(f"{column} {value}" for column, value in values.items())
        raise ValueError(f"nothing to draw: the table has no row with {wanted}")
    return chosen


def problem(instance: str) -> str:
    """Return a problem's name for readers.

    >>> problem("three-groups-zeta-0.05")
    'three-groups, ζ = 0.05'
    """
    return instance.replace("-zeta-", ", ζ = ")


def scaled(table: pd.DataFrame, unit: Any) -> pd.DataFrame:
    """Return the table with estimate, low and high divided by ``unit``."""
    return table.assign(**{name: table[name] / unit for name in LIMITS})


def mean_pulls(table: pd.DataFrame, unit: Any = 1.0) -> pd.DataFrame:
    """Return the table with the mean stopping time as estimate, low and high, over ``unit``."""
    columns = dict(zip(LIMITS, ("mean_pulls", "mean_pulls_low", "mean_pulls_high"), strict=True))
    table = table.drop(columns="errors", errors="ignore")  # of the answer, not of the mean
    return table.assign(**{name: table[source] / unit for name, source in columns.items()})


def in_order(found: Iterable[str], order: Iterable[str]) -> list[str]:
    """Return the names that were found, in the order of a table of names."""
    present = set(found)
    return [name for name in order if name in present]


def methods_of(names: Iterable[str]) -> list[str]:
    """Return policies and radii in the order of their tables."""
    return in_order(names, [*POLICIES, *RADII])


def cheapest_valid(table: pd.DataFrame) -> str:
    """Return the valid radius whose pulls are the smallest multiple of the least, in the median."""
    keys = ["instance", "epsilon", "delta"]
    valid = table[table["radius"].isin(VALID_RADII)]
    pulls = valid.pivot_table("mean_pulls", keys, "radius").dropna()
    return str(pulls.div(pulls.min(axis=1), axis=0).median().idxmin())


# --- curves ---------------------------------------------------------------------------------------


def estimates(
    axes: Axes, x: Iterable[float], table: pd.DataFrame, colour: str, **line: Any
) -> None:
    """Draw estimates with intervals; zero counts as upper limits, infinity not at all."""
    x = np.asarray(list(x), dtype=float)
    estimate, low, high = (table[name].to_numpy(float) for name in LIMITS)
    zero = (table["errors"] == 0).to_numpy() if "errors" in table else np.zeros(len(x), bool)
    seen = ~zero & np.isfinite(estimate)
    top = np.minimum(high, 1e6 * estimate)  # an interval may be unbounded
    reach = [(estimate - low)[seen], (top - estimate)[seen]]
    look = {"color": colour, "elinewidth": 0.7, "zorder": 3, "markeredgewidth": 0} | line
    axes.errorbar(x[seen], estimate[seen], yerr=reach, **look)
    limit = {"marker": "v", "markersize": 3.5, "linestyle": "", "zorder": 3}
    axes.plot(x[zero], high[zero], color=colour, fillstyle="none", markeredgewidth=0.7, **limit)


def method_curves(axes: Axes, table: pd.DataFrame, key: str, x: str, x_of: XOf = float) -> None:
    """Draw one curve per method of the column ``key`` against the column ``x``."""
    for method in methods_of(table[key]):
        curve = table[table[key] == method].sort_values(x)
        line = style.marker_style(method, 3.4) | {"linewidth": 1.2}
        estimates(axes, [x_of(value) for value in curve[x]], curve, style.colour(method), **line)


def epsilon_curves(axes: Axes, table: pd.DataFrame, x: str) -> None:
    """Draw one error curve per privacy level, in its colour."""
    for epsilon, curve in table.groupby("epsilon", sort=True):
        curve, colour = curve.sort_values(x), style.epsilon_colour(float(epsilon))
        estimates(axes, curve[x], curve, colour, marker="o", markersize=2.4, linewidth=1.1)


def bound_line(axes: Axes, x: Any, y: Any, colour: str, **line: Any) -> None:
    """Draw a bound: thin and dashed."""
    look = {"color": colour, "linewidth": 0.9, "linestyle": (0, (4, 1.5)), "zorder": 2}
    axes.plot(x, y, **look | line)


# --- axes -----------------------------------------------------------------------------------------


def log_axes(axes: Axes, which: str = "xy") -> None:
    """Set logarithmic axes with one label per decade, as many as fit."""
    for name in which:
        axis = getattr(axes, f"{name}axis")
        getattr(axes, f"set_{name}scale")("log")
        axis.set_major_locator(LogLocator(10, numticks=7))
        axis.set_minor_formatter(NullFormatter())


def fine_ticks(axes: Axes, which: str) -> None:
    """Set plain labels at 1, 2 and 5 of each decade, for a logarithmic axis of few decades."""
    log_axes(axes, which)
    for name in which:
        axis = getattr(axes, f"{name}axis")
        axis.set_major_locator(LogLocator(10, subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def plain_ticks(axes: Axes, which: str) -> None:
    """Set plain labels such as 10 000 on a logarithmic axis."""
    for name in which:
        axis = getattr(axes, f"{name}axis")
        axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))


def epsilon_axis(axes: Axes, epsilons: Iterable[float]) -> XOf:
    """Set a logarithmic axis of privacy levels with room for infinity at its right end."""
    levels = sorted(set(epsilons))
    finite = [epsilon for epsilon in levels if math.isfinite(epsilon)] or [1.0]
    infinity = 2.5 * finite[-1]
    ticks = _spread_ticks(finite)
    places = ticks + [infinity] * math.isinf(levels[-1])
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(places))
    axes.xaxis.set_minor_locator(NullLocator())
    names = [style.epsilon_label(e) for e in ticks] + ["∞"] * math.isinf(levels[-1])
    axes.set_xticks(places, names)
    axes.set_xlabel("privacy level ε")
    return lambda epsilon: infinity if math.isinf(epsilon) else epsilon


def _spread_ticks(levels: list[float]) -> list[float]:
    """Return decades if the levels span many, else the levels that are far enough apart."""
    if levels[-1] > 50 * levels[0]:
        return [e for e in (0.01, 0.1, 1.0, 10.0) if levels[0] <= e <= levels[-1]]
    chosen = [levels[-1]]
    for level in reversed(levels):
        if level < 0.6 * chosen[-1]:
            chosen.append(level)
    return chosen[::-1]


def arms_axis(axes: Axes, arms: Iterable[int]) -> None:
    """Set a logarithmic axis of numbers of arms, labelled at every second power of two or so."""
    counts = sorted({int(count) for count in arms})
    ticks = counts[:: max(1, math.ceil(len(counts) / 5))]
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("number of arms $K$")


# --- labels and legends ---------------------------------------------------------------------------


class End(NamedTuple):
    """Where a curve ends, what it is called, and its colour."""

    x: float
    y: float
    name: str
    colour: str


def label_ends(axes: Axes, ends: Sequence[End]) -> None:
    """Write names beside the ends of curves, moved so that none covers another or the x axis."""
    if not ends:
        return
    axes.figure.draw_without_rendering()
    points = 72 / axes.figure.dpi
    floor = axes.bbox.y0 * points + 0.7 * LABEL_HEIGHT
    where = {end: axes.transData.transform((end.x, end.y)) * points for end in ends}
    # Curves that end far to the left of others have their names there, and in no one's way.
    last = max(place[0] for place in where.values())
    columns = [[e for e in ends if (last - where[e][0] < LABEL_WIDTH) == right] for right in (0, 1)]
    for column in columns:
        column.sort(key=lambda end: end.y)
        heights = [float(where[end][1]) for end in column]
        places = _apart(heights, LABEL_HEIGHT)
        for row, (end, height) in enumerate(zip(column, heights, strict=True)):
            rows_below = row + end.name.count("\n") / 2
            place = max(places[row], floor + rows_below * LABEL_HEIGHT)
            shift = {"xytext": (5, place - height), "textcoords": "offset points"}
            look = {"color": end.colour, "ha": "left", "va": "center", "annotation_clip": False}
            axes.annotate(end.name, (end.x, end.y), **shift, **look)


def _apart(heights: list[float], least: float) -> list[float]:
    """Return heights at least so far apart, in the same order, moved as little as necessary.

    >>> _apart([0.0, 1.0, 30.0], 10.0)
    [-4.5, 5.5, 30.0]
    """
    blocks: list[tuple[float, int]] = []  # middle and size of a block of labels
    for height in heights:
        middle, size = height, 1
        while blocks and middle - size * least / 2 < blocks[-1][0] + blocks[-1][1] * least / 2:
            other, count = blocks.pop()
            middle, size = (middle * size + other * count) / (size + count), size + count
        blocks.append((middle, size))
    return [m + (i - (n - 1) / 2) * least for m, n in blocks for i in range(n)]


def label_methods(axes: Axes, table: pd.DataFrame, key: str, x: str, x_of: XOf = float) -> None:
    """Write the name of each method at the right end of its curve."""
    ends = []
    for method in methods_of(table[key]):
        last = table[table[key] == method].sort_values(x).iloc[-1]
        name, colour = style.label(method), style.colour(method)
        ends.append(End(x_of(last[x]), float(last["estimate"]), name, colour))
    label_ends(axes, ends)


def epsilon_key(axes: Axes, epsilons: Iterable[float], x: float = 0.98, y: float = 0.98) -> None:
    """Write the privacy levels in their colours, one below the other, into a panel's corner."""
    for row, epsilon in enumerate(sorted(set(epsilons))):
        place = {"xy": (x, y), "xycoords": "axes fraction", "textcoords": "offset points"}
        words = f"ε = {style.epsilon_label(epsilon)}"
        look = {"color": style.epsilon_colour(epsilon), "ha": "right", "va": "top"}
        axes.annotate(words, xytext=(0, -LABEL_HEIGHT * row), **place, **look)


def epsilon_legend(figure: Figure, epsilons: Iterable[float], *more: Line2D) -> None:
    """Show the privacy levels and their colours below the panels."""
    lines = [
        Line2D([], [], color=style.epsilon_colour(e), label=style.epsilon_label(e))
        for e in sorted(set(epsilons))
    ]
    _legend(figure, "lower", [Line2D([], [], linestyle="", label="ε ="), *lines, *more])


def method_legend(figure: Figure, handles: Sequence[Line2D], columns: int = 0) -> None:
    """Show what markers and lines mean above the panels."""
    _legend(figure, "upper", handles, columns)


def _legend(figure: Figure, where: str, handles: Sequence[Line2D], columns: int = 0) -> None:
    """Place a legend outside the panels in as many columns as the figure has room for."""
    entry = 0.95 if where == "upper" else 0.73  # inches
    columns = min(columns or len(handles), round(figure.get_size_inches()[0] / entry))
    figure.legend(handles=handles, loc=f"outside {where} center", ncols=columns)


def method_handles(names: Iterable[str]) -> list[Line2D]:
    """Return legend entries of policies or radii, in the order of their tables."""
    return [
        Line2D([], [], color=style.colour(m), label=style.label(m), **style.marker_style(m))
        for m in methods_of(names)
    ]
