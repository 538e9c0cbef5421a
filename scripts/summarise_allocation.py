"""Reduce the pulls of each arm, under both algorithms, to mean shares with normal intervals."""

from collections.abc import Iterator

import pandas as pd

from ldpt.instances import Instance, read_instances
from ldpt.summarise import allocation, labels_of


def by_budget(pulls: str, problems: dict[str, Instance]) -> Iterator[pd.DataFrame]:
    """Algorithm 1: the complexity counts the tolerance."""
    for (name, epsilon), runs in pd.read_parquet(pulls).groupby(["instance", "epsilon"]):
        wide = runs.pivot_table("pulls", "replicate", "arm")
        labels = {"algorithm": 1, "method": "apt", "instance": name, "epsilon": epsilon}
        yield allocation(wide.to_numpy(), problems[str(name)].gaps, labels)


def by_confidence(
    paths: list[str], problems: dict[str, Instance], delta: float
) -> Iterator[pd.DataFrame]:
    """Algorithm 2 at one error level: the tolerance plays no part."""
    for runs in map(pd.read_parquet, paths):
        runs = runs[runs["delta"] == delta].rename(columns={"radius": "method"})
        labels = labels_of(runs, ["method", "instance", "epsilon"])
        counts = runs.filter(regex=r"^pulls_\d+$").to_numpy()
        gaps = problems[labels["instance"]].strict.gaps
        yield allocation(counts, gaps, {"algorithm": 2, **labels})


def summarise(pulls: str, runs: list[str], instances: list[str], delta: float) -> pd.DataFrame:
    """Both algorithms in one table, one row per arm."""
    problems = read_instances(instances)
    parts = [*by_budget(pulls, problems), *by_confidence(runs, problems, delta)]
    return pd.concat(parts, ignore_index=True)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        given = this.input
        table = summarise(given.pulls, given.runs, given.instances, this.params.delta)
        table.to_csv(this.output[0], index=False)
