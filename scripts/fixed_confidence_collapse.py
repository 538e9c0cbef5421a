"""Is Algorithm 2's cost a constant times H_eps log(4 K H_eps / delta)?"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ldpt.figures import captions
from ldpt.figures import drawing as figures
from ldpt.figures.elements import RADII


def with_scale(summary: pd.DataFrame) -> pd.DataFrame:
    """The summary with the scale of Theorem 4.1, H_eps log(4 K H_eps / delta)."""
    complexity, n_arms = summary["complexity"], summary["n_arms"]
    inside = 4 * n_arms * complexity / summary["delta"]
    return summary.assign(scale=complexity * np.log(inside))


def facts(table: pd.DataFrame) -> dict[str, Any]:
    """The range of the scaled cost for each radius, and that of the pulls themselves."""
    scaled = table["mean_pulls"] / table["scale"]
    by_radius = scaled.groupby(table["radius"])
    known: dict[str, Any] = {"replicates": int(table["replicates"].min())}
    for radius in RADII:
        known[f"{radius}_least"] = float(by_radius.min()[radius])
        known[f"{radius}_most"] = float(by_radius.max()[radius])
    known["pulls_least"] = float(table["mean_pulls"].min())
    known["pulls_most"] = float(table["mean_pulls"].max())
    known["points"] = len(table)
    return known


def fixed_confidence_collapse(summary: str) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption."""
    table = with_scale(pd.read_csv(summary))
    return figures.fixed_confidence_collapse(table), facts(table)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        drawing = fixed_confidence_collapse(this.input.summary)
        captions.publish(*drawing, this.input.caption, this.output, this.metadata)
