"""What does privacy cost, and does the mechanism charge the same whatever the law of rewards?"""

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ldpt.figures import elements, style
from ldpt.privacy import shrinkage
from ldpt.summarise import LIMITS


class Data(NamedTuple):
    """``measured``: law, epsilon and estimate, low, high of the shrinkage; ``theory``: a grid."""

    measured: pd.DataFrame
    theory: pd.DataFrame
    marked: float


def prepare(summary: str, epsilon: float) -> Data:
    """Shrinkage behind each mean response, beside tanh(eps/2)."""
    measured = _shrinkage(pd.read_csv(summary))
    finite = measured.loc[np.isfinite(measured["epsilon"]), "epsilon"]
    grid = [*np.geomspace(finite.min(), 2 * finite.max(), 200), math.inf]
    theory = pd.DataFrame({"epsilon": grid, "shrinkage": [shrinkage(e) for e in grid]})
    return Data(measured, theory, float(epsilon))


def _shrinkage(summary: pd.DataFrame) -> pd.DataFrame:
    """Distance of each mean response from 1/2, over that of the mean reward."""
    lever = 0.5 - summary["mean"]
    limits = {name: (0.5 - summary[name]) / lever for name in LIMITS}
    table = summary[["law", "epsilon", "draws"]].assign(**limits)
    swapped = table["low"] > table["high"]
    table.loc[swapped, ["low", "high"]] = table.loc[swapped, ["high", "low"]].to_numpy()
    return table


def draw(data: Data) -> Figure:
    """Shrinkage and H_eps / H against epsilon: theory as lines, the real mechanism as markers."""
    figure, (left, right) = elements.panels(2, 2, 2.3)
    measured, theory = data.measured, data.theory
    inverse = measured.copy()
    limits = measured[["estimate", "high", "low"]].clip(lower=0).to_numpy()
    with np.errstate(divide="ignore"):
        inverse[list(LIMITS)] = limits**-2.0
    factors = theory["shrinkage"]
    _panel(left, measured, theory.assign(value=factors), 0.5, 1)
    _panel(right, inverse, theory.assign(value=factors**-2.0), 4, -2)
    left.set_ylabel("shrinkage of every gap,  $c(ε)$")
    right.set_ylabel("cost of privacy,  $H_ε / H$")
    laws = [
        Line2D([], [], markeredgecolor=style.FAINT, marker=marker, label=law, **elements.OPEN)
        for law, marker in style.LAW_MARKERS.items()
        if law in set(measured["law"])
    ]
    limit = Line2D([], [], color=style.FAINT, linestyle=":", label="limit at small ε")
    line = Line2D([], [], color=style.INK, label="$c$ = tanh(ε/2)")
    elements.method_legend(figure, [*laws, line, limit])
    return figure


def _panel(
    axes: Axes, measured: pd.DataFrame, theory: pd.DataFrame, factor: float, power: int
) -> None:
    x_of = elements.epsilon_axis(axes, theory["epsilon"])
    elements.log_axes(axes, "y")
    elements.against_epsilon(axes, x_of, theory, {"color": style.INK, "zorder": 1})
    small = theory.loc[theory["epsilon"] <= 2, "epsilon"]
    axes.plot(small, factor * small**power, color=style.FAINT, linestyle=":", zorder=0)
    axes.set_ylim(theory["value"].min() / 2, theory["value"].max() * 2)
    laws = list(measured["law"].unique())
    for row in measured.itertuples():
        colour, marker = style.epsilon_colour(row.epsilon), style.LAW_MARKERS[row.law]
        aside = 1.2 ** (laws.index(row.law) - (len(laws) - 1) / 2)  # beside, not on top
        style_kwargs = elements.OPEN | {"color": colour, "markeredgecolor": colour}
        style_kwargs |= {"marker": marker, "markersize": 3}
        elements.point(axes, x_of(row.epsilon) * aside, row, style_kwargs)


def facts(data: Data) -> dict[str, Any]:
    """How many intervals hold the theory, and what privacy costs where."""
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
        "price": shrinkage(data.marked) ** -2,
        "least_epsilon": float(least),
        "least_price": shrinkage(least) ** -2,
    }
