"""Estimate the error of Algorithm 1 on B^0, ..., B^K, of which Theorem 3.2 bounds the worst."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd

from ldpt.grid import epsilon_name, scaled_budgets
from ldpt.instances import Instance, budget_environments, read_instances
from ldpt.rare import fixed_budget_error

Cell = tuple[str, float, dict[str, Any]]  # instance, epsilon, settings of the study


def environments(instance: Instance) -> list[Instance]:
    """Return the environments that differ in more than the order of their arms."""
    first: dict[tuple[float, ...], Instance] = {}
    for environment in budget_environments(instance):
        first.setdefault(tuple(sorted(round(mean, 12) for mean in environment.means)), environment)
    return list(first.values())


def estimate(
    instances: dict[str, Instance], cells: Sequence[Cell], replicates: int, seed: int, threads: int
) -> pd.DataFrame:
    """Return one row per instance, privacy level, budget and environment.

    Budgets are in units of the instance's H_eps; threads change no number.
    """
    jobs = [
        (instances[name], (environment, epsilon, budget, grid.get("replicates", replicates), seed))
        for name, epsilon, grid in cells
        for budget in sorted(scaled_budgets(instances[name], epsilon, grid["multiples"]))
        for environment in environments(instances[name])
    ]
    with ThreadPoolExecutor(threads) as pool:
        estimates = list(pool.map(lambda job: fixed_budget_error(*job[1]), jobs))
    rows = []
    for (instance, (environment, epsilon, budget, *_)), found in zip(jobs, estimates, strict=True):
        here: dict[str, Any] = {"instance": instance.name, "environment": environment.name}
        here |= {"policy": "apt", "epsilon": epsilon_name(epsilon), "budget": budget}
        here |= {"scaled_budget": budget / instance.complexity(epsilon)}
        rows.append(here | found.row())
    return pd.DataFrame(rows)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        params, problems = this.params, read_instances(this.input.instances)
        this.note(seed=params.seed, stream=["rare_fixed_budget"])
        table = estimate(problems, params.cells, params.replicates, params.seed, this.threads)
        table.to_csv(this.output[0], index=False)
