"""Count the pulls that Algorithm 1 gives to each arm within a multiple of the complexity."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ldpt.engines.loops import fixed_budget_fast
from ldpt.instances import Instance, read_instance
from ldpt.simulate import chunks, spawn_keys, stream


def pulls_of_arms(
    problem: Instance, epsilon: float, budget: int, replicates: int, seed: int
) -> np.ndarray:
    """A row a run, a column an arm."""
    means, threshold = problem.private_means(epsilon), problem.private_threshold(epsilon)
    tolerance = problem.private_tolerance(epsilon)
    counts = np.zeros((replicates, problem.n_arms), np.int64)
    pulls, sums = np.zeros((2, 1, problem.n_arms), np.int64)
    for number, part in chunks(replicates):
        rng = stream(seed, "allocation", problem.name, epsilon, number)
        for run in range(part.start, part.stop):
            fixed_budget_fast(rng, means, threshold, tolerance, np.array([budget]), pulls, sums)
            counts[run] = pulls[0]
    return counts


def simulate(
    problems: list[Instance], settings: dict[str, Any], seed: int
) -> Iterator[pd.DataFrame]:
    """A table an instance and privacy level: a row a run and arm."""
    replicates = settings["replicates"]
    for problem in problems:
        for epsilon in map(float, settings["epsilons"]):
            budget = math.ceil(settings["multiple"] * problem.complexity(epsilon))
            counts = pulls_of_arms(problem, epsilon, budget, replicates, seed)
            labels = {"instance": problem.name, "epsilon": epsilon, "budget": budget}
            arms = np.tile(np.arange(problem.n_arms), replicates)
            runs = np.repeat(np.arange(replicates), problem.n_arms)
            yield pd.DataFrame({**labels, "replicate": runs, "arm": arms, "pulls": counts.ravel()})
            print(f"{problem.name} at epsilon {epsilon}: {replicates} runs", flush=True)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        problems = [read_instance(path) for path in this.input.instances]
        settings, seed = this.params.allocation, this.params.seed
        table = pd.concat(simulate(problems, settings, seed), ignore_index=True)
        keys = [
            spawn_keys(settings["replicates"], "allocation", problem.name, float(epsilon))
            for problem in problems
            for epsilon in settings["epsilons"]
        ]
        this.note(seed=seed, stream=["allocation"], spawn_keys=keys)
        table.to_parquet(this.output[0], compression="zstd", index=False)
