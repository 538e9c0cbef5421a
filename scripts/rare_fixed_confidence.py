"""Estimate error probabilities of Algorithm 2 far below the Monte-Carlo floor."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd

from ldpt.config.grid import epsilon_name
from ldpt.instances import Instance, read_instances
from ldpt.radii import Radius
from ldpt.rare_events import fixed_confidence_error


def estimate(instances: dict[str, Instance], params: Any, threads: int) -> pd.DataFrame:
    """Return one row per instance, radius, privacy and error level; threads change no number."""
    seed, constants, section = params.seed, params.constants, params.studies
    jobs = [
        (
            instances[name],
            epsilon,
            delta,
            grid.get("replicates", section["replicates"]),
            seed,
            radius,
            section["effective_size"],
        )
        for name, epsilon, grid in section["cells"]
        for radius in (Radius(name, **constants) for name in grid["radii"])
        for delta in grid["deltas"]
    ]
    with ThreadPoolExecutor(threads) as pool:
        estimates = list(pool.map(lambda job: fixed_confidence_error(*job), jobs))
    rows = []
    for (instance, epsilon, delta, _, _, radius, _), error in zip(jobs, estimates, strict=True):
        labels = {
            "instance": instance.name,
            "radius": radius.name,
            "epsilon": epsilon_name(epsilon),
            "delta": delta,
            "n_arms": instance.n_arms,
        }
        rows.append(labels | error.row() | {"error_over_delta": error.probability / delta})
    return pd.DataFrame(rows)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        params = step.params
        problems = read_instances(step.input.instances)
        step.note(seed=params.seed, stream=["rare_fixed_confidence"])
        estimate(problems, params, step.threads).to_csv(step.output[0], index=False)
