"""Draw Algorithm 1's error probability against the budget at each privacy level."""

import math
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ldpt.plots import elements, products, style
from ldpt.summarise import needed_budgets


class Data(NamedTuple):
    """``curves``: rows of the fixed-budget summary for the panels."""

    curves: pd.DataFrame
    panels: list[str]
    error: float  # at which budgets are compared
    marked: float  # privacy level whose price is stated


def prepare(files: Any, settings: Any) -> Data:
    """Return Algorithm 1's curves on the problems of the panels."""
    table = pd.read_csv(files.summary)
    curves = table[(table["policy"] == "apt") & table["instance"].isin(settings.panels)]
    return Data(curves, list(settings.panels), float(settings.error), float(settings.epsilon))


def draw(data: Data) -> Figure:
    """Draw error probability against the budget: one panel per problem."""
    figure, grid = elements.panels(len(data.panels), 3, 1.65, sharey=True)
    levels = style.ladder(data.curves["epsilon"])
    for position, (axes, instance) in enumerate(zip(grid, data.panels, strict=True)):
        rows = elements.rows_where(data.curves, instance=instance)
        elements.epsilon_curves(axes, rows[rows["epsilon"].isin(levels)], "budget")
        elements.log_axes(axes)
        axes.set_title(elements.problem(instance))
        if position >= len(data.panels) - 3:
            axes.set_xlabel("budget $T$ (pulls)")
        if position % 3 == 0:
            axes.set_ylabel("error probability")
    grid[0].set_ylim(top=1.5)
    look = {"marker": "v", "linestyle": "", "fillstyle": "none", "markeredgewidth": 0.7}
    zero = Line2D([], [], color=style.INK, label="no error seen", **look)
    elements.epsilon_legend(figure, levels, zero)
    return figure


def facts(data: Data) -> dict[str, Any]:
    """Return the price of privacy in budget, over the panels, and the points without an error."""
    curves = data.curves
    needed = needed_budgets(curves, data.error).set_index("instance")
    private = needed.loc[needed["epsilon"] == data.marked, "estimate"]
    prices = (private / needed.loc[needed["epsilon"] == math.inf, "estimate"]).dropna()
    return {
        "replicates": int(curves["replicates"].min()),
        "error": data.error,
        "marked": data.marked,
        "least_price": float(prices.min()),
        "most_price": float(prices.max()),
        "unseen": int((curves["errors"] == 0).sum()),
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
