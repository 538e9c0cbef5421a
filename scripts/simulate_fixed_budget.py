"""Run the policies of one problem: all privacy levels, and all budgets in one sweep."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ldpt.instances import Instance
from ldpt.simulate import fixed_budget, progress_lines
from ldpt.util.runs import Labels, labelled, write_runs

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


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        problem, methods = Instance(**step.params.problem), step.params.methods
        seed = step.params.seed
        step.note(seed=seed, stream=["fixed_budget", problem.name])
        write_runs(step.output[0], simulate(problem, methods, seed, step.threads))
