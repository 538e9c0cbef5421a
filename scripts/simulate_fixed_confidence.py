"""Run Algorithm 2 to its stopping time on one instance: all privacy levels and error levels."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ldpt.instances import MAX_LISTED_ARMS, Instance, read_instance
from ldpt.io.runs import Labels, labelled, write_runs
from ldpt.radii import Radius
from ldpt.simulate import fixed_confidence_columns, progress_lines, spawn_keys

if TYPE_CHECKING:
    import pyarrow as pa

Levels = dict[str, dict[str, Any]]  # by privacy level: number of replicates, and error levels


def simulate(
    problem: Instance, radius: Radius, levels: Levels, seed: int, threads: int
) -> Iterator["pa.Table"]:
    """One table per privacy and error level; of many arms the pulls of each are not kept."""
    kept = problem.n_arms <= MAX_LISTED_ARMS
    for name, asked in levels.items():
        epsilon, runs = float(name), asked["replicates"]
        labels: Labels = {"instance": problem.name, "radius": radius.name, "epsilon": epsilon}
        for delta in asked["deltas"]:
            show = progress_lines(f"{radius.name} at epsilon {name}, delta {delta}", runs)
            columns = fixed_confidence_columns(
                problem, epsilon, delta, runs, seed, radius, progress=show, threads=threads
            )
            few = {n: c for n, c in columns.items() if kept or not n.startswith("pulls_")}
            yield labelled(labels | {"delta": delta}, few)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        levels, seed = this.params.levels, this.params.seed
        problem = read_instance(this.input.instance)
        radius = Radius(this.wildcards.radius, **this.params.constants)
        stream = ["fixed_confidence", problem.name, radius.name]
        keys = {
            name: {
                delta: spawn_keys(asked["replicates"], *stream, float(name), delta)
                for delta in asked["deltas"]
            }
            for name, asked in levels.items()
        }
        this.note(seed=seed, stream=stream, spawn_keys=keys)
        write_runs(this.output[0], simulate(problem, radius, levels, seed, this.threads))
