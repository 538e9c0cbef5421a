"""How close are the bounds to the error probabilities that they bound, far below what is seen?"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ldpt.figures import elements, style

COLUMNS = ["instance", "epsilon", "scaled_budget", "estimate", "low", "high"]
METHODS = {"simulated": "simulated", "rare": "importance sampling", "exact": "exact"}
MARKERS = {"simulated": "o", "rare": style.RARE_MARKER}
SIDES = {
    "upper": "the instance,\nbounds from above",
    "lower": "worst of $B^0…B^K$,\nbounds from below",
}
NEAR_ONE = 0.9  # error probabilities above have no place on a scale of powers
POWERS = (0.3, 1, 3, 10, 30, 100, 300, 1000)  # of the axis: 10^-0.3 to 10^-1000


class Data(NamedTuple):
    """``points``: estimates with side (what they are bounded from) and method; ``bounds``."""

    points: pd.DataFrame
    bounds: pd.DataFrame
    panels: list[str]


def prepare(
    summary: str,
    rare: str,
    exact: str,
    environments: str,
    bounds: str,
    panels: list[str],
    epsilon: float,
) -> Data:
    """Estimates above zero by all methods beside the bounds; of rare events the reliable ones."""
    tables = [pd.read_csv(path) for path in (summary, rare, exact, environments)]
    simulated, sampled, chains, mirrored = (t[t["policy"] == "apt"] for t in tables)
    parts = [
        _labelled(simulated, "upper", "simulated"),
        _labelled(sampled[sampled["reliable"]], "upper", "rare"),
        _labelled(chains, "upper", "exact"),
        _labelled(worst(mirrored[mirrored["reliable"]]), "lower", "rare"),
    ]
    points, limits = pd.concat(parts), pd.read_csv(bounds)
    points = points[points["instance"].isin(panels) & (points["epsilon"] == epsilon)]
    return Data(points, limits[limits["epsilon"] == epsilon], list(panels))


def _labelled(table: pd.DataFrame, side: str, method: str) -> pd.DataFrame:
    seen = table[(table["estimate"] > 0) & (table["estimate"] < NEAR_ONE)]
    return seen[COLUMNS].assign(side=side, method=method)


def worst(environments: pd.DataFrame) -> pd.DataFrame:
    """The largest error probability over the environments at each budget."""
    keys = ["instance", "epsilon", "budget"]
    return environments.loc[environments.groupby(keys)["estimate"].idxmax()]


def draw(data: Data) -> Figure:
    """One row per instance: upper bounds beside its error, lower bounds beside the worst B^i."""
    figure, grid = elements.panels(2 * len(data.panels), 2, 2.2, sharey="row", sharex="row")
    panels = iter(grid)
    for instance in data.panels:
        for side, words in SIDES.items():
            axes = next(panels)
            here = {"instance": instance, "side": side}
            points = data.points
            _points(axes, points[(points["instance"] == instance) & (points["side"] == side)])
            _curves(axes, elements.rows_of(data.bounds, **here))
            elements.log_axes(axes, "x")
            axes.set_title(f"{instance}: {words}")
            axes.set_xlabel("scaled budget $T / H_ε$")
        _power_axis(axes)
        grid[2 * data.panels.index(instance)].set_ylabel("error probability")
    methods = elements.in_order(data.points["method"], METHODS)
    handles = [_method_handle(method) for method in methods]
    elements.method_legend(figure, [*handles, *elements.bound_handles(data.bounds)], columns=3)
    return figure


def _power(error: pd.Series) -> pd.Series:
    """-log10 of an error probability, which the vertical axis shows on a logarithmic scale."""
    return -np.log10(error)


def _power_axis(axes: Axes) -> None:
    axes.set_yscale("log")
    axes.invert_yaxis()
    axes.yaxis.set_major_locator(FixedLocator(POWERS))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda power, _: f"$10^{{-{power:g}}}$" if power >= 1 else "0.5")
    )


def _points(axes: Axes, rows: pd.DataFrame) -> None:
    for (method, epsilon), curve in rows.groupby(["method", "epsilon"]):
        curve, colour = curve.sort_values("scaled_budget"), style.epsilon_colour(float(epsilon))
        power = _power(curve["estimate"])
        if method == "exact":
            axes.plot(curve["scaled_budget"], power, color=colour, zorder=2)
            continue
        low, high = (_power(curve[name].clip(1e-320, 0.99)) for name in ("high", "low"))
        marker = {"marker": MARKERS[str(method)], "markersize": 3}
        axes.errorbar(
            curve["scaled_budget"], power, yerr=[power - low, high - power], color=colour,
            linestyle="", elinewidth=0.7, zorder=3, **marker,
        )  # fmt: skip


def _curves(axes: Axes, limits: pd.DataFrame) -> None:
    informative = limits[(limits["value"] < NEAR_ONE) & (limits["value"] > 0)]
    for (side, version), curve in informative.groupby(["side", "version"]):
        curve = curve.sort_values("scaled_budget")
        line = elements.bound_line(str(side), str(version))
        axes.plot(curve["scaled_budget"], _power(curve["value"]), **line)


def _method_handle(method: str) -> Line2D:
    if method == "exact":
        return Line2D([], [], color=style.INK, label=METHODS[method])
    style_kwargs = {"linestyle": "", "color": style.INK, "marker": MARKERS[method]}
    return Line2D([], [], label=METHODS[method], **style_kwargs)


def facts(data: Data) -> dict[str, Any]:
    """The deepest error reached, the rates there, and how far each bound is from what it bounds."""
    own = data.points[data.points["side"] == "upper"]
    deepest = own.sort_values("estimate").iloc[0]
    last = own[own["method"] == "rare"].sort_values("scaled_budget").groupby("instance").last()
    rates = -np.log(last["estimate"]) / last["scaled_budget"]
    return {
        "panels": data.panels,
        "epsilon": float(deepest["epsilon"]),
        "least_rate": float(rates.min()),
        "most_rate": float(rates.max()),
        "deepest_instance": str(deepest["instance"]),
        "deepest": float(deepest["estimate"]),
        "deepest_budget": float(deepest["scaled_budget"]),
        **_slack(data, "upper"),
        **_slack(data, "lower"),
    }


def _slack(data: Data, side: str) -> dict[str, Any]:
    """Rate of the error over that of each bound, at the largest budgets, over the panels."""
    found: dict[str, Any] = {}
    for version, bounds in data.bounds[data.bounds["side"] == side].groupby("version"):
        ratios = []
        for instance, curve in bounds.groupby("instance"):
            informative = curve[(curve["value"] > 0) & (curve["value"] < 1)]
            points = data.points[
                (data.points["side"] == side) & (data.points["instance"] == instance)
            ]
            if informative.empty or points.empty:
                continue
            point = points.sort_values("scaled_budget").iloc[-1]
            nearest = (informative["scaled_budget"] - point["scaled_budget"]).abs().idxmin()
            bound = informative.loc[nearest]
            rate = np.log(point["estimate"]) / point["scaled_budget"]
            ratios.append(float(rate / (np.log(bound["value"]) / bound["scaled_budget"])))
        if ratios:
            found[f"{side}_{version}_least"] = min(ratios)
            found[f"{side}_{version}_most"] = max(ratios)
    return found
