"""Draw the cost of both algorithms against the number of equal arms, in units of H_eps."""

import math
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from ldpt.plots import parts, products, style
from ldpt.policies import POLICIES
from ldpt.summarise import needed_budgets
from ldpt.text import number
from ldpt.util.reproducible import log, slope

# Lower bounds: dashes, words at the right end, and their place in points from there.
LOWER: dict[str, tuple[Any, str, float]] = {
    "decoupled": ((0, (4, 1.5)), "least, arm by arm", -22),
    "many_arms": ((0, (1, 1.5)), "least, any algorithm", 4),
}


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
    limits = pd.read_csv(files.bounds).query("epsilon == @epsilon and delta == @delta")
    limits = limits[limits["side"] == "lower"]
    limits = limits[limits["version"].isin(LOWER) & (limits["value"] > 0)]
    arms = costs[["instance", "n_arms", "complexity"]].drop_duplicates()
    budgets = needed_budgets(_family(files.budget_summary, epsilon), error)
    limits = limits.merge(arms, on="instance")
    return Data(parts.mean_pulls(costs), budgets, limits, epsilon, delta, error)


def _family(path: str, epsilon: float) -> pd.DataFrame:
    table = pd.read_csv(path).query("epsilon == @epsilon")
    return table[table["family"] == "equal-gap"]


def draw(data: Data) -> Figure:
    """Draw the cost of each radius above its lower bounds."""
    if data.costs.empty:
        return parts.blank()
    figure, (axes,) = parts.panels(1, 1, 2.7)
    costs = parts.scaled(data.costs, data.costs["complexity"])
    parts.method_curves(axes, costs, "radius", "n_arms")
    parts.arms_axis(axes, costs["n_arms"])
    parts.fine_ticks(axes, "y")
    for version, (dashes, words, shift) in LOWER.items():
        curve = data.bounds[data.bounds["version"] == version].sort_values("n_arms", kind="stable")
        value = curve["value"] / curve["complexity"]
        axes.plot(curve["n_arms"], value, color=style.INK, **parts.BOUND | {"linestyle": dashes})
        if len(curve):
            end = {"xytext": (0, shift), "textcoords": "offset points", "ha": "right"}
            axes.annotate(words, (curve["n_arms"].iloc[-1], value.iloc[-1]), **end)
    axes.set_ylabel("mean pulls ÷ $H_ε$")
    axes.set_title(f"ε = {data.epsilon:g}, δ = {data.delta:g}")
    parts.method_legend(figure, parts.method_handles(costs["radius"]))
    return figure


def facts(data: Data) -> dict[str, Any]:
    """Return exponents of K, and the ratio to a lower bound at the largest K."""
    best = parts.cheapest_valid(data.costs)
    rows = data.costs[data.costs["radius"] == best]
    growths = {
        style.label(policy): _growth(data.budgets[data.budgets["policy"] == policy])
        for policy in parts.in_order(data.budgets["policy"], POLICIES)
    }
    largest = rows["n_arms"].max()
    limits = data.bounds
    bound = limits[(limits["n_arms"] == largest) & (limits["version"] == "many_arms")]["value"]
    return {
        "epsilon": float(data.epsilon),
        "delta": float(data.delta),
        "error": float(data.error),
        "replicates": parts.fewest_runs(data.costs),
        "radius": style.label(best),
        "growth": _growth(rows),
        "budget_growths": [f"{number(growth)} ({name})" for name, growth in growths.items()]
        or [parts.NOT_RUN],
        "largest": float(largest),
        "over_many_arms": float(rows["estimate"].max() / bound.max()),
    }


def _growth(rows: pd.DataFrame) -> float:
    """Return the exponent of K in the cost, fitted on logarithmic axes."""
    if rows["n_arms"].nunique() < 2:
        return math.nan
    return slope(log(rows["n_arms"].to_numpy()), log(rows["estimate"].to_numpy()))


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
