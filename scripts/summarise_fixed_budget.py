"""Reduce the runs of fixed budget to estimates with intervals, one row per grid point."""

from typing import Any

import pandas as pd

from ldpt import summarise
from ldpt.instances import read_instances


def summarise_runs(instances: str, runs: list[str]) -> pd.DataFrame:
    """All files of runs in one table."""
    problems = read_instances(instances)

    def reduce(table: pd.DataFrame, labels: dict[str, Any]) -> pd.DataFrame:
        problem = problems[labels["instance"]]
        complexity = problem.complexity(labels["epsilon"])
        return summarise.fixed_budget(table, labels | {"n_arms": problem.n_arms}, complexity)

    return summarise.over_files(runs, "policy", reduce)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        table = summarise_runs(step.input.instances, step.input.runs)
        table.to_csv(step.output[0], index=False)
