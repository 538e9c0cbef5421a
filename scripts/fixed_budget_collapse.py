"""Do the error curves of all privacy levels become one when drawn against T / H_eps?"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ldpt import captions, figures
from ldpt.summarise import needed_budgets

LEVEL = 0.05  # error probability at which curves are compared
STRONG = 1.0  # up to this epsilon responses are close to fair coins, beyond they are not


def spread(needed: pd.DataFrame) -> float:
    """Largest over smallest scaled budget over the privacy levels, for the worst instance."""
    scaled = needed["estimate"] / needed["complexity"]
    by_instance = scaled.groupby(needed["instance"])
    return float((by_instance.max() / by_instance.min()).max())


def facts(shown: pd.DataFrame) -> dict[str, Any]:
    """How far apart the curves are at one error level, before and after scaling."""
    needed = needed_budgets(shown, LEVEL)
    strong = needed[needed["epsilon"] <= STRONG]
    weak = needed[np.isinf(needed["epsilon"]) | (needed["epsilon"] == STRONG)]
    plain = needed.assign(complexity=1.0)
    return {
        "level": LEVEL,
        "before": spread(plain),
        "after": spread(needed),
        "strong": STRONG,
        "strong_after": spread(strong),
        "weak_after": spread(weak),
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
