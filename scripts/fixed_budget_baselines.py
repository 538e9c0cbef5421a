"""What does Algorithm 1 gain over uniform allocation, and PrivBern over Laplace noise?"""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ldpt.figures import captions
from ldpt.figures import drawing as figures
from ldpt.figures.elements import rows_of
from ldpt.summarise import needed_budgets

LEVEL = 0.05  # error probability at which budgets are compared


def relative_budgets(table: pd.DataFrame) -> pd.DataFrame:
    """The budget of each baseline over that of Algorithm 1, with the widest limits."""
    needed = needed_budgets(table, LEVEL)
    own = needed.loc[needed["policy"] == "apt"].drop(columns=["policy", "n_arms", "complexity"])
    both = needed[needed["policy"] != "apt"].merge(
        own, on=["instance", "epsilon"], suffixes=("", "_apt")
    )
    for name, other in (("estimate", "estimate_apt"), ("low", "high_apt"), ("high", "low_apt")):
        both[name] = both[name] / both[other]
    return both


def facts(table: pd.DataFrame, prices: pd.DataFrame, epsilon: float) -> dict[str, Any]:
    """Smallest and largest price of each baseline, and Laplace's at the marked level."""
    by_policy = prices.groupby("policy")["estimate"]
    laplace = rows_of(prices, policy="laplace", epsilon=epsilon)["estimate"]
    return {
        "replicates": int(table["replicates"].min()),
        "epsilon": epsilon,
        "level": LEVEL,
        "uniform_least": float(by_policy.min()["uniform"]),
        "uniform_most": float(by_policy.max()["uniform"]),
        "laplace_least": float(by_policy.min()["laplace"]),
        "laplace_most": float(by_policy.max()["laplace"]),
        "laplace_marked": float(laplace.mean()),
    }


def fixed_budget_baselines(
    summary: str, panels: list[str], epsilon: float
) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption."""
    table = pd.read_csv(summary)
    table = table[table["instance"].isin(panels)]
    prices = relative_budgets(table)
    figure = figures.fixed_budget_baselines(table, prices, panels, epsilon)
    return figure, facts(table, prices, epsilon)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        params = this.params
        drawing = fixed_budget_baselines(this.input.summary, params.panels, params.epsilon)
        captions.publish(*drawing, this.input.caption, this.output, this.metadata)
