"""Run the policies on a family of problems: all privacy levels, and all budgets in one sweep."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ldpt.checks import fastest_engine
from ldpt.instances import Instance
from ldpt.policies import POLICIES
from ldpt.simulate import fixed_budget, progress_lines
from ldpt.util.runs import write_runs

if TYPE_CHECKING:
    import pandas as pd


def simulate(
    problems: Mapping[str, Instance], settings: Iterable[dict[str, Any]], seed: int, threads: int
) -> Iterator["pd.DataFrame"]:
    """Yield the runs of each problem, policy and privacy level."""
    for setting in settings:
        title = "{instance}: {policy} at epsilon {epsilon:g}".format(**setting)
        show = progress_lines(title, setting["replicates"])
        engine = fastest_engine(POLICIES[setting["policy"]])
        terms = setting | {"instance": problems[setting["instance"]], "engine": engine}
        yield fixed_budget(**terms, seed=seed, threads=threads, progress=show)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        seed = step.params.seed
        problems = {fields["name"]: Instance(**fields) for fields in step.params.problems}
        step.note(seed=seed, stream=["fixed_budget", [x.stream for x in problems.values()]])
        write_runs(step.output[0], simulate(problems, step.params.settings, seed, step.threads))
