"""Estimate small errors at a fixed budget, on problems or on the environments of Theorem 3.2."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd

from ldpt.config.grid import epsilon_name, scaled_budgets
from ldpt.instances import Instance, budget_environments, read_instances
from ldpt.rare_events import fixed_budget_error


def sample(
    problems: dict[str, Instance], section: dict[str, Any], seed: int, threads: int, mirrored: bool
) -> pd.DataFrame:
    """Return the estimates of a section: on the problems, or on their environments B^i.

    Budgets are in units of the problem's H_eps.
    """
    jobs, rows, wanted = [], [], section["effective_size"]
    for name, epsilon, grid in section["cells"]:
        problem = problems[name]
        runs = grid.get("replicates", section["replicates"])
        complexity = problem.complexity(epsilon)
        size = {} if mirrored else {"n_arms": problem.n_arms, "complexity": complexity}
        for policy in grid["policies"]:
            for budget in sorted(scaled_budgets(problem, epsilon, grid["multiples"])):
                for one in environments(problem) if mirrored else [problem]:
                    jobs.append((one, epsilon, budget, runs, seed, policy, wanted))
                    row = {"instance": name} | ({"environment": one.name} if mirrored else {})
                    row |= {"policy": policy, "epsilon": epsilon_name(epsilon), **size}
                    rows.append(row | {"budget": budget, "scaled_budget": budget / complexity})
    with ThreadPoolExecutor(threads) as pool:  # threads change no number
        estimates = pool.map(lambda job: fixed_budget_error(*job), jobs)
        for row, estimate in zip(rows, estimates, strict=True):
            row |= estimate.row()
    return pd.DataFrame(rows)


def environments(problem: Instance) -> list[Instance]:
    """Return the environments that differ in more than the order of their arms."""
    first: dict[tuple[float, ...], Instance] = {}
    for one in budget_environments(problem):
        first.setdefault(tuple(sorted(round(mean, 12) for mean in one.means)), one)
    return list(first.values())


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        params = step.params
        problems = read_instances(step.input.instances)
        step.note(seed=params.seed, stream=["rare_fixed_budget"])
        table = sample(problems, params.studies, params.seed, step.threads, params.mirrored)
        table.to_csv(step.output[0], index=False)
