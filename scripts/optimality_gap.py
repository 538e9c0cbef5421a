"""How far is Algorithm 2 from optimal at each privacy level, by each lower bound?"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.plots import captions, elements, style
from ldpt.radii import RADII

KEYS = ["instance", "epsilon", "delta"]
OF_AVERAGES = ("many_arms",)  # bounds the average over mirror images, not the instance


class Data(NamedTuple):
    """``gaps``: estimate, low, high of E[T] over a lower bound, by radius and bound version."""

    gaps: pd.DataFrame
    panels: list[str]


def prepare(files: Any, settings: Any) -> Data:
    """Mean pulls over every positive lower bound at one error level."""
    limits = pd.read_csv(files.bounds)
    lower = limits[(limits["side"] == "lower") & (limits["value"] > 0)]
    lower = lower[~lower["version"].isin(OF_AVERAGES)]
    costs = pd.read_csv(files.summary)
    both = costs[
        costs["instance"].isin(settings.panels) & (costs["delta"] == settings.delta)
    ].merge(lower, on=KEYS)
    return Data(elements.mean_pulls(both, both["value"]), list(settings.panels))


def draw(data: Data) -> Figure:
    """Above, all radii over the sharp bound; below, the best radius over every bound."""
    count = len(data.panels)
    figure, grid = elements.panels(2 * count, count, 1.9, sharey="row")
    best = elements.cheapest_valid(data.gaps)
    for column, instance in enumerate(data.panels):
        upper, lower = grid[column], grid[count + column]
        rows = elements.rows_where(data.gaps, instance=instance)
        _radii(upper, elements.rows_where(rows, version="reduction"))
        _versions(lower, elements.rows_where(rows, radius=best))
        elements.title(upper, instance)
        upper.set_xlabel("")
    elements.fine_ticks(grid[0], "y")
    grid[0].set_ylabel("pulls over\nsharp lower bound")
    grid[count].set_ylabel(f"pulls ({style.label(best)})\nover lower bound")
    versions = data.gaps[["side", "version"]].drop_duplicates()
    handles = [*elements.radius_handles(data.gaps), *elements.bound_handles(versions)]
    elements.method_legend(figure, handles, columns=4)
    return figure


def _radii(axes: Axes, rows: pd.DataFrame) -> None:
    x_of = elements.epsilon_axis(axes, rows["epsilon"])
    for radius, curve in rows.groupby("radius"):
        curve = curve.sort_values("epsilon")
        x = [x_of(e) for e in curve["epsilon"]]
        elements.points_by_epsilon(axes, x, curve, str(radius))
    _unit_line(axes)


def _versions(axes: Axes, rows: pd.DataFrame) -> None:
    x_of = elements.epsilon_axis(axes, rows["epsilon"])
    for version, curve in rows.groupby("version"):
        curve = curve.sort_values("epsilon")
        x = [x_of(e) for e in curve["epsilon"]]
        axes.plot(x, curve["estimate"], **elements.bound_line("lower", str(version)))
        elements.points_by_epsilon(axes, x, curve, str(curve["radius"].iloc[0]), link=False)
    _unit_line(axes)


def _unit_line(axes: Axes) -> None:
    axes.axhline(1, color=style.FAINT, linewidth=0.6)
    elements.log_axes(axes, "y")


def facts(data: Data) -> dict[str, Any]:
    """Range of the gap by the sharp bound, and how the printed one widens with epsilon."""
    gaps, best = data.gaps, elements.cheapest_valid(data.gaps)
    own = gaps[gaps["radius"] == best]
    by_version = own.groupby("version")["estimate"]
    printed = own[(own["version"] == "printed") & np.isfinite(own["epsilon"])]
    ends = printed.groupby("epsilon")["estimate"].median()
    found: dict[str, Any] = {
        "delta": float(gaps["delta"].iloc[0]),
        "replicates": int(gaps["replicates"].min()),
        "radius": style.label(best),
        "sharp_least": float(by_version.min()["reduction"]),
        "sharp_most": float(by_version.max()["reduction"]),
        "own_least": float(by_version.min()["reduction"]),
        "own_most": float(by_version.max()["reduction"]),
        "low_epsilon": float(ends.index[0]),
        "low_gap": float(ends.iloc[0]),
        "high_epsilon": float(ends.index[-1]),
        "high_gap": float(ends.iloc[-1]),
        "ranges": [],
    }
    sharp = gaps[gaps["version"] == "reduction"]
    for radius in elements.in_order(sharp["radius"], RADII):
        ratio = sharp.loc[sharp["radius"] == radius, "estimate"]
        found["ranges"].append(f"{elements.span(ratio)} with {style.label(radius)}")
    spans = own[own["version"] == "reduction"].groupby("instance")["estimate"]
    return found | {"flatness": float((spans.max() / spans.min()).max())}


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        data = prepare(step.input, step.params)
        captions.write(facts(data), step)
        style.save(draw(data), step.output.pdf, step.output.png, step.metadata)
