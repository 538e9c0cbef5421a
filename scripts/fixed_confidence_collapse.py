"""Draw Algorithm 2's cost in units of the theorem's scale, H_eps log(4 K H_eps / delta)."""

from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.plots import elements, products, style
from ldpt.radii import RADII
from ldpt.text import number
from ldpt.util.reproducible import log


class Data(NamedTuple):
    """``costs``: rows of the summary with estimate, low, high of E[T] ÷ the theorem's scale."""

    costs: pd.DataFrame
    delta: float  # of the panel against epsilon


def prepare(files: Any, settings: Any) -> Data:
    """Return costs divided by the scale of Theorem 4.1."""
    table = pd.read_csv(files.summary)
    inside = 4 * table["n_arms"] * table["complexity"] / table["delta"]
    costs = elements.mean_pulls(table, table["complexity"] * inside.map(log))
    return Data(costs, float(settings.delta))


def draw(data: Data) -> Figure:
    """Draw the scaled cost against epsilon, delta and K: median and range over the problems."""
    figure, (by_epsilon, by_delta, by_arms) = elements.panels(3, 3, 2.2, sharey=True)
    family = data.costs["instance"].str.startswith("equal-gap-")
    others, equal = data.costs[~family], data.costs[family]
    x_of = elements.epsilon_axis(by_epsilon, others["epsilon"])
    _bands(by_epsilon, others[others["delta"] == data.delta], "epsilon", x_of)
    swept = others.groupby(["instance", "radius", "epsilon"])["delta"].transform("nunique") > 1
    elements.log_axes(by_delta, "x")
    _bands(by_delta, others[swept], "delta")
    by_delta.set_xlabel("promised error probability δ")
    elements.arms_axis(by_arms, equal["n_arms"])
    _bands(by_arms, equal, "n_arms")
    elements.fine_ticks(by_epsilon, "y")
    by_epsilon.set_ylabel(r"$E[T]\,÷\,H_ε \log(4 K H_ε / δ)$")
    for axes, title in zip(
        figure.axes, ("privacy", "error level", "number of equal arms"), strict=True
    ):
        axes.set_title(title)
    elements.label_methods(by_arms, equal, "radius", "n_arms")
    return figure


def _bands(axes: Axes, table: pd.DataFrame, x: str, x_of: elements.XOf = float) -> None:
    """Draw for each radius the median over the problems, and the range as a band."""
    for radius in elements.in_order(table["radius"], RADII):
        groups = table[table["radius"] == radius].groupby(x)["estimate"]
        place = [x_of(value) for value in groups.median().index]
        colour = style.colour(radius)
        axes.fill_between(place, groups.min(), groups.max(), color=colour, alpha=0.13, linewidth=0)
        look = style.marker_style(radius, 3.2) | {"markeredgewidth": 0}
        axes.plot(place, groups.median(), color=colour, **look)


def facts(data: Data) -> dict[str, Any]:
    """Return the range of the scaled cost for each radius, and that of the pulls themselves."""
    costs = data.costs
    found: dict[str, Any] = {
        "points": len(costs),
        "delta": data.delta,
        "replicates": int(costs["replicates"].min()),
        "pulls_least": float(costs["mean_pulls"].min()),
        "pulls_most": float(costs["mean_pulls"].max()),
        "ranges": [],
    }
    for radius in elements.in_order(costs["radius"], RADII):
        ratio = costs.loc[costs["radius"] == radius, "estimate"]
        found[f"{radius}_least"], found[f"{radius}_most"] = float(ratio.min()), float(ratio.max())
        span = f"{number(ratio.min())} to {number(ratio.max())}"
        found["ranges"].append(f"{span} with {style.label(radius)}")
    return found


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
