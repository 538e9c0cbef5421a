"""Draw a plan, for ``ldpt plan --plot``."""

import math
from typing import TYPE_CHECKING

from ldpt.plots import style
from ldpt.study.designs import as_design
from ldpt.study.planning import Plan
from ldpt.text import prose

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MAX_MEANS = 40  # characters of the guessed means in the title


@style.styled
def draw(plan: Plan) -> "Figure":
    """Draw people against epsilon, and error against budget."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.use("agg")  # a file, no window

    panels = [(_draw_cost, plan.cost), (_draw_error, plan.error)]
    draws = [draw_panel for draw_panel, numbers in panels if not numbers.empty]
    size = {"figsize": (style.PAGE, 3.2 * len(draws)), "layout": "constrained"}
    figure, grid = plt.subplots(len(draws), 1, squeeze=False, **size)
    for draw_panel, axes in zip(draws, grid.flat, strict=True):
        draw_panel(axes, plan)
        axes.minorticks_off()
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def _draw_cost(axes: "Axes", plan: Plan) -> None:
    """Draw people by privacy level for the first method: mean, 95 % quantile, lower bound.

    No privacy stands behind a gap, joined to no other level by a line.
    """
    request, levels = plan.request, plan.request.levels
    method = request.methods[0]
    named = plan.cost[plan.cost["method"] == method]
    plain = named[named["design"] == as_design(1.0).name]
    rows, free = plain.iloc[:-1], plain.iloc[-1]
    colour = style.colour(method)
    places = dict(zip(levels, _places(levels[:-1]), strict=True))
    x = rows["epsilon"].map(places)
    axes.set_yscale("log")
    axes.plot(x, rows["people"], color=colour, **style.marker_style(method, 5))
    axes.plot(places[math.inf], free["people"], color=style.INK, **style.marker_style(method, 5))
    if len(rows) > 1:
        axes.fill_between(x, rows["people"], rows["people_95"], color=colour, alpha=0.15, lw=0)
        axes.plot(x, rows["lower_bound"], color=style.INK, linestyle="--", lw=1)
    else:
        axes.vlines(x, rows["people"], rows["people_95"], color=colour, alpha=0.25, lw=8)
        for place, bound in zip(x, rows["lower_bound"], strict=True):
            axes.hlines(bound, place - 0.1, place + 0.1, color=style.INK, linestyle="--", lw=1)
    end = places[math.inf]
    axes.hlines(free["lower_bound"], end - 0.1, end + 0.1, color=style.INK, linestyle="--", lw=1)
    for place, people in [*zip(x, rows["people"], strict=True), (end, free["people"])]:
        axes.annotate(
            prose(float(f"{people:.2g}")), (place, people), (5, 4), textcoords="offset points",
            color=style.INK if place == end else colour, weight=600,
        )  # fmt: skip
    if request.budget is not None:
        budget = request.people(request.budget)
        axes.axhline(budget, color=style.FAINT, linewidth=0.8, zorder=0)
        axes.text(1.0, budget, "budget", transform=axes.get_yaxis_transform(), ha="right")
    _label_cost(axes, plan, places)


def _label_cost(axes: "Axes", plan: Plan, places: dict[float, float]) -> None:
    """Say the answer as the title, what is drawn below it, and what the levels mean."""
    request, method = plan.request, plan.request.methods[0]
    people = plan.cost[plan.cost["method"] == method].groupby("epsilon")["people"].last()
    with_privacy, without = (prose(float(f"{people[e]:.2g}")) for e in (request.focus, math.inf))
    level = style.epsilon_label(request.focus)
    title = f"Privacy at ε = {level} takes {with_privacy} people instead of {without}"
    means = ", ".join(f"{mean:g}" for mean in request.instance.means)
    if len(means) > MAX_MEANS:
        low, high = min(request.instance.means), max(request.instance.means)
        means = f"{request.instance.n_arms} from {low:g} to {high:g}"
    detail = (
        f"people needed, {style.label(method)}; guessed shares {means}; threshold "
        f"{request.instance.threshold:g}; error at most {100 * (request.delta or 0):g} %\n"
        "band: up to 95 % of studies end; dashed: no private method needs fewer on average"
    )
    axes.set_title(title, loc="left", weight=600, fontsize=11, pad=30)
    axes.text(0, 1.02, detail, transform=axes.transAxes, color="#666666", va="bottom")
    labels = [style.epsilon_label(epsilon) for epsilon in places]
    labels[-1] += "\nno privacy"
    if len(labels) > 2:
        labels[0] += "\nstrong privacy"
        labels[-2] += "\nweak privacy"
    axes.set_xticks([*places.values()], labels)
    axes.set_xlim(min(places.values()) - 0.25, max(places.values()) + 0.5)
    low, high = axes.get_ylim()
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [k * 10.0**decade for decade in decades for k in (1, 2, 5)]
    ticks = [tick for tick in ticks if low <= tick <= high]
    axes.set_yticks(ticks, [prose(tick) for tick in ticks])
    axes.set_xlabel("privacy level ε")


def _places(levels: list[float]) -> list[float]:
    """Return the places of levels on a logarithmic axis, and of no privacy behind a gap."""
    finite = [math.log2(level) for level in levels]
    return [*finite, (max(finite) if finite else 0.0) + 1.8]


def _draw_error(axes: "Axes", plan: Plan) -> None:
    """Draw errors with intervals; where no error was seen, the upper limit as an open triangle."""
    axes.set(xscale="log", yscale="log")
    first = plan.request.budget_methods[0]
    colours = style.epsilon_palette(plan.error["epsilon"])
    plain = plan.error[plan.error["design"] == as_design(1.0).name]
    for epsilon, rows in plain[plain["method"] == first].groupby("epsilon"):
        colour, positive = colours[epsilon], rows[rows["errors"] > 0]
        reach = [positive["estimate"] - positive["low"], positive["high"] - positive["estimate"]]
        look = {"color": colour, "marker": "o", "label": style.epsilon_label(epsilon)}
        axes.errorbar(positive["budget"], positive["estimate"], reach, **look)
        unseen = rows[rows["errors"] == 0]
        hollow = {"markerfacecolor": "none", "markeredgecolor": colour, "markeredgewidth": 0.9}
        axes.plot(unseen["budget"], unseen["high"], "v", **hollow)
    title = f"{style.label(first)} (triangle: no error seen)"
    axes.set(xlabel="budget", ylabel="error probability", title=title)
    budgets = sorted(set(plan.error["budget"]))
    axes.set_xticks(budgets[::-2], [f"{budget:,}" for budget in budgets[::-2]])
    axes.legend(title="epsilon", frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
