"""Draw a plan, for ``ldpt plan --plot``."""

from typing import TYPE_CHECKING

import numpy as np

from ldpt.plots import style
from ldpt.study.plan import Plan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(plan: Plan) -> "Figure":
    """Draw people against epsilon, and error against budget."""
    panels = [(_draw_cost, plan.cost), (_draw_error, plan.error)]
    draws = [draw_panel for draw_panel, numbers in panels if not numbers.empty]
    width = style.PAGE if len(draws) > 1 else style.COLUMN
    figure, grid = style.subplots(1, len(draws), width, 2.8)
    for draw_panel, axes in zip(draws, grid.flat, strict=True):
        axes.set(xscale="log", yscale="log")
        draw_panel(axes, plan)
        axes.minorticks_off()
    return figure


def _draw_cost(axes: "Axes", plan: Plan) -> None:
    """Draw costs, a band up to the people of 95 % of studies, and no privacy as a dotted line."""
    request = plan.request
    for name, rows in plan.cost.groupby("method", sort=False):
        method, private = style.method(str(name)), rows[np.isfinite(rows["epsilon"])]
        look = {"color": method.colour, "marker": method.marker}
        axes.plot(private["epsilon"], private["people"], label=method.label, **look)
        band = private["epsilon"], private["people"], private["people_95"]
        axes.fill_between(*band, color=method.colour, alpha=0.15, linewidth=0)
        dotted = {"linestyle": ":", "linewidth": 0.8, "clip_on": False}
        axes.axhline(rows["people"].iloc[-1], **look, **dotted)
    title = f"error at most {request.delta:g} (dotted: without privacy)"
    axes.set(xlabel="epsilon", ylabel="people needed", title=title)
    levels = request.levels[:-1]
    axes.set_xticks(levels, [style.epsilon_label(epsilon) for epsilon in levels])
    if request.budget is not None:
        budget = request.people.needed(request.budget)
        axes.axhline(budget, color=style.INK, linestyle="--", linewidth=0.8)
        axes.text(1.01, budget, "budget", transform=axes.get_yaxis_transform(), va="center")
    axes.legend(frameon=True, facecolor="white", edgecolor="none", framealpha=0.9, loc="best")


def _draw_error(axes: "Axes", plan: Plan) -> None:
    """Draw errors with intervals; where no error was seen, the upper limit as an open triangle."""
    first = plan.request.budget_methods[0]
    for epsilon, rows in plan.error[plan.error["method"] == first].groupby("epsilon"):
        colour, seen = style.epsilon_colour(epsilon), rows[rows["errors"] > 0]
        reach = [seen["estimate"] - seen["low"], seen["high"] - seen["estimate"]]
        look = {"color": colour, "marker": "o", "label": style.epsilon_label(epsilon)}
        axes.errorbar(seen["budget"], seen["estimate"], reach, **look)
        unseen = rows[rows["errors"] == 0]
        hollow = {"markerfacecolor": "none", "markeredgecolor": colour, "markeredgewidth": 0.9}
        axes.plot(unseen["budget"], unseen["high"], "v", **hollow)
    title = f"{style.label(first)} (triangle: no error seen)"
    axes.set(xlabel="budget", ylabel="error probability", title=title)
    budgets = sorted(set(plan.error["budget"]))
    axes.set_xticks(budgets[::-2], [f"{budget:,}" for budget in budgets[::-2]])
    axes.legend(title="epsilon", frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
