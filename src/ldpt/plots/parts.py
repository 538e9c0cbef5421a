"""The parts that figures share: panels, curves of estimates, axes of privacy levels, labels.

Estimates come as columns ``estimate``, ``low`` and ``high``; a count of zero (``errors`` = 0) is
drawn as an upper limit: an open triangle that points down from the interval's upper end. A curve
against the budget ends with the first one after its last error. No privacy stands behind a break
at the right end of an axis and is not joined to its neighbour.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from ldpt.plots import style
from ldpt.policies import POLICIES
from ldpt.radii import RADII, VALID_RADII
from ldpt.text import SUPERSCRIPTS, number
from ldpt.util.messages import printable
from ldpt.util.reproducible import log, power

NOT_RUN = "not run"  # in a caption or a panel, for what the config leaves out
RULE = "#d0d0d0"  # of breaks and rules between parts of a panel
NO_DATA = "no error seen,\nor not run"  # in a panel
BOUND: dict[str, Any] = {"linewidth": 0.9, "linestyle": (0, (4, 1.5)), "zorder": 2}
XOf = Callable[[float], float]  # position of a privacy level on an axis
LIMITS = ["estimate", "low", "high"]
LABEL_HEIGHT = 10.0  # points that a line of a key takes
LETTER = 0.02  # share of a panel's width that a letter takes


# --- panels and rows ------------------------------------------------------------------------------


def panels(count: int, columns: int, height: float, **options: Any) -> tuple[Figure, list[Axes]]:
    """Return a figure with ``count`` panels in rows of ``height`` inches."""
    import matplotlib.pyplot as plt

    columns = min(count, columns)
    rows = math.ceil(count / columns)
    size = style.PAGE if columns > 1 else style.HALF, rows * height + 0.3
    figure, grid = plt.subplots(
        rows, columns, squeeze=False, figsize=size, layout="constrained", **options
    )
    axes = list(grid.flat)
    for spare in axes[count:]:
        spare.remove()
    return figure, axes[:count]


def blank(words: str = NOT_RUN) -> Figure:
    """Return a figure that says why it has nothing to show."""
    figure, (axes,) = panels(1, 1, 1.0)
    axes.set_axis_off()
    axes.text(0.5, 0.5, words, ha="center", va="center")
    return figure


def fewest_runs(table: pd.DataFrame) -> float:
    """Return the smallest number of runs behind an estimate, NaN without any."""
    return int(table["replicates"].min()) if len(table) else math.nan


def rows_where(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """Return the rows with these values, or raise if no row matches."""
    rows = table
    for column, value in values.items():
        rows = rows[rows[column] == value]
    if rows.empty:
        conditions = ", ".join(f"{column} {value}" for column, value in values.items())
        raise ValueError(f"nothing to draw: the table has no row with {conditions}")
    return rows


def problem(instance: str) -> str:
    """Return a problem's name for readers; a dollar in it begins no formula.

    >>> problem("three-groups-zeta-0.05")
    'three-groups, ζ = 0.05'
    """
    return printable(instance).replace("-zeta-", ", ζ = ").replace("$", r"\$")


def at_level(epsilon: float) -> str:
    """Return words for a privacy level.

    >>> at_level(0.5), at_level(math.inf)
    ('at ε = 0.5', 'without privacy')
    """
    return "without privacy" if math.isinf(epsilon) else f"at ε = {style.epsilon_label(epsilon)}"


def colours_of(epsilons: Iterable[float]) -> str:
    """Return which colours curves of these privacy levels have, or their only level.

    >>> colours_of([1.0, 4.0]), colours_of([0.5])
    ('one colour per privacy level', 'at ε = 0.5')
    """
    levels = set(epsilons)
    if len(levels) == 1:
        return at_level(*levels)
    return "one colour per privacy level" + ", black: no privacy" * (math.inf in levels)


def scaled(table: pd.DataFrame, unit: Any) -> pd.DataFrame:
    """Return the table with estimate, low and high divided by ``unit``."""
    return table.assign(**{name: table[name] / unit for name in LIMITS})


def mean_pulls(table: pd.DataFrame, unit: Any = 1.0) -> pd.DataFrame:
    """Return the table with the mean stopping time as estimate, low and high, over ``unit``."""
    columns = dict(zip(LIMITS, ("mean_pulls", "mean_pulls_low", "mean_pulls_high"), strict=True))
    table = table.drop(columns="errors", errors="ignore")  # of the answer, not of the mean
    return table.assign(**{name: table[source] / unit for name, source in columns.items()})


def in_order(found: Iterable[str], order: Iterable[str]) -> list[str]:
    """Return the names that were found in the order of a table of names, others behind them."""
    present = dict.fromkeys(found)
    first = [name for name in order if name in present]
    return first + [name for name in present if name not in first]


def run_of(found: Iterable[str], wanted: Sequence[str]) -> list[str]:
    """Return the methods asked for that were run; all that were run if none of them was."""
    methods = methods_of(found)
    return [name for name in wanted if name in methods] or methods


def methods_of(names: Iterable[str]) -> list[str]:
    """Return policies and radii in the order of their tables."""
    return in_order(names, [*POLICIES, *RADII])


def cheapest_valid(table: pd.DataFrame) -> str:
    """Return the valid radius whose pulls are the smallest multiple of the least, in the median.

    If no valid one was run it is the first radius of the table, and "not run" without any.
    """
    keys = ["instance", "epsilon", "delta"]
    valid = table[table["radius"].isin(VALID_RADII)]
    if valid.empty:
        return [*methods_of(table["radius"]), NOT_RUN][0]
    pulls = valid.pivot_table("mean_pulls", keys, "radius")
    compared = pulls.dropna() if len(pulls.dropna()) else pulls
    return str(compared.div(compared.min(axis=1), axis=0).median().idxmin())


# --- curves ---------------------------------------------------------------------------------------


def estimates(
    axes: Axes, x: Iterable[float], table: pd.DataFrame, colour: str, **line: Any
) -> None:
    """Draw estimates with intervals; zero counts as upper limits, infinity not at all."""
    x = np.asarray(list(x), dtype=float)
    estimate, low, high = (table[name].to_numpy(float) for name in LIMITS)
    zero = (table["errors"] == 0).to_numpy() if "errors" in table else np.zeros(len(x), bool)
    visible = ~zero & np.isfinite(estimate)
    top = np.minimum(high, 1e6 * estimate)  # an interval may be unbounded
    reach = [(estimate - low)[visible], (top - estimate)[visible]]
    look = {"color": colour, "elinewidth": 0.7, "zorder": 3, "markeredgewidth": 0} | line
    if visible.any():
        axes.errorbar(x[visible], estimate[visible], yerr=reach, **look)
    if zero.any():
        limit = {"marker": "v", "markersize": 3.5, "linestyle": "", "zorder": 3}
        axes.plot(x[zero], high[zero], color=colour, fillstyle="none", markeredgewidth=0.7, **limit)


def method_curve(
    axes: Axes, table: pd.DataFrame, method: str, x: str, x_of: XOf = float, **line: Any
) -> None:
    """Draw one method's estimates against the column ``x``, no privacy apart from the others."""
    look = style.marker_style(method, 3.6) | {"linewidth": 1.2} | line
    table = table.sort_values(x, kind="stable")
    free = np.isinf(table[x])
    for part in (table[~free], table[free]):
        estimates(axes, [x_of(value) for value in part[x]], part, style.colour(method), **look)


def method_curves(axes: Axes, table: pd.DataFrame, key: str, x: str, x_of: XOf = float) -> None:
    """Draw one curve per method of the column ``key`` against the column ``x``."""
    for method in methods_of(table[key]):
        method_curve(axes, table[table[key] == method], method, x, x_of)


def epsilon_curve(axes: Axes, table: pd.DataFrame, x: str, colour: str) -> None:
    """Draw the error curve of one privacy level in its colour."""
    look = {"marker": "o", "markersize": 2.4, "linewidth": 1.1}
    table = to_last_error(table, x)
    estimates(axes, table[x], table, colour, **look)


def to_last_error(table: pd.DataFrame, x: str) -> pd.DataFrame:
    """Return a curve up to its last error and the next point, in the order of the column ``x``.

    >>> to_last_error(pd.DataFrame({"x": [1, 2, 3, 4, 5], "estimate": [0.1, 0, 0.1, 0, 0]}), "x").x
    0    1
    1    2
    2    3
    3    4
    Name: x, dtype: int64
    """
    table = table.sort_values(x, kind="stable")
    erring = np.flatnonzero(table["estimate"] > 0)
    return table.iloc[: erring[-1] + 2 if len(erring) else 1]


def mark_crossings(axes: Axes, level: float, marks: Iterable[tuple[float, str, str]]) -> None:
    """Mark where curves pass a level, and write the words of each mark beside it, in its colour.

    Words stand above the level on the right; those with the next mark close by, below on the left.
    """
    axes.axhline(level, color=RULE, linewidth=0.8, zorder=0)
    places = sorted(marks)
    neighbours = [place for place, *_ in places[1:]] + [math.inf]
    left, right = axes.get_xlim()
    row = 0
    for (x, words, colour), neighbour in zip(places, neighbours, strict=False):
        axes.plot([x], [level], "|", color=colour, markersize=7, markeredgewidth=1.4)
        beside: dict[str, Any] = {"xytext": (3, 3), "ha": "left", "va": "bottom"}
        if log(neighbour / x) < LETTER * (len(words) + 1) * log(right / left):
            beside = {"xytext": (-3, -3 - LABEL_HEIGHT * row), "ha": "right", "va": "top"}
            row += 1
        axes.annotate(words, (x, level), color=colour, textcoords="offset points", **beside)


def spread_bar(axes: Axes, places: Sequence[float], error: float) -> None:
    """Draw where curves pass an error level, from the first to the last, with their ratio."""
    if len(places) < 2:
        return
    low = min(places)
    high = max(places)
    tips = {"shrinkA": 0, "shrinkB": 0, "color": style.INK, "linewidth": 0.9}
    arrow = {"arrowstyle": "|-|,widthA=0.3,widthB=0.3", **tips}
    axes.annotate("", (low, error), (high, error), arrowprops=arrow, zorder=4)
    beside = {"xytext": (5, 0), "textcoords": "offset points", "va": "center"}
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
    axes.annotate(f"×{high / low:.2f}", (high, error), bbox=box, zorder=5, **beside)


def zero_handle(table: pd.DataFrame) -> list[Line2D]:
    """Return the legend entry of upper limits, if a table has any."""
    if "errors" not in table or (table["errors"] > 0).all():
        return []
    look = {"marker": "v", "linestyle": "", "fillstyle": "none", "markeredgewidth": 0.7}
    return [Line2D([], [], color=style.INK, markersize=3.5, label="no error seen", **look)]


# --- axes -----------------------------------------------------------------------------------------


def log_axes(axes: Axes, which: str = "xy") -> None:
    """Set logarithmic axes with one label per decade, as many as fit."""
    for name in which:
        axis = getattr(axes, f"{name}axis")
        getattr(axes, f"set_{name}scale")("log")
        axis.set_major_locator(LogLocator(10, numticks=7))
        axis.set_major_formatter(FuncFormatter(lambda value, _: _power_of_ten(value)))
        axis.set_minor_formatter(NullFormatter())


def _power_of_ten(value: float) -> str:
    """Return a power of ten in plain text.

    >>> _power_of_ten(1e-5)
    '10⁻⁵'
    """
    exponent = str(int(f"{value:e}".split("e")[1]))
    return f"10{exponent.translate(SUPERSCRIPTS)}"


def fine_ticks(axes: Axes, which: str) -> None:
    """Set plain labels at 1, 2 and 5 of each decade, for a logarithmic axis of few decades."""
    log_axes(axes, which)
    for name in which:
        axis = getattr(axes, f"{name}axis")
        low, high = getattr(axes, f"get_{name}lim")()
        steps = (1, 2, 5) if high > 8 * low else (1, 1.5, 2, 3, 5, 7)
        axis.set_major_locator(LogLocator(10, subs=steps))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def plain_ticks(axes: Axes, which: str) -> None:
    """Set plain labels such as 10 000 on a logarithmic axis."""
    for name in which:
        axis = getattr(axes, f"{name}axis")
        axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))


def epsilon_axis(axes: Axes, epsilons: Iterable[float]) -> XOf:
    """Set a logarithmic axis with a tick per privacy level, and infinity behind a break."""
    levels = sorted(set(map(float, epsilons)))
    finite = [epsilon for epsilon in levels if math.isfinite(epsilon)] or [1.0]
    span = max(finite[-1] / finite[0], 4.0)
    infinity = finite[-1] * max(power(span, 0.16), 1.9)
    places = [infinity if math.isinf(epsilon) else epsilon for epsilon in levels]
    labelled = _with_room(places)
    names = [
        style.epsilon_label(epsilon) if place in labelled else ""
        for epsilon, place in zip(levels, places, strict=True)
    ]
    axes.set_xscale("log")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(places, names)
    margin = power(span, 0.05)
    axes.set_xlim(min(places) / margin, max(places) * margin)
    if len(places) > 1 and math.isinf(levels[-1]):
        axes.axvline(power(finite[-1] * infinity, 0.5), color=RULE, linewidth=0.8, zorder=0)
    axes.set_xlabel("privacy level ε")
    return lambda epsilon: infinity if math.isinf(epsilon) else epsilon


def _with_room(places: list[float]) -> list[float]:
    """Return the ticks whose labels have room, on a logarithmic axis; decades come first.

    >>> _with_room([0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 9.0])
    [9.0, 0.1, 1.0, 0.25, 0.5, 2.0, 4.0]
    """
    least = 0.135 * log(places[-1] / places[0])
    decades = [place for place in places if f"{place:e}".startswith("1.000000")]
    chosen: list[float] = []
    for place in [places[-1], *decades, *places]:
        if all(abs(log(place / other)) > least for other in chosen):
            chosen.append(place)
    return chosen


def arms_axis(axes: Axes, arms: Iterable[int]) -> None:
    """Set a logarithmic axis of numbers of arms, labelled at every second power of two or so."""
    counts = sorted({int(count) for count in arms})
    ticks = counts[:: max(1, math.ceil(len(counts) / 5))]
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("number of arms $K$")


# --- labels and legends ---------------------------------------------------------------------------


def key(axes: Axes, lines: Sequence[tuple[str, str]], top: bool = False) -> None:
    """Write lines of text in their colours into the lower left or the upper right corner."""
    place: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    # The white box hides rules of the panel, but neither curves nor bounds.
    place |= {"zorder": 1, "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.8}}
    if top:
        place |= {"xy": (0.99, 1), "ha": "right", "va": "top"}
    else:
        place |= {"xy": (0.03, 0.03), "ha": "left", "va": "bottom"}
    for row, (words, colour) in enumerate(lines if top else reversed(lines)):
        shift = (0, LABEL_HEIGHT * row * (-1 if top else 1))
        axes.annotate(words, xytext=shift, color=colour, **place)


def epsilon_legend(figure: Figure, epsilons: Iterable[float], *more: Line2D) -> None:
    """Show the privacy levels and their colours below the panels, in their order."""
    lines = []
    for epsilon, colour in style.epsilon_palette(epsilons).items():
        lines.append(Line2D([], [], color=colour, label=style.epsilon_label(epsilon)))
    _legend(figure, "lower", [Line2D([], [], linestyle="", label="ε ="), *lines, *more], 0.62)


def method_legend(figure: Figure, handles: Sequence[Line2D], where: str = "upper") -> None:
    """Show what markers and lines mean, above the panels or below them."""
    _legend(figure, where, handles, 1.0)


def _legend(figure: Figure, where: str, handles: Sequence[Line2D], entry: float) -> None:
    """Place a legend outside the panels, in columns at least ``entry`` inches wide, row by row."""
    columns = min(len(handles), max(2, int(figure.get_figwidth() / entry)))
    rows = math.ceil(len(handles) / columns)
    padded = [
        *handles,
        *[Line2D([], [], linestyle="", label=" ")] * (rows * columns - len(handles)),
    ]
    by_rows = [padded[row * columns + column] for column in range(columns) for row in range(rows)]
    figure.legend(handles=by_rows, loc=f"outside {where} center", ncols=columns)


def method_handles(names: Iterable[str]) -> list[Line2D]:
    """Return legend entries of policies or radii, in the order of their tables."""
    return [
        Line2D([], [], color=style.colour(m), label=style.label(m), **style.marker_style(m))
        for m in methods_of(names)
    ]
