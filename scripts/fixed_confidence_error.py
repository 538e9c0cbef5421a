"""Does Algorithm 2 keep its promise: is its error probability at most delta for each radius?"""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ldpt import captions, figures
from ldpt.marks import rows_of

SMALLEST = 1e-12  # below, a chain's answer is rounding


def over_delta(table: pd.DataFrame, columns: dict[str, str]) -> pd.DataFrame:
    """Error probability and its limits, divided by delta."""
    return table.assign(**{new: table[old] / table["delta"] for new, old in columns.items()})


def measured_errors(summary: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """Simulated errors, and how many points were left out because no error was seen and the
    sample is too small to tell."""
    table = over_delta(summary, {"estimate": "error", "low": "error_low", "high": "error_high"})
    telling = (table["errors"] > 0) | (table["high"] < 1)
    return table[telling], int((~telling).sum())


def exact_errors(error_map: pd.DataFrame) -> pd.DataFrame:
    """The chains of one arm, as far as floating point carries them."""
    table = error_map[(error_map["method"] == "exact") & (error_map["error"] > SMALLEST)]
    return over_delta(table, {"estimate": "error", "low": "low", "high": "high"})


def facts(measured: pd.DataFrame, exact: pd.DataFrame, left_out: int) -> dict[str, Any]:
    """Where the printed radius fails, and how close the valid ones come."""
    known: dict[str, Any] = {"replicates": int(measured["replicates"].min()), "left_out": left_out}
    for radius in figures.RADII:
        rows, chains = rows_of(measured, radius=radius), rows_of(exact, radius=radius)
        known[f"{radius}_broken"] = int((rows["low"] > 1).sum() + (chains["low"] > 1).sum())
        known[f"{radius}_cells"] = len(rows) + len(chains)
        known[f"{radius}_worst"] = float(max(rows["estimate"].max(), chains["estimate"].max()))
    return known


def fixed_confidence_error(summary: str, error_map: str) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption."""
    measured, left_out = measured_errors(pd.read_csv(summary))
    exact = exact_errors(pd.read_csv(error_map))
    return figures.fixed_confidence_error(measured, exact), facts(measured, exact, left_out)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        drawing = fixed_confidence_error(this.input.summary, this.input.error_map)
        captions.publish(*drawing, this.input.caption, this.output, this.metadata)
