"""What does privacy cost, and does the mechanism charge the same whatever the law of rewards?"""

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ldpt.plots import captions, elements, style
from ldpt.privacy import shrinkage
from ldpt.summarise import LIMITS


class Data(NamedTuple):
    """``measured``: law, epsilon and estimate, low, high of the shrinkage; ``theory``: a grid."""

    measured: pd.DataFrame
    theory: pd.DataFrame
    marked: float


def prepare(files: Any, settings: Any) -> Data:
    """Shrinkage behind each mean response, beside tanh(eps/2)."""
    measured = _shrinkage(pd.read_csv(files.summary))
    finite = measured.loc[np.isfinite(measured["epsilon"]), "epsilon"]
    grid = [*np.geomspace(finite.min(), 2 * finite.max(), 200), math.inf]
    theory = pd.DataFrame({"epsilon": grid, "shrinkage": [shrinkage(e) for e in grid]})
    return Data(measured, theory, float(settings.epsilon))


def _shrinkage(summary: pd.DataFrame) -> pd.DataFrame:
    """Distance of each mean response from 1/2, over that of the mean reward."""
    lever = 0.5 - summary["mean"]
    limits = {name: (0.5 - summary[name]) / lever for name in LIMITS}
    table = summary[["law", "epsilon", "draws"]].assign(**limits)
    swapped = table["low"] > table["high"]
    table.loc[swapped, ["low", "high"]] = table.loc[swapped, ["high", "low"]].to_numpy()
    return table


def draw(data: Data) -> Figure:
    """Shrinkage and H_eps / H against epsilon, then how far each measurement is from theory."""
    figure, (left, middle, right) = elements.panels(3, 3, 2.1)
    measured, theory = data.measured, data.theory
    inverse = measured.copy()
    limits = measured[["estimate", "high", "low"]].clip(lower=0).to_numpy()
    with np.errstate(divide="ignore"):
        inverse[list(LIMITS)] = limits**-2.0
    factors = theory["shrinkage"]
    _panel(left, measured, theory.assign(value=factors), 0.5, 1)
    _panel(middle, inverse, theory.assign(value=factors**-2.0), 4, -2)
    _deviations(right, measured)
    left.set_ylabel("shrinkage of every gap,  $c(ε)$")
    middle.set_ylabel("cost of privacy,  $H_ε / H$")
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
    """Theory as a line, and the measurements of all laws, which coincide, on it."""
    x_of = elements.epsilon_axis(axes, theory["epsilon"])
    elements.log_axes(axes, "y")
    elements.against_epsilon(axes, x_of, theory, {"color": style.INK, "zorder": 1})
    small = theory.loc[theory["epsilon"] <= 2, "epsilon"]
    axes.plot(small, factor * small**power, color=style.FAINT, linestyle=":", zorder=0)
    axes.set_ylim(theory["value"].min() / 3, theory["value"].max() * 3)
    for place, row in enumerate(measured.itertuples()):
        elements.points(axes, [x_of(row.epsilon)], measured.iloc[[place]], _look(row))


def _deviations(axes: Axes, measured: pd.DataFrame) -> None:
    """Distance from theory in units of the interval's reach, the laws side by side."""
    laws = list(measured["law"].unique())
    x_of = elements.epsilon_axis(axes, measured["epsilon"])
    axes.axhspan(-1, 1, color="#eeeeee", linewidth=0, zorder=0)
    axes.axhline(0, color=style.INK, linewidth=0.7, zorder=1)
    for row, deviation in zip(measured.itertuples(), deviations(measured), strict=True):
        aside = 1.2 ** (laws.index(row.law) - (len(laws) - 1) / 2)
        axes.plot([x_of(row.epsilon) * aside], [deviation], zorder=3, **_look(row))
    reach = 1.15 * max(1.5, np.abs(deviations(measured)).max())
    axes.set_ylim(-reach, reach)
    axes.set_ylabel("deviation / reach of interval")


def _look(row: Any) -> dict[str, Any]:
    colour, marker = style.epsilon_colour(row.epsilon), style.LAW_MARKERS[row.law]
    look = elements.OPEN | {"color": colour, "markeredgecolor": colour}
    return look | {"marker": marker, "markersize": 3}


def deviations(measured: pd.DataFrame) -> np.ndarray:
    """Each estimate less theory, over the reach of its interval; within [-1, 1] it holds theory."""
    estimate, low, high = (measured[name].to_numpy() for name in LIMITS)
    off = estimate - measured["epsilon"].map(shrinkage).to_numpy()
    return np.asarray(off / np.where(off > 0, estimate - low, high - estimate))


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


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        data = prepare(step.input, step.params)
        captions.write(facts(data), step)
        style.save(draw(data), step.output.pdf, step.output.png, step.metadata)
