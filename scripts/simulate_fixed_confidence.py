"""Run Algorithm 2 to its stopping time on one instance at one privacy level, all error levels."""

import pandas as pd

from ldpt.instances import MOST_ARMS, read_instance
from ldpt.radii import Radius
from ldpt.simulate import fixed_confidence, progress_lines, spawn_keys


def simulate(
    instance: str,
    radius: Radius,
    epsilon: float,
    deltas: list[float],
    replicates: int,
    seed: int,
    threads: int = 1,
) -> pd.DataFrame:
    """A row an error level and replicate."""
    problem = read_instance(instance)
    parts = []
    for delta in deltas:
        show = progress_lines(f"{radius.name} at epsilon {epsilon}, delta {delta}", replicates)
        runs = fixed_confidence(
            problem, epsilon, delta, replicates, seed, radius, progress=show, threads=threads
        )
        if problem.n_arms > MOST_ARMS:
            runs = runs[["replicate", "stopping_time", "correct"]]
        runs.insert(0, "delta", delta)
        parts.append(runs)
    return pd.concat(parts, ignore_index=True)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        epsilon, params = float(this.wildcards.epsilon), this.params
        radius = Radius(this.wildcards.radius, params.rho)
        runs = simulate(
            this.input.instance, radius, epsilon, params.deltas, params.replicates, params.seed,
            snakemake.threads,  # noqa: F821
        )  # fmt: skip
        stream = ["fixed_confidence", this.wildcards.instance, radius.name, epsilon]
        keys = {delta: spawn_keys(params.replicates, *stream, delta) for delta in params.deltas}
        this.note(seed=params.seed, stream=stream, spawn_keys=keys)
        runs.to_parquet(this.output[0], compression="zstd", index=False)
