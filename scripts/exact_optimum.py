"""Compute the error of each policy and the least possible one on two arms, without randomness."""

import itertools
import math
from collections.abc import Sequence

import pandas as pd

from ldpt.exact import fixed_budget_losses, optimal_losses
from ldpt.instances import Instance

GAPS = (0.4, 0.2)  # distances of the means from the threshold 1/2
MULTIPLES = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5)  # budgets in units of H_eps
EPSILONS = (1.0, math.inf)
POLICIES = ("apt", "lsa", "lsa-clipped")


def compare(epsilons: Sequence[float]) -> pd.DataFrame:
    """Return losses averaged over mirror images beside the least that any algorithm can have."""
    images = [
        Instance("image", [0.5 + sign * gap for sign, gap in zip(signs, GAPS, strict=True)], 0.5)
        for signs in itertools.product((1, -1), repeat=len(GAPS))
    ]
    rows = []
    for epsilon in epsilons:
        complexity = images[0].complexity(epsilon)
        budgets = [math.ceil(multiple * complexity) for multiple in MULTIPLES]
        least = optimal_losses(GAPS, epsilon, budgets)
        for policy in POLICIES:
            losses = [fixed_budget_losses(image, epsilon, budgets, policy) for image in images]
            for budget, optimum, values in zip(
                budgets, least, zip(*losses, strict=True), strict=True
            ):
                mean = sum(values) / len(values)
                row = {"epsilon": epsilon, "policy": policy, "budget": budget, "estimate": mean}
                rows.append(row | {"scaled_budget": budget / complexity, "optimum": optimum})
    return pd.DataFrame(rows).assign(ratio=lambda table: table["estimate"] / table["optimum"])


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        compare(EPSILONS).to_csv(step.output[0], index=False)
