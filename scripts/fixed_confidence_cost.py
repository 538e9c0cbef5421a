"""What does Algorithm 2 cost at each privacy level, and where between its bounds is that?"""

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.plots import captions, elements, style

DRAWN = (("upper", "printed"), ("upper", "onesided"), ("lower", "reduction"), ("lower", "printed"))


class Data(NamedTuple):
    """``costs``: rows of the summary with estimate, low, high of E[T]; ``bounds`` beside them."""

    costs: pd.DataFrame
    bounds: pd.DataFrame
    panels: list[str]


def prepare(files: Any, settings: Any) -> Data:
    """Costs and positive bounds of the panels' instances at one error level."""
    costs, limits = pd.read_csv(files.summary), pd.read_csv(files.bounds)
    costs = costs[costs["instance"].isin(settings.panels) & (costs["delta"] == settings.delta)]
    limits = limits[(limits["delta"] == settings.delta) & (limits["value"] > 0)]
    drawn = pd.MultiIndex.from_frame(limits[["side", "version"]]).isin(DRAWN)
    return Data(elements.mean_pulls(costs), limits[drawn], list(settings.panels))


def draw(data: Data) -> Figure:
    """Mean stopping time against epsilon between its bounds: one panel per instance."""
    figure, grid = elements.panels(len(data.panels), 3, 2.6, sharey=True)
    for axes, instance in zip(grid, data.panels, strict=True):
        rows = elements.rows_where(data.costs, instance=instance)
        limits = elements.rows_where(data.bounds, instance=instance)
        x_of = elements.epsilon_axis(axes, {*rows["epsilon"], *limits["epsilon"]})
        for (side, version), curve in limits.groupby(["side", "version"]):
            line = elements.bound_line(str(side), str(version))
            elements.against_epsilon(axes, x_of, curve, line)
        for radius, curve in rows.groupby("radius"):
            curve = curve.sort_values("epsilon")
            x = [x_of(e) for e in curve["epsilon"]]
            elements.points_by_epsilon(axes, x, curve, str(radius))
        elements.log_axes(axes, "y")
        axes.set_ylim(bottom=rows["estimate"].min() / 50)
        elements.title(axes, instance)
    _slope_mark(grid[0], elements.rows_where(data.costs, instance=data.panels[0]))
    grid[0].set_ylabel("mean number of pulls,  $E[T]$")
    handles = [*elements.radius_handles(data.costs), *elements.bound_handles(data.bounds)]
    elements.method_legend(figure, handles, columns=4)
    return figure


def _slope_mark(axes: Axes, rows: pd.DataFrame) -> None:
    """A short line of slope -2, beside the data where epsilon is small."""
    finite = rows[np.isfinite(rows["epsilon"])]
    start = float(finite["epsilon"].min())
    height = finite.loc[finite["epsilon"] == start, "estimate"].min() / 500
    x = np.array([start, 6 * start])
    axes.plot(x, height * (x / start) ** -2.0, color=style.INK, linewidth=0.8)
    low, high = axes.get_ylim()
    below = max(height / 30, low * (high / low) ** 0.1)  # under the line, above the axis
    axes.text(start, below, "slope −2", ha="left", va="top")


def facts(data: Data) -> dict[str, Any]:
    """The slope at small epsilon, and how far above the sharp bound each radius is."""
    best = elements.cheapest_valid(data.costs)
    rows = elements.rows_where(data.costs, radius=best)
    first = elements.rows_where(rows, instance=data.panels[0])
    low, high = first.sort_values("epsilon").head(2).itertuples()
    slope = math.log(high.estimate / low.estimate) / math.log(high.epsilon / low.epsilon)
    sharp = data.bounds[data.bounds["version"] == "reduction"]
    both = rows.merge(sharp, on=["instance", "epsilon"])
    over = both["estimate"] / both["value"]
    return {
        "replicates": int(data.costs["replicates"].min()),
        "delta": float(data.costs["delta"].iloc[0]),
        "radius": style.label(best),
        "instance": data.panels[0],
        "slope": slope,
        "low_epsilon": float(low.epsilon),
        "high_epsilon": float(high.epsilon),
        "least_gap": float(over.min()),
        "most_gap": float(over.max()),
    }


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        data = prepare(step.input, step.params)
        captions.write(facts(data), step)
        style.save(draw(data), step.output.pdf, step.output.png, step.metadata)
