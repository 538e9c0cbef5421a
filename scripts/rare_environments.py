"""Error of Algorithm 1 on B^0, ..., B^K, the problems of which Theorem 3.2 bounds the worst."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd

from ldpt.config import epsilon_name, scaled_budgets
from ldpt.instances import Instance, budget_environments, read_instance
from ldpt.rare import fixed_budget_error

Cell = tuple[str, float, dict[str, Any]]  # instance, epsilon, settings of the study


def estimate(
    instance: Instance, cells: Sequence[Cell], replicates: int, seed: int, threads: int
) -> pd.DataFrame:
    """One row per privacy level, budget and environment; budgets in units of the instance's H_eps.

    Environments with the same means in another order share their first member's estimate: they
    differ in nothing but the order in which ties are broken.
    """
    first: dict[tuple[float, ...], Instance] = {}
    for environment in budget_environments(instance):
        first.setdefault(tuple(sorted(round(mean, 12) for mean in environment.means)), environment)
    jobs = [
        (environment, epsilon, budget, grid.get("replicates", replicates), seed)
        for _, epsilon, grid in cells
        for budget in sorted(scaled_budgets(instance, epsilon, grid["multiples"]))
        for environment in first.values()
    ]
    with ThreadPoolExecutor(threads) as pool:
        estimates = list(pool.map(lambda job: fixed_budget_error(*job), jobs))
    rows = []
    for (environment, epsilon, budget, *_), found in zip(jobs, estimates, strict=True):
        here: dict[str, Any] = {"instance": instance.name, "environment": environment.name}
        here |= {"policy": "apt", "epsilon": epsilon_name(epsilon), "budget": budget}
        here |= {"scaled_budget": budget / instance.complexity(epsilon)}
        rows.append(here | found.row())
    return pd.DataFrame(rows)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        params, problem = this.params, read_instance(this.input.instance)
        this.note(seed=params.seed, stream=["rare_fixed_budget"])
        table = estimate(problem, params.cells, params.replicates, params.seed, this.threads)
        table.to_csv(this.output[0], index=False)
