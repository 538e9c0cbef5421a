"""Count the pulls that Algorithm 1 gives to each arm within a multiple of the complexity."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ldpt.engines.fast_budget import fixed_budget_fast
from ldpt.instances import Instance
from ldpt.io.runs import labelled, write_runs
from ldpt.policies import POLICIES
from ldpt.simulate import Columns, chunks, spawn_keys, stream


def pulls_of_arms(
    problem: Instance, epsilon: float, budget: int, replicates: int, seed: int
) -> np.ndarray:
    """One row per run, one column per arm."""
    means = problem.private_means(epsilon)
    rule = POLICIES["apt"].rule(problem.threshold, problem.tolerance, epsilon)
    counts = np.zeros((replicates, problem.n_arms), np.int64)
    pulls, sums = np.zeros((2, 1, problem.n_arms), np.int64)
    for number, part in chunks(replicates):
        rng = stream(seed, "allocation", problem.name, epsilon, number)
        for run in range(part.start, part.stop):
            fixed_budget_fast(rng, means, rule, np.array([budget]), pulls, sums)
            counts[run] = pulls[0]
    return counts


def simulate(
    problems: list[Instance], settings: dict[str, Any], seed: int
) -> Iterator[tuple[dict[str, Any], Columns]]:
    """Labels and columns for each instance and privacy level: one row per run and arm."""
    replicates = settings["replicates"]
    for problem, epsilon in itertools.product(problems, map(float, settings["epsilons"])):
        budget = math.ceil(settings["multiple"] * problem.complexity(epsilon))
        counts = pulls_of_arms(problem, epsilon, budget, replicates, seed)
        labels = {"instance": problem.name, "epsilon": epsilon, "budget": budget}
        arms = np.tile(np.arange(problem.n_arms), replicates)
        runs = np.repeat(np.arange(replicates), problem.n_arms)
        yield labels, {"replicate": runs, "arm": arms, "pulls": counts.ravel()}
        print(f"{problem.name} at epsilon {epsilon}: {replicates} runs", flush=True)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        problems = [Instance(**problem) for problem in this.params.problems]
        settings, seed = this.params.allocation, this.params.seed
        tables = [labelled(*part) for part in simulate(problems, settings, seed)]
        keys = [
            spawn_keys(settings["replicates"], "allocation", problem.name, float(epsilon))
            for problem, epsilon in itertools.product(problems, settings["epsilons"])
        ]
        this.note(seed=seed, stream=["allocation"], spawn_keys=keys)
        write_runs(this.output[0], tables)
