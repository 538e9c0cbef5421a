"""Does Algorithm 2 keep its promise: is its error probability at most delta for each radius?"""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ldpt.figures import captions
from ldpt.figures import drawing as figures
from ldpt.figures.elements import RADII
from ldpt.summarise import LIMITS

SMALLEST = 1e-12  # below, a chain's answer is rounding


def over_delta(table: pd.DataFrame) -> pd.DataFrame:
    """Estimate and limits of the error probability, divided by delta."""
    return table.assign(**{name: table[name] / table["delta"] for name in LIMITS})


def measured_errors(summary: pd.DataFrame) -> pd.DataFrame:
    """Simulated errors; telling unless no run erred and too few ran to rule an error out."""
    table = over_delta(summary)
    return table.assign(telling=(table["errors"] > 0) | (table["high"] < 1))


def facts(parts: list[pd.DataFrame]) -> dict[str, Any]:
    """In how many settings each radius breaks the guarantee, and the worst of them."""
    known: dict[str, Any] = {}
    cells = pd.concat(parts)
    for radius in RADII:
        rows = cells[cells["radius"] == radius]
        known[f"{radius}_broken"] = int((rows["low"] > 1).sum())
        known[f"{radius}_cells"] = len(rows)
        known[f"{radius}_worst"] = float(rows["estimate"].max())
    return known


def fixed_confidence_error(
    summary: str, error_map: str, rare: str
) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption."""
    simulated, chains, sampled = map(pd.read_csv, (summary, error_map, rare))
    measured = measured_errors(simulated)
    runs = {"replicates": int(measured["replicates"].min())}
    runs["left_out"] = int((~measured["telling"]).sum())
    measured = measured[measured["telling"]]
    exact = chains[(chains["method"] == "exact") & (chains["estimate"] > SMALLEST)]
    exact = over_delta(exact)
    sampled = over_delta(sampled[sampled["reliable"]])
    parts = [measured, exact, sampled]
    return figures.fixed_confidence_error(*parts), runs | facts(parts)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        given = this.input
        drawing = fixed_confidence_error(given.summary, given.error_map, given.rare)
        captions.publish(*drawing, given.caption, this.output, this.metadata)
