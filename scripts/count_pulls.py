"""Count the pulls of each arm under both algorithms, and estimate their shares."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ldpt.engines.fast_budget import fixed_budget_fast
from ldpt.instances import Instance, read_instances
from ldpt.policies import POLICIES
from ldpt.simulate import chunks, stream
from ldpt.summarise import allocation
from ldpt.util.runs import read_runs, write_runs

KEYS = ["instance", "radius", "epsilon", "delta"]
MULTIPLE = 4  # budget of Algorithm 1 in units of H_eps


def pulls_of_arms(
    problem: Instance, epsilon: float, budget: int, replicates: int, seed: int
) -> np.ndarray:
    """Return the pulls of Algorithm 1: one row per run, one column per arm."""
    means = problem.private_means(epsilon)
    rule = POLICIES["apt"].rule(problem.threshold, problem.tolerance, epsilon)
    counts = np.zeros((replicates, problem.n_arms), np.int64)
    pulls, sums = np.zeros((2, 1, problem.n_arms), np.int64)
    for number, part in chunks(replicates):
        rng = stream(seed, "allocation", problem.stream, epsilon, number)
        for run in range(part.start, part.stop):
            fixed_budget_fast(rng, means, rule, np.array([budget]), pulls, sums)
            counts[run] = pulls[0]
    return counts


def by_confidence(
    path: str, problems: list[Instance], epsilons: list[float], delta: float
) -> Iterator[pd.DataFrame]:
    """Yield the shares of Algorithm 2 at one error level; the tolerance plays no part."""
    problem_of = {problem.name: problem for problem in problems}
    for runs in read_runs(path):
        name, radius, epsilon, level = runs[KEYS].iloc[0]
        if name in problem_of and level == delta and epsilon in epsilons:
            gaps = problem_of[name].strict.gaps
            counts = runs[[f"pulls_{arm}" for arm in range(len(gaps))]].to_numpy()
            labels = {"algorithm": 2, "instance": name, "method": radius, "epsilon": epsilon}
            yield allocation(counts, gaps, labels)


def count(step: Any, problems: list[Instance]) -> None:
    """Write the runs of Algorithm 1, one row per run and arm, and the shares of both algorithms."""
    settings, seed = step.params.allocation, step.params.seed
    epsilons = [float(e) for e in settings["epsilons"]]
    runs = settings["replicates"]
    tables, shares = [], []
    for problem in problems:
        for epsilon in epsilons:
            budget = math.ceil(MULTIPLE * problem.complexity(epsilon))
            counts = pulls_of_arms(problem, epsilon, budget, runs, seed)
            run, arm = (index.ravel() for index in np.indices(counts.shape))
            labels = {"instance": problem.name, "epsilon": epsilon, "budget": budget}
            columns = {"replicate": run, "arm": arm, "pulls": counts.ravel()}
            tables.append(pd.DataFrame({**labels, **columns}))
            labels = {"algorithm": 1, "instance": problem.name, "method": "apt"}
            shares.append(allocation(counts, problem.gaps, labels | {"epsilon": epsilon}))
    for path in step.input.runs:
        shares += by_confidence(path, problems, epsilons, step.params.delta)
    step.note(seed=seed, stream=["allocation"])
    write_runs(step.output.runs, tables)
    pd.concat(shares, ignore_index=True).to_csv(step.output.summary, index=False)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        known = read_instances(step.input.instances)
        count(step, [known[name] for name in step.params.allocation["instances"]])
