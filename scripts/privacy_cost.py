"""What does privacy cost, and does the mechanism charge the same whatever the law of rewards?"""

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ldpt.figures import captions
from ldpt.figures import drawing as figures
from ldpt.privacy import shrinkage

MARKED = 1.0  # the privacy level whose price the caption states


def measured_shrinkage(summary: pd.DataFrame) -> pd.DataFrame:
    """Shrinkage behind each mean response: its distance from 1/2, over that of the mean reward."""
    lever = 0.5 - summary["mean"]
    limits = {name: (0.5 - summary[name]) / lever for name in ("estimate", "low", "high")}
    table = summary[["law", "epsilon", "draws"]].assign(**limits)
    swapped = table["low"] > table["high"]
    table.loc[swapped, ["low", "high"]] = table.loc[swapped, ["high", "low"]].to_numpy()
    return table


def theory(epsilons: pd.Series) -> pd.DataFrame:
    """tanh(eps/2) on a fine grid around the measured levels, and without privacy."""
    finite = epsilons[np.isfinite(epsilons)]
    grid = [*np.geomspace(finite.min(), 2 * finite.max(), 200), math.inf]
    return pd.DataFrame({"epsilon": grid, "shrinkage": [shrinkage(e) for e in grid]})


def facts(measured: pd.DataFrame) -> dict[str, Any]:
    """How many intervals hold the theory, and what privacy costs where."""
    expected = measured["epsilon"].map(shrinkage)
    holds = (measured["low"] <= expected) & (expected <= measured["high"])
    least = measured["epsilon"].min()
    return {
        "laws": [str(law) for law in measured["law"].unique()],
        "draws": int(measured["draws"].iloc[0]),
        "holding": int(holds.sum()),
        "intervals": len(measured),
        "price": shrinkage(MARKED) ** -2,
        "least_epsilon": float(least),
        "least_price": shrinkage(least) ** -2,
    }


def privacy_cost(summary: str) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption."""
    measured = measured_shrinkage(pd.read_csv(summary))
    return figures.privacy_cost(measured, theory(measured["epsilon"])), facts(measured)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        drawing = privacy_cost(this.input.summary)
        captions.publish(*drawing, this.input.caption, this.output, this.metadata)
