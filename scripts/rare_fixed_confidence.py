"""Error of Algorithm 2 far below the Monte-Carlo floor, beside the delta that it promises."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd

from ldpt.config import epsilon_name
from ldpt.instances import Instance, read_instances
from ldpt.radii import Radius
from ldpt.rare import fixed_confidence_error

Cell = tuple[str, float, dict[str, Any]]  # instance, epsilon, settings of the study


def estimate(
    instances: dict[str, Instance],
    cells: Sequence[Cell],
    replicates: int,
    rho: float,
    seed: int,
    threads: int,
) -> pd.DataFrame:
    """One row per instance, radius, privacy and error level. Threads change no number."""
    jobs = [
        (instances[name], epsilon, delta, grid.get("replicates", replicates), seed, radius)
        for name, epsilon, grid in cells
        for radius in [Radius(radius, rho) for radius in grid["radii"]]
        for delta in grid["deltas"]
    ]
    with ThreadPoolExecutor(threads) as pool:
        estimates = list(pool.map(lambda job: fixed_confidence_error(*job), jobs))
    rows = []
    for (instance, epsilon, delta, _, _, radius), found in zip(jobs, estimates, strict=True):
        here: dict[str, Any] = {"instance": instance.name, "radius": radius.name}
        here |= {
            "epsilon": epsilon_name(epsilon),
            "delta": delta,
            "n_arms": instance.n_arms,
            **found.row(),
        }
        rows.append(here | {"error_over_delta": found.probability / delta})
    return pd.DataFrame(rows)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        problems = read_instances(this.input.instances)
        params = this.params
        this.note(seed=params.seed, stream=["rare_fixed_confidence"])
        table = estimate(
            problems, params.cells, params.replicates, params.rho, params.seed,
            snakemake.threads,  # noqa: F821
        )  # fmt: skip
        table.to_csv(this.output[0], index=False)
