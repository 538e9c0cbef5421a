"""Evidence on the held-out problems ``skewed-j``; the questions were registered before any run."""

import math

import numpy as np
import pandas as pd

from ldpt.claims.budget import collapse, compared
from ldpt.claims.confidence import cost_over_bound, delta_correctness, spreads
from ldpt.claims.evidence import Evidence, Instances, median, widest

SKEWED = "skewed-"
POLICIES = ("apt", "lsa", "apt-clipped", "lsa-clipped", "uniform")
OURS = "lsa-clipped"


def evidence(
    losses: pd.DataFrame, cells: pd.DataFrame, instances: Instances
) -> dict[str, Evidence]:
    """Return all entries, from the summaries of both algorithms."""
    budget = losses[losses["instance"].str.startswith(SKEWED)]
    confidence = cells[cells["instance"].str.startswith(SKEWED)]
    return {
        "skewed_losses": skewed_losses(budget),
        "skewed_collapse": collapse(budget, OURS),
        "skewed_costs": skewed_costs(confidence, instances),
        "delta_correct_skewed": delta_correctness(confidence, "coin"),
    }


def at_complexity(losses: pd.DataFrame) -> pd.DataFrame:
    """Return the settings at T = H_eps: of each problem and eps, the budget nearest to it."""
    keys = ["instance", "policy", "epsilon"]
    away = np.log(losses["scaled_budget"]).abs()
    nearest = away.groupby([losses[key] for key in keys]).idxmin()
    return losses.loc[nearest].query("0.8 <= scaled_budget <= 1.25")


def skewed_losses(losses: pd.DataFrame) -> Evidence:
    """Which policy errs least at T = H_eps (S1), and whether losses grow as eps falls (S4)."""
    cells = at_complexity(losses)
    found: Evidence = {}
    for other, name in (("apt", "apt"), ("lsa", "lsa")):
        pair = compared(cells, SKEWED, OURS, other)
        found |= {f"{name}_{key}": pair[key] for key in ("differing", "better", "share_better")}
        found["detects"] = pair["detects"]
    # a loss that was not seen counts as half an error
    loss = cells["errors"].clip(lower=0.5) / cells["replicates"]
    logs = cells.assign(log=np.log(loss)).pivot_table(
        index=["instance", "epsilon"], columns="policy", values="log"
    )
    logs = logs.reindex(columns=list(POLICIES)).dropna()
    found["settings"] = len(logs)
    if not len(logs):
        return found | {"best": "none", "lead": math.nan} | _growth(cells)
    means = logs.mean()
    for policy in POLICIES:
        found[f"{policy.replace('-', '_')}_mean_loss"] = math.exp(means[policy])
    rival = str(means.drop(OURS).idxmin())
    pair = compared(cells, SKEWED, OURS, rival)
    return found | {
        "best_is_lsa_clipped": int(means[OURS] <= means[rival]),
        "best": str(means.idxmin()),
        "best_other": rival,
        "lead": math.exp(means[rival] - means[OURS]),
        "best_is_significant": int(pair["worse"] > pair["better"]),
        **_growth(cells),
    }


def _growth(cells: pd.DataFrame) -> Evidence:
    """Median over the problems of the loss at the smallest eps over that at eps = 1."""
    found: Evidence = {}
    for policy in ("apt", "apt-clipped"):
        growth = []
        for _, part in cells[cells["policy"] == policy].groupby("instance"):
            curve = part.set_index("epsilon")["estimate"].sort_index()
            if 1.0 in curve.index and curve.index[0] < 1 and curve[1.0] > 0:
                growth.append(curve.iloc[0] / curve[1.0])
        found[f"{policy.replace('-', '_')}_growth"] = median(growth)
        found["growth_problems"] = min(found.get("growth_problems", len(growth)), len(growth))
    return found


def skewed_costs(cells: pd.DataFrame, instances: Instances) -> Evidence:
    """How near-optimal ``coin`` and ``onesided`` are, and flat along eps (S5, S6, S8)."""
    table = cost_over_bound(cells, instances, "reduction")
    found: Evidence = {}
    for radius in ("coin", "onesided"):
        along = spreads(table[table["radius"] == radius], levels=3)
        found |= widest(along, f"{radius}_spread")
        found["series"] = min(found.get("series", len(along)), len(along))
        part = table[(table["radius"] == radius) & (table["delta"] == 0.1)]["ratio"]
        found[f"{radius}_median_over_bound"] = median(part)
        found["settings"] = min(found.get("settings", len(part)), len(part))
    free = cells[np.isinf(cells["epsilon"])]
    wide = free.pivot_table(index=["instance", "delta"], columns="radius", values="mean_pulls")
    wide = wide.reindex(columns=["coin", "onesided"]).dropna()
    ratio = np.log(wide["coin"] / wide["onesided"])
    thresholds = [p.threshold for name, p in instances.items() if name.startswith(SKEWED)]
    return found | {
        "least_threshold": min(thresholds, default=math.nan),
        "most_threshold": max(thresholds, default=math.nan),
        "pairs": len(wide),
        "ratio": float(np.exp(ratio.mean())) if len(wide) else math.nan,
    }
