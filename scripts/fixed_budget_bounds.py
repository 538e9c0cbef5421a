"""How close are the bounds to the error probabilities that they bound, far below what is seen?"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ldpt.plots import captions, elements, style
from ldpt.policies import POLICIES

COLUMNS = ["instance", "policy", "epsilon", "scaled_budget", "estimate", "low", "high"]
POLICY_OF = {"printed": "apt", "proved": "apt", "lsa": "lsa"}  # of the upper bounds
NEAR_ONE = 0.9  # error probabilities above have no place on a scale of powers
POWERS = (0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000)  # of the axis: 10^-0.1 to 10^-1000


class Data(NamedTuple):
    """``points``: estimates by method; their ``side`` says which bounds hold for them."""

    points: pd.DataFrame
    bounds: pd.DataFrame
    panels: list[str]


def prepare(files: Any, settings: Any) -> Data:
    """Estimates above zero by all methods beside the bounds; of rare events the reliable ones."""
    simulated, sampled, chains, around = map(
        pd.read_csv, (files.summary, files.rare, files.exact, files.environments)
    )
    parts = {
        ("upper", "simulated"): simulated[simulated["policy"].isin(POLICY_OF.values())],
        ("upper", "rare"): sampled[sampled["reliable"]],
        ("upper", "exact"): chains,
        ("lower", "rare"): worst(around[around["reliable"]]),
    }
    points = pd.concat(
        [part[COLUMNS].assign(side=side, method=how) for (side, how), part in parts.items()]
    )
    shown = points["instance"].isin(settings.panels) & (points["epsilon"] == settings.epsilon)
    shown &= (points["estimate"] > 0) & (points["estimate"] < NEAR_ONE)
    limits = pd.read_csv(files.bounds)
    informative = (limits["value"] > 0) & (limits["value"] < NEAR_ONE)
    return Data(
        points[shown],
        limits[informative & (limits["epsilon"] == settings.epsilon)],
        list(settings.panels),
    )


def worst(environments: pd.DataFrame) -> pd.DataFrame:
    """The largest error probability over the environments at each budget."""
    keys = ["instance", "epsilon", "budget"]
    return environments.loc[environments.groupby(keys)["estimate"].idxmax()]


def draw(data: Data) -> Figure:
    """One row per instance, one column per error and the bounds that hold for it."""
    columns = _columns(data)
    size = len(columns)
    figure, grid = elements.panels(size * len(data.panels), size, 2.0, sharey="row", sharex="row")
    for number, instance in enumerate(data.panels):
        row = grid[size * number : size * (number + 1)]
        here = elements.rows_where(data.points, instance=instance)
        for axes, column in zip(row, columns, strict=True):
            _points(axes, column.points(here))
            _curves(axes, column.bounds(data.bounds[data.bounds["instance"] == instance]))
            elements.log_axes(axes, "x")
            if number == 0:
                axes.set_title(column.title)
            if number == len(data.panels) - 1:
                axes.set_xlabel("scaled budget $T / H_ε$")
        _power_axis(row[0], here["estimate"].min())
        row[0].set_ylabel(f"{instance}\nerror probability")
    bounds = data.bounds.sort_values("side", ascending=False, kind="stable")
    elements.method_legend(figure, [*_handles(data), *elements.bound_handles(bounds)], columns=3)
    return figure


class Column(NamedTuple):
    """Panels with the error of one policy, either on the instance or in the worst environment."""

    title: str
    side: str
    policy: str

    def points(self, table: pd.DataFrame) -> pd.DataFrame:
        """The estimates that these panels show."""
        return table[(table["side"] == self.side) & (table["policy"] == self.policy)]

    def bounds(self, table: pd.DataFrame) -> pd.DataFrame:
        """The bounds that hold for these estimates."""
        of_policy = table["version"].map(POLICY_OF).fillna("apt") == self.policy
        return table[(table["side"] == self.side) & of_policy]


def _columns(data: Data) -> list[Column]:
    """What was measured: the upper side for each policy, then the lower side for Algorithm 1."""
    policies = elements.in_order(data.points["policy"], POLICIES)
    own = [Column(style.label(policy), "upper", policy) for policy in policies]
    return [*own, Column("Algorithm 1, worst of $B^0…B^K$", "lower", "apt")]


def _power(error: Any) -> Any:
    """-log10 of an error probability, which the vertical axis shows on a logarithmic scale."""
    return -np.log10(error)


def _power_axis(axes: Axes, least: float) -> None:
    axes.set_yscale("log")
    axes.set_ylim(2 * _power(least), _power(NEAR_ONE))
    axes.yaxis.set_major_locator(FixedLocator(POWERS))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(
        FuncFormatter(
            lambda power, _: f"$10^{{-{power:g}}}$" if power >= 1 else f"{10**-power:.1f}"
        )
    )


def _points(axes: Axes, rows: pd.DataFrame) -> None:
    """Filled markers: simulated; open ones around them: importance sampling; lines: exact."""
    for (policy, method, epsilon), curve in rows.groupby(["policy", "method", "epsilon"]):
        curve, colour = curve.sort_values("scaled_budget"), style.epsilon_colour(float(epsilon))
        power = _power(curve["estimate"])
        if method == "exact":
            axes.plot(curve["scaled_budget"], power, color=colour, zorder=2)
            continue
        least, most = (_power(curve[name].clip(1e-320, 0.99)) for name in ("high", "low"))
        look = _marker(str(policy), str(method), colour) | {"color": colour, "linestyle": ""}
        reach = [power - least, most - power]
        axes.errorbar(curve["scaled_budget"], power, yerr=reach, elinewidth=0.7, **look)


def _marker(policy: str, method: str, colour: str) -> dict[str, Any]:
    """The marker of a policy: small and filled if simulated, open around it if sampled."""
    if method == "simulated":
        return style.marker_style(policy, 2.4) | {"markeredgewidth": 0, "zorder": 4}
    hollow = {"markerfacecolor": "white", "markeredgecolor": colour, "markeredgewidth": 0.7}
    return style.marker_style(policy, 4.2) | hollow | {"zorder": 3}


def _curves(axes: Axes, limits: pd.DataFrame) -> None:
    for (side, version), curve in limits.groupby(["side", "version"]):
        curve = curve.sort_values("scaled_budget")
        line = elements.bound_line(str(side), str(version))
        axes.plot(curve["scaled_budget"], _power(curve["value"]), **line)


def _handles(data: Data) -> list[Line2D]:
    names = {"simulated": "simulated", "rare": "importance sampling"}
    plain = {"linestyle": "", "color": style.INK}
    handles = [
        Line2D([], [], label=name, **plain | _marker("apt", method, style.INK))
        for method, name in names.items()
    ]
    if "exact" in set(data.points["method"]):
        handles.append(Line2D([], [], color=style.INK, label="exact"))
    return handles


def facts(data: Data) -> dict[str, Any]:
    """The smallest error reached, the rates there, and the rates of the bounds."""
    own = data.points[(data.points["side"] == "upper") & (data.points["policy"] == "apt")]
    deepest = own.sort_values("estimate").iloc[0]
    last = own[own["method"] == "rare"].sort_values("scaled_budget").groupby("instance").last()
    rates = -np.log(last["estimate"]) / last["scaled_budget"]
    found = {
        "panels": data.panels,
        "epsilon": float(deepest["epsilon"]),
        "near_one": NEAR_ONE,
        "least_rate": float(rates.min()),
        "most_rate": float(rates.max()),
        "deepest_instance": str(deepest["instance"]),
        "deepest": float(deepest["estimate"]),
        "deepest_budget": float(deepest["scaled_budget"]),
    }
    for side, version in (("upper", "proved"), ("upper", "lsa"), ("lower", "reduction")):
        ratios = list(_rate_ratios(data, side, version))
        name = f"{side}_{version}"
        found[f"{name}_least"] = min(ratios) if ratios else elements.NOT_RUN
        found[f"{name}_most"] = max(ratios) if ratios else elements.NOT_RUN
    return found


def _rate_ratios(data: Data, side: str, version: str) -> Iterator[float]:
    """Logarithm of the bound over that of the error, at each instance's largest common budget."""
    bounds = data.bounds[(data.bounds["side"] == side) & (data.bounds["version"] == version)]
    points = data.points[
        (data.points["side"] == side) & (data.points["policy"] == POLICY_OF.get(version, "apt"))
    ]
    for instance, curve in bounds.sort_values("scaled_budget").groupby("instance"):
        x, logs = curve["scaled_budget"].to_numpy(), np.log(curve["value"].to_numpy())
        here = points[
            (points["instance"] == instance) & points["scaled_budget"].between(x[0], x[-1])
        ]
        if not here.empty:
            last = here.loc[here["scaled_budget"].idxmax()]
            yield float(np.interp(last["scaled_budget"], x, logs) / np.log(last["estimate"]))


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        data = prepare(step.input, step.params)
        captions.write(facts(data), step)
        style.save(draw(data), step.output.pdf, step.output.png, step.metadata)
