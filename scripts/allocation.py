"""Draw the share of the pulls that each arm gets against its share of the complexity."""

from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from ldpt.plots import parts, products, style
from ldpt.radii import RADII
from ldpt.text import number
from ldpt.util.reproducible import log, slope

KINDS = {"hard arms": style.INK, "middle": style.FAINT, "easy arms": "#3f8fd2"}


def prepare(files: Any, settings: Any) -> pd.DataFrame:
    """Return shares of the pulls divided by shares of the complexity."""
    table = pd.read_csv(files.summary)
    return parts.scaled(table, table["share"])


def draw(table: pd.DataFrame) -> Figure:
    """Draw one dot per arm, in a row per method and a colour per kind of arm; 1 is proportion."""
    if table.empty:
        return parts.blank()
    methods = parts.methods_of(table["method"])
    figure, (axes,) = parts.panels(1, 1, 0.34 * len(methods) + 0.6)
    figure.set_figwidth(style.PAGE)
    axes.axvline(1, color=style.INK, **parts.BOUND)
    rows = table.assign(name=table["method"].map(title), kind=kinds(table))
    look = {"dodge": True, "jitter": False, "size": 4, "linewidth": 0, "alpha": 0.7}
    names = [title(method) for method in methods]
    sns.stripplot(rows, x="estimate", y="name", order=names, hue="kind",
                  palette=KINDS, hue_order=list(KINDS), ax=axes, **look)  # fmt: skip
    axes.legend(title="", loc="upper right")
    axes.set(xlabel="share of the pulls ÷ share of the complexity", ylabel="")
    axes.tick_params(axis="y", length=0)
    return figure


def kinds(table: pd.DataFrame) -> pd.Series:
    """Return which arms of a problem are hard, in the middle, and easy, by their gaps."""
    least = table.groupby("instance")["gap"].transform("min")
    names = np.select(
        [table["gap"] <= 1.5 * least, table["gap"] < 3 * least], list(KINDS)[:2], "easy arms"
    )
    return pd.Series(names, table.index)


def title(method: str) -> str:
    """Return the name of a policy or a radius where both are shown."""
    return f"Algorithm 2, {style.label(method)}" if method in RADII else style.label(method)


def facts(table: pd.DataFrame) -> dict[str, Any]:
    """Return the slope of log(share of pulls) on log(share of complexity) for each method."""
    slopes = {}
    for method in parts.methods_of(table["method"]):
        rows = table[table["method"] == method]
        share = rows["share"].to_numpy()
        ratio = rows["estimate"].to_numpy()
        if len(set(share)) > 1:
            slopes[title(method)] = slope(log(share), log(ratio * share))
    return {
        "replicates": parts.fewest_runs(table),
        "slopes": [f"{number(value, 2)} ({name})" for name, value in slopes.items()]
        or [parts.NOT_RUN],
        "most_ratio": float(table["estimate"].max()),
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
