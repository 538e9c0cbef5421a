"""How fast does Algorithm 1's error probability fall with the budget at each privacy level?"""

import math
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ldpt.figures import captions
from ldpt.figures import drawing as figures
from ldpt.summarise import needed_budgets

LEVEL = 0.05  # error probability at which budgets are compared
MARKED = 1.0  # privacy level whose price the caption states


def facts(shown: pd.DataFrame) -> dict[str, Any]:
    """The price of privacy in budget, over the panels, and the smallest error seen."""
    needed = needed_budgets(shown, LEVEL).set_index("instance")
    private = needed.loc[needed["epsilon"] == MARKED, "estimate"]
    prices = (private / needed.loc[needed["epsilon"] == math.inf, "estimate"]).dropna()
    zero = shown["errors"] == 0
    return {
        "replicates": int(shown["replicates"].min()),
        "level": LEVEL,
        "marked": MARKED,
        "least_price": float(prices.min()),
        "most_price": float(prices.max()),
        "smallest": float(shown.loc[~zero, "estimate"].min()),
        "unseen": int(zero.sum()),
        "limit": float(shown.loc[zero, "high"].max()) if zero.any() else 0.0,
    }


def fixed_budget_error(summary: str, instances: list[str]) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption."""
    table = pd.read_csv(summary)
    shown = table[(table["policy"] == "apt") & table["instance"].isin(instances)]
    return figures.fixed_budget_error(shown, instances), facts(shown)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        drawing = fixed_budget_error(this.input.summary, this.params.panels)
        captions.publish(*drawing, this.input.caption, this.output, this.metadata)
