"""How does the cost of both algorithms grow with the number of equal arms?"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ldpt.figures import captions
from ldpt.figures import drawing as figures
from ldpt.summarise import needed_budgets

LEVEL = 0.05  # error probability that Algorithm 1's budget is to reach


def of_family(path: str, epsilon: float) -> pd.DataFrame:
    """The rows of the equal-gap instances at one privacy level."""
    table = pd.read_csv(path).query("epsilon == @epsilon")
    return table[table["instance"].str.startswith("equal-gap-")]


def growth(n_arms: pd.Series, pulls: pd.Series) -> float:
    """The exponent of K in the cost, fitted on logarithmic axes."""
    return float(np.polyfit(np.log(n_arms.astype(float)), np.log(pulls), 1)[0])


def facts(table: pd.DataFrame, budgets: pd.DataFrame, epsilon: float) -> dict[str, Any]:
    """Exponents of K, and the cost at the smallest and the largest K."""
    mixture = table[table["radius"] == "mixture"].sort_values("n_arms")
    scaled = (mixture["mean_pulls"] / mixture["complexity"]).tolist()
    known = {"epsilon": epsilon, "delta": float(table["delta"].iloc[0]), "level": LEVEL}
    return known | {
        "replicates": int(table["replicates"].min()),
        "mixture_growth": growth(mixture["n_arms"], mixture["mean_pulls"]),
        "budget_growth": growth(budgets["n_arms"], budgets["estimate"]),
        "largest": int(mixture["n_arms"].max()),
        "largest_pulls": float(mixture["mean_pulls"].max()),
        "largest_scaled": scaled[-1],
        **{"smallest": int(mixture["n_arms"].min()), "smallest_scaled": scaled[0]},
    }


def scaling_arms(
    budget_summary: str, summary: str, bounds: str, delta: float, epsilon: float
) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption."""
    table = of_family(summary, epsilon).query("delta == @delta")
    budgets = needed_budgets(of_family(budget_summary, epsilon), LEVEL)
    limits = of_family(bounds, epsilon).query("delta == @delta and version == 'privbern'")
    arms = table[["instance", "n_arms", "complexity"]].drop_duplicates()
    drawn = figures.scaling_arms(table, budgets, limits.merge(arms, on="instance"))
    return drawn, facts(table, budgets, epsilon)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        given, at = this.input, (this.params.delta, this.params.epsilon)
        drawing = scaling_arms(given.budget_summary, given.summary, given.bounds, *at)
        captions.publish(*drawing, given.caption, this.output, this.metadata)
