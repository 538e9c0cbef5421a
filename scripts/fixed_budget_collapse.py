"""Do the error curves of all privacy levels become one when drawn against T / H_eps?"""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ldpt.figures import captions
from ldpt.figures import drawing as figures
from ldpt.figures.style import epsilon_label
from ldpt.summarise import needed_budgets

LEVEL = 0.05  # error probability at which curves are compared


def spread(needed: pd.DataFrame) -> float:
    """Largest over smallest scaled budget over the privacy levels, for the worst instance."""
    scaled = needed["estimate"] / needed["complexity"]
    by_instance = scaled.groupby(needed["instance"])
    return float((by_instance.max() / by_instance.min()).max())


def facts(shown: pd.DataFrame) -> dict[str, Any]:
    """How far apart the curves are at one error level, before and after scaling."""
    needed = needed_budgets(shown, LEVEL)
    widest = needed.loc[needed["epsilon"].idxmin(), "instance"]  # down to the strongest privacy
    curve = needed[needed["instance"] == widest].sort_values("epsilon")
    scaled = (curve["estimate"] / curve["complexity"]).tolist()
    return {
        "level": LEVEL,
        "before": spread(needed.assign(complexity=1.0)),
        "after": spread(needed),
        "widest": str(widest),
        "least_epsilon": float(curve["epsilon"].iloc[0]),
        "least_scaled": scaled[0],
        "most_epsilon": epsilon_label(curve["epsilon"].iloc[-1]),
        "most_scaled": scaled[-1],
        "replicates": int(shown["replicates"].min()),
    }


def fixed_budget_collapse(summary: str, instances: list[str]) -> tuple[Figure, dict[str, Any]]:
    """The figure and the facts of its caption."""
    table = pd.read_csv(summary)
    shown = table[(table["policy"] == "apt") & table["instance"].isin(instances)]
    return figures.fixed_budget_collapse(shown, instances), facts(shown)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        drawing = fixed_budget_collapse(this.input.summary, this.params.panels)
        captions.publish(*drawing, this.input.caption, this.output, this.metadata)
