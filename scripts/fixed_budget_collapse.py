"""Do the error curves of all privacy levels become one when drawn against T / H_eps?"""

from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.plots import captions, elements, style
from ldpt.summarise import needed_budgets

COMPARED = ("apt", "lsa")  # policies, from top to bottom
MIN_ERRORS = 10  # fewer say little about where a curve is
DOTS = {"marker": "o", "markersize": 2.0, "markeredgewidth": 0}


class Data(NamedTuple):
    """``curves``: rows of the summary; ``needed``: budgets for the error level, all instances."""

    curves: pd.DataFrame
    needed: pd.DataFrame
    panels: list[str]
    error: float
    strong: float  # privacy level up to which all instances are compared


def prepare(files: Any, settings: Any) -> Data:
    """The curves of both policies at the privacy levels that both were run at."""
    return data_of(
        pd.read_csv(files.summary),
        list(settings.panels),
        float(settings.error),
        float(settings.epsilon),
    )


def data_of(summary: pd.DataFrame, panels: list[str], error: float, strong: float) -> Data:
    """What there is to draw in a fixed-budget summary."""
    table = summary[summary["policy"].isin(COMPARED)]
    policies = table["policy"].nunique()
    shared = table.groupby(["instance", "epsilon"])["policy"].transform("nunique") == policies
    needed = needed_budgets(table[shared], error)
    both = needed.groupby(["instance", "epsilon"])["policy"].transform("nunique") == policies
    needed = needed.assign(scaled=needed["estimate"] / needed["complexity"])[both]
    curves = table[shared & table["instance"].isin(panels) & (table["errors"] >= MIN_ERRORS)]
    return Data(curves, needed, panels, error, strong)


def draw(data: Data) -> Figure:
    """One row per policy, one column per instance; a bar shows how far the curves are apart."""
    policies = elements.in_order(data.curves["policy"], COMPARED)
    count = len(data.panels)
    figure, grid = elements.panels(len(policies) * count, count, 1.75, sharey=True, sharex="col")
    for row, policy in enumerate(policies):
        for column, instance in enumerate(data.panels):
            axes = grid[row * count + column]
            here = {"policy": policy, "instance": instance}
            elements.draw_curves(
                axes, elements.rows_where(data.curves, **here), "scaled_budget", policy, **DOTS
            )
            elements.log_axes(axes, "y")
            _spread_bar(axes, elements.rows_where(data.needed, **here)["scaled"], data.error)
            if row == 0:
                elements.title(axes, instance)
            if row == len(policies) - 1:
                axes.set_xlabel("scaled budget $T / H_ε$")
        first = grid[row * count]
        first.set_ylabel(f"{style.label(policy)}\nerror probability")
    grid[0].set_ylim(top=1.5)
    elements.epsilon_legend(figure, data.curves["epsilon"])
    return figure


def _spread_bar(axes: Axes, scaled: pd.Series, error: float) -> None:
    """Where the curves pass the error level, from the first to the last, with their ratio."""
    low, high = scaled.min(), scaled.max()
    tips = {"shrinkA": 0, "shrinkB": 0}
    axes.annotate(
        "", (low, error), (high, error),
        arrowprops={"arrowstyle": "|-|,widthA=0.25,widthB=0.25", "color": style.NOTE, **tips},
        zorder=4,
    )  # fmt: skip
    words = f"factor {high / low:.2f}"
    place = {"transform": axes.transAxes, "ha": "right", "va": "top"}
    axes.text(0.97, 0.95, words, color=style.NOTE, **place)


def facts(data: Data) -> dict[str, Any]:
    """How far apart the curves are at one error level, before and after scaling, by policy."""
    found: dict[str, Any] = {"error": data.error, "strong": data.strong, "min_errors": MIN_ERRORS}
    shown = data.needed[data.needed["instance"].isin(data.panels)]
    strong = data.needed[data.needed["epsilon"] <= data.strong]
    several = strong.groupby("instance")["epsilon"].transform("nunique") > 1
    compared = strong[several]
    found["instances"] = int(compared["instance"].nunique())
    for policy in COMPARED:
        rows = shown[shown["policy"] == policy]
        found[f"{policy}_before"] = _spread(rows, "estimate")
        found[f"{policy}_after"] = _spread(rows, "scaled")
        found[f"{policy}_strong"] = _spread(compared[compared["policy"] == policy], "scaled")
    own = shown[shown["policy"] == "apt"]
    scaled = own.groupby("instance")["scaled"]
    widest = (scaled.max() / scaled.min()).idxmax()
    curve = own[own["instance"] == widest].sort_values("epsilon")
    found["widest"] = str(widest)
    found["least_epsilon"] = float(curve["epsilon"].iloc[0])
    found["least_scaled"] = float(curve["scaled"].iloc[0])
    found["most_epsilon"] = style.epsilon_label(curve["epsilon"].iloc[-1])
    found["most_scaled"] = float(curve["scaled"].iloc[-1])
    return found | {"replicates": int(data.curves["replicates"].min())}


def _spread(needed: pd.DataFrame, column: str) -> float | str:
    """Largest over smallest value over the privacy levels, for the worst instance."""
    if needed.empty:
        return elements.NOT_RUN
    values = needed.groupby("instance")[column]
    return float((values.max() / values.min()).max())


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        data = prepare(step.input, step.params)
        captions.write(facts(data), step)
        style.save(draw(data), step.output.pdf, step.output.png, step.metadata)
