"""Draw error probability against the budget at each privacy level."""

import math
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from ldpt import plots
from ldpt.plots import parts, products, style
from ldpt.summarise import needed_budgets

CURVE = ["instance", "policy"]  # at one privacy level


class Data(NamedTuple):
    """``curves``: rows of the fixed-budget summary that are drawn."""

    curves: pd.DataFrame
    panels: list[str]
    policies: list[str]
    error: float  # at which budgets are compared
    marked: float  # privacy level whose price is stated


def prepare(files: Any, settings: Any) -> Data:
    """Return the curves of the problems and policies of the panels."""
    table = pd.read_csv(files.summary)
    table = table[table["instance"].isin(settings.panels)]
    policies = parts.run_of(table["policy"], settings.policies)
    levels = [*style.ladder(table["epsilon"]), settings.epsilon]
    rows = table["policy"].isin(policies) & table["epsilon"].isin(levels)
    panels = [name for name in settings.panels if name in set(table["instance"])]
    return Data(table[rows], panels, policies, settings.error, settings.epsilon)


def draw(data: Data) -> Figure:
    """Draw one panel per policy and problem."""
    return plots.error_curves(data.curves, instance=data.panels, policy=data.policies).figure


def facts(data: Data) -> dict[str, Any]:
    """Return budgets for the error level, the price of privacy, and the points without an error."""
    curves = data.curves
    needed = needed_budgets(curves, data.error).set_index(CURVE)
    marked = needed.loc[needed["epsilon"] == data.marked, "estimate"]
    private = marked if math.isfinite(data.marked) else marked.head(0)
    prices = (private / needed.loc[needed["epsilon"] == math.inf, "estimate"]).dropna()
    return {
        "policies": [style.label(policy) for policy in data.policies],
        "colours": parts.colours_of(curves["epsilon"]),
        "replicates": parts.fewest_runs(curves),
        "error": data.error,
        "level": parts.at_level(data.marked),
        "least_budget": float(marked.min()),
        "most_budget": float(marked.max()),
        "marked_curves": len(curves[curves["epsilon"] == data.marked].groupby(CURVE)),
        "falling_curves": len(marked),
        "marked": data.marked,
        "least_price": float(prices.min()),
        "most_price": float(prices.max()),
        "points": len(curves),
        "unseen": int((curves["errors"] == 0).sum()),
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
