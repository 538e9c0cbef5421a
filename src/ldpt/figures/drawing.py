"""The twelve figures: tables in, Matplotlib figures out. Nothing here simulates or bounds.

Each function is named as its rule, its script and its file.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ldpt.figures import elements, style
from ldpt.figures.elements import RADII, rows_of

# --- privacy --------------------------------------------------------------------------------------


def privacy_cost(measured: pd.DataFrame, theory: pd.DataFrame) -> Figure:
    """Shrinkage and H_eps / H against epsilon: theory as lines, the real mechanism as markers.

    ``measured``: law, epsilon and estimate, low, high of the shrinkage. ``theory``: epsilon and
    shrinkage on a fine grid.
    """
    figure, (left, right) = elements.panels(2, 2, 2.4)
    inverse = measured.copy()
    limits = measured[["estimate", "high", "low"]].clip(lower=0).to_numpy()
    with np.errstate(divide="ignore"):
        inverse[["estimate", "low", "high"]] = limits**-2.0
    shrinkage = theory["shrinkage"]
    _privacy_panel(left, measured, theory.assign(value=shrinkage), 0.5, 1)
    _privacy_panel(right, inverse, theory.assign(value=shrinkage**-2.0), 4, -2)
    left.set_ylabel("shrinkage of every gap,  $c(ε)$")
    right.set_ylabel("cost of privacy,  $H_ε / H$")
    handles = [
        Line2D([], [], markeredgecolor=style.FAINT, marker=marker, label=law, **elements.OPEN)
        for law, marker in style.LAW_MARKERS.items()
        if law in set(measured["law"])
    ]
    limit = Line2D([], [], color=style.FAINT, linestyle=":", label="limit at small ε")
    theory_line = Line2D([], [], color=style.INK, label="theory, $c$ = tanh(ε/2)")
    elements.legend(figure, "lower", [*handles, theory_line, limit], "rewards:")
    return figure


def _privacy_panel(
    axes: Axes, measured: pd.DataFrame, theory: pd.DataFrame, factor: float, power: int
) -> None:
    place = elements.epsilon_axis(axes, theory["epsilon"])
    elements.log_axes(axes, "y")
    elements.against_epsilon(axes, place, theory, {"color": style.INK, "zorder": 1})
    small = theory.loc[theory["epsilon"] <= 2, "epsilon"]
    axes.plot(small, factor * small**power, color=style.FAINT, linestyle=":", zorder=0)
    axes.set_ylim(theory["value"].min() / 2, theory["value"].max() * 2)
    laws = list(measured["law"].unique())
    for row in measured.itertuples():
        colour, marker = style.epsilon_colour(row.epsilon), style.LAW_MARKERS[row.law]
        aside = 1.18 ** (laws.index(row.law) - (len(laws) - 1) / 2)  # beside, not on top
        look = elements.OPEN | {"color": colour, "markeredgecolor": colour, "marker": marker}
        elements.point(axes, place(row.epsilon) * aside, row, look | {"markersize": 3})


# --- fixed budget ---------------------------------------------------------------------------------


def fixed_budget_error(table: pd.DataFrame, instances: Sequence[str]) -> Figure:
    """Error probability of Algorithm 1 against the budget: a panel an instance."""
    return _budget_panels(table, instances, "budget", "budget $T$ (pulls)")


def fixed_budget_collapse(table: pd.DataFrame, instances: Sequence[str]) -> Figure:
    """The same data against T / H_eps."""
    return _budget_panels(table, instances, "scaled_budget", "scaled budget $T / H_ε$")


def _budget_panels(table: pd.DataFrame, instances: Sequence[str], x: str, label: str) -> Figure:
    figure, grid = elements.panels(len(instances), 3, 1.75, sharey=True)
    shown = table[(table["policy"] == "apt") & table["instance"].isin(instances)]
    for position, (axes, instance) in enumerate(zip(grid, instances, strict=True)):
        rows = rows_of(shown, instance=instance)
        for epsilon, curve in rows.groupby("epsilon", sort=True):
            curve, colour = curve.sort_values("budget"), style.epsilon_colour(float(epsilon))
            elements.estimates(axes, curve[x], curve, colour, style.MARKERS["apt"], markersize=2.4)
        elements.log_axes(axes, "both" if x == "budget" else "y")
        elements.title(axes, instance, rows)
        if position >= len(instances) - 3:
            axes.set_xlabel(label)
        if position % 3 == 0:
            axes.set_ylabel("error probability")
    grid[0].set_ylim(top=1.5)
    elements.epsilon_legend(figure, shown["epsilon"].unique(), elements.zero_handle())
    return figure


def fixed_budget_bounds(
    points: pd.DataFrame, bounds: pd.DataFrame, instances: Sequence[str], rates: pd.DataFrame
) -> Figure:
    """Error against T / H_eps far below the Monte-Carlo floor; below it, the rate of its fall.

    ``points``: instance, method (simulated, rare, exact), epsilon, scaled_budget, estimate, low,
    high, errors. ``bounds``: instance, side, version, scaled_budget, value. ``rates``: the same
    columns as both, with method or version, of -log(error) / (T / H_eps).
    """
    figure, grid = elements.panels(2 * len(instances), len(instances), 2.1)
    for column, instance in enumerate(instances):
        upper, lower = grid[column], grid[len(instances) + column]
        rows, limits = rows_of(points, instance=instance), rows_of(bounds, instance=instance)
        elements.log_axes(upper, "y")
        _bound_curves(upper, limits.assign(value=limits["value"].clip(upper=1)))
        _method_points(upper, rows)
        upper.set_ylim(rows["estimate"].min() / 100, 100)
        upper.set_xlim(0, 1.05 * rows["scaled_budget"].max())
        elements.title(upper, instance, rows)
        elements.log_axes(lower)
        slopes = rows_of(rates, instance=instance)
        _bound_curves(lower, slopes[slopes["method"] == "bound"])
        _method_points(lower, slopes[slopes["method"] != "bound"])
        for axes in (upper, lower):
            axes.set_xlabel("scaled budget $T / H_ε$")
    grid[0].set_ylabel("error probability")
    grid[len(instances)].set_ylabel("rate  $-\\log(\\mathrm{error})\\,/\\,(T/H_ε)$")
    methods = [method for method in METHODS if method in set(points["method"])]
    handles = [_method_handle(method) for method in methods]
    elements.legend(figure, "lower", [*handles, *elements.bound_handles(bounds)], columns=4)
    return figure


METHODS = {"simulated": "apt", "rare": "rare", "exact": "exact"}
METHOD_NAMES = {
    "simulated": "simulated",
    "rare": "importance sampling",
    "exact": "exact (no randomness)",
}


def _method_points(axes: Axes, rows: pd.DataFrame) -> None:
    for (method, epsilon), curve in rows.groupby(["method", "epsilon"]):
        curve = curve.sort_values("scaled_budget")
        colour, marker = style.epsilon_colour(float(epsilon)), style.MARKERS[METHODS[str(method)]]
        if method == "exact":
            axes.plot(curve["scaled_budget"], curve["estimate"], color=colour, zorder=2)
        else:
            elements.estimates(
                axes, curve["scaled_budget"], curve, colour, marker, linestyle="", markersize=2.8
            )


def _method_handle(method: str) -> Line2D:
    if method == "exact":
        return Line2D([], [], color=style.INK, label=METHOD_NAMES[method])
    look = {"linestyle": "", "color": style.INK, "marker": style.MARKERS[METHODS[method]]}
    return Line2D([], [], label=METHOD_NAMES[method], **look)


def _bound_curves(axes: Axes, limits: pd.DataFrame) -> None:
    for (side, version), curve in limits.groupby(["side", "version"]):
        curve = curve.sort_values("scaled_budget")
        line = elements.bound_line(str(side), str(version))
        axes.plot(curve["scaled_budget"], curve["value"], **line)


def fixed_budget_baselines(
    table: pd.DataFrame, prices: pd.DataFrame, instances: Sequence[str], epsilon: float
) -> Figure:
    """Above, error curves of all policies at one epsilon; below, the budget each one needs.

    ``prices``: instance, policy, epsilon, estimate, low, high of the budget that a policy needs
    for one error level, over that of Algorithm 1.
    """
    figure, grid = elements.panels(2 * len(instances), len(instances), 1.9, sharey="row")
    for column, instance in enumerate(instances):
        upper, lower = grid[column], grid[len(instances) + column]
        rows = rows_of(table, instance=instance)
        _policy_curves(upper, rows, epsilon)
        elements.title(upper, instance, rows)
        costs = rows_of(prices, instance=instance)
        place = elements.epsilon_axis(lower, costs["epsilon"])
        lower.axhline(1, color=style.FAINT, linewidth=0.6)
        for policy, curve in costs.groupby("policy"):
            curve = curve.sort_values("epsilon")
            x = [place(e) for e in curve["epsilon"]]
            elements.coloured(lower, x, curve, style.MARKERS[str(policy)])
    grid[0].set_ylabel("error probability")
    grid[0].set_ylim(top=1.5)
    grid[len(instances)].set_ylabel("budget over Algorithm 1's")
    grid[len(instances)].set_ylim(bottom=0)
    policies = [elements.marker_handle(policy) for policy in table["policy"].unique()]
    elements.legend(figure, "upper", [*policies, elements.zero_handle()])
    elements.epsilon_legend(figure, {*prices["epsilon"], np.inf})
    return figure


def _policy_curves(axes: Axes, rows: pd.DataFrame, epsilon: float) -> None:
    shown = rows[
        (rows["epsilon"] == epsilon) | ((rows["policy"] == "apt") & np.isinf(rows["epsilon"]))
    ]
    for (policy, level), curve in shown.groupby(["policy", "epsilon"]):
        curve, colour = curve.sort_values("budget"), style.epsilon_colour(float(level))
        elements.estimates(axes, curve["budget"], curve, colour, style.MARKERS[str(policy)])
    elements.log_axes(axes)
    axes.set_xlabel("budget $T$ (pulls)")


# --- fixed confidence -----------------------------------------------------------------------------


def mean_pulls(table: pd.DataFrame, over: Any = 1.0) -> pd.DataFrame:
    """The mean stopping time as an estimate with its interval, divided by ``over``."""
    columns = {"estimate": "mean_pulls", "low": "mean_pulls_low", "high": "mean_pulls_high"}
    return table.assign(**{name: table[source] / over for name, source in columns.items()})


def fixed_confidence_cost(
    table: pd.DataFrame, bounds: pd.DataFrame, instances: Sequence[str]
) -> Figure:
    """Mean stopping time against epsilon between its bounds: a panel an instance.

    ``bounds``: instance, epsilon, side (upper, lower), version, value.
    """
    figure, grid = elements.panels(len(instances), 3, 2.7, sharey=True)
    table = mean_pulls(table)
    for axes, instance in zip(grid, instances, strict=True):
        rows, limits = rows_of(table, instance=instance), rows_of(bounds, instance=instance)
        place = elements.epsilon_axis(axes, set(rows["epsilon"]) | set(limits["epsilon"]))
        for (side, version), curve in limits.groupby(["side", "version"]):
            elements.against_epsilon(
                axes, place, curve, elements.bound_line(str(side), str(version))
            )
        for radius, curve in rows.groupby("radius"):
            curve = curve.sort_values("epsilon")
            x = [place(e) for e in curve["epsilon"]]
            elements.coloured(axes, x, curve, style.MARKERS[str(radius)])
        elements.log_axes(axes, "y")
        axes.set_ylim(bottom=rows["estimate"].min() / 50)
        elements.title(axes, instance, rows)
    _slope_mark(grid[0], rows_of(table, instance=instances[0]))
    grid[0].set_ylabel("mean number of pulls,  $E[T]$")
    elements.radius_legend(figure, table, *elements.bound_handles(bounds), columns=4)
    return figure


def _slope_mark(axes: Axes, rows: pd.DataFrame) -> None:
    """A short line of slope -2, beside the data where epsilon is small."""
    finite = rows[np.isfinite(rows["epsilon"])]
    start = float(finite["epsilon"].min())
    height = finite.loc[finite["epsilon"] == start, "estimate"].min() / 500
    x = np.array([start, 6 * start])
    axes.plot(x, height * (x / start) ** -2.0, color=style.INK, linewidth=0.8)
    axes.text(start, height / 30, "slope −2", ha="left", va="top")


def fixed_confidence_collapse(table: pd.DataFrame) -> Figure:
    """Pulls over H_eps log(4 K H_eps / delta) against epsilon, delta and K.

    ``table``: the summary with a column ``scale``, which is that product.
    """
    table = mean_pulls(table, table["scale"])
    figure, (by_epsilon, by_delta, by_arms) = elements.panels(3, 3, 2.3, sharey=True)
    place = elements.epsilon_axis(by_epsilon, table["epsilon"])
    family = table["instance"].str.startswith("equal-gap-")
    level = table["delta"].mode().iloc[0]
    for (_, radius), curve in table[~family & (table["delta"] == level)].groupby(
        ["instance", "radius"]
    ):
        curve = curve.sort_values("epsilon")
        x = [place(e) for e in curve["epsilon"]]
        elements.coloured(by_epsilon, x, curve, style.MARKERS[str(radius)])
    several = table[~family].groupby(["instance", "radius", "epsilon"]).filter(lambda g: len(g) > 1)
    for (_, radius, _), curve in several.groupby(["instance", "radius", "epsilon"]):
        curve = curve.sort_values("delta")
        elements.coloured(by_delta, curve["delta"].tolist(), curve, style.MARKERS[str(radius)])
    for radius, curve in table[family].groupby("radius"):
        curve = curve.sort_values("n_arms")
        elements.coloured(by_arms, curve["n_arms"].tolist(), curve, style.MARKERS[str(radius)])
    elements.log_axes(by_delta, "x")
    by_delta.set_xlabel("error level δ")
    elements.arms_axis(by_arms, table.loc[family, "n_arms"])
    elements.log_axes(by_epsilon, "y")
    elements.fine_ticks(by_epsilon, "y")
    by_epsilon.set_ylabel(r"$E[T]\,/\,(H_ε \log(4 K H_ε / δ))$")
    elements.radius_legend(figure, table)
    elements.epsilon_legend(figure, table["epsilon"].unique())
    return figure


def fixed_confidence_error(
    measured: pd.DataFrame, exact: pd.DataFrame, sampled: pd.DataFrame
) -> Figure:
    """Error probability over delta against delta: a panel a radius, the failing region shaded.

    All tables: instance, radius, epsilon, delta, estimate, low, high of error / delta; ``measured``
    also has the count of errors, ``sampled`` is by importance sampling.
    """
    radii = [r for r in RADII if r in set(measured["radius"])]
    figure, grid = elements.panels(len(radii), 3, 2.5, sharey=True, sharex=True)
    for axes, radius in zip(grid, radii, strict=True):
        elements.log_axes(axes)
        marker = style.MARKERS[radius]
        sure = exact[exact["radius"] == radius]
        for (_, epsilon), curve in sure.groupby(["instance", "epsilon"]):
            curve, colour = curve.sort_values("delta"), style.epsilon_colour(float(epsilon))
            axes.plot(curve["delta"], curve["estimate"], color=colour, linewidth=0.7, zorder=2)
        for (_, epsilon), curve in measured[measured["radius"] == radius].groupby(
            ["instance", "epsilon"]
        ):
            colour = style.epsilon_colour(float(epsilon))
            elements.estimates(axes, curve["delta"], curve, colour, marker, linestyle="")
        rare = sampled[sampled["radius"] == radius]
        elements.coloured(
            axes, (0.85 * rare["delta"]).tolist(), rare, style.MARKERS["rare"], link=False
        )
        axes.axhline(1, color=style.BOUND_COLOURS["upper"], linewidth=0.8)
        axes.axhspan(1, 1e9, color=style.BOUND_COLOURS["upper"], alpha=0.1, linewidth=0)
        axes.set_title(f"radius {radius}")
        axes.set_xlabel("error level δ")
    seen = pd.concat([measured["high"], exact["estimate"], sampled["estimate"]])
    grid[0].set_ylim(max(seen[seen > 0].min() / 3, 1e-12), 5 * seen.max())
    grid[0].set_ylabel("error probability over δ")
    grid[-1].text(
        0.97, 0.97, "guarantee broken", transform=grid[-1].transAxes, ha="right", va="top",
        color=style.BOUND_COLOURS["upper"],
    )  # fmt: skip
    chain = Line2D([], [], color=style.FAINT, linewidth=0.7, label="one arm, exact")
    kinds = {radius: f"simulated, {radius}" for radius in radii} | {"rare": "importance sampling"}
    dots = [
        Line2D([], [], linestyle="", color=style.FAINT, marker=style.MARKERS[kind], label=label)
        for kind, label in kinds.items()
    ]
    elements.legend(figure, "upper", [*dots, elements.zero_handle(), chain])
    elements.epsilon_legend(figure, {*measured["epsilon"], *exact["epsilon"], *sampled["epsilon"]})
    return figure


def fixed_confidence_radii(
    table: pd.DataFrame, level: float, epsilon: float, instance: str
) -> Figure:
    """What each radius costs: pulls over the lower bound for PrivBern data.

    ``table``: the summary with a column ``bound``. Left all instances at this error and privacy
    level, then one instance against epsilon and against delta.
    """
    table = mean_pulls(table, table["bound"])
    figure, (by_instance, by_epsilon, by_delta) = elements.panels(
        3, 3, 2.7, sharex=False, width_ratios=[1.1, 1, 1]
    )
    here = table[(table["delta"] == level) & (table["epsilon"] == epsilon)]
    here = here[~here["instance"].str.startswith("equal-gap-")]
    order = here.loc[here["radius"] == "mixture"].sort_values("estimate")["instance"].tolist()
    for row in here[here["instance"].isin(order)].itertuples():
        look = {"color": style.epsilon_colour(epsilon), "marker": style.MARKERS[row.radius]}
        reach = [[row.estimate - row.low], [row.high - row.estimate]]
        height = order.index(row.instance)
        by_instance.errorbar([row.estimate], [height], xerr=reach, linestyle="", **look)
    by_instance.set_yticks(range(len(order)), order)
    by_instance.grid(axis="y", linewidth=0.3, color="#dddddd")
    elements.log_axes(by_instance, "x")
    by_instance.set_xlabel("pulls over lower bound")
    by_instance.set_title(f"ε = {style.epsilon_label(epsilon)}, δ = {level:g}")
    place = elements.epsilon_axis(by_epsilon, table["epsilon"])
    marked = rows_of(table, instance=instance)
    for radius, curve in marked[marked["delta"] == level].groupby("radius"):
        curve = curve.sort_values("epsilon")
        x = [place(e) for e in curve["epsilon"]]
        elements.coloured(by_epsilon, x, curve, style.MARKERS[str(radius)])
    swept = set()  # privacy levels at which several error levels were run
    for (radius, level_of_privacy), curve in marked.groupby(["radius", "epsilon"]):
        if len(curve) > 1:
            swept.add(level_of_privacy)
            curve = curve.sort_values("delta")
            elements.coloured(by_delta, curve["delta"].tolist(), curve, style.MARKERS[str(radius)])
    elements.log_axes(by_delta, "x")
    by_delta.set_xlabel("error level δ")
    levels = ", ".join(map(style.epsilon_label, sorted(swept)))
    for axes, rest in ((by_epsilon, f"δ = {level:g}"), (by_delta, f"ε = {levels}")):
        elements.log_axes(axes, "y")
        elements.fine_ticks(axes, "y")
        axes.set_title(f"{instance}, {rest}")
        axes.set_ylabel("pulls over lower bound")
    elements.fine_ticks(by_instance, "x")
    elements.radius_legend(figure, table)
    elements.epsilon_legend(figure, table["epsilon"].unique())
    return figure


# --- both settings --------------------------------------------------------------------------------


def allocation(table: pd.DataFrame) -> Figure:
    """Share of the pulls that each arm gets, against its share of the complexity.

    ``table``: algorithm, how (policy or radius), epsilon, share and estimate, low, high of the
    share of pulls.
    """
    algorithms = list(table["algorithm"].unique())
    figure, grid = elements.panels(len(algorithms), 2, 2.6, sharey=True, sharex=True)
    ends = [table["share"].min() / 1.5, 1.2 * table["share"].max()]
    for axes, algorithm in zip(grid, algorithms, strict=True):
        axes.plot(ends, ends, color=style.FAINT, linewidth=0.7, zorder=1)
        rows = rows_of(table, algorithm=algorithm).sort_values("epsilon", ascending=False)
        for how, points in rows.groupby("how"):
            marker = style.MARKERS[str(how)]
            elements.coloured(axes, points["share"].tolist(), points, marker, link=False)
        elements.log_axes(axes)
        axes.set_title(f"Algorithm {algorithm}")
        axes.set_xlabel(r"share of the complexity,  $Δ_i^{-2} / H$")
    grid[0].set_ylabel("share of the pulls")
    names = {"apt": "Algorithm 1"} | {radius: f"radius {radius}" for radius in RADII}
    kinds = [elements.marker_handle(how, names[how]) for how in table["how"].unique()]
    elements.legend(figure, "upper", kinds)
    elements.epsilon_legend(figure, table["epsilon"].unique())
    return figure


def scaling_arms(table: pd.DataFrame, budgets: pd.DataFrame, bounds: pd.DataFrame) -> Figure:
    """Cost against the number of equal arms: pulls, and pulls over H_eps.

    ``table``: rows of the summary; ``budgets``: n_arms, epsilon, complexity and estimate, low, high
    of the budget that Algorithm 1 needs; ``bounds``: n_arms, complexity, side, version, value.
    """
    figure, (left, right) = elements.panels(2, 2, 2.6)
    for axes, scaled in ((left, False), (right, True)):
        for radius, curve in table.groupby("radius"):
            curve = curve.sort_values("n_arms")
            shown = mean_pulls(curve, curve["complexity"] if scaled else 1.0)
            elements.coloured(axes, shown["n_arms"].tolist(), shown, style.MARKERS[str(radius)])
        shown = budgets.sort_values("n_arms")
        for column in ("estimate", "low", "high"):
            shown = shown.assign(**{column: shown[column] / (shown["complexity"] if scaled else 1)})
        elements.coloured(axes, shown["n_arms"].tolist(), shown, style.MARKERS["apt"])
        for (side, version), curve in bounds.groupby(["side", "version"]):
            curve = curve.sort_values("n_arms")
            value = curve["value"] / (curve["complexity"] if scaled else 1.0)
            axes.plot(curve["n_arms"], value, **elements.bound_line(str(side), str(version)))
        elements.arms_axis(axes, table["n_arms"])
        elements.log_axes(axes, "y")
    elements.fine_ticks(right, "y")
    left.set_ylabel("pulls")
    right.set_ylabel("pulls over $H_ε$")
    radii = [
        elements.marker_handle(r, f"Algorithm 2, {r}") for r in RADII if r in set(table["radius"])
    ]
    kinds = [*radii, elements.marker_handle("apt", "Algorithm 1, error 0.05")]
    elements.legend(figure, "lower", [*kinds, *elements.bound_handles(bounds)], columns=3)
    return figure


def optimality_gap(table: pd.DataFrame, instances: Sequence[str]) -> Figure:
    """Measured cost over each lower bound, against epsilon: a panel an instance.

    ``table``: instance, n_arms, epsilon, version, estimate, low, high of the ratio.
    """
    figure, grid = elements.panels(len(instances), 3, 2.4, sharey=True)
    for axes, instance in zip(grid, instances, strict=True):
        rows = rows_of(table, instance=instance)
        place = elements.epsilon_axis(axes, rows["epsilon"])
        for version, curve in rows.groupby("version"):
            curve = curve.sort_values("epsilon")
            x = [place(e) for e in curve["epsilon"]]
            axes.plot(x, curve["estimate"], **elements.bound_line("lower", str(version)))
            elements.coloured(axes, x, curve, style.MARKERS["mixture"], link=False)
        axes.axhline(1, color=style.FAINT, linewidth=0.6)
        elements.log_axes(axes, "y")
        elements.title(axes, instance, rows)
    grid[0].set_ylabel("pulls over lower bound")
    elements.legend(figure, "lower", elements.bound_handles(table.assign(side="lower")))
    return figure


# --- cost -----------------------------------------------------------------------------------------


def cost_growth(table: pd.DataFrame, exponents: pd.DataFrame) -> Figure:
    """Pulls, cpu seconds and bytes (rows) against replicates, epsilon and K (columns).

    ``table``: axis, value, method, epsilon, pulls, cpu_seconds, bytes; ``exponents``: quantity,
    axis, method, exponent.
    """
    quantities = {"pulls": "pulls", "cpu_seconds": "cpu seconds", "bytes": "bytes"}
    columns = {"replicates": "whole simulation", "epsilon": "one run", "arms": "one run"}
    figure, grid = elements.panels(9, 3, 1.5)
    panels = iter(grid)
    for quantity, label in quantities.items():
        for axis, scope in columns.items():
            axes = next(panels)
            rows = elements.rows_of(table, axis=axis).dropna(subset=[quantity])
            _growth_panel(axes, rows.assign(estimate=rows[quantity]), axis)
            slopes = elements.rows_of(exponents, quantity=quantity, axis=axis)["exponent"]
            _growth_note(axes, slopes, axis == "epsilon" or (quantity, axis) == ("bytes", "arms"))
            axes.set_ylabel(label if axis == "replicates" else "")
            axes.set_title(scope if quantity == "pulls" else "")
            if quantity != "bytes":
                axes.set_xlabel("")
    methods = [m for m in ("apt", *RADII) if m in set(table["method"])]
    names = {"apt": "Algorithm 1", **{r: f"Algorithm 2, {r}" for r in RADII}}
    elements.legend(figure, "lower", [elements.marker_handle(m, names[m]) for m in methods])
    return figure


def _growth_panel(axes: Axes, rows: pd.DataFrame, axis: str) -> None:
    """One quantity along one axis, a curve a method."""
    place: Any = float
    elements.log_axes(axes, "y")
    if axis == "epsilon":
        place = elements.epsilon_axis(axes, rows["value"])
    elif axis == "arms":
        elements.arms_axis(axes, rows["value"].astype(int))
    else:
        elements.log_axes(axes, "x")
        elements.fine_ticks(axes, "x")
        axes.set_xlabel("replicates")
    rows = rows.assign(low=rows["estimate"], high=rows["estimate"])
    for method, curve in rows.groupby("method", sort=False):
        x = [place(value) for value in curve["value"]]
        elements.coloured(axes, x, curve, style.MARKERS[str(method)])


def _growth_note(axes: Axes, slopes: pd.Series, right: bool) -> None:
    """The exponents over the methods, in the corner that the curves leave free."""
    low, high = (f"{value:.2f}".replace("-", "−") for value in (slopes.min(), slopes.max()))
    place, side = (0.97, "right") if right else (0.04, "left")
    text = f"exponent {low}" if low == high else f"exponents {low} to {high}"
    axes.text(place, 0.94, text, transform=axes.transAxes, ha=side, va="top", fontsize=7)
