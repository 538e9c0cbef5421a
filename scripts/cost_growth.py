"""How does the cost of simulations grow with replicates, privacy and the number of arms?"""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ldpt.figures import captions
from ldpt.figures import drawing as figures
from ldpt.instances import MOST_ARMS
from ldpt.planning import growth


def span(values: pd.Series) -> str:
    """The least and the largest of some exponents, for prose."""
    low, high = f"{values.min():.2f}", f"{values.max():.2f}"
    return low if low == high else f"{low} to {high}"


def facts(exponents: pd.DataFrame) -> dict[str, Any]:
    """The least and the largest exponent over the methods, by quantity and axis."""
    known: dict[str, Any] = {
        "most_epsilon": growth.MOST_EPSILON,
        "least_arms": growth.LEAST_ARMS,
        "most_arms": MOST_ARMS,
    }
    for (quantity, axis), rows in exponents.groupby(["quantity", "axis"]):
        known[f"{quantity}_{axis}"] = span(rows["exponent"])
    speed = exponents[(exponents["quantity"] == "cpu_seconds") & (exponents["axis"] == "epsilon")]
    by_method = speed.set_index("method")["exponent"].round(2)
    return {**known, "apt_speed": by_method["apt"], "mixture_speed": by_method["mixture"]}


def cost_growth(measurements: str) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption."""
    table = pd.read_csv(measurements)
    exponents = growth.exponents(table)
    return figures.cost_growth(growth.per_run(table), exponents), facts(exponents)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        drawing = cost_growth(this.input.measurements)
        captions.publish(*drawing, this.input.caption, this.output, this.metadata)
