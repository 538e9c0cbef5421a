"""Do both algorithms pull each arm in proportion to its share of the complexity?"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ldpt.figures import captions
from ldpt.figures import drawing as figures
from ldpt.figures.elements import RADII


def facts(table: pd.DataFrame) -> dict[str, Any]:
    """The slope of log(share of pulls) on log(share of complexity) for each algorithm and way."""
    known: dict[str, Any] = {"replicates": int(table["replicates"].min())}
    for how in ("apt", *RADII):
        rows = table[table["how"] == how]
        slope, _ = np.polyfit(np.log(rows["share"]), np.log(rows["estimate"]), 1)
        known[f"{how}_slope"] = float(slope)
        ratio = rows["estimate"] / rows["share"]
        known[f"{how}_least"], known[f"{how}_most"] = float(ratio.min()), float(ratio.max())
    return known


def allocation(summary: str) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption."""
    table = pd.read_csv(summary)
    return figures.allocation(table), facts(table)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        drawing = allocation(this.input.summary)
        captions.publish(*drawing, this.input.caption, this.output, this.metadata)
