"""How fast does Algorithm 1's error probability fall with the budget at each privacy level?"""

import math
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ldpt import captions, figures
from ldpt.summarise import crossing

LEVEL = 0.05  # error probability at which budgets are compared
MARKED = 1.0  # privacy level whose price the caption states


def needed_budget(table: pd.DataFrame, instance: str, epsilon: float) -> float:
    """The budget at which Algorithm 1's error probability falls below ``LEVEL``."""
    curve = figures.rows_of(table, instance=instance, policy="apt", epsilon=epsilon)
    return crossing(curve["budget"].to_numpy(), curve["estimate"].to_numpy(), LEVEL)


def facts(table: pd.DataFrame, instances: list[str]) -> dict[str, Any]:
    """The price of privacy in budget, over the panels, and the smallest error seen."""
    prices = [
        needed_budget(table, name, MARKED) / needed_budget(table, name, math.inf)
        for name in instances
    ]
    known = [price for price in prices if math.isfinite(price)]
    shown = table[(table["policy"] == "apt") & table["instance"].isin(instances)]
    return {
        "replicates": int(shown["replicates"].min()),
        "level": LEVEL,
        "marked": MARKED,
        "least_price": min(known, default=0.0),
        "most_price": max(known, default=0.0),
        "smallest": float(shown.loc[shown["errors"] > 0, "estimate"].min()),
        "limit": float(shown.loc[shown["errors"] == 0, "high"].max()),
    }


def fixed_budget_error(summary: str, instances: list[str]) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption."""
    table = pd.read_csv(summary)
    return figures.fixed_budget_error(table, instances), facts(table, instances)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        drawing = fixed_budget_error(this.input.summary, this.params.panels)
        captions.publish(*drawing, this.input.caption, this.output, this.metadata)
