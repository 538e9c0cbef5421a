"""Run Algorithm 2 to its stopping time on one problem: all radii, privacy and error levels."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ldpt.instances import MAX_LISTED_ARMS, Instance
from ldpt.radii import Radius
from ldpt.simulate import fixed_confidence, progress_lines
from ldpt.util.runs import Labels, labelled, write_runs

if TYPE_CHECKING:
    import pyarrow as pa

Methods = dict[str, dict[str, dict[str, Any]]]  # replicates and deltas by radius and epsilon


def simulate(
    problem: Instance, methods: Methods, constants: Mapping[str, float], seed: int, threads: int
) -> Iterator["pa.Table"]:
    """Yield one table per radius, privacy and error level; many arms are not listed one by one."""
    listed = problem.n_arms <= MAX_LISTED_ARMS
    for radius, levels in methods.items():
        for name, level in levels.items():
            epsilon, runs = float(name), level["replicates"]
            labels: Labels = {"instance": problem.name, "radius": radius, "epsilon": epsilon}
            for delta in level["deltas"]:
                show = progress_lines(f"{radius} at epsilon {name}, delta {delta}", runs)
                setting = (problem, epsilon, delta, runs, seed, Radius(radius, **constants))
                table = fixed_confidence(*setting, threads=threads, progress=show)
                if not listed:
                    table = table[["replicate", "stopping_time", "correct"]]
                columns = {str(key): values.to_numpy() for key, values in table.items()}
                yield labelled(labels | {"delta": delta}, columns)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        problem, methods = Instance(**step.params.problem), step.params.methods
        seed = step.params.seed
        step.note(seed=seed, stream=["fixed_confidence", problem.name])
        runs = simulate(problem, methods, step.params.constants, seed, step.threads)
        write_runs(step.output[0], runs)
