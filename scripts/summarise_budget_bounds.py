"""Every bound on Algorithm 1's error as a curve over the scaled budgets that were reached."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ldpt.bounds import fixed_budget_lower, fixed_budget_upper
from ldpt.instances import Instance, read_instances

FINE = 160  # budgets of a curve
FALLEN = 1e-9  # of the printed upper bound, where curves may end
VERSIONS = {
    "upper": ("printed", "proved", "lsa"),
    "lower": ("printed", "corrected", "sharp"),
}
BOUNDS = {"upper": fixed_budget_upper, "lower": fixed_budget_lower}


def curves(problem: Instance, epsilon: float, most: float) -> Iterator[dict[str, Any]]:
    """All bounds from the theorem's smallest budget to this scaled one, even in its logarithm."""
    complexity = problem.complexity(epsilon)
    least = 2 * problem.n_arms / complexity
    for scaled in np.geomspace(least, most, FINE):
        budget = max(scaled * complexity, 2.0 * problem.n_arms)
        for side, versions in VERSIONS.items():
            for version in versions:
                value = BOUNDS[side](problem, epsilon, budget, version)
                labels = {"instance": problem.name, "epsilon": epsilon, "scaled_budget": scaled}
                yield labels | {"side": side, "version": version, "value": value}


def farthest(problem: Instance, epsilon: float, reached: float) -> float:
    """Where curves end: at twice the largest scaled budget, and not before the bound has fallen."""
    most = 2 * reached
    while fixed_budget_upper(problem, epsilon, most * problem.complexity(epsilon)) > FALLEN:
        most *= 1.1
    return most


def summarise(instances: list[str], rare: str, panels: list[str], epsilon: float) -> pd.DataFrame:
    """The bounds of the panels' instances."""
    reached = pd.read_csv(rare).groupby("instance")["scaled_budget"].max()
    problems = [p for p in read_instances(instances).values() if p.name in panels]
    return pd.DataFrame(
        row
        for p in problems
        for row in curves(p, epsilon, farthest(p, epsilon, reached.get(p.name, 8.0)))
    )


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        given, params = this.input, this.params
        table = summarise(given.instances, given.rare, params.panels, params.epsilon)
        table.to_csv(this.output[0], index=False)
