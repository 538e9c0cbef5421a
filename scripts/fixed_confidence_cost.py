"""What does Algorithm 2 cost at each privacy level, and where between its bounds does it lie?"""

import math
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ldpt.figures import captions, elements
from ldpt.figures import drawing as figures


def facts(table: pd.DataFrame, bounds: pd.DataFrame, panels: list[str]) -> dict[str, Any]:
    """The slope at small epsilon, and how far the mixture radius lies above the sharp bound."""
    mixture = elements.rows_of(table, radius="mixture")
    first = elements.rows_of(mixture, instance=panels[0])
    low, high = first.sort_values("epsilon").head(2).itertuples()
    slope = math.log(high.mean_pulls / low.mean_pulls) / math.log(high.epsilon / low.epsilon)
    sharp = bounds[bounds["version"] == "sharp"]
    both = mixture.merge(sharp, on=["instance", "epsilon"])
    over = both["mean_pulls"] / both["value"]
    return {
        "replicates": int(table["replicates"].min()),
        "delta": float(table["delta"].iloc[0]),
        "instance": panels[0],
        "slope": slope,
        "low_epsilon": float(low.epsilon),
        "high_epsilon": float(high.epsilon),
        "least_gap": float(over.min()),
        "most_gap": float(over.max()),
    }


def fixed_confidence_cost(
    summary: str, bounds: str, panels: list[str], delta: float
) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption."""
    table, limits = pd.read_csv(summary), pd.read_csv(bounds)
    table = table[table["instance"].isin(panels) & (table["delta"] == delta)]
    limits = limits[(limits["delta"] == delta) & (limits["version"] != "privbern")]
    limits = limits[limits["value"] > 0]
    return figures.fixed_confidence_cost(table, limits, panels), facts(table, limits, panels)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        given, params = this.input, this.params
        drawing = fixed_confidence_cost(given.summary, given.bounds, params.panels, params.delta)
        captions.publish(*drawing, given.caption, this.output, this.metadata)
