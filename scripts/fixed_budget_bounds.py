"""Draw the rates at which errors fall with the budget beside the rates of the bounds on them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ldpt.plots import elements, products, style
from ldpt.policies import POLICIES
from ldpt.util.reproducible import log

COLUMNS = ["instance", "policy", "epsilon", "scaled_budget", *elements.LIMITS]
MIN_BUDGET = 0.5  # in units of H_eps; rates at smaller budgets say little about large ones
NEAR_ONE = 0.5  # error probabilities above say nothing about a rate
OPTIMUM_POLICIES = ("apt", "lsa", "lsa-clipped")  # compared with the exact optimum
LOWER = "best"  # the larger of the lower bounds by reduction and by a genie
NAMES = {  # of the bounds that are drawn
    "printed": "printed",
    "proved": "Algorithm 1",
    "best": "limit of all\nalgorithms",
    "lsa": "LSA",
    "lsa-clipped": "clipped LSA",
}


class Data(NamedTuple):
    """``points``: estimates by method and side; ``bounds``: values by side and version."""

    points: pd.DataFrame
    bounds: pd.DataFrame
    optimum: pd.DataFrame  # each policy's error on two arms beside the least possible one
    panels: list[str]


def prepare(files: Any, settings: Any) -> Data:
    """Return estimates by all methods beside the bounds; of rare events the reliable ones."""
    sources = files.summary, files.rare, files.exact, files.environments
    simulated, sampled, chains, around = map(pd.read_csv, sources)
    rated = simulated["policy"].map(lambda name: name in POLICIES and POLICIES[name].has_engines)
    parts = {
        ("upper", "simulated"): simulated[rated],
        ("upper", "sampled"): sampled[sampled["reliable"]],
        ("upper", "exact"): chains,
        ("lower", "sampled"): worst(around[around["reliable"]]),
    }
    points = pd.concat(
        [part[COLUMNS].assign(side=side, method=method) for (side, method), part in parts.items()]
    )
    shown = points["instance"].isin(settings.panels) & (points["epsilon"] == settings.epsilon)
    shown &= (points["estimate"] > 0) & (points["estimate"] < NEAR_ONE)
    shown &= points["scaled_budget"] >= MIN_BUDGET
    limits = pd.read_csv(files.bounds)
    informative = (limits["value"] > 0) & (limits["value"] < 1)
    limits = limits[informative & (limits["epsilon"] == settings.epsilon)]
    limits = limits[limits["version"].isin(NAMES)]
    optimum = pd.read_csv(files.optimum)
    optimum = optimum[optimum["policy"].isin(OPTIMUM_POLICIES)]
    optimum = optimum.assign(ratio=optimum["estimate"] / optimum["optimal"])
    return Data(points[shown], limits, optimum, list(settings.panels))


def worst(environments: pd.DataFrame) -> pd.DataFrame:
    """Return the largest error probability over the environments at each budget."""
    keys = ["instance", "epsilon", "budget"]
    return environments.loc[environments.groupby(keys)["estimate"].idxmax()]


def rates(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with rates, -log(error) H_eps / T, as estimate, low and high."""
    sources = dict(zip(elements.LIMITS, ("estimate", "high", "low"), strict=True))
    limited = {name: table[source].clip(1e-320, 1) for name, source in sources.items()}
    return table.assign(
        **{name: -value.map(log) / table["scaled_budget"] for name, value in limited.items()}
    )


def draw(data: Data) -> Figure:
    """Draw rates beside upper bounds, the worst mirror image below its limit, and the optimum."""
    count, last = len(data.panels), data.panels[-1]
    figure, grid = elements.panels(count + 2, 2, 2.15)
    shown = [*(("upper", name) for name in data.panels), ("lower", last)]
    ends = [_rate_panel(axes, data, *what) for axes, what in zip(grid, shown, strict=False)]
    for axes, instance in zip(grid, data.panels, strict=False):
        axes.set_title(elements.problem(instance))
    grid[count].set_title(f"worst mirror image of {elements.problem(last)}")
    _optimum_panel(grid[count + 1], data.optimum)
    policies = elements.method_handles(data.points["policy"])
    elements.method_legend(figure, [*policies, *_method_handles()], columns=4)
    for axes, names in zip(grid, ends, strict=False):  # once nothing else moves the panels
        elements.label_ends(axes, names)
    return figure


def _rate_panel(axes: Axes, data: Data, side: str, instance: str) -> list[elements.End]:
    """Draw the rates of a problem's errors and of one side's bounds; return where these end."""
    labels = {"side": side, "instance": instance}
    points = elements.rows_where(rates(data.points), **labels)
    limits = elements.rows_where(data.bounds, **labels)
    bounds = rates(limits.assign(**{name: limits["value"] for name in elements.LIMITS}))
    _points(axes, points)
    ends = list(_bounds(axes, bounds))
    if side == "upper":
        elements.log_axes(axes, "x")
        axes.set_ylim(0, 1.2 * max(points["estimate"].max(), *(end.y for end in ends)))
    else:  # the printed bound is two orders of magnitude away
        elements.log_axes(axes)
    axes.set_xlabel("budget $T$ divided by $H_ε$")
    axes.set_ylabel("rate  −log(error) · $H_ε / T$")
    return ends


def _optimum_panel(axes: Axes, optimum: pd.DataFrame) -> None:
    """Draw errors divided by the least possible one: solid without privacy, dashed with it."""
    keys = ["policy", "gaps", "epsilon"]
    for (policy, _, epsilon), curve in optimum.groupby(keys, sort=False):
        look = style.marker_style(str(policy), 2.8) | {"markeredgewidth": 0, "linewidth": 0.9}
        dashes = "-" if np.isinf(epsilon) else (0, (4, 1.5))
        colour = style.colour(str(policy))
        axes.plot(curve["scaled_budget"], curve["ratio"], color=colour, linestyle=dashes, **look)
    axes.axhline(1, color=style.INK, linewidth=0.8)
    elements.fine_ticks(axes, "y")
    axes.set_ylim(bottom=0.9)
    private = optimum["epsilon"].min()
    axes.set_title("distance from the exact optimum, two arms")
    axes.set_xlabel("budget $T$ divided by $H_ε$")
    axes.set_ylabel("error ÷ least possible error")
    note = f"solid: no privacy\ndashed: ε = {private:g}"
    axes.text(0.03, 0.97, note, transform=axes.transAxes, va="top")


def _points(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw simulated estimates filled, sampled ones open, exact ones as a line."""
    for policy in elements.methods_of(rows["policy"]):
        for method, curve in rows[rows["policy"] == policy].groupby("method"):
            curve, colour = curve.sort_values("scaled_budget"), style.colour(policy)
            look = style.marker_style(policy, 3.4) | {"linestyle": ""}
            if method == "exact":
                look = {"linewidth": 1.2}
            elif method == "sampled":
                look |= {"fillstyle": "none", "markeredgewidth": 0.8, "markersize": 4.2}
            elements.estimates(axes, curve["scaled_budget"], curve, colour, **look)


def _bounds(axes: Axes, bounds: pd.DataFrame) -> Iterator[elements.End]:
    """Draw the rates of the bounds; yield where they end and what they are called."""
    for version, curve in bounds.groupby("version", sort=False):
        curve, name = curve.sort_values("scaled_budget"), str(version)
        colour = style.colour(name if name in POLICIES else "apt")
        colour = {"printed": style.NOTE, LOWER: style.INK}.get(name, colour)
        elements.bound_line(axes, curve["scaled_budget"], curve["estimate"], colour)
        last = curve.iloc[-1]
        place = last["scaled_budget"], float(last["estimate"])
        yield elements.End(*place, NAMES.get(name, name), colour)


def _method_handles() -> list[Line2D]:
    plain = {"color": style.INK, "marker": "o", "linestyle": ""}
    hollow = plain | {"fillstyle": "none", "markeredgewidth": 0.8}
    return [
        Line2D([], [], label="simulated", **plain),
        Line2D([], [], label="importance sampling", **hollow),
        Line2D([], [], color=style.INK, linewidth=0.9, linestyle=(0, (4, 1.5)), label="bound"),
    ]


def facts(data: Data) -> dict[str, Any]:
    """Return the smallest error, the rates at large budgets, and ratios to the least error."""
    own = data.points[(data.points["side"] == "upper") & (data.points["policy"] == "apt")]
    last = own[own["method"] == "sampled"].sort_values("scaled_budget").groupby("instance").last()
    measured = -last["estimate"].map(log) / last["scaled_budget"]
    worst = data.optimum.groupby("policy")["ratio"].max()
    return {
        "epsilon": float(own["epsilon"].iloc[0]),
        "least_rate": float(measured.min()),
        "most_rate": float(measured.max()),
        "deepest": float(own["estimate"].min()),
        "apt_over_optimum": worst["apt"],
        "lsa_over_optimum": worst["lsa"],
    }


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
