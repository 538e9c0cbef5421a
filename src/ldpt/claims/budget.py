"""Evidence on Algorithm 1 and the other index policies, from simulated losses."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ldpt import bounds
from ldpt.claims.evidence import (
    SURELY,
    Evidence,
    Instances,
    Spread,
    median,
    rows_of,
    spread,
    underscored,
    widest,
)
from ldpt.instances import Instance
from ldpt.summarise import crossing

UPPER_VERSIONS = ("printed", "proved", "locatelli")  # of the bounds on the loss of Algorithm 1
TARGETS = (0.2, 0.1, 0.05)  # error probabilities at which budgets are compared
RANGES = {"all": math.inf, "small": 1.0, "half": 0.5}  # largest epsilon that is compared
NEW = "new-"  # prefix of the problems that were drawn after `lsa` had been chosen
FISHER = 0.01  # level at which two settings differ
FISHER_QUANTILE = 2.576  # normal, two-sided at this level
Losses = Iterable[tuple[Instance, float, int, float]]  # problem, epsilon, budget, loss


# --- upper bounds on the loss ---------------------------------------------------------------------


def compare_with_bounds(losses: Losses, versions: Sequence[str], scale: float = 1.0) -> Evidence:
    """Return for each bound how many losses it could contradict, and how many exceed it.

    Only a bound below 1 is informative; ``several`` counts the informative losses of more than one
    arm. ``scale`` divides the bounds.
    """
    losses, found = list(losses), Evidence()
    for version in versions:
        compared = [
            (problem.n_arms, loss, bound / scale)
            for problem, epsilon, budget, loss in losses
            if (bound := bounds.fixed_budget_upper(problem, epsilon, budget, version)) < 1
        ]
        found |= {
            f"{underscored(version)}_informative": len(compared),
            f"{underscored(version)}_several": sum(n_arms > 1 for n_arms, _, _ in compared),
            f"{underscored(version)}_violations": sum(loss > bound for _, loss, bound in compared),
        }
    return found


def sampled_losses(
    table: pd.DataFrame,
    instances: Instances,
    policy: str = "apt",
    versions: Sequence[str] = UPPER_VERSIONS[:2],
) -> Evidence:
    """Compare upper bounds with losses far below the floor of plain simulation.

    Reliable estimates only; a bound is contradicted by one that exceeds it by five standard errors.
    """
    chosen = table[table["reliable"] & (table["estimate"] > 0) & (table["policy"] == policy)]
    surely = [
        (instances[row.instance], row.epsilon, row.budget,
         row.estimate * (1 - SURELY * row.relative_error))
        for row in rows_of(chosen)
    ]  # fmt: skip
    detects = SURELY * median(chosen["relative_error"])
    return {"detects": detects} | compare_with_bounds(surely, versions)


# --- do error curves coincide against T/H_eps? ----------------------------------------------------


def collapse(
    cells: pd.DataFrame, policy: str = "apt", targets: Sequence[float] = TARGETS
) -> Evidence:
    """Compare over epsilon the budgets, in units of H_eps, at which the error passes each target.

    The spread is the largest over the smallest, over the epsilons of each range of ``RANGES``, on
    the problem and at the target where it is widest; ``none`` compares each eps <= 1 with no
    privacy, either way.
    """
    spreads: dict[str, list[Spread]] = {name: [] for name in (*RANGES, "none")}
    for instance, part in cells[cells["policy"] == policy].groupby("instance"):
        for target in targets:
            budgets, where = budgets_at(part, target), f"{instance}, error {target:g}"
            for name, most in RANGES.items():
                chosen = [at for epsilon, at in budgets.items() if epsilon <= most]
                if len(chosen) > 1:
                    spreads[name].append(spread(chosen, where))
            if math.inf in budgets:
                spreads["none"] += [
                    spread([at, budgets[math.inf]], f"{where}, eps = {epsilon:g}")
                    for epsilon, at in budgets.items()
                    if epsilon <= 1
                ]
    result: Evidence = {}
    for name, found in spreads.items():
        result |= {f"comparisons_{name}": len(found), **widest(found, f"spread_{name}")}
    return result


def budgets_at(curves: pd.DataFrame, target: float) -> dict[float, tuple[float, ...]]:
    """Return, by epsilon, the budget in units of H_eps at which the curve passes the target.

    Limits are where the curves of the lower and of the upper limits pass it.
    """
    found = {}
    for epsilon, curve in curves.sort_values("budget").groupby("epsilon"):
        columns = (curve["estimate"], curve["low"], curve["high"])
        limits = tuple(crossing(curve["scaled_budget"], column, target) for column in columns)
        if all(map(math.isfinite, limits)):
            found[float(epsilon)] = limits
    return found


# --- two policies side by side --------------------------------------------------------------------


def compared(
    cells: pd.DataFrame, prefix: str = NEW, ours: str = "lsa", other: str = "apt"
) -> Evidence:
    """Compare two policies on the problems whose names begin with ``prefix``.

    Two settings differ when Fisher's exact test says so at ``FISHER``. The price is the largest
    ratio of our error to the other's over the settings in which ours is not better, those without
    a significant difference included; it is 0 if there is no such setting.
    """
    chosen = cells[cells["instance"].str.startswith(prefix)]
    theirs, own = (chosen[chosen["policy"] == name] for name in (other, ours))
    keys = ["instance", "epsilon", "budget"]
    pairs = theirs.merge(own, on=keys, suffixes=("_theirs", "_ours"))
    differs = np.array([_differ(row) for row in rows_of(pairs)], bool)
    better = differs & (pairs["estimate_ours"] < pairs["estimate_theirs"])
    floor = np.maximum(pairs["estimate_theirs"], 1 / pairs["replicates_theirs"])
    ratio = pairs["estimate_ours"] / floor
    loss, runs = pairs["estimate_theirs"], pairs["replicates_theirs"]
    seen = (loss > 0) & (loss < 1)
    # the ratio to this loss that Fisher's test finds half of the time
    detects = 1 + FISHER_QUANTILE * np.sqrt(2 * (1 - loss) / (runs * loss))[seen]
    return {
        "differing": int(differs.sum()),
        "better": int(better.sum()),
        "worse": int((differs & ~better).sum()),
        "share_better": float(better.sum() / differs.sum()) if differs.any() else math.nan,
        "worst_error_ratio": float(ratio[~better].max()) if (~better).any() else 0.0,
        "detects": median(detects),
    }


def _differ(row: Any) -> bool:
    """Return whether Fisher's exact test separates the two errors of a merged row."""
    from scipy.stats import fisher_exact

    counts = [
        [row.errors_theirs, row.replicates_theirs - row.errors_theirs],
        [row.errors_ours, row.replicates_ours - row.errors_ours],
    ]
    return bool(fisher_exact(np.array(counts)).pvalue < FISHER)


def optimum(table: pd.DataFrame) -> Evidence:
    """Compare exact losses on two arms with the least of any eps-LDP algorithm."""
    ratio = (table["estimate"] / table["optimal"]).groupby(table["policy"])
    largest = {f"largest_{underscored(p)}_over_optimum": v for p, v in ratio.max().items()}
    return {
        "cases": int(ratio.size().min()),
        "least_over_optimum": float(ratio.min().min()),
        **largest,
    }


# --- the article's appendix -----------------------------------------------------------------------


def appendix_checks(table: pd.DataFrame) -> dict[str, Evidence]:
    """Return what tapes with a wrong answer and exact chains say about the article's proofs.

    The entries are ``erring_tapes`` (statements about every tape, for each policy) and
    ``exact_chains`` (inequalities for one tape); ``cases`` is that of the statement checked least
    often.
    """
    played = table["statement"].str.match("(apt|lsa)(-clipped)?: ")
    return {
        name: {
            "cases": int(part["cases"].min()),
            "violations": int(part["violations"].sum()),
            "largest_ratio": float(part["largest_ratio"].max()),
        }
        for name, part in (("erring_tapes", table[played]), ("exact_chains", table[~played]))
    }
