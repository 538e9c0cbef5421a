"""Draw the share of the pulls that each arm gets against its share of the complexity."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ldpt.plots import elements, products, style
from ldpt.radii import RADII
from ldpt.text import number
from ldpt.util.reproducible import log, slope

SIDE_BY_SIDE = 0.06  # decades of the share between two privacy levels


def prepare(files: Any, settings: Any) -> pd.DataFrame:
    """Return shares of the pulls divided by shares of the complexity."""
    table = pd.read_csv(files.summary)
    return elements.scaled(table, table["share"])


def draw(table: pd.DataFrame) -> Figure:
    """Draw one panel per policy or radius; 1 is exact proportion."""
    methods = elements.methods_of(table["method"])
    figure, grid = elements.panels(len(methods), 3, 1.6, sharey=True, sharex=True)
    levels = sorted(table["epsilon"].unique(), reverse=True)
    for position, (axes, method) in enumerate(zip(grid, methods, strict=True)):
        axes.axhline(1, color=style.FAINT, linewidth=0.7, zorder=1)
        rows = elements.rows_where(table, method=method)
        for place, epsilon in enumerate(levels):
            level = rows[rows["epsilon"] == epsilon]
            x = level["share"] * 10 ** (SIDE_BY_SIDE * (place - (len(levels) - 1) / 2))
            look = {"marker": "o", "markersize": 3.0, "linestyle": ""}
            elements.estimates(axes, x, level, style.epsilon_colour(epsilon), **look)
        elements.log_axes(axes, "x")
        elements.fine_ticks(axes, "y")
        axes.set_title(title(method))
        axes.tick_params(labelbottom=True)
        if position >= len(methods) - 3:
            axes.set_xlabel("share of the complexity")
        if position % 3 == 0:
            axes.set_ylabel("share of pulls ÷\nshare of complexity")
    elements.epsilon_legend(figure, levels)
    return figure


def title(method: str) -> str:
    """Return the name of a policy or a radius where both are shown."""
    return f"Algorithm 2, {style.label(method)}" if method in RADII else style.label(method)


def facts(table: pd.DataFrame) -> dict[str, Any]:
    """Return the slope of log(share of pulls) on log(share of complexity) for each method."""
    slopes = {}
    for method in elements.methods_of(table["method"]):
        rows = table[table["method"] == method]
        share, ratio = rows["share"].to_numpy(), rows["estimate"].to_numpy()
        slopes[title(method)] = slope(log(share), log(ratio * share))
    return {
        "replicates": int(table["replicates"].min()),
        "slopes": [f"{number(value, 2)} ({name})" for name, value in slopes.items()],
        "least_slope": min(slopes.values()),
        "most_slope": max(slopes.values()),
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
