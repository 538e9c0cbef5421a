"""The parts that figures share: panels, curves of estimates, axes of privacy levels, legends.

Estimates come as columns ``estimate``, ``low`` and ``high``; a count of zero (``errors`` = 0) is
drawn as an upper limit, an open triangle that points down from the interval's upper end.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

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
XOf = Callable[[float], float]  # where on an axis a privacy level stands
OPEN = {"markerfacecolor": "white", "markeredgewidth": 0.7, "linestyle": ""}


def panels(count: int, columns: int, height: float, **options: Any) -> tuple[Figure, list[Axes]]:
    """A page-wide figure with ``count`` panels in rows; each row is ``height`` inches."""
    columns = min(count, columns)
    rows = math.ceil(count / columns)
    width = style.PAGE if columns > 1 else style.COLUMN
    figure, grid = style.subplots(rows, columns, width, rows * height + 0.35, **options)
    axes = list(grid.flat)
    for spare in axes[count:]:
        spare.remove()
    return figure, axes[:count]


def mosaic(rows: Sequence[Sequence[str]], height: float) -> tuple[Figure, dict[str, Axes]]:
    """A page-wide figure whose panels are laid out by name; a repeated name is a wider panel."""
    width = math.lcm(*map(len, rows))
    layout = [[name for name in row for _ in range(width // len(row))] for row in rows]
    return style.mosaic(layout, style.PAGE, len(rows) * height + 0.5)


def rows_where(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """The rows with these values; none at all is an error that says what was looked for."""
    chosen = table
    for column, value in values.items():
        chosen = chosen[chosen[column] == value]
    if chosen.empty:
        wanted = ", ".join(f"{column} {value}" for column, value in values.items())
        raise ValueError(f"nothing to draw: the table has no row with {wanted}")
    return chosen


def title(axes: Axes, instance: str) -> None:
    """The panel's instance, with its tolerance if that is in its name."""
    axes.set_title(instance.replace("-zeta-", ", ζ = "))


def mean_pulls(table: pd.DataFrame, over: Any = 1.0) -> pd.DataFrame:
    """The mean stopping time as estimate, low and high, divided by ``over``."""
    columns = {"estimate": "mean_pulls", "low": "mean_pulls_low", "high": "mean_pulls_high"}
    return table.assign(**{name: table[source] / over for name, source in columns.items()})


def scaled(table: pd.DataFrame, over: Any) -> pd.DataFrame:
    """Estimate, low and high divided by ``over``."""
    return table.assign(**{name: table[name] / over for name in ("estimate", "low", "high")})


def estimates(
    axes: Axes, x: Iterable[float], table: pd.DataFrame, colour: str, **line: Any
) -> None:
    """A curve of estimates with intervals; zero counts as upper limits."""
    x = np.asarray(list(x), dtype=float)
    estimate, low, high = (table[name].to_numpy() for name in ("estimate", "low", "high"))
    zero = (table["errors"] == 0).to_numpy() if "errors" in table else np.zeros(len(x), bool)
    seen = ~zero
    reach = [estimate[seen] - low[seen], high[seen] - estimate[seen]]
    style_kwargs = {"color": colour, "elinewidth": 0.7, "zorder": 3} | line
    axes.errorbar(x[seen], estimate[seen], yerr=reach, **style_kwargs)
    axes.plot(
        x[zero], high[zero], marker="v", markeredgecolor=colour, markersize=3, zorder=3, **OPEN
    )


def draw_curves(axes: Axes, rows: pd.DataFrame, x: str, policy: str, **line: Any) -> None:
    """Draw error curves of one policy on one problem, one colour per privacy level."""
    for epsilon, curve in rows.groupby("epsilon", sort=True):
        curve, colour = curve.sort_values("budget"), style.epsilon_colour(float(epsilon))
        style_kwargs = style.marker_style(policy, 2.4) | line
        estimates(axes, curve[x], curve, colour, **style_kwargs)


def points(axes: Axes, x: Sequence[Any], table: pd.DataFrame, style_kwargs: dict[str, Any]) -> None:
    """Estimates with their intervals on a log axis; zero and infinity are not drawn.

    ``x`` are numbers or names.
    """
    estimate, low, high = (table[name].to_numpy(float) for name in ("estimate", "low", "high"))
    drawn = (estimate > 0) & (estimate < math.inf)
    if drawn.any():
        reach = np.array([estimate - low, np.minimum(high, 1e6 * estimate) - estimate])[:, drawn]
        line = {"elinewidth": 0.7, "linestyle": "", "zorder": 3} | style_kwargs
        axes.errorbar(np.asarray(x)[drawn], estimate[drawn], yerr=reach, **line)


def points_by_epsilon(
    axes: Axes,
    x: Sequence[Any],
    table: pd.DataFrame,
    method: str,
    link: bool = True,
    size: float = 4.0,
) -> None:
    """Estimates, each in the colour of its privacy level, linked by a faint line.

    ``method`` is a policy or radius, which has the marker.
    """
    if link:
        axes.plot(x, table["estimate"], color=style.FAINT, linewidth=0.6, zorder=2)
    for epsilon, rows in table.assign(x=x).groupby("epsilon", sort=False):
        colour = style.epsilon_colour(float(epsilon))
        points(axes, rows["x"], rows, {"color": colour, **style.marker_style(method, size)})


def cheapest_valid(table: pd.DataFrame) -> str:
    """The valid radius with the smallest median cost in a table: the one to recommend."""
    keys = ["instance", "epsilon", "delta"]
    costs = table[table["radius"].isin(VALID_RADII)]
    return str(costs.pivot_table("mean_pulls", keys, "radius").dropna().median().idxmin())


def prose(value: float) -> str:
    """A number as captions write it."""
    return number(float(value))


def span(values: pd.Series) -> str:
    """The least and the largest value as captions write them.

    >>> span(pd.Series([1.0, 2.5]))
    '1 to 2.5'
    """
    return f"{prose(values.min())} to {prose(values.max())}"


# --- axes -----------------------------------------------------------------------------------------


def log_axes(axes: Axes, which: str = "both") -> None:
    """Logarithmic axes with one label per decade, as many as fit."""
    for name in "xy":
        if which in (name, "both"):
            axis = getattr(axes, f"{name}axis")
            getattr(axes, f"set_{name}scale")("log")
            axis.set_major_locator(LogLocator(10, numticks=7))
            axis.set_minor_formatter(NullFormatter())


def fine_ticks(axes: Axes, which: str) -> None:
    """Plain labels at 1, 2 and 5 of each decade, for a logarithmic axis that spans few decades."""
    for name in which:
        axis = getattr(axes, f"{name}axis")
        axis.set_major_locator(LogLocator(10, subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def epsilon_axis(axes: Axes, epsilons: Iterable[float]) -> XOf:
    """A logarithmic axis of privacy levels with room for infinity at its right end."""
    levels = sorted(set(epsilons))
    finite = [epsilon for epsilon in levels if math.isfinite(epsilon)] or [1.0]
    infinity = 2.5 * finite[-1]
    decades = finite[-1] > 50 * finite[0]
    candidates = (0.01, 0.1, 1.0, 10.0) if decades else style.LADDER[::-1]
    marked = [e for e in candidates if finite[0] <= e <= finite[-1]]
    ticks = marked + [infinity] * math.isinf(levels[-1])
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(
        ticks, [style.epsilon_label(e) for e in marked] + ["∞"] * math.isinf(levels[-1])
    )
    axes.set_xlabel("privacy level ε")
    return lambda epsilon: infinity if math.isinf(epsilon) else epsilon


def against_epsilon(
    axes: Axes, x_of: XOf, table: pd.DataFrame, style_kwargs: dict[str, Any]
) -> None:
    """Columns ``epsilon`` and ``value`` as a line; infinity is a short stroke of its own."""
    finite = table[np.isfinite(table["epsilon"])].sort_values("epsilon")
    axes.plot(finite["epsilon"], finite["value"], **style_kwargs)
    for value in table.loc[np.isinf(table["epsilon"]), "value"]:
        axes.plot(x_of(math.inf) * np.array([0.75, 1.35]), [value, value], **style_kwargs)


def arms_axis(axes: Axes, arms: Iterable[int]) -> None:
    """A logarithmic axis of numbers of arms, labelled at every second power of two or so."""
    counts = sorted(set(arms))
    ticks = counts[:: max(1, math.ceil(len(counts) / 5))]
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("number of arms $K$")


# --- legends: markers and lines above the panels, privacy levels below them -----------------------


def epsilon_legend(figure: Figure, epsilons: Iterable[float], *more: Line2D) -> None:
    """The privacy levels in their order, and what else belongs to them, below the panels."""
    levels = sorted(set(epsilons))
    lines = [
        Line2D([], [], color=style.epsilon_colour(e), label=style.epsilon_label(e)) for e in levels
    ]
    _legend(figure, "lower", [Line2D([], [], linestyle="", label="ε ="), *lines, *more])


def method_legend(figure: Figure, handles: Sequence[Line2D], columns: int = 0) -> None:
    """What markers and lines mean, above the panels."""
    _legend(figure, "upper", handles, columns)


def _legend(figure: Figure, where: str, handles: Sequence[Line2D], columns: int = 0) -> None:
    figure.legend(handles=handles, loc=f"outside {where} center", ncols=columns or len(handles))


def zero_handle(label: str = "no error seen") -> Line2D:
    """Legend entry of an upper limit."""
    return Line2D([], [], marker="v", markeredgecolor=style.INK, label=label, **OPEN)


def marker_handle(method: str, label: str = "") -> Line2D:
    """Legend entry of a policy or radius."""
    style_kwargs = {"color": style.FAINT, "linestyle": "", **style.marker_style(method)}
    return Line2D([], [], label=label or style.label(method), **style_kwargs)


def method_name(method: str) -> str:
    """The name of a policy or a radius where both settings are shown."""
    return f"Algorithm 2, {style.label(method)}" if method in RADII else style.label(method)


def methods_of(table: pd.DataFrame) -> list[str]:
    """The policies and radii in a table's column ``method``, in the order of their tables."""
    return in_order(table["method"], [*POLICIES, *RADII])


def radius_handles(table: pd.DataFrame, prefix: str = "radius ") -> list[Line2D]:
    """Legend entries of the radii in a table, in the order of their own table."""
    return [marker_handle(r, prefix + style.label(r)) for r in in_order(table["radius"], RADII)]


def in_order(found: Iterable[str], order: Iterable[str]) -> list[str]:
    """What was found, in the order of a table of names."""
    present = set(found)
    return [name for name in order if name in present]


def bound_line(side: str, version: str) -> dict[str, Any]:
    """How a bound is drawn: the colour tells its side, the dashes its version."""
    colour = style.BOUND_COLOURS[side]
    return {
        "color": colour,
        "linestyle": style.DASHES.get(version, "-"),
        "linewidth": 1.0,
        "zorder": 1,
    }


def bound_handles(bounds: pd.DataFrame) -> list[Line2D]:
    """Legend entries of the bounds in a table with columns side and version."""
    pairs = bounds[["side", "version"]].drop_duplicates().itertuples(index=False)
    return [
        Line2D([], [], label=style.bound_name(side, version), **bound_line(side, version))
        for side, version in pairs
    ]
