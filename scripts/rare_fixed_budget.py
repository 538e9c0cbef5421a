"""Estimate small errors at a fixed budget, their exponents, and the worst of Theorem 3.2."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd

from ldpt.grid import epsilon_name, scaled_budgets
from ldpt.instances import Instance, budget_environments, read_instances
from ldpt.rare import Estimate, exponent, fixed_budget_error, reference_exponents

MEASURED = ["scaled_budget", "estimate", "exponent", "exponent_low", "exponent_high"]
Cell = tuple[str, float, dict[str, Any]]  # instance, epsilon, settings of the study
Row = tuple[Instance, Instance, float, int, str, Estimate]  # problem, environment, ...


def sample(
    problems: dict[str, Instance], section: dict[str, Any], seed: int, threads: int, worst: bool
) -> list[Row]:
    """Return the estimates of a section: on the problems, or on their environments B^i."""
    jobs: list[Any] = []
    for name, epsilon, grid in section["cells"]:
        problem, runs = problems[name], grid.get("replicates", section["replicates"])
        for policy in grid.get("policies", ["apt"]):
            for budget in sorted(scaled_budgets(problem, epsilon, grid["multiples"])):
                settings = (epsilon, budget, runs, seed, policy)
                chosen = environments(problem) if worst else [problem]
                jobs.extend((problem, (one, *settings)) for one in chosen)
    with ThreadPoolExecutor(threads) as pool:  # threads change no number
        found = list(pool.map(lambda job: fixed_budget_error(*job[1]), jobs))
    return [
        (problem, one, epsilon, budget, policy, estimate)
        for (problem, (one, epsilon, budget, _, _, policy)), estimate in zip(
            jobs, found, strict=True
        )
    ]


def environments(problem: Instance) -> list[Instance]:
    """Return the environments that differ in more than the order of their arms."""
    first: dict[tuple[float, ...], Instance] = {}
    for one in budget_environments(problem):
        first.setdefault(tuple(sorted(round(mean, 12) for mean in one.means)), one)
    return list(first.values())


def tabulate(rows: Sequence[Row], worst: bool) -> pd.DataFrame:
    """Return the estimates as a table; budgets are in units of the problem's H_eps."""
    lines = []
    for problem, one, epsilon, budget, policy, found in rows:
        complexity = problem.complexity(epsilon)
        size = {"n_arms": problem.n_arms, "complexity": complexity}
        line: dict[str, Any] = {"instance": problem.name} | (
            {"environment": one.name} if worst else {}
        )
        line |= {"policy": policy, "epsilon": epsilon_name(epsilon)} | ({} if worst else size)
        line |= {"budget": budget, "scaled_budget": budget / complexity, **found.row()}
        lines.append(line | ({} if worst else exponent(found, budget / complexity)))
    return pd.DataFrame(lines)


def exponents(table: pd.DataFrame, problems: dict[str, Instance]) -> pd.DataFrame:
    """Return the exponent measured at the largest reliable budget, its limit, and the bounds'."""
    rows = []
    for labels, curve in table[table["reliable"]].groupby(["instance", "policy", "epsilon"]):
        name, policy, epsilon = labels
        deepest = curve.loc[curve["scaled_budget"].idxmax()]
        parts: list[dict[str, Any]] = [{"side": "measured", "version": "sampled"}]
        parts[0] |= deepest[MEASURED].to_dict()
        parts += reference_exponents(problems[str(name)], float(epsilon))
        rows += [{"instance": name, "policy": policy, "epsilon": epsilon, **row} for row in parts]
    columns = ["instance", "policy", "epsilon", "side", "version", *MEASURED]
    return pd.DataFrame(rows, columns=columns)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        params, problems = step.params, read_instances(step.input.instances)
        step.note(seed=params.seed, stream=["rare_fixed_budget"])
        for worst, name in ((False, "studies"), (True, "environments")):
            rows = sample(problems, params[name], params.seed, step.threads, worst)
            table = tabulate(rows, worst)
            path = step.output.environments if worst else step.output.estimates
            table.to_csv(path, index=False)
            if not worst:
                exponents(table, problems).to_csv(step.output.exponents, index=False)
