"""Draw the budget that each policy needs, divided by that of Algorithm 1."""

from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from ldpt.plots import parts, products, style
from ldpt.summarise import needed_budgets

SHOWN = ("lsa", "lsa-clipped", "uniform", "laplace")  # beside Algorithm 1


class Data(NamedTuple):
    """``prices``: budgets divided by Algorithm 1's, with limits."""

    prices: pd.DataFrame
    panels: list[str]
    error: float
    replicates: float


def prepare(files: Any, settings: Any) -> Data:
    """Return the budget of each policy divided by Algorithm 1's, on the problems of the panels."""
    curves = pd.read_csv(files.summary)
    curves = curves[curves["instance"].isin(settings.panels)]
    curves = curves[curves["policy"].isin(("apt", *SHOWN))]
    levels = curves.loc[curves["policy"].isin(("uniform", "laplace")), "epsilon"].unique()
    prices = _relative_budgets(curves[curves["epsilon"].isin(levels)], settings.error)
    runs = parts.fewest_runs(curves)
    return Data(prices, list(settings.panels), float(settings.error), runs)


def _relative_budgets(curves: pd.DataFrame, error: float) -> pd.DataFrame:
    """Return the budget of each policy divided by that of Algorithm 1, with the widest limits."""
    needed = needed_budgets(curves, error)
    own = needed.loc[needed["policy"] == "apt"].drop(columns=["policy", "n_arms", "complexity"])
    keys = ["instance", "epsilon"]
    both = needed[needed["policy"] != "apt"].merge(own, on=keys, suffixes=("", "_apt"))
    for name, other in (("estimate", "estimate_apt"), ("low", "high_apt"), ("high", "low_apt")):
        both[name] = both[name] / both[other]
    return both


def draw(data: Data) -> Figure:
    """Draw the relative budgets against epsilon, one panel per problem."""
    panels = [name for name in data.panels if name in set(data.prices["instance"])]
    if not panels:
        return parts.blank()
    figure, grid = parts.panels(len(panels), 3, 1.9, sharey=True)
    for axes, instance in zip(grid, panels, strict=True):
        rows = data.prices[data.prices["instance"] == instance]
        x_of = parts.epsilon_axis(axes, rows["epsilon"])
        axes.axhline(1, color=style.colour("apt"), linewidth=1.2)
        parts.method_curves(axes, rows, "policy", "epsilon", x_of)
        parts.fine_ticks(axes, "y")
        axes.set_title(parts.problem(instance))
    grid[0].set_ylabel("budget ÷ that of Algorithm 1")
    names = parts.in_order(data.prices["policy"], SHOWN)
    parts.method_legend(figure, parts.method_handles(["apt", *names]))
    return figure


def facts(data: Data) -> dict[str, Any]:
    """Return the smallest and the largest relative budget of each policy."""
    numbers: dict[str, Any] = {"replicates": data.replicates, "error": data.error}
    for policy in ("lsa", "uniform", "laplace"):
        prices = data.prices.loc[data.prices["policy"] == policy, "estimate"]
        numbers[f"{policy}_least"] = float(prices.min())
        numbers[f"{policy}_most"] = float(prices.max())
    return numbers


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
