"""Draw what each radius of Algorithm 2 costs on every problem, and against the error level."""

from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.plots import elements, products, style
from ldpt.radii import RADII, VALID_RADII
from ldpt.text import number

KEYS = ["instance", "epsilon", "delta"]
LOWER = "decoupled"


class Data(NamedTuple):
    """``costs``: rows of the summary with estimate, low, high of E[T] ÷ lower bound."""

    costs: pd.DataFrame
    instance: str  # of the panel against delta
    epsilon: float
    delta: float


def prepare(files: Any, settings: Any) -> Data:
    """Return costs divided by the lower bound for rules that decide each arm separately."""
    limits = pd.read_csv(files.bounds)
    lower = limits[(limits["side"] == "lower") & (limits["version"] == LOWER)]
    lower = lower.rename(columns={"value": "bound"})
    costs = pd.read_csv(files.summary).merge(lower[[*KEYS, "bound"]], on=KEYS)
    costs = elements.mean_pulls(costs[costs["bound"] > 0], costs["bound"])
    return Data(costs, settings.panels[0], float(settings.epsilon), float(settings.delta))


def draw(data: Data) -> Figure:
    """Draw all problems at one privacy and error level, then one problem against delta."""
    figure, (left, right) = elements.panels(2, 2, 2.9, width_ratios=[1.5, 1])
    costs = data.costs[data.costs["epsilon"] == data.epsilon]
    _problems(left, costs[costs["delta"] == data.delta])
    left.set_title(f"all problems, ε = {data.epsilon:g}, δ = {data.delta:g}")
    # The bound does not apply to an invalid radius, which may fall below it.
    valid = costs[costs["radius"].isin(VALID_RADII)]
    rows = elements.rows_where(valid, instance=data.instance)
    elements.fine_ticks(right, "y")
    elements.log_axes(right, "x")
    elements.method_curves(right, rows, "radius", "delta")
    right.axhline(1, color=style.INK, linewidth=0.8)
    right.set_xlabel("promised error probability δ")
    right.set_ylabel("pulls ÷ lower bound")
    right.set_title(f"{elements.problem(data.instance)}, ε = {data.epsilon:g}")
    elements.label_methods(right, rows, "radius", "delta")
    return figure


def _problems(axes: Axes, costs: pd.DataFrame) -> None:
    """Draw one line per problem, in the order of the cheapest valid radius."""
    costs = costs[~costs["instance"].str.startswith("equal-gap-")]
    first = costs[costs["radius"] == elements.cheapest_valid(costs)]
    order = first.sort_values("estimate")["instance"].tolist()
    for row in costs[costs["instance"].isin(order)].itertuples():
        look = style.marker_style(row.radius) | {"linestyle": "", "markeredgewidth": 0}
        reach = [[row.estimate - row.low], [row.high - row.estimate]]
        height, colour = order.index(row.instance), style.colour(row.radius)
        axes.errorbar([row.estimate], [height], xerr=reach, color=colour, **look)
    axes.set_yticks(range(len(order)), [elements.problem(name) for name in order])
    axes.grid(axis="y", linewidth=0.3, color="#dddddd")
    elements.fine_ticks(axes, "x")
    axes.axvline(1, color=style.INK, linewidth=0.8)
    axes.set_xlabel("pulls ÷ lower bound")


def facts(data: Data) -> dict[str, Any]:
    """Return what each radius costs beside the cheapest valid one."""
    costs = data.costs
    best = elements.cheapest_valid(costs)
    pulls = costs.pivot_table("mean_pulls", KEYS, "radius")
    medians = pulls.div(pulls[best], axis=0).median()
    others = [radius for radius in elements.in_order(costs["radius"], RADII) if radius != best]
    return {
        "replicates": int(costs["replicates"].min()),
        "best": style.label(best),
        "others": [f"{number(medians[r], 2)} with {style.label(r)}" for r in others],
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
