"""Count the pulls of each arm under both algorithms, and estimate their shares."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ldpt.engines.fast_budget import fixed_budget_fast
from ldpt.instances import Instance, read_instances
from ldpt.io.runs import Labels, labelled, read_runs, write_runs
from ldpt.policies import POLICIES
from ldpt.simulate import chunks, spawn_keys, stream
from ldpt.summarise import allocation, labels_of

if TYPE_CHECKING:
    import pyarrow as pa


def pulls_of_arms(
    problem: Instance, epsilon: float, budget: int, replicates: int, seed: int
) -> np.ndarray:
    """Return the pulls of Algorithm 1: one row per run, one column per arm."""
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


def long_table(problem: Instance, epsilon: float, budget: int, counts: np.ndarray) -> "pa.Table":
    """Return one row per run and arm."""
    labels: Labels = {"instance": problem.name, "epsilon": epsilon, "budget": budget}
    arms = np.tile(np.arange(problem.n_arms), len(counts))
    runs = np.repeat(np.arange(len(counts)), problem.n_arms)
    return labelled(labels, {"replicate": runs, "arm": arms, "pulls": counts.ravel()})


def by_confidence(
    path: str, problem: Instance, epsilons: list[float], delta: float
) -> Iterator[pd.DataFrame]:
    """Yield the shares of Algorithm 2 at one error level; the tolerance plays no part."""
    for runs in read_runs(path, ["radius", "epsilon"]):
        runs = runs[(runs["delta"] == delta) & runs["epsilon"].isin(epsilons)]
        if not runs.empty:
            runs = runs.rename(columns={"radius": "method"})
            labels = labels_of(runs, ["method", "instance", "epsilon"])
            counts = runs.filter(regex=r"^pulls_\d+$").to_numpy()
            yield allocation(counts, problem.strict.gaps, {"algorithm": 2, **labels})


def count(step: Any, problems: list[Instance]) -> None:
    """Write the runs of Algorithm 1 and the shares of both algorithms."""
    settings, seed = step.params.allocation, step.params.seed
    epsilons, runs = [float(e) for e in settings["epsilons"]], settings["replicates"]
    tables, shares = [], []
    for problem in problems:
        for epsilon in epsilons:
            budget = math.ceil(settings["multiple"] * problem.complexity(epsilon))
            counts = pulls_of_arms(problem, epsilon, budget, runs, seed)
            tables.append(long_table(problem, epsilon, budget, counts))
            labels = {"algorithm": 1, "method": "apt", "instance": problem.name, "epsilon": epsilon}
            shares.append(allocation(counts, problem.gaps, labels))
    for problem, path in zip(problems, step.input.runs, strict=True):
        shares += by_confidence(path, problem, epsilons, step.params.delta)
    keys = [spawn_keys(runs, "allocation", p.name, e) for p in problems for e in epsilons]
    step.note(seed=seed, stream=["allocation"], spawn_keys=keys)
    write_runs(step.output.runs, tables)
    pd.concat(shares, ignore_index=True).to_csv(step.output.summary, index=False)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        known = read_instances(step.input.instances)
        count(step, [known[name] for name in step.params.allocation["instances"]])
