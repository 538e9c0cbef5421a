"""Reduce the pulls of each arm, under both algorithms, to mean shares with normal intervals."""

import itertools
from collections.abc import Iterator

import pandas as pd

from ldpt.instances import Instance, read_instances
from ldpt.io.runs import read_runs
from ldpt.summarise import allocation, labels_of


def by_budget(pulls: str, problems: dict[str, Instance]) -> Iterator[pd.DataFrame]:
    """Algorithm 1: the complexity counts the tolerance."""
    for (name, epsilon), runs in pd.read_parquet(pulls).groupby(["instance", "epsilon"]):
        wide = runs.pivot_table("pulls", "replicate", "arm")
        labels = {"algorithm": 1, "method": "apt", "instance": name, "epsilon": epsilon}
        yield allocation(wide.to_numpy(), problems[str(name)].gaps, labels)


def by_confidence(
    paths: list[str], problems: dict[str, Instance], epsilons: list[float], delta: float
) -> Iterator[pd.DataFrame]:
    """Algorithm 2 at one error level: the tolerance plays no part."""
    names = ["radius", "epsilon"]
    for runs in itertools.chain.from_iterable(read_runs(path, names) for path in paths):
        runs = runs[(runs["delta"] == delta) & runs["epsilon"].isin(epsilons)]
        if runs.empty:
            continue
        runs = runs.rename(columns={"radius": "method"})
        labels = labels_of(runs, ["method", "instance", "epsilon"])
        counts = runs.filter(regex=r"^pulls_\d+$").to_numpy()
        gaps = problems[labels["instance"]].strict.gaps
        yield allocation(counts, gaps, {"algorithm": 2, **labels})


def summarise(
    pulls: str, runs: list[str], instances: str, epsilons: list[float], delta: float
) -> pd.DataFrame:
    """Both algorithms in one table, one row per arm."""
    problems = read_instances(instances)
    parts = [*by_budget(pulls, problems), *by_confidence(runs, problems, epsilons, delta)]
    return pd.concat(parts, ignore_index=True)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        given, asked = this.input, this.params
        table = summarise(given.pulls, given.runs, given.instances, asked.epsilons, asked.delta)
        table.to_csv(this.output[0], index=False)
