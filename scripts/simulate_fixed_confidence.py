"""Run Algorithm 2 on a family of problems: all radii, privacy and error levels."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ldpt.checks import fastest_engine
from ldpt.instances import MAX_LISTED_ARMS, Instance
from ldpt.radii import Radius
from ldpt.simulate import fixed_confidence, progress_lines
from ldpt.util.runs import write_runs

if TYPE_CHECKING:
    import pandas as pd


def simulate(
    problems: Mapping[str, Instance],
    settings: Iterable[dict[str, Any]],
    constants: Mapping[str, float],
    seed: int,
    threads: int,
) -> Iterator["pd.DataFrame"]:
    """Yield the runs of each problem, radius, privacy and error level, with the same columns."""
    numbers = [problem.n_arms for problem in problems.values()]
    listed = max((n_arms for n_arms in numbers if n_arms <= MAX_LISTED_ARMS), default=0)
    for setting in settings:
        title = "{instance}: {radius} at epsilon {epsilon:g}, delta {delta:g}".format(**setting)
        show = progress_lines(title, setting["replicates"])
        problem = problems[setting["instance"]]
        radius = Radius(setting["radius"], **constants)
        engine = fastest_engine(radius.kind)
        terms = setting | {"instance": problem, "radius": radius, "engine": engine}
        runs = fixed_confidence(**terms, seed=seed, threads=threads, progress=show)
        yield with_pulls(runs, problem.n_arms, listed)


def with_pulls(runs: "pd.DataFrame", n_arms: int, listed: int) -> "pd.DataFrame":
    """Return runs with the pulls of arms 0 to ``listed`` - 1, or none if there are more arms."""
    import pandas as pd

    if n_arms > listed:
        runs = runs.drop(columns=[f"pulls_{arm}" for arm in range(n_arms)])
        n_arms = 0
    none = pd.array([pd.NA] * len(runs), dtype="Int64")
    return runs.assign(**{f"pulls_{arm}": none for arm in range(n_arms, listed)})


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        seed = step.params.seed
        problems = {fields["name"]: Instance(**fields) for fields in step.params.problems}
        step.note(seed=seed, stream=["fixed_confidence", [x.stream for x in problems.values()]])
        terms = (step.params.settings, step.params.constants, seed, step.threads)
        write_runs(step.output[0], simulate(problems, *terms))
