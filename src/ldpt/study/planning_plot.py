"""Draw a plan, for ``ldpt plan --plot``."""

from typing import TYPE_CHECKING

import numpy as np

from ldpt.plots import style
from ldpt.study.planning import Plan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@style.styled
def draw(plan: Plan) -> "Figure":
    """Draw people against epsilon, and error against budget."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.use("agg")  # a file, no window

    panels = [(_draw_cost, plan.cost), (_draw_error, plan.error)]
    draws = [draw_panel for draw_panel, numbers in panels if not numbers.empty]
    width = style.PAGE if len(draws) > 1 else style.HALF
    size = {"figsize": (width, 2.8), "layout": "constrained"}
    figure, grid = plt.subplots(1, len(draws), squeeze=False, **size)
    for draw_panel, axes in zip(draws, grid.flat, strict=True):
        axes.set(xscale="log", yscale="log")
        draw_panel(axes, plan)
        axes.minorticks_off()
    return figure


def _draw_cost(axes: "Axes", plan: Plan) -> None:
    """Draw costs with a band up to the people of 95 % of studies, and the budget."""
    levels = plan.request.levels[:-1]
    for name, rows in plan.cost[np.isfinite(plan.cost["epsilon"])].groupby("method", sort=False):
        method = style.method(str(name))
        look = {"color": method.colour, "marker": method.marker, "label": method.label}
        axes.plot(rows["epsilon"], rows["people"], **look)
        band = rows["epsilon"], rows["people"], rows["people_95"]
        axes.fill_between(*band, color=method.colour, alpha=0.15, linewidth=0)
    if plan.request.budget is not None:
        budget = plan.request.people(plan.request.budget)
        axes.axhline(budget, color=style.INK, linestyle="--", linewidth=0.8, zorder=0)
        axes.text(1.01, budget, "budget", transform=axes.get_yaxis_transform(), va="center")
    title = f"error at most {plan.request.delta:g}"
    axes.set(xlabel="epsilon", ylabel="people needed", title=title)
    axes.set_xticks(levels, [style.epsilon_label(epsilon) for epsilon in levels])
    axes.legend(frameon=True, facecolor="white", edgecolor="none", framealpha=0.9)


def _draw_error(axes: "Axes", plan: Plan) -> None:
    """Draw errors with intervals; where no error was seen, the upper limit as an open triangle."""
    first = plan.request.budget_methods[0]
    colours = style.epsilon_palette(plan.error["epsilon"])
    for epsilon, rows in plan.error[plan.error["method"] == first].groupby("epsilon"):
        colour, seen = colours[epsilon], rows[rows["errors"] > 0]
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
