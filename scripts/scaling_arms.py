"""How does the cost of both algorithms grow with the number of equal arms?"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.plots import captions, elements, style
from ldpt.policies import POLICIES
from ldpt.summarise import needed_budgets

BOUNDS = ("reduction", "many_arms")


class Data(NamedTuple):
    """``costs``: E[T] of Algorithm 2; ``budgets``: what a policy needs for the error level.

    Both have estimate, low, high and ``complexity``, H_eps; ``bounds`` are lower ones.
    """

    costs: pd.DataFrame
    budgets: pd.DataFrame
    bounds: pd.DataFrame
    epsilon: float
    delta: float
    error: float


def prepare(files: Any, settings: Any) -> Data:
    """The rows of the equal-gap instances at one privacy and one error level."""
    costs = _family(files.summary, settings.epsilon).query("delta == @settings.delta")
    limits = _family(files.bounds, settings.epsilon).query(
        "delta == @settings.delta and version in @BOUNDS and value > 0"
    )
    arms = costs[["instance", "n_arms", "complexity"]].drop_duplicates()
    budgets = needed_budgets(_family(files.budget_summary, settings.epsilon), settings.error)
    limits = limits.merge(arms, on="instance")
    return Data(
        elements.mean_pulls(costs),
        budgets,
        limits,
        settings.epsilon,
        settings.delta,
        settings.error,
    )


def _family(path: str, epsilon: float) -> pd.DataFrame:
    table = pd.read_csv(path).query("epsilon == @epsilon")
    return table[table["instance"].str.startswith("equal-gap-")]


def draw(data: Data) -> Figure:
    """Cost against the number of equal arms: pulls, and pulls over H_eps."""
    figure, (left, right) = elements.panels(2, 2, 2.5)
    _panel(left, data.costs, data.budgets, data.bounds)
    over = [
        elements.scaled(data.costs, data.costs["complexity"]),
        elements.scaled(data.budgets, data.budgets["complexity"]),
        data.bounds.assign(value=data.bounds["value"] / data.bounds["complexity"]),
    ]
    _panel(right, *over)
    elements.fine_ticks(right, "y")
    left.set_ylabel("pulls")
    right.set_ylabel("pulls over $H_ε$")
    policies = elements.in_order(data.budgets["policy"], POLICIES)
    handles = [
        *elements.radius_handles(data.costs, "Algorithm 2, "),
        *(elements.marker_handle(p, f"{style.label(p)}, error {data.error:g}") for p in policies),
        *elements.bound_handles(data.bounds),
    ]
    elements.method_legend(figure, handles, columns=3)
    return figure


def _panel(axes: Axes, costs: pd.DataFrame, budgets: pd.DataFrame, bounds: pd.DataFrame) -> None:
    for kind, table in (("radius", costs), ("policy", budgets)):
        for method, curve in table.groupby(kind):
            curve = curve.sort_values("n_arms")
            elements.points_by_epsilon(axes, curve["n_arms"].tolist(), curve, str(method))
    for (side, version), curve in bounds.groupby(["side", "version"]):
        curve = curve.sort_values("n_arms")
        line = elements.bound_line(str(side), str(version))
        axes.plot(curve["n_arms"], curve["value"], **line)
    elements.arms_axis(axes, costs["n_arms"])
    elements.log_axes(axes, "y")


def facts(data: Data) -> dict[str, Any]:
    """Exponents of K, and the cost at the smallest and the largest K."""
    best = elements.cheapest_valid(data.costs)
    rows = data.costs[data.costs["radius"] == best].sort_values("n_arms")
    scaled = (rows["estimate"] / rows["complexity"]).tolist()
    found: dict[str, Any] = {
        "epsilon": float(data.epsilon),
        "delta": float(data.delta),
        "error": float(data.error),
        "replicates": int(data.costs["replicates"].min()),
        "radius": style.label(best),
        "growth": _growth(rows),
        "budget_growths": [],
        "largest": int(rows["n_arms"].max()),
        "largest_pulls": float(rows["estimate"].max()),
        "largest_scaled": scaled[-1],
        "smallest": int(rows["n_arms"].min()),
        "smallest_scaled": scaled[0],
    }
    for policy in elements.in_order(data.budgets["policy"], POLICIES):
        growth = _growth(data.budgets[data.budgets["policy"] == policy])
        found[f"{policy}_growth"] = growth
        found["budget_growths"].append(f"{elements.prose(growth)} ({style.label(policy)})")
    largest = data.bounds[data.bounds["n_arms"] == found["largest"]]
    for row in largest.itertuples():
        found[f"over_{row.version}"] = found["largest_pulls"] / row.value
    return found


def _growth(rows: pd.DataFrame) -> float:
    """The exponent of K in the cost, fitted on logarithmic axes."""
    arms = np.log(rows["n_arms"].astype(float))
    return float(np.polyfit(arms, np.log(rows["estimate"]), 1)[0])


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        data = prepare(step.input, step.params)
        captions.write(facts(data), step)
        style.save(draw(data), step.output.pdf, step.output.png, step.metadata)
