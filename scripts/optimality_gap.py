"""Draw what Algorithm 2 costs in multiples of the least that any private algorithm needs."""

from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.instances import read_instances
from ldpt.plots import parts, products, style

KEYS = ["instance", "epsilon", "delta"]
LOWER = "reduction"  # holds for every locally private algorithm


class Data(NamedTuple):
    """``gaps``: estimate, low, high of E[T] divided by the bound, with ``threshold``."""

    gaps: pd.DataFrame
    panels: list[str]
    epsilon: float  # of the panel with all problems
    delta: float


def prepare(files: Any, settings: Any) -> Data:
    """Return mean pulls divided by every positive lower bound at one error level."""
    limits = pd.read_csv(files.bounds)
    costs = pd.read_csv(files.summary)
    lower = limits.query("side == 'lower' and version == @LOWER and value > 0")
    both = costs[costs["delta"] == settings.delta].merge(lower, on=KEYS)
    problems = read_instances(files.instances)
    both["threshold"] = both["instance"].map(lambda name: problems[name].threshold)
    panels = [name for name in settings.panels if name in set(both["instance"])]
    return Data(parts.mean_pulls(both, both["value"]), panels, settings.epsilon, settings.delta)


def draw(data: Data) -> Figure:
    """Draw the multiples against epsilon on some problems, and at one level on all."""
    if data.gaps.empty:
        return parts.blank()
    size = style.PAGE, 4.3
    figure = plt.figure(figsize=size, layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=[1.0, 1.05])
    panels = above.subplots(1, max(len(data.panels), 1), sharey=True, squeeze=False)[0]
    for axes, instance in zip(panels, data.panels, strict=False):
        rows = data.gaps[data.gaps["instance"] == instance]
        x_of = parts.epsilon_axis(axes, rows["epsilon"])
        parts.method_curves(axes, rows, "radius", "epsilon", x_of)
        _ratio_axis(axes)
        axes.set_title(parts.problem(instance))
    panels[0].set_ylabel("pulls ÷ least possible")
    _problems(below.subplots(), data)
    parts.method_legend(figure, parts.method_handles(data.gaps["radius"]))
    return figure


def _ratio_axis(axes: Axes) -> None:
    parts.fine_ticks(axes, "y")
    axes.axhline(1, color=style.INK, **parts.BOUND)


def _problems(axes: Axes, data: Data) -> None:
    """Draw one column per problem, in the order of the thresholds."""
    rows = data.gaps[data.gaps["epsilon"] == data.epsilon]
    rows = rows[rows["family"] != "equal-gap"]
    rows = rows.sort_values(["threshold", "instance"], kind="stable")
    order = list(dict.fromkeys(rows["instance"]))
    for radius in parts.methods_of(rows["radius"]):
        own = rows[rows["radius"] == radius]
        look = style.marker_style(radius) | {"linestyle": ""}
        x = [order.index(name) for name in own["instance"]]
        parts.estimates(axes, x, own, style.colour(radius), **look)
    taus = rows.drop_duplicates("instance")["threshold"]
    names = [f"{parts.problem(n)} ({t:g})" for n, t in zip(order, taus, strict=True)]
    axes.set_xticks(range(len(order)), names, rotation=40, ha="right", rotation_mode="anchor")
    axes.grid(axis="x", linewidth=0.3, color=parts.RULE)
    _ratio_axis(axes)
    axes.set_ylabel("pulls ÷ least possible")
    axes.set_title(f"all problems (threshold), ε = {style.epsilon_label(data.epsilon)}")


def facts(data: Data) -> dict[str, Any]:
    """Return the range of the multiple of the best radius, and how it varies with epsilon."""
    gaps = data.gaps
    best = parts.cheapest_valid(data.gaps)
    own = gaps[gaps["radius"] == best]
    shown = gaps[gaps["instance"].isin(data.panels)]
    spans = own[own["instance"].isin(data.panels)].groupby("instance")["estimate"]
    return {
        "delta": data.delta,
        "epsilon": data.epsilon,
        "replicates": parts.fewest_runs(gaps),
        "radius": style.label(best),
        "problems": int(own["instance"].nunique()),
        "panels": int(shown["instance"].nunique()),
        "least": float(own["estimate"].min()),
        "most": float(own["estimate"].max()),
        "flatness": float((spans.max() / spans.min()).max()),
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
