"""Draw the cost of privacy against epsilon, with measurements of the mechanism."""

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ldpt.plots import parts, products, style
from ldpt.privacy import shrinkage
from ldpt.util.reproducible import geomspace, power

MARKERS = {"Bernoulli": "o", "Beta": "s", "uniform": "^", "two-point": "D"}  # of the reward laws
SIDE_BY_SIDE = 1.13  # factor of epsilon between two laws


class Data(NamedTuple):
    """``measured``: law, epsilon and estimate, low, high of the shrinkage."""

    measured: pd.DataFrame
    marked: float


def prepare(files: Any, settings: Any) -> Data:
    """Return the shrinkage behind each mean response."""
    return Data(_shrinkage(pd.read_csv(files.summary)), float(settings.epsilon))


def _shrinkage(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the distance of each mean response from 1/2, divided by that of the mean reward."""
    lever = 0.5 - summary["mean"]
    limits = {name: (0.5 - summary[name]) / lever for name in parts.LIMITS}
    table = summary[["law", "epsilon", "draws"]].assign(**limits)
    swapped = table["low"] > table["high"]
    table.loc[swapped, ["low", "high"]] = table.loc[swapped, ["high", "low"]].to_numpy()
    return table


def draw(data: Data) -> Figure:
    """Draw the price of privacy against epsilon: theory as a line, laws side by side."""
    figure, (axes,) = parts.panels(1, 1, 2.7)
    measured = data.measured
    x_of = parts.epsilon_axis(axes, measured["epsilon"])
    finite = measured.loc[np.isfinite(measured["epsilon"]), "epsilon"]
    free = x_of(math.inf)
    grid = geomspace(finite.min() / 1.3, free / 1.5, 150)  # up to the break
    axes.plot(grid, [power(shrinkage(e), -2.0) for e in grid], color=style.INK, zorder=1)
    axes.plot([free / 1.15, free * 1.15], [1, 1], color=style.INK, zorder=1)
    parts.log_axes(axes, "y")
    parts.plain_ticks(axes, "y")
    laws = [law for law in MARKERS if law in set(measured["law"])]
    for place, law in enumerate(laws):
        rows = measured[measured["law"] == law]
        with np.errstate(divide="ignore"):
            price = 1 / np.square(rows[["estimate", "high", "low"]].clip(lower=0).to_numpy())
        price = pd.DataFrame(price, columns=parts.LIMITS)
        x = [x_of(e) * power(SIDE_BY_SIDE, place - (len(laws) - 1) / 2) for e in rows["epsilon"]]
        look = {"marker": MARKERS[law], "markersize": 3.2, "linestyle": "", "label": law}
        parts.estimates(axes, x, price, style.METHODS["apt"].colour, **look)
    axes.set_ylabel("answers needed ÷ without privacy")
    at = data.marked
    words = f"×{power(shrinkage(at), -2.0):.2g} at ε = {at:g}"
    parts.key(axes, [("line: tanh(ε/2)⁻²", style.INK), (words, style.INK)])
    parts.method_legend(figure, axes.get_legend_handles_labels()[0])
    return figure


def facts(data: Data) -> dict[str, Any]:
    """Return how many intervals contain the theory, and what privacy costs where."""
    measured = data.measured
    expected = measured["epsilon"].map(shrinkage)
    holds = (measured["low"] <= expected) & (expected <= measured["high"])
    least = measured["epsilon"].min()
    return {
        "laws": [str(law) for law in measured["law"].unique()],
        "draws": int(measured["draws"].iloc[0]),
        "holding": int(holds.sum()),
        "intervals": len(measured),
        "marked": data.marked,
        "price": power(shrinkage(data.marked), -2.0),
        "least_epsilon": float(least),
        "least_price": power(shrinkage(least), -2.0),
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
