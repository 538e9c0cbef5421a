"""Run Algorithm 1 or a baseline on one instance at one privacy level, all budgets at once."""

import pandas as pd

from ldpt.instances import read_instance
from ldpt.simulate import fixed_budget, progress_lines, spawn_keys


def simulate(
    instance: str,
    policy: str,
    epsilon: float,
    budgets: list[int],
    replicates: int,
    seed: int,
    threads: int = 1,
) -> pd.DataFrame:
    """A row a replicate and budget."""
    problem = read_instance(instance)
    show = progress_lines(f"{policy} at epsilon {epsilon}", replicates)
    return fixed_budget(
        problem, epsilon, budgets, replicates, seed, policy, progress=show, threads=threads
    )


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        policy, epsilon = this.wildcards.policy, float(this.wildcards.epsilon)
        params = this.params
        runs = simulate(
            this.input.instance, policy, epsilon, params.budgets, params.replicates, params.seed,
            snakemake.threads,  # noqa: F821
        )  # fmt: skip
        stream = ["fixed_budget", this.wildcards.instance, policy, epsilon]
        keys = spawn_keys(params.replicates, *stream)
        this.note(seed=params.seed, stream=stream, spawn_keys=keys)
        runs.to_parquet(this.output[0], compression="zstd", index=False)
