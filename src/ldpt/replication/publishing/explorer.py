"""The interactive page: one self-contained HTML file that computes in the browser.

The page's formulas are its own, in JavaScript; a test compares them with :mod:`ldpt.bounds` and
:mod:`ldpt.radii`. What was measured is put into the page as JSON.
"""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from ldpt.checks import supporting
from ldpt.instances import Instance
from ldpt.plots import style
from ldpt.policies import DEFAULT_POLICY, POLICIES
from ldpt.radii import COIN, DEFAULT_PRIOR_GAP, KINDS, ONE_SIDED, TWO_SIDED, UNION
from ldpt.replication.publishing import pages

FAMILIES = {UNION: "UNION", TWO_SIDED: "TWO_SIDED", ONE_SIDED: "ONE_SIDED", COIN: "COIN"}
BUDGET_COLUMNS = ("instance", "policy", "epsilon", "budget", "estimate", "low", "high")
CONFIDENCE_COLUMNS = (
    "instance", "radius", "epsilon", "delta", "mean_pulls", "mean_pulls_low",
    "mean_pulls_high", "estimate", "low", "high", "undecided",
)  # fmt: skip
POLICY_KEYS = ("name", "log_weight", "clipped", "standardised")
SCRIPTS = ("model.js", "chart.js", "race.js", "page.js")


def page_data(
    instances: Sequence[Instance],
    budget: pd.DataFrame,
    confidence: pd.DataFrame,
    rho: float,
    prior_gap: float = DEFAULT_PRIOR_GAP,
) -> dict[str, Any]:
    """Return the tables of radii and policies and all measured values of the page, for JSON."""
    policies = supporting(POLICIES, "explorer")
    simulated = budget[budget["policy"].isin(policies)]
    radii = supporting(KINDS, "explorer")
    confidence = confidence[confidence["radius"].isin(radii)]
    finite = sorted({e for t in (simulated, confidence) for e in t["epsilon"] if math.isfinite(e)})
    return {
        "rho": rho,
        "priorGap": prior_gap,
        "radii": [
            {
                "name": name,
                "label": style.label(name),
                "valid": kind.valid,
                "family": FAMILIES[kind.family],
                "factor": None if math.isnan(kind.factor) else kind.factor,  # the problem decides
            }
            for name, kind in ((name, KINDS[name]) for name in radii)
        ],
        "policies": [
            {key: getattr(POLICIES[name], key) for key in POLICY_KEYS}
            | {"label": style.label(name)}
            for name in policies
        ],
        "palette": {name: style.colour(name) for name in (*radii, *policies)},
        "darkPalette": {name: style.method(name).dark_colour for name in (*radii, *policies)},
        "policy": DEFAULT_POLICY,
        "instances": [vars(instance) for instance in instances],
        "colours": [
            {"epsilon": epsilon, "colour": colour}
            for epsilon, colour in style.epsilon_palette(finite).items()
        ],
        "budget": _rows(simulated, BUDGET_COLUMNS),
        "confidence": _rows(confidence, CONFIDENCE_COLUMNS),
    }


def render(sources: Path, data: dict[str, Any]) -> str:
    """Return the page with its style, its scripts and its data inside."""
    # A tag or a comment in the data could end the script element that holds it, or hide its end.
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return pages.render(sources, {}, data=Markup(text), scripts=SCRIPTS)


def _rows(table: pd.DataFrame, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Return the columns that the page needs, with the digits that it shows."""
    records = table[list(columns)].to_dict("records")
    return [{str(name): _five_digits(value) for name, value in row.items()} for row in records]


def _five_digits(value: Any) -> Any:
    if isinstance(value, float):
        return "inf" if math.isinf(value) else float(f"{value:.5g}")
    return value
