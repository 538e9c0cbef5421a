"""Evidence on the held-out problems ``skewed-j``; the questions were registered before any run."""

import math

import numpy as np
import pandas as pd

from ldpt.replication.claims.budget import collapse, compared
from ldpt.replication.claims.confidence import (
    cost_over_bound,
    delta_correctness,
    pulls_by_radius,
    spreads,
)
from ldpt.replication.claims.evidence import Checks, Evidence, Instances, widest
from ldpt.util.reproducible import exp, log

POLICIES = ("apt", "lsa", "apt-clipped", "lsa-clipped", "uniform")
OURS = "lsa-clipped"


def at_complexity(losses: pd.DataFrame) -> pd.DataFrame:
    """Return the settings at T = H_eps: of each problem and eps, the budget nearest to it."""
    keys = ["instance", "policy", "epsilon"]
    away = losses["scaled_budget"].map(log).abs()
    nearest = away.groupby([losses[key] for key in keys]).idxmin()
    return losses.loc[nearest].query("0.8 <= scaled_budget <= 1.25")


def skewed_losses(losses: pd.DataFrame) -> Evidence:
    """Return which policy errs least at T = H_eps (S1), and how losses grow as eps falls (S4)."""
    cells = at_complexity(losses)
    found: Evidence = {}
    for other in ("apt", "lsa"):
        pair = compared(cells, OURS, other)
        found |= {f"{other}_{key}": pair[key] for key in ("differing", "better", "share_better")}
        found["detects"] = pair["detects"]
    # no error in a setting counts as half an error
    loss = cells["errors"].clip(lower=0.5) / cells["replicates"]
    logs = cells.assign(log=loss.map(log)).pivot_table(
        index=["instance", "epsilon"], columns="policy", values="log"
    )
    logs = logs.reindex(columns=list(POLICIES)).dropna()
    growths = {policy: _growth(cells[cells["policy"] == policy]) for policy in POLICIES[::2]}
    found |= {
        "settings": len(logs),
        "apt_growth": growths["apt"].median(),
        "apt_clipped_growth": growths["apt-clipped"].median(),
        "growth_problems": min(map(len, growths.values())),
    }
    if not len(logs):
        return found | {"best": "none", "lead": math.nan}
    means = logs.mean()
    rival = str(means.drop(OURS).idxmin())
    pair = compared(cells, OURS, rival)
    return found | {
        "best_is_lsa_clipped": int(means[OURS] <= means[rival]),
        "best": str(means.idxmin()),
        "lead": exp(means[rival] - means[OURS]),
        "best_is_significant": int(pair["worse"] > pair["better"]),
    }


def _growth(cells: pd.DataFrame) -> pd.Series:
    """Return by problem the loss at the smallest eps over that at eps = 1."""
    growth = []
    for _, part in cells.groupby("instance"):
        curve = part.set_index("epsilon")["estimate"].sort_index()
        if 1.0 in curve.index and curve.index[0] < 1 and curve[1.0] > 0:
            growth.append(curve.iloc[0] / curve[1.0])
    return pd.Series(growth, dtype=float)


def skewed_costs(cells: pd.DataFrame, instances: Instances) -> Evidence:
    """Return how near-optimal ``coin`` and ``onesided`` are, and flat along eps (S5, S6, S8)."""
    table = cost_over_bound(cells, instances, "reduction")
    coin, onesided = (table[table["radius"] == radius] for radius in ("coin", "onesided"))
    along = {"coin": spreads(coin, levels=3), "onesided": spreads(onesided, levels=3)}
    at_tenth = coin[coin["delta"] == 0.1]["ratio"]
    pulls, _, _ = pulls_by_radius(cells[np.isinf(cells["epsilon"])])
    ratios = (pulls["coin"] / pulls["onesided"]).dropna()
    return {
        "series": min(map(len, along.values())),
        **widest([*along["coin"].values()], "coin_spread"),
        **widest([*along["onesided"].values()], "onesided_spread"),
        "settings": len(at_tenth),
        "coin_median_over_bound": at_tenth.median(),
        "pairs": len(ratios),
        "ratio": exp(ratios.map(log).mean()),
    }


CHECKS: Checks = {
    "skewed_losses": lambda m: skewed_losses(m.losses_of("skewed")),
    "skewed_collapse": lambda m: collapse(m.losses_of("skewed"), OURS),
    "skewed_costs": lambda m: skewed_costs(m.costs_of("skewed"), m.problems),
    "delta_correct_skewed": lambda m: delta_correctness(m.costs_of("skewed"), "coin"),
}
