"""Draw the cost of both algorithms against the number of equal arms, in units of H_eps."""

from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from ldpt.plots import elements, products, style
from ldpt.policies import POLICIES
from ldpt.summarise import needed_budgets
from ldpt.text import number
from ldpt.util.reproducible import log, slope

LOWER = {"decoupled": "Theorem E", "many_arms": "lower bound with log $K$"}


class Data(NamedTuple):
    """``costs``: E[T] of Algorithm 2; ``budgets``: what a policy needs for the error level.

    Both have estimate, low, high and ``complexity``, H_eps; ``bounds`` are lower ones on E[T].
    """

    costs: pd.DataFrame
    budgets: pd.DataFrame
    bounds: pd.DataFrame
    epsilon: float
    delta: float
    error: float


def prepare(files: Any, settings: Any) -> Data:
    """Return the rows of the equal-gap problems at one privacy and one error level."""
    epsilon, delta, error = settings.epsilon, settings.delta, settings.error
    costs = _family(files.summary, epsilon).query("delta == @delta")
    limits = _family(files.bounds, epsilon).query("delta == @delta and side == 'lower'")
    limits = limits[limits["version"].isin(LOWER) & (limits["value"] > 0)]
    arms = costs[["instance", "n_arms", "complexity"]].drop_duplicates()
    budgets = needed_budgets(_family(files.budget_summary, epsilon), error)
    limits = limits.merge(arms, on="instance")
    return Data(elements.mean_pulls(costs), budgets, limits, epsilon, delta, error)


def _family(path: str, epsilon: float) -> pd.DataFrame:
    table = pd.read_csv(path).query("epsilon == @epsilon")
    return table[table["instance"].str.startswith("equal-gap-")]


def draw(data: Data) -> Figure:
    """Draw fixed confidence with its lower bounds on the left, fixed budget on the right."""
    figure, (left, right) = elements.panels(2, 2, 2.4)
    costs, budgets = (elements.scaled(t, t["complexity"]) for t in (data.costs, data.budgets))
    elements.method_curves(left, costs, "radius", "n_arms")
    elements.method_curves(right, budgets, "policy", "n_arms")
    for axes, table in ((left, costs), (right, budgets)):
        elements.arms_axis(axes, table["n_arms"])
        elements.fine_ticks(axes, "y")
    ends = []
    for version, curve in data.bounds.groupby("version"):
        curve = curve.sort_values("n_arms")
        value = curve["value"] / curve["complexity"]
        elements.bound_line(left, curve["n_arms"], value, style.INK)
        name = LOWER[str(version)]
        ends.append(elements.End(curve["n_arms"].iloc[-1], value.iloc[-1], name, style.INK))
    for radius in elements.methods_of(costs["radius"]):
        last = costs[costs["radius"] == radius].sort_values("n_arms").iloc[-1]
        names = style.label(radius), style.colour(radius)
        above = 1.15 if last["n_arms"] < costs["n_arms"].max() else 1.0  # other curves go on
        ends.append(elements.End(last["n_arms"], above * last["estimate"], *names))
    left.set_title(f"Algorithm 2, ε = {data.epsilon:g}, δ = {data.delta:g}")
    right.set_title(f"budget for error {data.error:g}, ε = {data.epsilon:g}")
    left.set_ylabel("mean pulls ÷ $H_ε$")
    right.set_ylabel("budget ÷ $H_ε$")
    elements.label_methods(right, budgets, "policy", "n_arms")
    elements.label_ends(left, ends)
    return figure


def facts(data: Data) -> dict[str, Any]:
    """Return exponents of K, and the ratio to a lower bound at the largest K."""
    best = elements.cheapest_valid(data.costs)
    rows = data.costs[data.costs["radius"] == best]
    growths = {
        style.label(policy): _growth(data.budgets[data.budgets["policy"] == policy])
        for policy in elements.in_order(data.budgets["policy"], POLICIES)
    }
    largest = int(rows["n_arms"].max())
    bound = elements.rows_where(data.bounds, n_arms=largest, version="many_arms")
    return {
        "epsilon": float(data.epsilon),
        "delta": float(data.delta),
        "error": float(data.error),
        "replicates": int(data.costs["replicates"].min()),
        "radius": style.label(best),
        "growth": _growth(rows),
        "budget_growths": [f"{number(growth)} ({name})" for name, growth in growths.items()],
        "largest": largest,
        "over_many_arms": float(rows["estimate"].max() / bound["value"].iloc[0]),
    }


def _growth(rows: pd.DataFrame) -> float:
    """Return the exponent of K in the cost, fitted on logarithmic axes."""
    return slope(log(rows["n_arms"].to_numpy()), log(rows["estimate"].to_numpy()))


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
