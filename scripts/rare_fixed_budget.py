"""Estimate small error probabilities at a fixed budget, and how fast they fall with it."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd

from ldpt.grid import epsilon_name, scaled_budgets
from ldpt.instances import Instance, read_instances
from ldpt.rare import exponent, fixed_budget_error, reference_exponents

MEASURED = ["scaled_budget", "estimate", "exponent", "exponent_low", "exponent_high"]
Cell = tuple[str, float, dict[str, Any]]  # instance, epsilon, settings of the study


def estimate(
    instances: dict[str, Instance], cells: Sequence[Cell], replicates: int, seed: int, threads: int
) -> pd.DataFrame:
    """Return one row per instance, policy, privacy level and budget; threads change no number."""
    jobs = [
        (instances[name], epsilon, budget, grid.get("replicates", replicates), seed, policy)
        for name, epsilon, grid in cells
        for policy in grid.get("policies", ["apt"])
        for budget in sorted(scaled_budgets(instances[name], epsilon, grid["multiples"]))
    ]
    with ThreadPoolExecutor(threads) as pool:
        estimates = list(pool.map(lambda job: fixed_budget_error(*job), jobs))
    rows = []
    for (instance, epsilon, budget, _, _, policy), found in zip(jobs, estimates, strict=True):
        complexity = instance.complexity(epsilon)
        here: dict[str, Any] = {"instance": instance.name, "policy": policy}
        here |= {"epsilon": epsilon_name(epsilon), "n_arms": instance.n_arms}
        here |= {"complexity": complexity, "budget": budget, "scaled_budget": budget / complexity}
        rows.append(here | found.row() | exponent(found, budget / complexity))
    return pd.DataFrame(rows)


def exponents(table: pd.DataFrame, instances: dict[str, Instance]) -> pd.DataFrame:
    """Return the exponent measured at the largest reliable budget, its limit, and the bounds'."""
    rows = []
    for labels, curve in table[table["reliable"]].groupby(["instance", "policy", "epsilon"]):
        name, policy, epsilon = labels
        deepest = curve.loc[curve["scaled_budget"].idxmax()]
        here: list[dict[str, Any]] = [{"side": "measured", "version": "sampled"}]
        here[0] |= deepest[MEASURED].to_dict()
        here += reference_exponents(instances[str(name)], float(epsilon))
        rows += [{"instance": name, "policy": policy, "epsilon": epsilon, **row} for row in here]
    columns = ["instance", "policy", "epsilon", "side", "version", *MEASURED]
    return pd.DataFrame(rows, columns=columns)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        params, problems = this.params, read_instances(this.input.instances)
        this.note(seed=params.seed, stream=["rare_fixed_budget"])
        table = estimate(problems, params.cells, params.replicates, params.seed, this.threads)
        table.to_csv(this.output.estimates, index=False)
        exponents(table, problems).to_csv(this.output.exponents, index=False)
