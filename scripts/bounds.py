"""Draw errors against budgets and answers against epsilon, with printed and proved bounds."""

import math
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.plots import parts, products, style
from ldpt.summarise import crossing
from ldpt.text import number
from ldpt.util.reproducible import power

MARK = 0.01  # error probability at which budgets are compared
LEAST_ERROR = 1e-9
ROOM = 0.02  # below the curves, for the key
LOWER = "reduction"  # holds for every locally private algorithm


class Data(NamedTuple):
    """What the panels of both kinds show; the methods are in the order of their tables."""

    errors: pd.DataFrame  # simulated and sampled estimates, by ``kind``
    error_bounds: pd.DataFrame  # upper bounds, with ``budget``
    costs: pd.DataFrame
    cost_bounds: pd.DataFrame
    error_panels: list[str]
    cost_panels: list[str]
    epsilon: float
    delta: float


def prepare(files: Any, settings: Any) -> Data:
    """Return estimates and bounds on the problems of the panels."""
    epsilon, delta = settings.epsilon, settings.delta
    simulated = pd.read_csv(files.budget).assign(kind="simulated")
    rare = [pd.read_csv(files.rare).query("reliable")] if files.rare else []
    errors = pd.concat([simulated, *(table.assign(kind="sampled") for table in rare)])
    on_panels = errors["instance"].isin(settings.budget_panels)
    errors = errors[on_panels & (errors["epsilon"] == epsilon)]
    errors = errors[errors["policy"].isin(parts.run_of(errors["policy"], settings.policies))]
    error_bounds = pd.read_csv(files.budget_bounds).query("side == 'upper' and epsilon == @epsilon")
    unit = errors.drop_duplicates("instance").set_index("instance")["complexity"]
    budgets = error_bounds["scaled_budget"] * error_bounds["instance"].map(unit)
    later = error_bounds.groupby(["instance", "version"])["value"].shift(-1)
    # From the last value above 1: a bound may fall from there below the mark in one step.
    error_bounds = error_bounds[(error_bounds["value"] < 1) | (later < 1)].assign(budget=budgets)
    costs = parts.mean_pulls(pd.read_csv(files.confidence).query("delta == @delta"))
    costs = costs[costs["instance"].isin(settings.confidence_panels)]
    costs = costs[costs["radius"].isin(parts.run_of(costs["radius"], settings.radii))]
    cost_bounds = pd.read_csv(files.confidence_bounds).query("delta == @delta and value > 0")
    panels = list(settings.budget_panels), list(settings.confidence_panels)
    return Data(errors, error_bounds, costs, cost_bounds, *panels, epsilon, delta)


def draw(data: Data) -> Figure:
    """Draw errors on the left, answers on the right, one row per problem."""
    rows = list(zip_longest(data.error_panels, data.cost_panels))
    figure, panels = parts.panels(2 * len(rows), 2, 2.75)
    for row, (error_problem, cost_problem) in enumerate(rows):
        left, right = panels[2 * row : 2 * row + 2]
        if error_problem is None:
            left.remove()
        else:
            _error_panel(left, data, error_problem)
        if cost_problem is None:
            right.remove()
        else:
            _cost_panel(right, data, cost_problem)
    return figure


# --- error against budget -------------------------------------------------------------------------


def _error_panel(axes: Axes, data: Data, instance: str) -> None:
    """Draw the errors of a problem, upper bounds on them, and the budgets for one error."""
    errors = data.errors[data.errors["instance"] == instance]
    bounds = data.error_bounds[data.error_bounds["instance"] == instance]
    policies = parts.methods_of(errors["policy"])
    lines = []
    for policy in policies:
        rows, colour = errors[errors["policy"] == policy], style.colour(policy)
        simulated = parts.to_last_error(rows[rows["kind"] == "simulated"], "budget")
        parts.method_curve(axes, simulated, policy, "budget")
        sampled = rows[(rows["kind"] == "sampled") & (rows["estimate"] < rows["estimate"].max())]
        hollow: Any = {"markerfacecolor": "white", "markeredgewidth": 0.8, "linestyle": ":"}
        deep = sampled[sampled["budget"] > _deepest_simulated(rows)]
        parts.method_curve(axes, deep, policy, "budget", **hollow, linewidth=0.9)
        lines.append((style.label(policy), colour))
        proved = bounds[bounds["version"] == _version(policy)]
        axes.plot(proved["budget"], proved["value"], color=colour, **parts.BOUND)
    printed = bounds[bounds["version"] == "printed"]
    axes.plot(printed["budget"], printed["value"], color=style.BROKEN, **parts.BOUND)
    parts.log_axes(axes)
    least = errors["estimate"].where(errors["estimate"] > 0, errors["high"]).min()
    axes.set_ylim(np.clip(ROOM * np.nan_to_num(least, nan=1), LEAST_ERROR, ROOM * MARK), 1.6)
    _mark_budgets(axes, data, instance, style.colour(policies[0]) if policies else style.INK)
    proved_for = set(map(_version, policies)) & set(bounds["version"])
    lines += [("dashed: proved here", style.INK)] * bool(proved_for)
    lines += [("printed bound", style.BROKEN)] * (not printed.empty)
    parts.key(axes, lines)
    axes.set_title(f"{parts.problem(instance)}, ε = {style.epsilon_label(data.epsilon)}")
    axes.set_xlabel("budget $T$ (answers)")
    axes.set_ylabel("error probability")


def _deepest_simulated(rows: pd.DataFrame) -> float:
    """Return the largest budget at which a simulated run erred."""
    seen = rows[(rows["kind"] == "simulated") & (rows["errors"] > 0)]
    return float(seen["budget"].max()) if len(seen) else 0.0


def _version(policy: str) -> str:
    """Return the name of the bound that is proved for a policy."""
    return "proved" if policy == "apt" else policy


def _budgets(data: Data, instance: str) -> dict[str, float]:
    """Return the budgets for one error: measured, proved and printed; NaN if none reaches it."""
    errors = data.errors[data.errors["instance"] == instance]
    bounds = data.error_bounds[data.error_bounds["instance"] == instance]
    if errors.empty:
        return dict.fromkeys(("measured", "proved", "printed"), math.nan)
    policy = parts.methods_of(errors["policy"])[0]
    own = errors[errors["policy"] == policy].sort_values(["budget", "kind"], kind="stable")
    found = {"measured": crossing(own["budget"], own["estimate"], MARK)}
    for name, version in (("proved", _version(policy)), ("printed", "printed")):
        curve = bounds[bounds["version"] == version].sort_values("budget", kind="stable")
        found[name] = crossing(curve["budget"], curve["value"], MARK)
    return found


def _mark_budgets(axes: Axes, data: Data, instance: str, own: str) -> None:
    """Write the budgets for one error beside the curves that give them."""
    colours = {"measured": own, "proved": own, "printed": style.BROKEN}
    marks = [
        (budget, number(budget, 2 if name == "measured" else 3), colours[name])
        for name, budget in _budgets(data, instance).items()
        if math.isfinite(budget)
    ]
    parts.mark_crossings(axes, MARK, marks)


# --- answers against epsilon ----------------------------------------------------------------------


def _cost_panel(axes: Axes, data: Data, instance: str) -> None:
    """Draw the costs of a problem between the bounds on them, as printed and as proved here."""
    costs = data.costs[data.costs["instance"] == instance]
    bounds = data.cost_bounds[data.cost_bounds["instance"] == instance]
    x_of = parts.epsilon_axis(axes, costs["epsilon"])
    radii = parts.methods_of(costs["radius"])
    shown = [("lower", "printed", style.BROKEN), ("upper", "printed", style.BROKEN)]
    shown += [("lower", LOWER, style.INK)]
    shown += [("upper", radius, style.colour(radius)) for radius in radii if radius != "printed"]
    for side, version, colour in shown:
        curve = bounds[(bounds["side"] == side) & (bounds["version"] == version)]
        _bound_line(axes, curve.sort_values("epsilon", kind="stable"), colour, x_of)
    parts.log_axes(axes, "y")
    parts.method_curves(axes, costs, "radius", "epsilon", x_of)
    ends = _ends(data, instance)
    axes.set_ylim(bottom=max(1.0, 0.5 * min(ends["printed_low"], 0.1 * costs["estimate"].min())))
    if math.isfinite(ends["printed_ratio"]):
        span = ends["printed_low"], ends["printed_high"]
        arrow = {"arrowstyle": "<->", "color": style.BROKEN, "shrinkA": 0, "shrinkB": 0}
        where = x_of(data.epsilon)
        axes.annotate("", (where, span[0]), (where, span[1]), arrowprops=arrow)
        words = f"×{number(ends['printed_ratio'])}"
        place = {"xytext": (3, 2), "textcoords": "offset points", "va": "bottom"}
        axes.annotate(words, (where, span[0]), color=style.BROKEN, **place)
    proved = set(bounds.loc[bounds["side"] == "upper", "version"]) - {"printed"}
    lines = [
        (f"{style.label(radius)}, measured" + "; dashed: proved" * (radius in proved),
         style.colour(radius))
        for radius in radii
    ]  # fmt: skip
    lines += [("dashed: printed bounds", style.BROKEN)]
    lines += [("dashed: lower bound, any algorithm", style.INK)]
    parts.key(axes, lines, top=True)
    axes.set_ylim(top=power(30.0, len(lines) / 4) * axes.get_ylim()[1])  # room for the key
    axes.set_title(f"{parts.problem(instance)}, δ = {data.delta:g}")
    axes.set_ylabel("mean number of answers")


def _bound_line(axes: Axes, curve: pd.DataFrame, colour: str, x_of: parts.XOf) -> None:
    """Draw a bound on the cost: a curve, and a stroke where there is no privacy."""
    finite = curve[curve["epsilon"] < x_of(math.inf) / 1.4]  # before the break
    axes.plot(finite["epsilon"], finite["value"], color=colour, **parts.BOUND)
    left, right = axes.get_xlim()
    place, reach = x_of(math.inf), power(right / left, 0.02)
    for value in curve.loc[np.isinf(curve["epsilon"]), "value"]:
        axes.plot([place / reach, place * reach], [value, value], color=colour, **parts.BOUND)


def _ends(data: Data, instance: str) -> dict[str, float]:
    """Return the bounds at one privacy level and their ratios, NaN where there are none."""
    here = data.cost_bounds[data.cost_bounds["instance"] == instance]
    here = here[here["epsilon"] == data.epsilon].set_index(["side", "version"])["value"]
    costs = data.costs[data.costs["instance"] == instance]
    best = parts.cheapest_valid(costs)
    names = {"printed_low": ("lower", "printed"), "printed_high": ("upper", "printed")}
    names |= {"low": ("lower", LOWER), "high": ("upper", best)}
    found = {name: float(here.get(version, math.nan)) for name, version in names.items()}
    found["printed_ratio"] = found["printed_high"] / found["printed_low"]
    found["ratio"] = found["high"] / found["low"] if best != "printed" else math.nan
    return found


def facts(data: Data) -> dict[str, Any]:
    """Return budgets for one error, and the bounds on the cost, of the first problem of each."""
    error_problem, cost_problem = data.error_panels[0], [*data.cost_panels, parts.NOT_RUN][0]
    budgets = _budgets(data, error_problem)
    costs = data.costs[data.costs["instance"] == cost_problem]
    policies = parts.methods_of(data.errors["policy"])
    sampled = data.errors.loc[data.errors["estimate"] > 0, "estimate"]
    return {
        "error": MARK,
        "error_problem": parts.problem(error_problem),
        "epsilon": data.epsilon,
        "level": parts.at_level(data.epsilon),
        "sampled": int((data.errors["kind"] == "sampled").sum()),
        "unseen": int((data.errors["errors"] == 0).sum()),
        "policy": style.label(policies[0]) if policies else parts.NOT_RUN,
        **budgets,
        "proved_ratio": budgets["proved"] / budgets["measured"],
        "printed_over_measured": budgets["printed"] / budgets["measured"],
        "deepest": float(sampled.min()),
        "cost_problem": parts.problem(cost_problem),
        "delta": data.delta,
        "radius": style.label(parts.cheapest_valid(costs)),
        **{f"cost_{name}": value for name, value in _ends(data, cost_problem).items()},
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
