"""Draw how far Algorithm 2 is from two lower bounds at each privacy level, for each radius."""

from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.plots import elements, products, style

KEYS = ["instance", "epsilon", "delta"]
BOUNDS = {"reduction": "Theorem D", "decoupled": "Theorem E"}  # rows of panels


class Data(NamedTuple):
    """``gaps``: estimate, low, high of E[T] divided by a lower bound, by radius and bound."""

    gaps: pd.DataFrame
    panels: list[str]


def prepare(files: Any, settings: Any) -> Data:
    """Return mean pulls divided by every positive lower bound at one error level."""
    limits, costs = pd.read_csv(files.bounds), pd.read_csv(files.summary)
    lower = limits[(limits["side"] == "lower") & (limits["value"] > 0)]
    lower = lower[lower["version"].isin(BOUNDS)]
    both = costs[costs["delta"] == settings.delta].merge(lower, on=KEYS)
    return Data(elements.mean_pulls(both, both["value"]), list(settings.panels))


def draw(data: Data) -> Figure:
    """Draw one row per bound and one column per problem, one colour per radius."""
    versions = elements.in_order(data.gaps["version"], BOUNDS)
    count = len(data.panels)
    figure, grid = elements.panels(len(versions) * count, count, 1.95, sharey=True)
    for row, version in enumerate(versions):
        for column, instance in enumerate(data.panels):
            axes = grid[row * count + column]
            rows = elements.rows_where(data.gaps, instance=instance, version=version)
            x_of = _panel(axes, rows)
            axes.set_title(elements.problem(instance) if row == 0 else "")
            if row < len(versions) - 1:
                axes.set_xlabel("")
            if column == count - 1:
                elements.label_methods(axes, rows, "radius", "epsilon", x_of)
        grid[row * count].set_ylabel(f"pulls ÷ bound\nof {BOUNDS[version]}")
    return figure


def _panel(axes: Axes, rows: pd.DataFrame) -> elements.XOf:
    """Draw the curves of all radii above the line at which the bound would be reached."""
    x_of = elements.epsilon_axis(axes, rows["epsilon"])
    elements.fine_ticks(axes, "y")
    axes.axhline(1, color=style.INK, linewidth=0.8)
    elements.method_curves(axes, rows, "radius", "epsilon", x_of)
    return x_of


def facts(data: Data) -> dict[str, Any]:
    """Return the range of the ratio to one bound, and how that to the other varies with epsilon."""
    gaps, best = data.gaps, elements.cheapest_valid(data.gaps)
    shown = gaps[gaps["instance"].isin(data.panels)]
    ratio = gaps.loc[(gaps["radius"] == best) & (gaps["version"] == "reduction"), "estimate"]
    own = shown[(shown["radius"] == best) & (shown["version"] == "decoupled")]
    spans = own.groupby("instance")["estimate"]
    return {
        "delta": float(gaps["delta"].iloc[0]),
        "replicates": int(shown["replicates"].min()),
        "radius": style.label(best),
        "problems": len(data.panels),
        "reduction_least": float(ratio.min()),
        "reduction_most": float(ratio.max()),
        "decoupled_flatness": float((spans.max() / spans.min()).max()),
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
