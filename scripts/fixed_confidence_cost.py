"""Draw what Algorithm 2 costs at each privacy level, above what every algorithm needs."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ldpt.plots import elements, products, style
from ldpt.util.reproducible import log

LOWER = "reduction"  # every algorithm needs more


class Data(NamedTuple):
    """``costs``: rows of the summary with estimate, low, high of E[T]; ``bounds``: lower ones."""

    costs: pd.DataFrame
    bounds: pd.DataFrame
    panels: list[str]


def prepare(files: Any, settings: Any) -> Data:
    """Return costs and lower bounds on the problems of the panels at one error level."""
    costs, limits = pd.read_csv(files.summary), pd.read_csv(files.bounds)
    costs = costs[costs["instance"].isin(settings.panels) & (costs["delta"] == settings.delta)]
    lower = limits[(limits["side"] == "lower") & (limits["version"] == LOWER)]
    lower = lower[(lower["delta"] == settings.delta) & (lower["value"] > 0)]
    return Data(elements.mean_pulls(costs), lower, list(settings.panels))


def draw(data: Data) -> Figure:
    """Draw mean pulls against epsilon: one panel per problem, one colour per radius."""
    figure, grid = elements.panels(len(data.panels), 3, 2.4, sharey=True)
    for axes, instance in zip(grid, data.panels, strict=True):
        rows = elements.rows_where(data.costs, instance=instance)
        levels = rows["epsilon"]
        x_of = elements.epsilon_axis(axes, levels)
        bound = elements.rows_where(data.bounds, instance=instance).sort_values("epsilon")
        finite = bound[bound["epsilon"].between(levels.min(), levels[np.isfinite(levels)].max())]
        elements.bound_line(axes, finite["epsilon"], finite["value"], style.INK)
        elements.log_axes(axes, "y")
        elements.method_curves(axes, rows, "radius", "epsilon", x_of)
        axes.set_title(elements.problem(instance))
    grid[0].text(0.04, 0.03, "dashed: lower bound", transform=grid[0].transAxes)
    elements.label_methods(axes, rows, "radius", "epsilon", x_of)
    grid[0].set_ylabel("mean number of pulls,  $E[T]$")
    return figure


def facts(data: Data) -> dict[str, Any]:
    """Return the slope at small epsilon, and the range of the ratio to the lower bound."""
    best = elements.cheapest_valid(data.costs)
    rows = elements.rows_where(data.costs, radius=best)
    first = elements.rows_where(rows, instance=data.panels[0])
    low, high = first.sort_values("epsilon").head(2).itertuples()
    slope = log(high.estimate / low.estimate) / log(high.epsilon / low.epsilon)
    both = rows.merge(data.bounds, on=["instance", "epsilon"])
    ratio = both["estimate"] / both["value"]
    return {
        "replicates": int(data.costs["replicates"].min()),
        "delta": float(data.costs["delta"].iloc[0]),
        "radius": style.label(best),
        "instance": data.panels[0],
        "slope": slope,
        "low_epsilon": float(low.epsilon),
        "high_epsilon": float(high.epsilon),
        "least_gap": float(ratio.min()),
        "most_gap": float(ratio.max()),
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
