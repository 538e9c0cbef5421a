"""Draw error against T / H_eps: do the curves of all privacy levels become one?"""

from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.plots import elements, products, style
from ldpt.summarise import needed_budgets

COMPARED = ("apt", "lsa", "lsa-clipped")  # policies, from top to bottom
MIN_ERRORS = 10  # fewer say little about where a curve is


class Data(NamedTuple):
    """``curves``: rows of the summary; ``needed``: budgets for the error level, all problems."""

    curves: pd.DataFrame
    needed: pd.DataFrame
    panels: list[str]
    error: float
    strong: float  # privacy level up to which all problems are compared


def prepare(files: Any, settings: Any) -> Data:
    """Return the curves at the privacy levels at which all policies were run."""
    summary, panels = pd.read_csv(files.summary), list(settings.panels)
    return data_of(summary, panels, float(settings.error), float(settings.epsilon))


def data_of(summary: pd.DataFrame, panels: list[str], error: float, strong: float) -> Data:
    """Return what there is to draw in a fixed-budget summary."""
    table = summary[summary["policy"].isin(COMPARED)]
    in_panels = table[table["instance"].isin(panels)]
    policies = in_panels["policy"].nunique()
    table = table[table["policy"].isin(in_panels["policy"].unique())]
    needed = needed_budgets(table, error)
    needed = needed.assign(scaled=needed["estimate"] / needed["complexity"])
    reached = needed.groupby(["instance", "epsilon"])["policy"].transform("nunique")
    # Levels that only two policies reach still compare those two.
    needed = needed[reached >= min(policies, 2)]
    curves = in_panels[in_panels["errors"] >= MIN_ERRORS]
    return Data(curves, needed, panels, error, strong)


def draw(data: Data) -> Figure:
    """Draw one row per policy, one column per problem; a bar shows how far curves are apart."""
    policies = elements.in_order(data.curves["policy"], COMPARED)
    levels = style.ladder(data.curves["epsilon"])
    count = len(data.panels)
    figure, grid = elements.panels(len(policies) * count, count, 1.75, sharey=True, sharex="col")
    for row, policy in enumerate(policies):
        for column, instance in enumerate(data.panels):
            axes = grid[row * count + column]
            labels = {"policy": policy, "instance": instance}
            curves = elements.rows_where(data.curves, **labels)
            elements.epsilon_curves(axes, curves[curves["epsilon"].isin(levels)], "scaled_budget")
            elements.log_axes(axes, "y")
            needed = elements.rows_where(data.needed, **labels)
            _spread_bar(axes, needed[needed["epsilon"].isin(levels)]["scaled"], data.error)
            axes.set_title(f"{style.label(policy)}, {elements.problem(instance)}")
            if row == len(policies) - 1:
                axes.set_xlabel("budget $T$ divided by $H_ε$")
        grid[row * count].set_ylabel("error probability")
    grid[0].set_ylim(top=1.5)
    elements.epsilon_key(grid[0], levels)
    return figure


def _spread_bar(axes: Axes, scaled: pd.Series, error: float) -> None:
    """Draw where the curves pass the error level, from the first to the last, with their ratio."""
    low, high = scaled.min(), scaled.max()
    tips = {"shrinkA": 0, "shrinkB": 0, "color": style.NOTE}
    arrow = {"arrowstyle": "|-|,widthA=0.3,widthB=0.3", **tips}
    axes.annotate("", (low, error), (high, error), arrowprops=arrow, zorder=4)
    beside = {"xytext": (5, 0), "textcoords": "offset points", "va": "center"}
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
    axes.annotate(f"×{high / low:.2f}", (high, error), color=style.NOTE, bbox=box, **beside)


def facts(data: Data) -> dict[str, Any]:
    """Return how far apart the curves are at one error level: Algorithm 1 and the best policy."""
    strong = data.needed[data.needed["epsilon"] <= data.strong]
    several = strong.groupby(["instance", "policy"])["epsilon"].transform("nunique") > 1
    compared = strong[several]
    best = elements.in_order(data.curves["policy"], COMPARED)[-1]
    return {
        "error": data.error,
        "strong": data.strong,
        "min_errors": MIN_ERRORS,
        "replicates": int(data.curves["replicates"].min()),
        "instances": int(compared["instance"].nunique()),
        "apt_strong": _spread(compared, "apt"),
        "best": style.label(best),
        "best_strong": _spread(compared, best),
    }


def _spread(needed: pd.DataFrame, policy: str) -> float | str:
    """Return the largest over the smallest scaled budget, for the worst problem."""
    values = needed[needed["policy"] == policy].groupby("instance")["scaled"]
    return float((values.max() / values.min()).max()) if len(values) else elements.NOT_RUN


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
