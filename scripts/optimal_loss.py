"""Compute how far policies are from the exact optimum of any eps-LDP algorithm on two arms."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ldpt.config.grid import epsilon_name
from ldpt.exact import fixed_budget_losses, optimal_losses
from ldpt.instances import Instance

PROBLEMS = (  # gaps of the two arms in rewards, and a privacy level
    ((0.15, 0.15), float("inf")),
    ((0.1, 0.1), float("inf")),
    ((0.08, 0.25), float("inf")),
    ((0.3, 0.3), 1.0),
    ((0.2, 0.45), 1.0),
)
BUDGETS = (40, 80, 120, 160)
POLICIES = ("apt", "lsa", "apt-clipped", "lsa-clipped", "uniform")


def average_losses(
    gaps: Sequence[float], epsilon: float, budgets: Sequence[int], policy: str
) -> np.ndarray:
    """Return the exact loss of a policy, averaged over the four mirror images of the problem."""
    images = itertools.product(*((0.5 - gap, 0.5 + gap) for gap in gaps))
    problems = [Instance("image", means, 0.5) for means in images]
    losses = [fixed_budget_losses(problem, epsilon, budgets, policy) for problem in problems]
    return np.mean(losses, axis=0)


def rows() -> list[dict[str, Any]]:
    """Return one row per problem, policy and budget, with the least loss of any algorithm."""
    table: list[dict[str, Any]] = []
    for gaps, epsilon in PROBLEMS:
        optimal = optimal_losses(gaps, epsilon, BUDGETS)
        complexity = Instance("two", [0.5 + gap for gap in gaps], 0.5).complexity(epsilon)
        labels = {"gaps": " ".join(map(str, gaps)), "epsilon": epsilon_name(epsilon)}
        for policy in POLICIES:
            losses = average_losses(gaps, epsilon, BUDGETS, policy)
            for budget, loss, least in zip(BUDGETS, losses, optimal, strict=True):
                row = {"budget": budget, "scaled_budget": budget / complexity}
                table.append(labels | row | {"policy": policy, "estimate": loss, "optimal": least})
    return table


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        pd.DataFrame(rows()).to_csv(step.output[0], index=False)
