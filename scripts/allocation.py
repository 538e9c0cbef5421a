"""Do both algorithms pull each arm in proportion to its share of the complexity?"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ldpt.plots import captions, elements, style

SIDE_BY_SIDE = 0.06  # decades of the share between two privacy levels


def prepare(files: Any, settings: Any) -> pd.DataFrame:
    """Shares of the pulls, over the shares of the complexity."""
    table = pd.read_csv(files.summary)
    return elements.scaled(table, table["share"])


def draw(table: pd.DataFrame) -> Figure:
    """Share of the pulls that each arm gets over its share of the complexity.

    One panel per policy or radius; 1 is exact proportion.
    """
    methods = elements.methods_of(table)
    figure, grid = elements.panels(len(methods), 3, 1.7, sharey=True, sharex=True)
    for position, (axes, method) in enumerate(zip(grid, methods, strict=True)):
        axes.axhline(1, color=style.FAINT, linewidth=0.7, zorder=1)
        rows = elements.rows_where(table, method=method).sort_values("epsilon", ascending=False)
        aside = rows["epsilon"].rank(method="dense") - (rows["epsilon"].nunique() + 1) / 2
        x = rows["share"] * 10 ** (SIDE_BY_SIDE * aside)
        elements.points_by_epsilon(axes, x.tolist(), rows, method, link=False, size=3.0)
        elements.log_axes(axes, "x")
        axes.set_title(elements.method_name(method))
        axes.tick_params(labelbottom=True)
        axes.set_xlabel("share of complexity" if position >= len(methods) - 3 else "")
        if position % 3 == 0:
            axes.set_ylabel("share of pulls over\nshare of complexity")
    elements.epsilon_legend(figure, table["epsilon"])
    return figure


def facts(table: pd.DataFrame) -> dict[str, Any]:
    """The slope of log(share of pulls) on log(share of complexity) for each policy and radius."""
    found: dict[str, Any] = {"replicates": int(table["replicates"].min()), "slopes": []}
    for method in elements.methods_of(table):
        rows = table[table["method"] == method]
        share, ratio = rows["share"], rows["estimate"]
        slope = float(np.polyfit(np.log(share), np.log(ratio * share), 1)[0])
        found[f"{method}_slope"] = slope
        found[f"{method}_least"], found[f"{method}_most"] = float(ratio.min()), float(ratio.max())
        words = elements.method_name(method).replace(",", " with radius")
        found["slopes"].append(f"{elements.prose(slope)} for {words} ({elements.span(ratio)})")
    return found


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        data = prepare(step.input, step.params)
        captions.write(facts(data), step)
        style.save(draw(data), step.output.pdf, step.output.png, step.metadata)
