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

from ldpt.figures import style

RADII = ("printed", "hoeffding", "mixture")
Place = Callable[[float], float]
OPEN = {"markerfacecolor": "white", "markeredgewidth": 0.7, "linestyle": ""}


def panels(count: int, columns: int, height: float, **options: Any) -> tuple[Figure, list[Axes]]:
    """A page-wide figure with so many panels in rows; each row is ``height`` inches."""
    columns = min(count, columns)
    rows = math.ceil(count / columns)
    width = style.PAGE if columns > 1 else style.COLUMN
    figure, grid = style.subplots(rows, columns, width, rows * height + 0.35, **options)
    axes = list(grid.flat)
    for spare in axes[count:]:
        spare.remove()
    return figure, axes[:count]


def rows_of(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """The rows with these values; none at all is an error that says what was looked for."""
    chosen = table
    for column, value in values.items():
        chosen = chosen[chosen[column] == value]
    if chosen.empty:
        wanted = ", ".join(f"{column} {value}" for column, value in values.items())
        raise ValueError(f"nothing to draw: the table has no row with {wanted}")
    return chosen


def title(axes: Axes, instance: str, rows: pd.DataFrame) -> None:
    """The panel's instance, with its tolerance if that is in its name, and its number of arms."""
    name = instance.replace("-zeta-", ", ζ = ")
    axes.set_title(f"{name}  ($K$ = {rows['n_arms'].iloc[0]})")


def estimates(
    axes: Axes, x: Iterable[float], table: pd.DataFrame, colour: str, marker: str, **line: Any
) -> None:
    """A curve of estimates with intervals; zero counts as upper limits."""
    x = np.asarray(list(x), dtype=float)
    estimate, low, high = (table[name].to_numpy() for name in ("estimate", "low", "high"))
    zero = (table["errors"] == 0).to_numpy() if "errors" in table else np.zeros(len(x), bool)
    seen = ~zero
    reach = [estimate[seen] - low[seen], high[seen] - estimate[seen]]
    look = {"color": colour, "marker": marker, "elinewidth": 0.7, "zorder": 3} | line
    axes.errorbar(x[seen], estimate[seen], yerr=reach, **look)
    axes.plot(
        x[zero], high[zero], marker="v", markeredgecolor=colour, markersize=3, zorder=3, **OPEN
    )


def point(axes: Axes, x: float, row: Any, look: dict[str, Any]) -> None:
    """One estimate with its interval on a log axis; what has no place there is not drawn."""
    if 0 < row.estimate < math.inf:
        reach = [[row.estimate - row.low], [min(row.high, 1e6 * row.estimate) - row.estimate]]
        axes.errorbar([x], [row.estimate], yerr=reach, elinewidth=0.7, zorder=3, **look)


def coloured(
    axes: Axes, x: Sequence[float], table: pd.DataFrame, marker: str, link: bool = True
) -> None:
    """Estimates, each in the colour of its privacy level, linked by a faint line."""
    if link:
        axes.plot(x, table["estimate"], color=style.FAINT, linewidth=0.6, zorder=2)
    for position, row in zip(x, table.itertuples(), strict=True):
        look = {"color": style.epsilon_colour(row.epsilon), "marker": marker}
        point(axes, position, row, look)


# --- axes -----------------------------------------------------------------------------------------


def log_axes(axes: Axes, which: str = "both") -> None:
    """Logarithmic axes with a label a decade, as many as fit."""
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


def epsilon_axis(axes: Axes, epsilons: Iterable[float]) -> Place:
    """A logarithmic axis of privacy levels with room for infinity at its right end."""
    known = sorted(set(epsilons))
    finite = [epsilon for epsilon in known if math.isfinite(epsilon)] or [1.0]
    infinity = 2.5 * finite[-1]
    decades = finite[-1] > 50 * finite[0]
    levels = (0.01, 0.1, 1.0, 10.0) if decades else style.LADDER[::-1]
    marked = [e for e in levels if finite[0] <= e <= finite[-1]]
    places = marked + [infinity] * math.isinf(known[-1])
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(places))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(
        places, [style.epsilon_label(e) for e in marked] + ["∞"] * math.isinf(known[-1])
    )
    axes.set_xlabel("privacy level ε")
    return lambda epsilon: infinity if math.isinf(epsilon) else epsilon


def against_epsilon(axes: Axes, place: Place, table: pd.DataFrame, line: dict[str, Any]) -> None:
    """Columns ``epsilon`` and ``value`` as a line; infinity is a short stroke of its own."""
    finite = table[np.isfinite(table["epsilon"])].sort_values("epsilon")
    axes.plot(finite["epsilon"], finite["value"], **line)
    for value in table.loc[np.isinf(table["epsilon"]), "value"]:
        axes.plot(place(math.inf) * np.array([0.75, 1.35]), [value, value], **line)


def arms_axis(axes: Axes, arms: Iterable[int]) -> None:
    """A logarithmic axis of numbers of arms, labelled at every second power of two or so."""
    known = sorted(set(arms))
    places = known[:: max(1, math.ceil(len(known) / 5))]
    axes.set_xscale("log", base=2)
    axes.set_xticks(places, [str(place) for place in places])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("number of arms $K$")


# --- legends --------------------------------------------------------------------------------------


def epsilon_handles(epsilons: Iterable[float], marker: str = "o") -> list[Line2D]:
    """Legend entries of the privacy levels, in their order."""
    return [
        Line2D([], [], color=style.epsilon_colour(e), marker=marker, label=style.epsilon_label(e))
        for e in sorted(epsilons)
    ]


def zero_handle(label: str = "no error seen") -> Line2D:
    """Legend entry of an upper limit."""
    return Line2D([], [], marker="v", markeredgecolor=style.INK, label=label, **OPEN)


def marker_handle(name: str, label: str | None = None) -> Line2D:
    """Legend entry of an algorithm, a policy or a radius."""
    look = {"color": style.FAINT, "marker": style.MARKERS[name]}
    return Line2D([], [], label=label or style.NAMES[name], **look)


def bound_line(side: str, version: str) -> dict[str, Any]:
    """How a bound is drawn: the colour tells its side, the dashes its version."""
    colour = style.BOUND_COLOURS[side]
    return {"color": colour, "linestyle": style.DASHES[version], "linewidth": 0.9, "zorder": 1}


def bound_name(side: str, version: str) -> str:
    """What a legend calls a bound."""
    return style.BOUND_NAMES[version].format(side=side)


def bound_handles(bounds: pd.DataFrame) -> list[Line2D]:
    """Legend entries of the bounds in a table with columns side and version."""
    pairs = bounds[["side", "version"]].drop_duplicates().itertuples(index=False)
    return [
        Line2D([], [], label=bound_name(side, version), **bound_line(side, version))
        for side, version in pairs
    ]


def legend(
    figure: Figure, where: str, handles: Sequence[Any], head: str = "", columns: int = 0
) -> None:
    """One legend for all panels, under (lower) or over (upper) them; ``head`` names its entries."""
    names = [handle.get_label() for handle in handles]
    if head:
        handles = [Line2D([], [], linestyle=""), *handles]
        names = [head, *names]
    figure.legend(handles, names, loc=f"outside {where} center", ncols=columns or len(handles))


def epsilon_legend(figure: Figure, epsilons: Iterable[float], *more: Line2D) -> None:
    """The privacy levels, and what else belongs to them, under the panels."""
    legend(figure, "lower", [*epsilon_handles(epsilons, ""), *more], "ε =")


def radius_legend(figure: Figure, table: pd.DataFrame, *more: Line2D, columns: int = 0) -> None:
    """The radii in a table, and what else the markers and lines mean, over the panels."""
    radii = [marker_handle(r, f"radius {r}") for r in RADII if r in set(table["radius"])]
    legend(figure, "upper", [*radii, *more], columns=columns)
