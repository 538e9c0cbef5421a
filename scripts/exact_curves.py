"""Exact error of Algorithm 1 and of `lsa` on one or two arms, deep into the bounds' region."""

from typing import Any

import pandas as pd

from ldpt.config.grid import epsilon_name, scaled_budgets
from ldpt.exact import fixed_budget_losses
from ldpt.instances import Instance, read_instances


def curves(instances: dict[str, Instance], cells: list[Any]) -> pd.DataFrame:
    """Return one row per instance, policy, privacy level and budget; values are their limits."""
    rows = []
    for name, epsilon, grid in cells:
        instance = instances[name]
        complexity = instance.complexity(epsilon)
        budgets = sorted(scaled_budgets(instance, epsilon, grid["multiples"]))
        for policy in grid["policies"]:
            losses = fixed_budget_losses(instance, epsilon, budgets, policy)
            for budget, loss in zip(budgets, losses, strict=True):
                labels: dict[str, Any] = {"instance": name, "policy": policy}
                labels |= {"epsilon": epsilon_name(epsilon), "budget": budget}
                labels |= {"n_arms": instance.n_arms, "complexity": complexity}
                labels |= {"scaled_budget": budget / complexity}
                rows.append(labels | {"estimate": loss, "low": loss, "high": loss})
    return pd.DataFrame(rows)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        problems = read_instances(step.input.instances)
        curves(problems, step.params.cells).to_csv(step.output[0], index=False)
