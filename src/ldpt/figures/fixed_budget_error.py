"""How fast does Algorithm 1's error probability fall with the budget at each privacy level?"""

import math
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.figures import elements, style
from ldpt.summarise import needed_budgets


class Data(NamedTuple):
    """``curves``: rows of the fixed-budget summary for the panels."""

    curves: pd.DataFrame
    panels: list[str]
    error: float  # at which budgets are compared
    marked: float  # privacy level whose price is stated


def prepare(summary: str, panels: list[str], error: float, epsilon: float) -> Data:
    """Algorithm 1's curves on the instances of the panels."""
    table = pd.read_csv(summary)
    curves = table[(table["policy"] == "apt") & table["instance"].isin(panels)]
    return Data(curves, list(panels), float(error), float(epsilon))


def draw(data: Data) -> Figure:
    """Error probability against the budget: one panel per instance."""
    figure, grid = elements.panels(len(data.panels), 3, 1.6, sharey=True)
    for position, (axes, instance) in enumerate(zip(grid, data.panels, strict=True)):
        draw_curves(axes, elements.rows_where(data.curves, instance=instance), "budget", "apt")
        elements.log_axes(axes)
        elements.title(axes, instance)
        if position >= len(data.panels) - 3:
            axes.set_xlabel("budget $T$ (pulls)")
        if position % 3 == 0:
            axes.set_ylabel("error probability")
    grid[0].set_ylim(top=1.5)
    elements.epsilon_legend(figure, data.curves["epsilon"], elements.zero_handle())
    return figure


def draw_curves(axes: Axes, rows: pd.DataFrame, x: str, policy: str, **line: Any) -> None:
    """The error curves of one policy on one instance: one colour per privacy level."""
    for epsilon, curve in rows.groupby("epsilon", sort=True):
        curve, colour = curve.sort_values("budget"), style.epsilon_colour(float(epsilon))
        style_kwargs = style.marker_style(policy, 2.4) | line
        elements.estimates(axes, curve[x], curve, colour, **style_kwargs)


def facts(data: Data) -> dict[str, Any]:
    """The price of privacy in budget, over the panels, and the smallest error seen."""
    curves = data.curves
    needed = needed_budgets(curves, data.error).set_index("instance")
    private = needed.loc[needed["epsilon"] == data.marked, "estimate"]
    prices = (private / needed.loc[needed["epsilon"] == math.inf, "estimate"]).dropna()
    zero = curves["errors"] == 0
    return {
        "replicates": int(curves["replicates"].min()),
        "error": data.error,
        "marked": data.marked,
        "least_price": float(prices.min()),
        "most_price": float(prices.max()),
        "smallest": float(curves.loc[~zero, "estimate"].min()),
        "unseen": int(zero.sum()),
        "limit": float(curves.loc[zero, "high"].max()) if zero.any() else 0.0,
    }
