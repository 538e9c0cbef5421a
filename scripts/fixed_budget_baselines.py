"""What do the LSA index, uniform allocation and Laplace noise cost beside Algorithm 1?"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.plots import captions, elements, style
from ldpt.policies import POLICIES
from ldpt.summarise import needed_budgets


class Data(NamedTuple):
    """``curves``: rows of the summary; ``prices``: budgets over Algorithm 1's, with limits."""

    curves: pd.DataFrame
    prices: pd.DataFrame
    panels: list[str]
    epsilon: float
    error: float


def prepare(files: Any, settings: Any) -> Data:
    """All policies on the instances of the panels, and the budget of each over Algorithm 1's."""
    curves = pd.read_csv(files.summary)
    curves = curves[curves["instance"].isin(settings.panels)]
    levels = curves.loc[~curves["policy"].isin(("apt", "lsa")), "epsilon"].unique()
    prices = _relative_budgets(curves[curves["epsilon"].isin(levels)], settings.error)
    return Data(
        curves, prices, list(settings.panels), float(settings.epsilon), float(settings.error)
    )


def _relative_budgets(curves: pd.DataFrame, error: float) -> pd.DataFrame:
    """The budget of each policy over that of Algorithm 1, with the widest limits."""
    needed = needed_budgets(curves, error)
    own = needed.loc[needed["policy"] == "apt"].drop(columns=["policy", "n_arms", "complexity"])
    both = needed[needed["policy"] != "apt"].merge(
        own, on=["instance", "epsilon"], suffixes=("", "_apt")
    )
    for name, other in (("estimate", "estimate_apt"), ("low", "high_apt"), ("high", "low_apt")):
        both[name] = both[name] / both[other]
    return both


def draw(data: Data) -> Figure:
    """Above, error curves of all policies at one epsilon; below, the budget each one needs."""
    count = len(data.panels)
    figure, grid = elements.panels(2 * count, count, 1.8, sharey="row")
    for column, instance in enumerate(data.panels):
        upper, lower = grid[column], grid[count + column]
        _error_panel(upper, elements.rows_where(data.curves, instance=instance), data.epsilon)
        elements.title(upper, instance)
        _price_panel(lower, elements.rows_where(data.prices, instance=instance))
    grid[0].set_ylabel("error probability")
    grid[0].set_ylim(top=1.5)
    grid[count].set_ylabel("budget over\nAlgorithm 1's")
    policies = elements.in_order(data.curves["policy"], POLICIES)
    handles = [elements.marker_handle(policy) for policy in policies]
    elements.method_legend(figure, [*handles, elements.zero_handle()], columns=3)
    elements.epsilon_legend(figure, {*data.prices["epsilon"], np.inf})
    return figure


def _error_panel(axes: Axes, rows: pd.DataFrame, epsilon: float) -> None:
    open_ended = (rows["policy"] == "apt") & np.isinf(rows["epsilon"])
    for (policy, level), curve in rows[(rows["epsilon"] == epsilon) | open_ended].groupby(
        ["policy", "epsilon"]
    ):
        curve, colour = curve.sort_values("budget"), style.epsilon_colour(float(level))
        marker = style.marker_style(str(policy), 3.2)
        elements.estimates(axes, curve["budget"], curve, colour, **marker)
    elements.log_axes(axes)
    axes.set_xlabel("budget $T$ (pulls)")


def _price_panel(axes: Axes, rows: pd.DataFrame) -> None:
    x_of = elements.epsilon_axis(axes, rows["epsilon"])
    axes.axhline(1, color=style.FAINT, linewidth=0.6)
    for policy, curve in rows.groupby("policy"):
        curve = curve.sort_values("epsilon")
        x = [x_of(e) for e in curve["epsilon"]]
        elements.points_by_epsilon(axes, x, curve, str(policy))
    axes.set_ylim(bottom=0)


def facts(data: Data) -> dict[str, Any]:
    """Smallest and largest price of each policy, and Laplace's at the marked level."""
    found: dict[str, Any] = {
        "replicates": int(data.curves["replicates"].min()),
        "epsilon": data.epsilon,
        "error": data.error,
    }
    for policy in POLICIES:
        prices = data.prices.loc[data.prices["policy"] == policy, "estimate"]
        found[f"{policy}_least"] = float(prices.min()) if len(prices) else elements.NOT_RUN
        found[f"{policy}_most"] = float(prices.max()) if len(prices) else elements.NOT_RUN
    laplace = elements.rows_where(data.prices, policy="laplace", epsilon=data.epsilon)
    return found | {"laplace_marked": float(laplace["estimate"].mean())}


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        data = prepare(step.input, step.params)
        captions.write(facts(data), step)
        style.save(draw(data), step.output.pdf, step.output.png, step.metadata)
