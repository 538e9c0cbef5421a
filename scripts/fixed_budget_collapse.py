"""Draw error against T / H_eps: do the curves of all privacy levels become one?"""

import math
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from ldpt import plots
from ldpt.plots import parts, products, style
from ldpt.plots.charts import MIN_ERRORS
from ldpt.summarise import needed_budgets


class Data(NamedTuple):
    """``curves``: rows of the summary; ``needed``: budgets for the error level, all problems."""

    curves: pd.DataFrame
    needed: pd.DataFrame
    panels: list[str]
    policies: list[str]
    error: float
    strong: float  # privacy level up to which all problems are compared


def prepare(files: Any, settings: Any) -> Data:
    """Return the curves of the panels, and the budgets for the error level on all problems."""
    table = pd.read_csv(files.summary)
    panels = list(settings.panels)
    in_panels = table[table["instance"].isin(panels)]
    policies = parts.run_of(in_panels["policy"], settings.policies)
    levels = [*style.ladder(in_panels["epsilon"]), settings.epsilon]
    curves = in_panels[in_panels["policy"].isin(policies) & in_panels["epsilon"].isin(levels)]
    needed = needed_budgets(table[table["policy"].isin(policies)], settings.error)
    needed["scaled"] = needed["estimate"] / needed["complexity"]
    reached = needed.groupby(["instance", "epsilon"])["policy"].transform("nunique")
    needed = needed[reached == len(policies)]
    return Data(curves, needed, panels, policies, settings.error, settings.epsilon)


def draw(data: Data) -> Figure:
    """Draw one row per policy, one column per problem; a bar shows how far curves are apart."""
    where: dict[str, Any] = {"instance": data.panels, "policy": data.policies}
    grid = plots.collapse(data.curves, error=data.error, **where)
    return grid.set_xlabels("budget $T$ divided by $H_ε$").figure


def facts(data: Data) -> dict[str, Any]:
    """Return how far apart the curves are at one error level: the first and the last policy."""
    strong = data.needed[data.needed["epsilon"] <= data.strong]
    several = strong.groupby(["instance", "policy"])["epsilon"].transform("nunique") > 1
    compared = strong[several]
    first, best = data.policies[0], data.policies[-1]
    drawn = needed_budgets(data.curves[data.curves["errors"] >= MIN_ERRORS], data.error)
    return {
        "error": data.error,
        "strong": data.strong,
        "levels": int((data.curves["epsilon"].drop_duplicates() <= data.strong).sum()),
        "colours": parts.colours_of(data.curves["epsilon"]),
        "bars": int((drawn.groupby(["instance", "policy"]).size() > 1).sum()),
        "min_errors": MIN_ERRORS,
        "replicates": parts.fewest_runs(data.curves),
        "instances": int(compared["instance"].nunique()),
        "first": style.label(first),
        "first_strong": _spread(compared, first),
        "best": style.label(best),
        "best_strong": _spread(compared, best),
    }


def _spread(needed: pd.DataFrame, policy: str) -> float:
    """Return the largest over the smallest scaled budget, for the worst problem."""
    values = needed[needed["policy"] == policy].groupby("instance")["scaled"]
    return float((values.max() / values.min()).max()) if len(values) else math.nan


if __name__ == "__main__":
    products.make(snakemake, prepare, draw, facts)
