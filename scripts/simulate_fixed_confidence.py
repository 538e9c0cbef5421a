"""Run Algorithm 2 to its stopping time on one problem: all radii, privacy and error levels."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ldpt.instances import MAX_LISTED_ARMS, Instance
from ldpt.radii import Radius
from ldpt.simulate import fixed_confidence, progress_lines
from ldpt.util.runs import write_runs

if TYPE_CHECKING:
    import pandas as pd


def simulate(
    problem: Instance,
    settings: Sequence[dict[str, Any]],
    constants: Mapping[str, float],
    seed: int,
    threads: int,
) -> Iterator["pd.DataFrame"]:
    """Yield the runs of each radius, privacy and error level; many arms are not listed singly."""
    for setting in settings:
        title = "{radius} at epsilon {epsilon:g}, delta {delta:g}".format(**setting)
        show = progress_lines(title, setting["replicates"])
        terms = setting | {"radius": Radius(setting["radius"], **constants)}
        runs = fixed_confidence(problem, **terms, seed=seed, threads=threads, progress=show)
        if problem.n_arms > MAX_LISTED_ARMS:
            runs = runs.drop(columns=[f"pulls_{arm}" for arm in range(problem.n_arms)])
        yield runs


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        problem, seed = Instance(**step.params.problem), step.params.seed
        step.note(seed=seed, stream=["fixed_confidence", problem.stream])
        terms = (step.params.settings, step.params.constants, seed, step.threads)
        write_runs(step.output[0], simulate(problem, *terms))
