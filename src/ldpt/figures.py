"""Drawing only: tables in, Matplotlib figures out. Nothing here simulates or computes a bound.

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

from ldpt import style

Place = Callable[[float], float]


# --- parts that several figures share -------------------------------------------------------------


def panels(count: int, columns: int, height: float, **options: Any) -> tuple[Figure, list[Axes]]:
    """A page-wide figure with so many panels in rows; each row is ``height`` inches."""
    columns = min(count, columns)
    rows = math.ceil(count / columns)
    width = style.PAGE if columns > 1 else style.COLUMN
    figure, grid = style.subplots(rows, columns, width, rows * height, **options)
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


def estimates(axes: Axes, x: Iterable[float], table: pd.DataFrame, colour: str, marker: str) -> None:
    """A curve of estimates with intervals; zero counts as upper limits."""
    x = np.asarray(list(x), dtype=float)
    estimate, low, high = (table[name].to_numpy() for name in ("estimate", "low", "high"))
    zero = (table["errors"] == 0).to_numpy() if "errors" in table else np.zeros(len(x), bool)
    seen = ~zero
    reach = [estimate[seen] - low[seen], high[seen] - estimate[seen]]
    axes.errorbar(
        x[seen], estimate[seen], yerr=reach, color=colour, marker=marker, elinewidth=0.7, zorder=3
    )
    axes.plot(
        x[zero], high[zero], linestyle="", marker="v", markerfacecolor="white",
        markeredgecolor=colour, markersize=3.4, zorder=3,
    )  # fmt: skip


def epsilon_handles(epsilons: Iterable[float], marker: str = "o") -> list[Line2D]:
    """Legend entries of the privacy levels, in their order."""
    return [
        Line2D([], [], color=style.epsilon_colour(e), marker=marker, label=style.epsilon_label(e))
        for e in sorted(epsilons)
    ]


def zero_handle() -> Line2D:
    """Legend entry of an upper limit."""
    look = {"markerfacecolor": "white", "markeredgecolor": style.INK}
    return Line2D([], [], linestyle="", marker="v", label="no error seen", **look)


def marker_handle(name: str, label: str | None = None) -> Line2D:
    """Legend entry of an algorithm, a policy or a radius."""
    colour, marker = style.FAINT, style.MARKERS[name]
    return Line2D([], [], color=colour, marker=marker, label=label or style.NAMES[name])


def legend_below(figure: Figure, handles: Sequence[Any], title: str = "", columns: int = 0) -> None:
    """One legend for all panels, under them."""
    names = [handle.get_label() for handle in handles]
    if title:
        handles = [Line2D([], [], linestyle=""), *handles]
        names = [title, *names]
    figure.legend(handles, names, loc="outside lower center", ncols=columns or len(handles))


def log_axes(axes: Axes, which: str = "both") -> None:
    """Logarithmic axes with a label a decade, as many as fit."""
    from matplotlib.ticker import LogLocator, NullFormatter

    for name in "xy":
        if which in (name, "both"):
            axis = getattr(axes, f"{name}axis")
            getattr(axes, f"set_{name}scale")("log")
            axis.set_major_locator(LogLocator(10, numticks=7))
            axis.set_minor_formatter(NullFormatter())


def epsilon_axis(axes: Axes, epsilons: Iterable[float]) -> Place:
    """A logarithmic axis of privacy levels with room for infinity at its right end."""
    from matplotlib.ticker import FixedLocator, NullLocator

    known = sorted(set(epsilons))
    finite = [epsilon for epsilon in known if math.isfinite(epsilon)]
    infinity = 3 * finite[-1]
    axes.set_xscale("log")
    marked = [e for e in (0.01, 0.1, 1.0, 10.0) if finite[0] <= e <= finite[-1]]
    has_infinity = math.isinf(known[-1])
    axes.xaxis.set_major_locator(FixedLocator(marked + [infinity] * has_infinity))
    axes.xaxis.set_minor_locator(NullLocator())
    labels = [style.epsilon_label(e) for e in marked] + ["∞"] * has_infinity
    axes.set_xticks(marked + [infinity] * has_infinity, labels)
    axes.set_xlabel("privacy level ε")
    return lambda epsilon: infinity if math.isinf(epsilon) else epsilon


def against_epsilon(axes: Axes, place: Place, table: pd.DataFrame, line: dict[str, Any]) -> None:
    """Columns ``epsilon`` and ``value`` as a line; infinity is a short stroke of its own."""
    finite = table[np.isfinite(table["epsilon"])].sort_values("epsilon")
    axes.plot(finite["epsilon"], finite["value"], **line)
    for value in table.loc[np.isinf(table["epsilon"]), "value"]:
        reach = place(math.inf) * np.array([0.75, 1.35])
        axes.plot(reach, [value, value], **{**line, "label": None})


# --- privacy --------------------------------------------------------------------------------------


def privacy_cost(measured: pd.DataFrame, theory: pd.DataFrame) -> Figure:
    """Shrinkage and H_eps / H against epsilon, theory as lines, the real mechanism as markers.

    ``measured``: law, epsilon, estimate, low, high of the shrinkage. ``theory``: epsilon, shrinkage.
    """
    figure, (left, right) = panels(2, 2, 2.5)
    for axes in (left, right):
        place = epsilon_axis(axes, theory["epsilon"])
    line = {"color": style.INK, "zorder": 1}
    against_epsilon(left, place, theory.assign(value=theory["shrinkage"]), line)
    against_epsilon(right, place, theory.assign(value=theory["shrinkage"] ** -2.0), line)
    finite = theory.loc[np.isfinite(theory["epsilon"]), "epsilon"]
    small = finite[finite <= 2]
    dotted = {"color": style.FAINT, "linestyle": ":", "zorder": 0}
    left.plot(small, small / 2, **dotted)
    right.plot(small, 4 / small**2, **dotted)
    log_axes(left, "y")
    log_axes(right, "y")
    laws = list(measured["law"].unique())
    for law in laws:
        rows = measured[measured["law"] == law]
        spread = 1.07 ** (laws.index(law) - (len(laws) - 1) / 2)  # side by side, not on top
        for row in rows.itertuples():
            look = {"color": style.epsilon_colour(row.epsilon), "marker": style.LAW_MARKERS[law]}
            x = place(row.epsilon) * spread
            _interval(left, x, row.estimate, row.low, row.high, look)
            inverse = [np.inf if v <= 0 else v**-2.0 for v in (row.estimate, row.high, row.low)]
            _interval(right, x, *inverse, look)
    left.set_ylabel("shrinkage of every gap,  $c(ε)$")
    right.set_ylabel("cost of privacy,  $H_ε / H$")
    left.text(small.iloc[0] * 1.25, small.iloc[0] / 2, "$ε/2$", va="top", color=style.FAINT)
    right.text(small.iloc[0] * 1.25, 4 / small.iloc[0] ** 2, "$4/ε^2$", color=style.FAINT)
    handles = [
        Line2D([], [], color=style.FAINT, linestyle="", marker=style.LAW_MARKERS[law], label=law)
        for law in laws
    ]
    handles.append(Line2D([], [], color=style.INK, label="tanh(ε/2)"))
    legend_below(figure, handles, "rewards:")
    return figure


def _interval(
    axes: Axes, x: float, estimate: float, low: float, high: float, look: dict[str, Any]
) -> None:
    """One estimate; an interval that reaches infinity runs off the axes, no estimate draws none."""
    if not math.isfinite(estimate):
        return
    top = min(high, 1e6 * estimate)
    axes.errorbar([x], [estimate], yerr=[[estimate - low], [top - estimate]], elinewidth=0.7, **look)


# --- fixed budget ---------------------------------------------------------------------------------


def fixed_budget_error(table: pd.DataFrame, instances: Sequence[str]) -> Figure:
    """Error probability of Algorithm 1 against the budget: a panel an instance."""
    return _budget_panels(table, instances, "budget", "budget $T$ (pulls)")


def fixed_budget_collapse(table: pd.DataFrame, instances: Sequence[str]) -> Figure:
    """The same data against T / H_eps."""
    return _budget_panels(table, instances, "scaled_budget", "scaled budget $T / H_ε$")


def _budget_panels(table: pd.DataFrame, instances: Sequence[str], x: str, label: str) -> Figure:
    figure, grid = panels(len(instances), 3, 2.0, sharey=True)
    shown = table[(table["policy"] == "apt") & table["instance"].isin(instances)]
    for position, (axes, instance) in enumerate(zip(grid, instances, strict=True)):
        rows = rows_of(shown, instance=instance)
        for epsilon, curve in rows.groupby("epsilon", sort=True):
            curve = curve.sort_values("budget")
            colour = style.epsilon_colour(float(epsilon))
            estimates(axes, curve[x], curve, colour, style.MARKERS["apt"])
        log_axes(axes, "both" if x == "budget" else "y")
        axes.set_title(f"{instance}  ($K$ = {rows['n_arms'].iloc[0]})")
        if position >= len(instances) - 3:
            axes.set_xlabel(label)
        if position % 3 == 0:
            axes.set_ylabel("error probability")
    grid[0].set_ylim(top=1.3)
    legend_below(figure, [*epsilon_handles(shown["epsilon"].unique()), zero_handle()], "ε =")
    return figure


# --- fixed confidence -----------------------------------------------------------------------------


def fixed_confidence_cost(
    table: pd.DataFrame, bounds: pd.DataFrame, instances: Sequence[str]
) -> Figure:
    """Mean stopping time against epsilon with bounds: a panel an instance.

    ``bounds``: instance, epsilon, side (upper, lower), version, value.
    """
    figure, grid = panels(len(instances), 3, 2.9, sharey=True)
    for axes, instance in zip(grid, instances, strict=True):
        rows = rows_of(table, instance=instance)
        limits = rows_of(bounds, instance=instance)
        place = epsilon_axis(axes, set(rows["epsilon"]) | set(limits["epsilon"]))
        for (side, version), curve in limits.groupby(["side", "version"]):
            against_epsilon(axes, place, curve, bound_line(str(side), str(version)))
        for radius, curve in rows.groupby("radius"):
            _cost_curve(axes, place, curve.sort_values("epsilon"), style.MARKERS[str(radius)])
        axes.set_yscale("log")
        log_axes(axes, "y")
        axes.set_title(f"{instance}  ($K$ = {rows['n_arms'].iloc[0]})")
    _slope_mark(grid[0], rows_of(table, instance=instances[0]))
    grid[0].set_ylabel("mean number of pulls,  $E[T]$")
    radii = [marker_handle(radius, f"radius {radius}") for radius in table["radius"].unique()]
    pairs = bounds[["side", "version"]].drop_duplicates().itertuples(index=False)
    lines = [
        Line2D([], [], label=f"{version} {side} bound", **bound_line(side, version))
        for side, version in pairs
    ]
    legend_below(figure, [*radii, *lines], columns=4)
    return figure


def bound_line(side: str, version: str) -> dict[str, Any]:
    """How a bound is drawn: the colour tells its side, the dashes its version."""
    colour = style.BOUND_COLOURS[side]
    return {"color": colour, "linestyle": style.DASHES[version], "linewidth": 0.9, "zorder": 1}


def _cost_curve(axes: Axes, place: Place, curve: pd.DataFrame, marker: str) -> None:
    """Mean pulls at each privacy level: a faint line, markers in the colours of the levels."""
    x = [place(epsilon) for epsilon in curve["epsilon"]]
    axes.plot(x, curve["mean_pulls"], color=style.FAINT, linewidth=0.6, zorder=2)
    for position, row in zip(x, curve.itertuples(), strict=True):
        look = {"color": style.epsilon_colour(row.epsilon), "marker": marker}
        _interval(axes, position, row.mean_pulls, row.mean_low, row.mean_high, look)


def _slope_mark(axes: Axes, rows: pd.DataFrame) -> None:
    """A short line of slope -2 beside the data at small epsilon."""
    finite = rows[np.isfinite(rows["epsilon"])]
    start = finite["epsilon"].min()
    height = finite.loc[finite["epsilon"] == start, "mean_pulls"].min() / 6
    x = np.array([start, 5 * start])
    axes.plot(x, height * (x / start) ** -2.0, color=style.INK, linewidth=0.8)
    axes.annotate(
        "slope −2", (x[0] * 1.7, height / 3.6), xytext=(-3, -3), textcoords="offset points",
        ha="right", va="top",
    )  # fmt: skip
