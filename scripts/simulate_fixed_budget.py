"""Run Algorithm 1 or a baseline on one instance: all privacy levels, and all budgets at once."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ldpt.instances import Instance, read_instance
from ldpt.io.runs import Labels, labelled, write_runs
from ldpt.simulate import fixed_budget_columns, progress_lines, spawn_keys

if TYPE_CHECKING:
    import pyarrow as pa

Levels = dict[str, dict[str, Any]]  # by privacy level: number of replicates, and budgets


def simulate(
    problem: Instance, policy: str, levels: Levels, seed: int, threads: int
) -> Iterator["pa.Table"]:
    """One table per privacy level."""
    for name, asked in levels.items():
        epsilon, runs = float(name), asked["replicates"]
        show = progress_lines(f"{policy} at epsilon {name}", runs)
        columns = fixed_budget_columns(
            problem, epsilon, asked["budgets"], runs, seed, policy, progress=show, threads=threads
        )
        labels: Labels = {"instance": problem.name, "policy": policy, "epsilon": epsilon}
        yield labelled(labels, columns)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        policy, levels, seed = this.wildcards.policy, this.params.levels, this.params.seed
        problem = read_instance(this.input.instance)
        stream = ["fixed_budget", problem.name, policy]
        keys = {
            name: spawn_keys(asked["replicates"], *stream, float(name))
            for name, asked in levels.items()
        }
        this.note(seed=seed, stream=stream, spawn_keys=keys)
        write_runs(this.output[0], simulate(problem, policy, levels, seed, this.threads))
