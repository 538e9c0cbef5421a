"""How far is Algorithm 2 from optimal at each privacy level, by each lower bound?"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ldpt.figures import captions
from ldpt.figures import drawing as figures

KEYS = ["instance", "epsilon", "delta"]
RADIUS = "mixture"  # the valid radius that costs least


def gaps(summary: pd.DataFrame, bounds: pd.DataFrame) -> pd.DataFrame:
    """Mean pulls over every positive lower bound."""
    lower = bounds[(bounds["side"] == "lower") & (bounds["value"] > 0)]
    both = summary[summary["radius"] == RADIUS].merge(lower, on=KEYS)
    return figures.mean_pulls(both, both["value"])


def facts(table: pd.DataFrame) -> dict[str, Any]:
    """Range of the gap by the sharp bound, and how the printed one widens with epsilon."""
    by_version = table.groupby("version")["estimate"]
    printed = table[(table["version"] == "printed") & np.isfinite(table["epsilon"])]
    ends = printed.groupby("epsilon")["estimate"].median()
    return {
        "delta": float(table["delta"].iloc[0]),
        "replicates": int(table["replicates"].min()),
        "sharp_least": float(by_version.min()["sharp"]),
        "sharp_most": float(by_version.max()["sharp"]),
        "own_least": float(by_version.min()["privbern"]),
        "own_most": float(by_version.max()["privbern"]),
        "low_epsilon": float(ends.index[0]),
        "low_gap": float(ends.iloc[0]),
        "high_epsilon": float(ends.index[-1]),
        "high_gap": float(ends.iloc[-1]),
    }


def optimality_gap(
    summary: str, bounds: str, panels: list[str], delta: float
) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption."""
    table = gaps(pd.read_csv(summary), pd.read_csv(bounds))
    table = table[table["instance"].isin(panels) & (table["delta"] == delta)]
    return figures.optimality_gap(table, panels), facts(table)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        given, params = this.input, this.params
        drawing = optimality_gap(given.summary, given.bounds, params.panels, params.delta)
        captions.publish(*drawing, given.caption, this.output, this.metadata)
