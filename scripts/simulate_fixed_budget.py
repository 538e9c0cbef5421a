"""Run the policies of one problem: all privacy levels, and all budgets in one sweep."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ldpt.instances import Instance
from ldpt.simulate import fixed_budget, progress_lines
from ldpt.util.runs import write_runs

if TYPE_CHECKING:
    import pandas as pd


def simulate(
    problem: Instance, settings: Sequence[dict[str, Any]], seed: int, threads: int
) -> Iterator["pd.DataFrame"]:
    """Yield the runs of each policy and privacy level."""
    for setting in settings:
        title = f"{setting['policy']} at epsilon {setting['epsilon']:g}"
        show = progress_lines(title, setting["replicates"])
        yield fixed_budget(problem, **setting, seed=seed, threads=threads, progress=show)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        problem, seed = Instance(**step.params.problem), step.params.seed
        step.note(seed=seed, stream=["fixed_budget", problem.stream])
        write_runs(step.output[0], simulate(problem, step.params.settings, seed, step.threads))
