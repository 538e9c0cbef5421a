"""Evidence on the held-out problems ``skewed-j``."""

import math

import numpy as np
import pandas as pd

from ldpt.replication.claims.budget import collapse, compared
from ldpt.replication.claims.confidence import LIMITS, along_epsilon, cost_of_radii, cost_over_bound
from ldpt.replication.claims.evidence import (
    Checks,
    Evidence,
    Instances,
    bootstrap,
    geometric_mean,
    log_deviation,
    median,
    widest,
)
from ldpt.util.reproducible import exp, log

POLICIES = ("apt", "lsa", "apt-clipped", "lsa-clipped", "uniform")
OURS = "lsa-clipped"
GROWING = ("apt", "apt-clipped")  # whose loss is compared along epsilon


def at_complexity(losses: pd.DataFrame) -> pd.DataFrame:
    """Return the settings at T = H_eps: of each problem and eps, the budget nearest to it."""
    keys = ["instance", "policy", "epsilon"]
    away = losses["scaled_budget"].map(log).abs()
    nearest = away.groupby([losses[key] for key in keys]).idxmin()
    return losses.loc[nearest].query("0.8 <= scaled_budget <= 1.25")


def skewed_losses(losses: pd.DataFrame) -> Evidence:
    """Return which policy errs least at T = H_eps, and how losses grow as eps falls.

    No error in a setting counts as half an error.
    """
    cells = at_complexity(losses)
    errors = cells["errors"].clip(lower=0.5)
    cells = cells.assign(log=log((errors / cells["replicates"]).to_numpy()))
    cells["variance"] = 1 / errors - 1 / cells["replicates"]  # of the logarithm
    evidence: Evidence = {}
    for other in ("apt", "lsa"):
        pair = compared(cells, OURS, other)
        evidence |= {f"{other}_{key}": pair[key] for key in pair if key.startswith("share_better")}
        evidence |= {f"{other}_{key}": pair[key] for key in ("differing", "better")}
        evidence["detects"] = pair["detects"]
    wide = cells.pivot_table(
        index=["instance", "epsilon"], columns="policy", values=["log", "variance"]
    ).reindex(columns=[(value, policy) for value in ("log", "variance") for policy in POLICIES])
    wide = wide.dropna()
    growths = {policy: _growth(cells[cells["policy"] == policy]) for policy in GROWING}
    evidence |= {
        "settings": len(wide),
        "growth_problems": min(map(len, growths.values())),
        **bootstrap("apt_growth", median, *growths["apt"].to_numpy().T),
        **bootstrap("apt_clipped_growth", median, *growths["apt-clipped"].to_numpy().T),
    }
    if not len(wide):
        return evidence | {"best": "none", **bootstrap("lead", geometric_mean, *np.empty((2, 0)))}
    private = wide[wide.index.get_level_values("epsilon") <= 1]
    means = wide["log"].mean()
    evidence |= {
        f"mean_loss_{p.replace('-', '_')}": exp(private["log"][p]).mean() for p in POLICIES
    }
    return evidence | {
        "best": str(means.idxmin()),
        **_lead("lead", wide, str(means.drop(OURS).idxmin())),
        **_lead("lead_private", private, str(private["log"].mean().drop(OURS).idxmin())),
    }


def _lead(name: str, wide: pd.DataFrame, rival: str) -> Evidence:
    """Return the geometric mean of the rival's losses over ours."""
    ratio = exp((wide["log"][rival] - wide["log"][OURS]).to_numpy())
    variance = wide["variance"][rival] + wide["variance"][OURS]
    return bootstrap(name, geometric_mean, ratio, np.sqrt(variance.to_numpy()))


def _growth(cells: pd.DataFrame) -> pd.DataFrame:
    """Return by problem the loss at the smallest eps over that at eps = 1, with its deviation."""
    growth = []
    for _, part in cells.groupby("instance"):
        curve = part.set_index("epsilon").sort_index(kind="stable")
        if 1.0 in curve.index and curve.index[0] < 1 and curve.loc[1.0, "errors"] > 0:
            first, last = curve.iloc[0], curve.loc[1.0]
            deviation = math.sqrt(first["variance"] + last["variance"])
            growth.append((exp(first["log"] - last["log"]), deviation))
    return pd.DataFrame(growth, columns=["growth", "deviation"], dtype=float)


def skewed_costs(cells: pd.DataFrame, instances: Instances) -> Evidence:
    """Return how near-optimal ``coin`` and ``onesided`` are, and how flat along eps."""
    table = cost_over_bound(cells, instances, "reduction")
    coin, onesided = (table[table["radius"] == radius] for radius in ("coin", "onesided"))
    along = {"coin": along_epsilon(coin, 3), "onesided": along_epsilon(onesided, 3)}
    at_tenth = coin[coin["delta"] == 0.1]
    ratio, low, high = at_tenth[LIMITS].to_numpy().T
    free = cost_of_radii(cells[np.isinf(cells["epsilon"])], [("coin", "onesided")])
    return {
        "series": min(map(len, along.values())),
        **widest([*along["coin"].values()], "coin_spread"),
        **widest([*along["onesided"].values()], "onesided_spread"),
        "settings": len(at_tenth),
        **bootstrap("coin_median_over_bound", median, ratio, log_deviation(low, high)),
        "pairs": free["coin_cells"],
        **{f"ratio{end}": free[f"mean_coin_over_onesided{end}"] for end in ("", "_low", "_high")},
    }


CHECKS: Checks = {
    "skewed_losses": lambda m: skewed_losses(m.losses_of("skewed")),
    "skewed_collapse": lambda m: collapse(m.losses_of("skewed"), OURS),
    "skewed_costs": lambda m: skewed_costs(m.costs_of("skewed"), m.problems),
}
