"""Evaluate the bounds of both algorithms where they were measured and along drawn curves."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ldpt import bounds
from ldpt.instances import Instance, read_instances

CURVE_EPSILONS = 48  # privacy levels of a drawn curve
CURVE_BUDGETS = 160  # budgets of a drawn curve
LEAST_BOUND = 1e-9  # curves reach to where the printed upper bound is below this
CONFIDENCE = {
    "upper": ("printed", "hoeffding", "hoeffding_mean", "mixture", "onesided", "coin"),
    "lower": ("reduction", "decoupled", "printed", "many_arms"),
}
BUDGET = {
    "upper": ("printed", "proved", "lsa", "apt-clipped", "lsa-clipped"),
    "lower": ("printed", "corrected", "reduction", "genie", "best"),
}


def confidence_rows(
    summary: pd.DataFrame, problems: dict[str, Instance], panels: list[str], delta: float
) -> Iterator[dict[str, Any]]:
    """Yield the bounds on the stopping time at every measurement and along the panels' curves."""
    measured = summary[["instance", "epsilon", "delta"]].drop_duplicates()
    finite = summary.loc[np.isfinite(summary["epsilon"]), "epsilon"]
    fine = np.geomspace(finite.min(), 2 * finite.max(), CURVE_EPSILONS).tolist()
    drawn = itertools.product(panels, fine, [delta])
    for name, epsilon, level in sorted({*measured.itertuples(index=False, name=None), *drawn}):
        labels = {"instance": name, "epsilon": epsilon, "delta": level}
        for side, versions in CONFIDENCE.items():
            bound = getattr(bounds, f"fixed_confidence_{side}")
            for version in versions:
                try:
                    value = bound(problems[name], epsilon, level, version)
                except ValueError:  # many_arms needs mirror images within [0, 1]
                    value = math.nan
                yield labels | {"side": side, "version": version, "value": value}


def budget_rows(problem: Instance, epsilon: float, reached: float) -> Iterator[dict[str, Any]]:
    """Yield the bounds on the error from 2K to twice the largest scaled budget, or further."""
    complexity, most = problem.complexity(epsilon), 2 * reached
    while bounds.fixed_budget_upper(problem, epsilon, most * complexity) > LEAST_BOUND:
        most *= 1.1
    for scaled in np.geomspace(2 * problem.n_arms / complexity, most, CURVE_BUDGETS):
        budget = max(scaled * complexity, 2.0 * problem.n_arms)
        labels = {"instance": problem.name, "epsilon": epsilon, "scaled_budget": scaled}
        for side, versions in BUDGET.items():
            bound = getattr(bounds, f"fixed_budget_{side}")
            for version in versions:
                value = bound(problem, epsilon, budget, version)
                yield labels | {"side": side, "version": version, "value": value}


def budget_table(
    problems: dict[str, Instance], panels: list[str], epsilon: float, rare: str
) -> pd.DataFrame:
    """Return the bounds on the error of the panels' problems, as far as errors were estimated."""
    columns = ["instance", "epsilon", "scaled_budget", "side", "version", "value"]
    if not panels:
        return pd.DataFrame(columns=columns)
    reached = pd.read_csv(rare).groupby("instance")["scaled_budget"].max()
    chosen = (problem for name, problem in problems.items() if name in panels)
    rows = (budget_rows(one, epsilon, reached.get(one.name, 8.0)) for one in chosen)
    return pd.DataFrame(itertools.chain.from_iterable(rows), columns=columns)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        problems, params = read_instances(step.input.instances), step.params
        summary = pd.read_csv(step.input.fixed_confidence)
        panels = params.confidence_panels, params.delta
        confidence = pd.DataFrame(confidence_rows(summary, problems, *panels))
        confidence.to_csv(step.output.fixed_confidence, index=False)
        budget = budget_table(problems, params.budget_panels, params.epsilon, step.input.rare)
        budget.to_csv(step.output.fixed_budget, index=False)
