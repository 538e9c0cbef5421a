"""Run Algorithm 2 to its stopping time on one problem: all radii, privacy and error levels."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ldpt.instances import MAX_LISTED_ARMS, Instance
from ldpt.io.runs import Labels, labelled, write_runs
from ldpt.radii import Radius
from ldpt.simulate import fixed_confidence, progress_lines, spawn_keys

if TYPE_CHECKING:
    import pyarrow as pa

Methods = dict[str, dict[str, dict[str, Any]]]  # replicates and deltas by radius and epsilon


def simulate(
    problem: Instance, methods: Methods, constants: Mapping[str, float], seed: int, threads: int
) -> Iterator["pa.Table"]:
    """Yield one table per radius, privacy and error level; many arms are not listed one by one."""
    listed = problem.n_arms <= MAX_LISTED_ARMS
    for radius, name, level in settings(methods):
        epsilon, runs = float(name), level["replicates"]
        labels: Labels = {"instance": problem.name, "radius": radius, "epsilon": epsilon}
        for delta in level["deltas"]:
            show = progress_lines(f"{radius} at epsilon {name}, delta {delta}", runs)
            edge = Radius(radius, **constants)
            setting = (problem, epsilon, delta, runs, seed, edge)
            table = fixed_confidence(*setting, threads=threads, progress=show)
            few = {
                key: values.to_numpy()
                for key, values in table.items()
                if listed or not str(key).startswith("pulls_")
            }
            yield labelled(labels | {"delta": delta}, few)


def settings(methods: Methods) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield radius, privacy level and what is simulated there."""
    for radius, levels in methods.items():
        for name, level in levels.items():
            yield radius, name, level


def stream_keys(problem: Instance, methods: Methods) -> dict[str, Any]:
    """Return the spawn keys of all chunks by radius, privacy level and error level."""
    keys: dict[str, Any] = {}
    for radius, name, level in settings(methods):
        stream = ("fixed_confidence", problem.name, radius, float(name))
        keys.setdefault(radius, {})[name] = {
            delta: spawn_keys(level["replicates"], *stream, delta) for delta in level["deltas"]
        }
    return keys


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        problem, methods = Instance(**step.params.problem), step.params.methods
        seed, keys = step.params.seed, stream_keys(problem, methods)
        step.note(seed=seed, stream=["fixed_confidence", problem.name], spawn_keys=keys)
        runs = simulate(problem, methods, step.params.constants, seed, step.threads)
        write_runs(step.output[0], runs)
