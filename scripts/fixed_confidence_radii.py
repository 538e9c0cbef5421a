"""What does each radius of Algorithm 2 cost?"""

from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.plots import captions, elements, style
from ldpt.radii import RADII

KEYS = ["instance", "epsilon", "delta"]


class Data(NamedTuple):
    """``costs``: rows of the summary with estimate, low, high of E[T] over the lower bound."""

    costs: pd.DataFrame
    instance: str  # of the panels against epsilon and delta
    epsilon: float  # of the panel with all instances
    delta: float


def prepare(files: Any, settings: Any) -> Data:
    """Costs over the lower bound for any delta-correct algorithm on PrivBern's responses."""
    limits = pd.read_csv(files.bounds)
    lower = limits[limits["version"] == "reduction"].rename(columns={"value": "bound"})
    costs = pd.read_csv(files.summary).merge(lower[[*KEYS, "bound"]], on=KEYS)
    costs = elements.mean_pulls(costs, costs["bound"])
    return Data(costs, settings.panels[0], float(settings.epsilon), float(settings.delta))


def draw(data: Data) -> Figure:
    """All instances at one privacy and error level, then one instance against both."""
    figure, (by_instance, by_epsilon, by_delta) = elements.panels(
        3, 3, 2.7, sharex=False, width_ratios=[1.2, 1, 1]
    )
    _instances(by_instance, data)
    costs = elements.rows_where(data.costs, instance=data.instance)
    x_of = elements.epsilon_axis(by_epsilon, costs["epsilon"])
    for radius, curve in costs[costs["delta"] == data.delta].groupby("radius"):
        curve = curve.sort_values("epsilon")
        x = [x_of(e) for e in curve["epsilon"]]
        elements.points_by_epsilon(by_epsilon, x, curve, str(radius))
    for radius, curve in costs[costs["epsilon"] == data.epsilon].groupby("radius"):
        curve = curve.sort_values("delta")
        elements.points_by_epsilon(by_delta, curve["delta"].tolist(), curve, str(radius))
    elements.log_axes(by_delta, "x")
    by_delta.set_xlabel("error level δ")
    for axes, rest in ((by_epsilon, f"δ = {data.delta:g}"), (by_delta, _at(data))):
        elements.log_axes(axes, "y")
        elements.fine_ticks(axes, "y")
        axes.set_title(f"{data.instance}, {rest}")
        axes.set_ylabel("pulls over lower bound")
    elements.method_legend(figure, elements.radius_handles(data.costs))
    elements.epsilon_legend(figure, data.costs["epsilon"])
    return figure


def _at(data: Data) -> str:
    return f"ε = {style.epsilon_label(data.epsilon)}"


def _instances(axes: Axes, data: Data) -> None:
    """One line per instance, in the order of their costs."""
    at = (data.costs["delta"] == data.delta) & (data.costs["epsilon"] == data.epsilon)
    costs = data.costs[at & ~data.costs["instance"].str.startswith("equal-gap-")]
    first = costs[costs["radius"] == elements.cheapest_valid(costs)]
    order = first.sort_values("estimate")["instance"].tolist()
    for row in costs[costs["instance"].isin(order)].itertuples():
        marker = {"color": style.epsilon_colour(data.epsilon), **style.marker_style(row.radius)}
        reach = [[row.estimate - row.low], [row.high - row.estimate]]
        height = order.index(row.instance)
        axes.errorbar([row.estimate], [height], xerr=reach, linestyle="", **marker)
    axes.set_yticks(range(len(order)), order)
    axes.grid(axis="y", linewidth=0.3, color="#dddddd")
    elements.log_axes(axes, "x")
    elements.fine_ticks(axes, "x")
    axes.set_xlabel("pulls over lower bound")
    axes.set_title(f"{_at(data)}, δ = {data.delta:g}")


def facts(data: Data) -> dict[str, Any]:
    """What each radius costs beside the cheapest valid one, and all of them over the bound."""
    costs = data.costs
    best = elements.cheapest_valid(costs)
    pulls = costs.pivot_table("mean_pulls", KEYS, "radius")
    found: dict[str, Any] = {
        "replicates": int(costs["replicates"].min()),
        "best": style.label(best),
        "others": [],
        "over": [],
    }
    for radius in elements.in_order(costs["radius"], RADII):
        over = costs.loc[costs["radius"] == radius, "estimate"]
        found[f"{radius}_over_least"] = float(over.min())
        found[f"{radius}_over_most"] = float(over.max())
        found["over"].append(f"{elements.span(over)} with {style.label(radius)}")
        if radius != best:
            ratio = (pulls[radius] / pulls[best]).dropna()
            found[f"{radius}_least"], found[f"{radius}_most"] = ratio.min(), ratio.max()
            found[f"{radius}_median"] = ratio.median()
            words = f"{elements.span(ratio)} times with {style.label(radius)}"
            found["others"].append(f"{words} (median {elements.prose(ratio.median())})")
    return {name: float(v) if isinstance(v, float) else v for name, v in found.items()}


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        data = prepare(step.input, step.params)
        captions.write(facts(data), step)
        style.save(draw(data), step.output.pdf, step.output.png, step.metadata)
