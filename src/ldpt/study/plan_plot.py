"""A plan as a figure: what ``ldpt plan --plot`` draws."""

import math
from typing import TYPE_CHECKING

import numpy as np

from ldpt.plots import style
from ldpt.study.plan import Plan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(plan: Plan) -> "Figure":
    """Draw people against epsilon, and error against budget."""
    tables = [table for table in (plan.cost, plan.error) if not table.empty]
    width = style.PAGE if len(tables) > 1 else style.COLUMN
    figure, grid = style.subplots(1, len(tables), width, 2.8)
    panels = iter(grid.flat)
    if not plan.cost.empty:
        _draw_cost(next(panels), plan)
    if not plan.error.empty:
        _draw_error(next(panels), plan)
    return figure


def _draw_cost(axes: "Axes", plan: Plan) -> None:
    """Draw costs with intervals, the 5 to 95 % spread of runs as a band, no privacy as a line."""
    request = plan.request
    for method, rows in plan.cost.groupby("method", sort=False):
        colour = style.colour(str(method))
        private, free = rows[np.isfinite(rows["epsilon"])], rows[np.isinf(rows["epsilon"])]
        reach = [
            private["people"] - private["people_low"],
            private["people_high"] - private["people"],
        ]
        look = {
            "marker": style.method(str(method)).marker,
            "label": style.label(str(method)),
            "color": colour,
        }
        axes.errorbar(private["epsilon"], private["people"], reach, **look)
        spread = [
            [request.people.needed(n) for n in private[key]] for key in ("pulls_05", "pulls_95")
        ]
        axes.fill_between(private["epsilon"], *spread, color=colour, alpha=0.15)
        axes.axhline(free["people"].iloc[0], color=colour, linestyle=":", linewidth=0.8)
    axes.set(
        xscale="log", yscale="log", xlabel="epsilon", ylabel="people needed",
        title=f"error at most {request.delta:g} (dotted: without privacy)",
    )  # fmt: skip
    levels = sorted({epsilon for epsilon in plan.cost["epsilon"] if math.isfinite(epsilon)})
    axes.set_xticks(levels, [style.epsilon_label(epsilon) for epsilon in levels])
    axes.minorticks_off()
    if request.budget is not None:
        budget = request.people.needed(request.budget)
        axes.axhline(budget, color=style.INK, linestyle="--", linewidth=0.8)
        beside = {"transform": axes.get_yaxis_transform(), "va": "bottom"}
        axes.text(0.02, budget, "budget", **beside)
    axes.legend(frameon=True, facecolor="white", edgecolor="none", framealpha=0.9, loc="best")


def _draw_error(axes: "Axes", plan: Plan) -> None:
    """Draw errors with intervals; where no error was seen, the upper limit as an open triangle."""
    first = plan.error["method"].iloc[0]
    for epsilon, rows in plan.error[plan.error["method"] == first].groupby("epsilon"):
        colour, seen = style.epsilon_colour(epsilon), rows[rows["errors"] > 0]
        reach = [seen["estimate"] - seen["low"], seen["high"] - seen["estimate"]]
        label = style.epsilon_label(epsilon)
        axes.errorbar(
            seen["budget"], seen["estimate"], reach, color=colour, marker="o", label=label
        )
        unseen = rows[rows["errors"] == 0]
        hollow = {"markerfacecolor": "none", "markeredgecolor": colour, "markeredgewidth": 0.9}
        axes.plot(unseen["budget"], unseen["high"], "v", **hollow)
    axes.set(
        xscale="log", yscale="log", xlabel="budget", ylabel="error probability",
        title=f"{style.label(str(first))} (triangle: no error seen)",
    )  # fmt: skip
    budgets = sorted(set(plan.error["budget"]))
    axes.set_xticks(budgets[::-2], [f"{budget:,}" for budget in budgets[::-2]])
    axes.minorticks_off()
    axes.legend(title="epsilon", frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
