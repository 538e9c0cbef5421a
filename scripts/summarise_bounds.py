"""Evaluate the bounds of both algorithms where they were measured and along drawn curves."""

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ldpt import bounds
from ldpt.instances import Instance, read_instances
from ldpt.util.reproducible import geomspace

COLUMNS = ["instance", "epsilon", "scaled_budget", "side", "version", "value"]
CONFIDENCE_COLUMNS = ["instance", "epsilon", "delta", "side", "version", "value"]
CURVE_EPSILONS = 48  # privacy levels of a drawn curve
CURVE_BUDGETS = 160  # budgets of a drawn curve
LEAST_BOUND = 1e-9  # curves reach to where the printed upper bound is below this
CONFIDENCE = {
    "upper": ("printed", "hoeffding", "hoeffding_mean", "mixture", "onesided", "coin"),
    "lower": ("reduction", "decoupled", "printed", "many_arms"),
}
BUDGET = {
    "upper": ("printed", "proved", "lsa", "apt-clipped", "lsa-clipped"),
    "lower": ("printed", "corrected", "reduction", "genie", "best"),
}


def confidence_rows(
    summary: pd.DataFrame, problems: dict[str, Instance], panels: list[str], delta: float
) -> Iterator[dict[str, Any]]:
    """Yield the bounds on the stopping time at every measurement and along the panels' curves."""
    measured = summary[["instance", "epsilon", "delta"]].drop_duplicates()
    levels = summary["epsilon"].astype(float)  # a table without rows has no types
    finite = levels[np.isfinite(levels)]
    fine = []
    if len(finite):
        fine = geomspace(finite.min(), 2 * finite.max(), CURVE_EPSILONS).tolist()
    drawn = itertools.product(panels, fine, [delta])
    for name, epsilon, level in sorted({*measured.itertuples(index=False, name=None), *drawn}):
        labels = {"instance": name, "epsilon": epsilon, "delta": level}
        for side, versions in CONFIDENCE.items():
            bound = getattr(bounds, f"fixed_confidence_{side}")
            for version in versions:
                try:
                    value = bound(problems[name], epsilon, level, version)
                except ValueError:  # many_arms needs mirror images within [0, 1]
                    value = math.nan
                yield labels | {"side": side, "version": version, "value": value}


def budget_rows(
    problems: list[Instance], epsilon: float, reached: Mapping[str, float]
) -> Iterator[dict[str, Any]]:
    """Yield the bounds on the error from 2K to twice the largest scaled budget, or further."""
    for problem in problems:
        complexity = problem.complexity(epsilon)
        most = 2 * reached.get(problem.name, 8.0)
        while bounds.fixed_budget_upper(problem, epsilon, most * complexity) > LEAST_BOUND:
            most *= 1.1
        for scaled in geomspace(2 * problem.n_arms / complexity, most, CURVE_BUDGETS):
            budget = max(scaled * complexity, 2.0 * problem.n_arms)
            labels = {"instance": problem.name, "epsilon": epsilon, "scaled_budget": scaled}
            for side, versions in BUDGET.items():
                bound = getattr(bounds, f"fixed_budget_{side}")
                for version in versions:
                    try:
                        value = bound(problem, epsilon, budget, version)
                    except ValueError:  # the lower ones need every mean off the threshold
                        value = math.nan
                    yield labels | {"side": side, "version": version, "value": value}


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        problems = read_instances(step.input.instances)
        params = step.params
        summary = pd.read_csv(step.input.fixed_confidence)
        rows = confidence_rows(summary, problems, params.confidence_panels, params.delta)
        table = pd.DataFrame(rows, columns=CONFIDENCE_COLUMNS)
        table.to_csv(step.output.fixed_confidence, index=False)
        panels = [problem for name, problem in problems.items() if name in params.budget_panels]
        reached: dict[str, float] = {}
        if step.input.rare:
            rare = pd.read_csv(step.input.rare)
            reached = rare.groupby("instance")["scaled_budget"].max().to_dict()
        rows = budget_rows(panels, params.epsilon, reached)
        pd.DataFrame(rows, columns=COLUMNS).to_csv(step.output.fixed_budget, index=False)
