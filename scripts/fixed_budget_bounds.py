"""How close are the bounds to Algorithm 1's error, far below what plain simulation can see?"""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ldpt.figures import captions
from ldpt.figures import drawing as figures
from ldpt.summarise import falling_rates

COLUMNS = ["instance", "n_arms", "epsilon", "scaled_budget", "estimate", "low", "high"]


def gather(summary: pd.DataFrame, rare: pd.DataFrame, exact: pd.DataFrame) -> pd.DataFrame:
    """Estimates above zero by all three methods; of rare events only the reliable ones."""
    parts = {
        "simulated": summary[(summary["policy"] == "apt") & (summary["errors"] > 0)],
        "rare": rare[rare["reliable"]],
        "exact": exact.assign(low=exact["estimate"], high=exact["estimate"]),
    }
    return pd.concat([part[COLUMNS].assign(method=method) for method, part in parts.items()])


def facts(points: pd.DataFrame, slopes: pd.DataFrame, panels: list[str]) -> dict[str, Any]:
    """The deepest error reached, and rates there beside those that the bounds promise."""
    deepest = points.sort_values("estimate").iloc[0]
    rare = slopes[slopes["method"] == "rare"].sort_values("scaled_budget")
    last = rare.groupby("instance")["estimate"].last()
    rates_reached = {"least_rate": float(last.min()), "most_rate": float(last.max())}
    where = {"deepest_instance": deepest["instance"], "epsilon": float(deepest["epsilon"])}
    names = {"deepest": "estimate", "deepest_budget": "scaled_budget"}
    deep = {fact: float(deepest[column]) for fact, column in names.items()}
    return {"panels": panels} | rates_reached | where | deep


def fixed_budget_bounds(
    tables: tuple[str, str, str, str], panels: list[str], epsilon: float
) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption, from summary, rare, exact and bounds tables."""
    summary, rare, exact, bounds = map(pd.read_csv, tables)
    points = gather(summary, rare, exact)
    points = points[points["instance"].isin(panels) & (points["epsilon"] == epsilon)]
    slopes = falling_rates(points, bounds)
    drawn = figures.fixed_budget_bounds(points, bounds, panels, slopes)
    return drawn, facts(points, slopes, panels)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        given = this.input
        tables = (given.summary, given.rare, given.exact, given.bounds)
        drawing = fixed_budget_bounds(tables, this.params.panels, this.params.epsilon)
        captions.publish(*drawing, given.caption, this.output, this.metadata)
