"""Error of Algorithm 1 far below the Monte-Carlo floor, and its exponents beside the bounds'."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd

from ldpt.config import epsilon_name, scaled_budgets
from ldpt.instances import Instance, read_instances
from ldpt.rare import exponent, fixed_budget_error, reference_exponents

Row = dict[str, Any]
Cell = tuple[str, float, Row]  # instance, epsilon, settings of the study
MEASURED = ["scaled_budget", "estimate", "exponent", "exponent_low", "exponent_high"]


def estimate(
    instances: dict[str, Instance], cells: Sequence[Cell], replicates: int, seed: int, threads: int
) -> pd.DataFrame:
    """One row per instance, privacy level and budget. Threads change no number."""
    jobs = [
        (instances[name], epsilon, budget, grid.get("replicates", replicates), seed)
        for name, epsilon, grid in cells
        for budget in sorted(scaled_budgets(instances[name], epsilon, grid["multiples"]))
    ]
    with ThreadPoolExecutor(threads) as pool:
        estimates = list(pool.map(lambda job: fixed_budget_error(*job), jobs))
    rows = []
    for (instance, epsilon, budget, *_), found in zip(jobs, estimates, strict=True):
        complexity = instance.complexity(epsilon)
        here: Row = {"instance": instance.name, "epsilon": epsilon_name(epsilon)}
        here |= {"n_arms": instance.n_arms, "complexity": complexity, "budget": budget}
        here |= {"scaled_budget": budget / complexity} | found.row()
        rows.append(here | exponent(found, budget / complexity))
    return pd.DataFrame(rows)


def exponents(table: pd.DataFrame, instances: dict[str, Instance]) -> pd.DataFrame:
    """Measured at the largest budget with a reliable estimate, its limit, and the bounds'."""
    rows = []
    for (name, label), curve in table[table["reliable"]].groupby(["instance", "epsilon"]):
        deepest = curve.loc[curve["scaled_budget"].idxmax()]
        here: list[Row] = [{"side": "measured", "version": "sampled", **deepest[MEASURED]}]
        here += reference_exponents(instances[str(name)], float(label))
        rows += [{"instance": name, "epsilon": label, **row} for row in here]
    return pd.DataFrame(rows, columns=["instance", "epsilon", "side", "version", *MEASURED])


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        problems = read_instances(this.input.instances)
        seed, threads = this.params.seed, snakemake.threads  # noqa: F821
        this.note(seed=seed, stream=["rare_fixed_budget"])
        table = estimate(problems, this.params.cells, this.params.replicates, seed, threads)
        table.to_csv(this.output.estimates, index=False)
        exponents(table, problems).to_csv(this.output.exponents, index=False)
