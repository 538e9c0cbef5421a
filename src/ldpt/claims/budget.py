"""Evidence on Algorithm 1 and the other index policies, from simulated losses."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from ldpt import bounds
from ldpt.claims.evidence import (
    SURELY,
    Evidence,
    Instances,
    median,
    rows_of,
    spread,
    widest,
)
from ldpt.summarise import crossing

UPPER_VERSIONS = ("printed", "proved")  # of the bounds on the loss of Algorithm 1
TARGETS = (0.2, 0.1, 0.05)  # error probabilities at which budgets are compared
RANGES = {"all": math.inf, "small": 1.0, "half": 0.5}  # largest epsilon that is compared
NEW = "new-"  # how the names of problems begin that were drawn after `lsa` had been chosen
FISHER = 0.01  # level at which two settings differ
Limits = tuple[float, float, float]  # value, low, high


def sampled_losses(
    table: pd.DataFrame,
    instances: Instances,
    scale: float = 1.0,
    policy: str = "apt",
    versions: Sequence[str] = UPPER_VERSIONS,
) -> Evidence:
    """Upper bounds against losses far below the floor of plain simulation.

    Reliable estimates only; a bound is contradicted by one that exceeds it by five standard errors.
    Only a bound below 1 can be. ``scale`` divides the bounds.
    """
    chosen = table[table["reliable"] & (table["estimate"] > 0) & (table["policy"] == policy)]
    found: Evidence = {
        "estimates": len(chosen),
        "detects": SURELY * median(chosen["relative_error"]),
    }
    for version in versions:
        violations = informative = 0
        for row in rows_of(chosen):
            problem = instances[row.instance]
            upper = bounds.fixed_budget_upper(problem, row.epsilon, row.budget, version)
            if upper < 1:
                informative += 1
                surely = row.estimate * (1 - SURELY * row.relative_error)
                violations += surely > upper / scale
        found |= {f"{version}_violations": violations, f"{version}_informative": informative}
    if len(chosen):
        smallest = chosen.loc[chosen["estimate"].idxmin()]
        found["smallest_estimate"] = float(smallest["estimate"])
        rate = -math.log(smallest["estimate"]) / smallest["scaled_budget"]
        found["rate_at_the_smallest"] = float(rate)
    return found


# --- do error curves coincide against T/H_eps? ----------------------------------------------------


def collapse(
    cells: pd.DataFrame, policy: str = "apt", targets: Sequence[float] = TARGETS
) -> Evidence:
    """Budget in units of H_eps at which the error passes each target: how it varies with epsilon.

    The spread is the largest over the smallest, over the epsilons of each range of ``RANGES``, on
    the problem and at the target where it is widest; ``none`` compares each eps <= 1 with no
    privacy, either way.
    """
    found: dict[str, list[tuple[float, float, float, str]]] = {name: [] for name in RANGES}
    found["none"] = []
    for instance, part in cells[cells["policy"] == policy].groupby("instance"):
        for target in targets:
            budgets, where = budgets_at(part, target), f"{instance}, error {target:g}"
            for name, most in RANGES.items():
                chosen = [at for epsilon, at in budgets.items() if epsilon <= most]
                if len(chosen) > 1:
                    found[name].append(spread(chosen, where))
            if math.inf in budgets:
                found["none"] += [
                    spread([at, budgets[math.inf]], f"{where}, eps = {epsilon:g}")
                    for epsilon, at in budgets.items()
                    if epsilon <= 1
                ]
    result: Evidence = {}
    for name, spreads in found.items():
        result |= {f"comparisons_{name}": len(spreads), **widest(spreads, f"spread_{name}")}
        result[f"median_spread_{name}"] = median([value for value, *_ in spreads])
    return result


def budgets_at(curves: pd.DataFrame, target: float) -> dict[float, Limits]:
    """Return, by epsilon, the budget in units of H_eps at which the curve passes the target.

    Limits are where the curves of the lower and of the upper limits pass it.
    """
    found: dict[float, Limits] = {}
    for epsilon, curve in curves.sort_values("budget").groupby("epsilon"):
        columns = (curve["estimate"], curve["low"], curve["high"])
        at, low, high = (crossing(curve["scaled_budget"], c, target) for c in columns)
        if math.isfinite(at) and math.isfinite(low) and math.isfinite(high):
            found[float(epsilon)] = at, low, high
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
    keys = ["instance", "epsilon", "budget"]
    chosen = cells[cells["instance"].str.startswith(prefix)]
    theirs, own = (chosen[chosen["policy"] == name] for name in (other, ours))
    pairs = theirs.merge(own, on=keys, suffixes=("_theirs", "_ours"))
    better = worse = 0
    price, where, reach = 0.0, "", []
    for row in rows_of(pairs):
        differs = _differ(row)
        reach.append(_detectable_ratio(row.estimate_theirs, row.replicates_theirs))
        if differs and row.estimate_ours < row.estimate_theirs:
            better += 1
            continue
        worse += differs
        ratio = row.estimate_ours / max(row.estimate_theirs, 1 / row.replicates_theirs)
        if ratio > price:
            price, where = ratio, f"{row.instance}, eps = {row.epsilon:g}, T = {row.budget}"
    ratios = list(budget_ratios(theirs, own))
    return {
        "cells": len(pairs),
        "differing": better + worse,
        "better": better,
        "worse": worse,
        "share_better": better / (better + worse) if better + worse else math.nan,
        "worst_error_ratio": price,
        "worst_at": where,
        "median_budget_ratio": median(ratios),
        "worst_budget_ratio": float(max(ratios, default=math.nan)),
        "detects": median([value for value in reach if math.isfinite(value)]),
    }


def _differ(row: object) -> bool:
    """Return whether Fisher's exact test separates the two errors of a merged row."""
    from scipy.stats import fisher_exact

    counts = [
        [getattr(row, f"errors_{who}"), getattr(row, f"replicates_{who}")]
        for who in ("theirs", "ours")
    ]
    return bool(fisher_exact(np.array([[e, n - e] for e, n in counts])).pvalue < FISHER)


def _detectable_ratio(loss: float, replicates: int) -> float:
    """Return the ratio to this loss that Fisher's test finds half of the time."""
    if not 0 < loss < 1:
        return math.inf
    return 1 + 2.576 * math.sqrt(2 * (1 - loss) / (replicates * loss))  # normal quantile of 0.995


def budget_ratios(theirs: pd.DataFrame, ours: pd.DataFrame) -> Iterator[float]:
    """Yield our budget over the other's for equal errors, by problem and epsilon.

    The error is the other's at the largest budget at which it was seen to err. Between budgets,
    and beyond the last, the logarithm of the error is taken as straight. Where ours errs less
    often already at its smallest budget, that one is taken, which is more than it needs.
    """
    others = dict(list(ours.groupby(["instance", "epsilon"])))
    for key, curve in theirs[theirs["errors"] > 0].groupby(["instance", "epsilon"]):
        if key in others:
            last = curve.sort_values("budget").iloc[-1]
            yield _budget_at(others[key].sort_values("budget"), last["estimate"]) / last["budget"]


def _budget_at(curve: pd.DataFrame, target: float) -> float:
    budgets, errors = curve["budget"].to_numpy(float), curve["estimate"].to_numpy(float)
    if errors[0] <= target:
        return float(budgets[0])
    found = crossing(budgets, errors, target)
    if math.isfinite(found) or len(errors) < 2 or errors[-1] >= errors[0] or errors[-1] == 0:
        return found if math.isfinite(found) else float(budgets[-1])
    slope = math.log(errors[0] / errors[-1]) / (budgets[-1] - budgets[0])
    return float(budgets[-1] + math.log(errors[-1] / target) / slope)


def optimum(table: pd.DataFrame, scale: float = 1.0) -> Evidence:
    """Exact losses on two arms over the least of any eps-LDP algorithm, times ``scale``."""
    ratio = (table["estimate"] / table["optimal"] / scale).groupby(table["policy"])
    found: Evidence = {
        "cases": int(ratio.size().min()),
        "least_over_optimum": float(ratio.min().min()),
    }
    for policy, values in ratio:
        name = str(policy).replace("-", "_")
        found[f"largest_{name}_over_optimum"] = float(values.max())
        found[f"median_{name}_over_optimum"] = float(values.median())
    return found


# --- the article's appendix -----------------------------------------------------------------------


def appendix_checks(table: pd.DataFrame) -> dict[str, Evidence]:
    """Return what tapes with a wrong answer and exact chains say about the article's proofs.

    The entries are ``erring_tapes`` (statements about every tape, for each policy) and
    ``exact_chains`` (inequalities for one tape); ``cases`` is that of the statement checked least
    often.
    """
    played = table["statement"].str.match("[a-z-]+: ") & ~table["statement"].str.match(
        "(mixture|onesided|coin): "
    )
    return {
        name: {
            "statements": len(part),
            "cases": int(part["cases"].min()),
            "violations": int(part["violations"].sum()),
            "largest_ratio": float(part["largest_ratio"].max()),
        }
        for name, part in (("erring_tapes", table[played]), ("exact_chains", table[~played]))
    }
