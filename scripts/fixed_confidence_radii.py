"""What does each radius of Algorithm 2 cost?"""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ldpt.figures import captions
from ldpt.figures import drawing as figures

KEYS = ["instance", "epsilon", "delta"]


def with_bound(summary: pd.DataFrame, bounds: pd.DataFrame) -> pd.DataFrame:
    """The summary with the lower bound for PrivBern's responses beside each cost."""
    lower = bounds[bounds["version"] == "privbern"].rename(columns={"value": "bound"})
    return summary.merge(lower[[*KEYS, "bound"]], on=KEYS)


def ratios(table: pd.DataFrame, radius: str, other: str) -> pd.Series:
    """Cost of one radius over that of another, wherever both were measured."""
    pulls = table.pivot_table("mean_pulls", KEYS, "radius")
    return (pulls[radius] / pulls[other]).dropna()


def facts(table: pd.DataFrame) -> dict[str, Any]:
    """How the radii compare, and how far the mixture lies above the lower bound."""
    dear, printed = ratios(table, "hoeffding", "mixture"), ratios(table, "printed", "mixture")
    mixture = table[table["radius"] == "mixture"]
    over = mixture["mean_pulls"] / mixture["bound"]
    return {
        "replicates": int(table["replicates"].min()),
        "dear_least": float(dear.min()),
        "dear_median": float(dear.median()),
        "dear_most": float(dear.max()),
        "printed_least": float(printed.min()),
        "printed_most": float(printed.max()),
        "over_least": float(over.min()),
        "over_most": float(over.max()),
    }


def fixed_confidence_radii(
    summary: str, bounds: str, delta: float, epsilon: float, instance: str
) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption."""
    table = with_bound(pd.read_csv(summary), pd.read_csv(bounds))
    return figures.fixed_confidence_radii(table, delta, epsilon, instance), facts(table)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        given, at = this.input, (this.params.delta, this.params.epsilon, this.params.panels[0])
        drawing = fixed_confidence_radii(given.summary, given.bounds, *at)
        captions.publish(*drawing, given.caption, this.output, this.metadata)
