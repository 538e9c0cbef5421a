"""One function per kind of picture, from a table to a seaborn grid: the contents of ldpt.plots.

A table is one of runs, as :mod:`ldpt.simulate` returns them, or of estimates, as
:mod:`ldpt.summarise` returns them and as the files in ``results/summaries`` hold them. Each
keyword keeps the rows with this value, or with one of these values, in the column of its name, and
sets the order of the panels: ``plots.cost(runs, radius=["coin", "printed"], delta=0.1)``. The
caller's Matplotlib settings stay as they are, and the figure stays open. Labels hold no formulas,
whose fonts Matplotlib looks up only when the figure is shown.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from ldpt import summarise
from ldpt.plots import parts, style
from ldpt.radii import RADII
from ldpt.text import number
from ldpt.util.messages import MAX_NAMES, printable, short, shown
from ldpt.util.reproducible import log, power

__all__ = ["calibration", "collapse", "cost", "error_curves", "error_map"]

MIN_ERRORS = 10  # fewer say little about where a curve is
COLUMNS = 3  # panels in a row
SETTING = ["instance", "epsilon", "delta"]
LEAST_ERROR, JITTER = 1e-10, 0.25  # of calibration: lower end of the axis; decades
MAP_COLOURS = [
    "#1f5fbf",
    "#f5f5f5",
    "#8b0a1e",
]  # a millionth of the promise, the promise, 1000 times


@style.styled
def error_curves(table: pd.DataFrame, *, height: float = 1.75, **where: Any) -> sns.FacetGrid:
    """Draw error probability against the budget: a panel per policy and problem, a line per level.

    Parameters
    ----------
    table : pandas.DataFrame
        Runs or estimates of fixed budget.
    height : float
        Height of a row of panels in inches.
    **where
        Rows to draw, by column.

    Returns
    -------
    seaborn.FacetGrid
        Bars are 95 % intervals; an open triangle is the upper limit where no run erred. A curve
        ends with the first one after its last error.

    Raises
    ------
    ValueError
        If the table is empty, lacks a column, or has no row with a value of ``where``.
    """
    rows = budget_rows(table, ["budget"], where)
    grid = _curves(rows, "budget", where, height)
    heights = rows["high"].where(rows["estimate"] == 0, rows["estimate"])
    for axes in grid.axes.flat:
        parts.log_axes(axes)
        axes.set_ylim(0.3 * heights.min(), 1.5)
    for _, same in rows.groupby("instance"):  # policies are compared on one axis
        panels = [grid.axes_dict[name] for name in same["panel"].unique()]
        lefts, rights = zip(*(axes.get_xlim() for axes in panels), strict=True)
        for axes in panels:
            axes.set_xlim(min(lefts), max(rights))
    grid.set_xlabels("budget (answers)")
    parts.epsilon_legend(grid.figure, rows["epsilon"], *parts.zero_handle(rows))
    return grid


@style.styled
def collapse(
    table: pd.DataFrame, *, error: float = 0.05, height: float = 1.75, **where: Any
) -> sns.FacetGrid:
    """Draw error probability against the budget divided by H_eps: do the curves become one?

    Parameters
    ----------
    table : pandas.DataFrame
        Estimates of fixed budget, with ``scaled_budget``.
    error : float
        Where a bar shows how far the curves are apart, with the ratio of its ends.
    height : float
        Height of a row of panels in inches.
    **where
        Rows to draw, by column.

    Returns
    -------
    seaborn.FacetGrid
        Without the points at which fewer than ten runs erred.

    Raises
    ------
    ValueError
        As :func:`error_curves`.
    """
    rows = budget_rows(table, ["scaled_budget", "errors"], where)
    reliable = rows[rows["errors"] >= MIN_ERRORS].copy()
    grid = _curves(rows, "scaled_budget", where, height, reliable)
    for panel, axes in grid.axes_dict.items():
        parts.log_axes(axes, "y")
        if len(reliable):
            axes.set_ylim(0.5 * reliable["low"].min(), 1.5)  # a decade is labelled in every panel
        parts.spread_bar(axes, _crossings(reliable[reliable["panel"] == panel], error), error)
    grid.set_xlabels("budget ÷ private complexity")
    parts.epsilon_legend(grid.figure, rows["epsilon"])
    return grid


@style.styled
def cost(table: pd.DataFrame, *, height: float = 2.2, **where: Any) -> sns.FacetGrid:
    """Draw mean pulls of Algorithm 2 against the privacy level: a panel per problem and delta.

    Parameters
    ----------
    table : pandas.DataFrame
        Runs or estimates of fixed confidence.
    height : float
        Height of a row of panels in inches.
    **where
        Rows to draw, by column.

    Returns
    -------
    seaborn.FacetGrid
        One line per radius; no privacy stands behind a break.

    Raises
    ------
    ValueError
        As :func:`error_curves`.
    """
    rows = parts.mean_pulls(confidence_rows(table, ["mean_pulls"], where))
    rows["panel"] = rows["instance"].map(parts.problem)
    if len(set(rows["delta"])) > 1:
        rows["panel"] += ", δ = " + rows["delta"].map("{:g}".format)
    grid = _facets(rows, "panel", "radius", _method_colours(rows["radius"]), height, sharey=True)
    grid.map_dataframe(_cost_curve, levels=rows["epsilon"])
    _finish(grid, "mean number of answers")
    grid.set_xlabels("privacy level ε")
    parts.method_legend(grid.figure, parts.method_handles(rows["radius"]))
    return grid


@style.styled
def calibration(table: pd.DataFrame, *, height: float = 2.0, **where: Any) -> sns.FacetGrid:
    """Draw the error probability of Algorithm 2 against the promised one: a panel per radius.

    Parameters
    ----------
    table : pandas.DataFrame
        Runs or estimates of fixed confidence.
    height : float
        Height of a row of panels in inches.
    **where
        Rows to draw, by column.

    Returns
    -------
    seaborn.FacetGrid
        One dot per setting with an error, red if its whole 95 % interval is above the promise.

    Raises
    ------
    ValueError
        As :func:`error_curves`.
    """
    rows = confidence_rows(table, parts.LIMITS, where)
    rows["broken"] = rows["low"] > rows["delta"]
    deltas = rows["delta"]
    ends = np.array([deltas.min() / 2.5, deltas.max() * 2.5])
    order = parts.in_order(rows["radius"], where.get("radius", RADII))
    grid = _facets(rows, "radius", None, None, height, sharey=True, sharex=True, col_order=order)
    least = max(LEAST_ERROR, 0.3 * rows.loc[rows["estimate"] > 0, "estimate"].min(), 0)
    least = min(least, ends[0]) if math.isfinite(least) else ends[0]
    for radius, axes in grid.axes_dict.items():
        parts.log_axes(axes)
        axes.set(xlim=ends, ylim=(least, 1))
        axes.fill_between(ends, ends, 1, color=style.BROKEN, alpha=0.08, linewidth=0)
        axes.plot(ends, ends, **parts.BOUND, color=style.INK)
        axes.set_title(style.label(radius), color=style.colour(radius))
    grid.map_dataframe(_settings)
    _finish(grid, "error probability")
    grid.set_titles("")
    for radius, axes in grid.axes_dict.items():
        axes.set_title(style.label(radius), color=style.colour(radius))
    grid.set_xlabels("promised error δ")
    return grid


@style.styled
def error_map(table: pd.DataFrame, *, height: float = 0.19, **where: Any) -> sns.FacetGrid:
    """Draw a map of error divided by promised error: a panel per radius, a row per setting.

    Parameters
    ----------
    table : pandas.DataFrame
        Runs or estimates of fixed confidence.
    height : float
        Height of a setting in inches.
    **where
        Rows to draw, by column.

    Returns
    -------
    seaborn.FacetGrid
        Worst settings first; red where the error is above the promise.

    Raises
    ------
    ValueError
        As :func:`error_curves`.
    """
    rows = confidence_rows(table, ["estimate"], where)
    rows["ratio"] = rows["estimate"] / rows["delta"]
    names = rows["instance"].map(parts.problem)
    rows["setting"] = names + ", ε = " + rows["epsilon"].map(style.epsilon_label)
    worst = rows.groupby("setting")["ratio"].max().sort_values(ascending=False, kind="stable")
    order = parts.in_order(rows["radius"], where.get("radius", RADII))
    tall = height * len(worst) + 0.6
    grid = _facets(rows, "radius", None, None, tall, sharey=True, col_order=order)
    grid.map_dataframe(_cells, settings=list(worst.index), deltas=sorted(set(rows["delta"])))
    _finish(grid, "")
    for radius, axes in grid.axes_dict.items():
        axes.set_title(style.label(radius), color=style.colour(radius))
    grid.set_xlabels("promised error δ")
    return grid


# --- rows to draw ---------------------------------------------------------------------------------


def budget_rows(table: pd.DataFrame, columns: Iterable[str], where: dict[str, Any]) -> pd.DataFrame:
    """Return the estimates of fixed budget to draw; runs are summarised."""
    keys = ["instance", "policy", "epsilon"]
    if "loss" in table:
        table = summarise.fixed_budget(chosen(table, [*keys, "budget"], where))
    rows = chosen(table, [*keys, *parts.LIMITS, *columns], where)
    return rows.assign(policy=rows["policy"].map(_drawable))


def confidence_rows(
    table: pd.DataFrame, columns: Iterable[str], where: dict[str, Any]
) -> pd.DataFrame:
    """Return the estimates of fixed confidence to draw; runs are summarised."""
    keys = [*SETTING, "radius"]
    if "stopping_time" in table:
        table = summarise.fixed_confidence(chosen(table, keys, where))
    rows = chosen(table, [*keys, *columns], where)
    return rows.assign(radius=rows["radius"].map(_drawable))


def chosen(table: pd.DataFrame, columns: Iterable[str], where: dict[str, Any]) -> pd.DataFrame:
    """Return the rows of these values, or raise one line about what is missing."""
    if missing := [name for name in dict.fromkeys([*columns, *where]) if name not in table]:
        there = _names(table.columns)
        how = ": summarise.fixed_budget(runs, problem) adds it" * (missing[0] == "scaled_budget")
        raise ValueError(f"the table has no column {shown(missing[0])} (it has {there}){how}")
    if table.empty:
        raise ValueError("the table is empty: nothing to draw")
    for column, wanted in where.items():
        values = wanted if isinstance(wanted, (list, tuple, set)) else [wanted]
        known = list(dict.fromkeys(table[column]))
        for value in values:
            if value not in known:
                there = _names(known)
                raise ValueError(f"no row has {column} {shown(value)} (the table has {there})")
        table = table[table[column].isin(values)]
    if table.empty:
        names = ", ".join(f"{column} {shown(value)}" for column, value in where.items())
        raise ValueError(f"no row has all of {names}")
    return table.copy()


def _drawable(method: Any) -> str:
    """Return the name of a method, which may be the caller's; a dollar in it begins no formula."""
    return printable(str(method)).replace("$", r"\$")


def _names(values: Iterable[Any]) -> str:
    return short(printable(", ".join(map(str, list(values)[:MAX_NAMES]))))


def _crossings(curves: pd.DataFrame, error: float) -> list[float]:
    """Return the scaled budgets at which the curves of a panel pass the error level."""
    crossings = [
        summarise.crossing(curve["scaled_budget"], curve["estimate"], error)
        for _, curve in curves.sort_values("scaled_budget", kind="stable").groupby("epsilon")
    ]
    return [crossing for crossing in crossings if math.isfinite(crossing)]


# --- grids and panels -----------------------------------------------------------------------------


def _facets(
    rows: pd.DataFrame, col: str, hue: str | None, palette: Any, height: float, **options: Any
) -> sns.FacetGrid:
    """Return a grid as wide as a page, or as half of it for one panel."""
    panels = options.setdefault("col_order", list(dict.fromkeys(rows[col])))
    columns = min(len(panels), options.pop("columns", COLUMNS))
    width = style.PAGE if columns > 1 else style.HALF
    order = list(palette) if palette else None
    return sns.FacetGrid(
        rows,
        col=col,
        col_wrap=columns,
        hue=hue,
        hue_order=order,
        palette=palette,
        height=height,
        aspect=width / columns / height,
        **{"sharex": False} | options,
    )


def _finish(grid: sns.FacetGrid, ylabel: str) -> None:
    """Set titles and the layout; a panel without data says so."""
    grid.set_titles("{col_name}")
    grid.set_ylabels(ylabel)
    for axes in grid.axes.flat:
        axes.tick_params(labelleft=axes.get_subplotspec().is_first_col())
        if not axes.has_data():
            axes.text(0.5, 0.5, parts.NO_DATA, transform=axes.transAxes, ha="center")
    figure = grid.figure
    figure.set_size_inches(figure.get_figwidth(), figure.get_figheight() + 0.3)
    figure.set_layout_engine("constrained")


def _curves(
    rows: pd.DataFrame,
    x: str,
    where: dict[str, Any],
    height: float,
    reliable: pd.DataFrame | None = None,
) -> sns.FacetGrid:
    """Draw error curves: panels of one policy in a row, in the order asked for."""
    policies = parts.in_order(parts.methods_of(rows["policy"]), _values(where, "policy"))
    instances = parts.in_order(rows["instance"], _values(where, "instance"))
    names = {(p, i): f"{style.label(p)}: {parts.problem(i)}" for p in policies for i in instances}
    points = rows if reliable is None else reliable
    pairs = zip(points["policy"], points["instance"], strict=True)
    points["panel"] = [names[pair] for pair in pairs]
    palette = style.epsilon_palette(rows["epsilon"])
    columns = len(instances) if 1 < len(instances) <= COLUMNS else COLUMNS
    options = {"sharey": True, "sharex": reliable is not None, "columns": columns}
    order = list(names.values())
    grid = _facets(points, "panel", "epsilon", palette, height, col_order=order, **options)
    grid.map_dataframe(_error_curve, x=x)
    _finish(grid, "error probability")
    return grid


def _values(where: dict[str, Any], column: str) -> list[Any]:
    """Return the values asked for in a column, in their order."""
    wanted = where.get(column, [])
    return list(wanted) if isinstance(wanted, (list, tuple)) else [wanted]


def _method_colours(names: Iterable[str]) -> dict[str, str]:
    return {name: style.colour(name) for name in parts.methods_of(names)}


def _error_curve(data: pd.DataFrame, x: str, color: str, **_: Any) -> None:
    parts.epsilon_curve(_axes(), data, x, color)


def _cost_curve(data: pd.DataFrame, levels: pd.Series, label: str, **_: Any) -> None:
    axes = _axes()
    x_of = parts.epsilon_axis(axes, levels)
    parts.log_axes(axes, "y")
    parts.method_curve(axes, data, label, "epsilon", x_of)


def _settings(data: pd.DataFrame, **_: Any) -> None:
    """Draw one dot per setting, moved sideways so that none covers another."""
    axes = _axes()
    positive = data[data["estimate"] > 0]
    ranks = positive.groupby("delta")["estimate"].rank(method="first")
    # Neighbours in height get places far apart in width, by multiples of the golden ratio.
    shift = ((ranks * 0.618034) % 1 - 0.5) * 2 * JITTER
    x = positive["delta"] * power(10.0, shift.to_numpy())
    for broken, colour in ((False, style.FAINT), (True, style.BROKEN)):
        at = positive["broken"] == broken
        dots = {"color": colour, "markersize": 2.4, "markeredgewidth": 0}
        axes.plot(x[at], positive.loc[at, "estimate"], "X" if broken else "o", **dots)
        if broken:
            axes.vlines(
                x[at],
                positive.loc[at, "low"],
                positive.loc[at, "high"],
                color=colour,
                linewidth=0.5,
            )


def _cells(data: pd.DataFrame, settings: list[str], deltas: list[float], **_: Any) -> None:
    """Draw the cells of one radius, on a scale of powers of ten around 1."""
    axes = _axes()
    cells = data.pivot_table("ratio", "setting", "delta").reindex(index=settings, columns=deltas)
    words = cells.map(lambda ratio: "" if math.isnan(ratio) else _ratio(ratio))
    colours = LinearSegmentedColormap.from_list("promise", MAP_COLOURS)
    decades = log(cells.clip(lower=1e-3)) / log(10)
    look = {"cmap": colours, "vmin": -3, "vmax": 3, "cbar": False, "linewidths": 0.6}
    labels = {"xticklabels": [f"{delta:g}" for delta in deltas], "yticklabels": settings}
    sns.heatmap(
        decades, annot=words, fmt="", ax=axes, annot_kws={"fontsize": 7.5}, **look, **labels
    )
    axes.tick_params(length=0, rotation=0)


def _ratio(ratio: float) -> str:
    return "< 0.05" if ratio < 0.05 else number(ratio, 2)


def _axes() -> Axes:
    """Return the panel that seaborn is drawing."""
    import matplotlib.pyplot as plt

    return plt.gca()
