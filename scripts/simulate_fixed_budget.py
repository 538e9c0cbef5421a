"""Run the policies of one problem: all privacy levels, and all budgets in one sweep."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ldpt.instances import Instance
from ldpt.io.runs import Labels, labelled, write_runs
from ldpt.simulate import fixed_budget, progress_lines, spawn_keys

if TYPE_CHECKING:
    import pyarrow as pa

Methods = dict[str, dict[str, dict[str, Any]]]  # replicates and budgets by policy and epsilon


def simulate(problem: Instance, methods: Methods, seed: int, threads: int) -> Iterator["pa.Table"]:
    """Yield one table per policy and privacy level."""
    for policy, levels in methods.items():
        for name, level in levels.items():
            epsilon, runs = float(name), level["replicates"]
            show = progress_lines(f"{policy} at epsilon {name}", runs)
            setting = (problem, epsilon, level["budgets"], runs, seed, policy)
            table = fixed_budget(*setting, threads=threads, progress=show)
            labels: Labels = {"instance": problem.name, "policy": policy, "epsilon": epsilon}
            yield labelled(labels, {key: values.to_numpy() for key, values in table.items()})


def stream_keys(problem: Instance, methods: Methods) -> dict[str, Any]:
    """Return the spawn keys of all chunks by policy and privacy level."""
    return {
        policy: {
            name: spawn_keys(level["replicates"], "fixed_budget", problem.name, policy, float(name))
            for name, level in levels.items()
        }
        for policy, levels in methods.items()
    }


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        problem, methods = Instance(**step.params.problem), step.params.methods
        seed, keys = step.params.seed, stream_keys(problem, methods)
        step.note(seed=seed, stream=["fixed_budget", problem.name], spawn_keys=keys)
        write_runs(step.output[0], simulate(problem, methods, seed, step.threads))
