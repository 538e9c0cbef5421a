"""Evidence on Algorithm 1 and the other index policies, from simulated losses."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from ldpt import bounds
from ldpt.instances import Instance
from ldpt.replication.claims.evidence import (
    MIN_STANDARD_ERRORS,
    Checks,
    Evidence,
    Instances,
    widest,
)
from ldpt.summarise import LIMITS, clopper_pearson, needed_budgets

UPPER_VERSIONS = ("printed", "proved", "locatelli")  # of the bounds on the loss of Algorithm 1
TARGETS = (0.2, 0.1, 0.05)  # error probabilities at which budgets are compared
RANGES = {"all": math.inf, "small": 1.0, "half": 0.5}  # largest epsilon that is compared
FISHER = 0.01  # level at which two settings differ
FISHER_QUANTILE = 2.576  # normal, two-sided at this level
Losses = Iterable[tuple[Instance, float, int, float]]  # problem, epsilon, budget, loss


# --- upper bounds on the loss ---------------------------------------------------------------------


def compare_with_bounds(losses: Losses, versions: Sequence[str], scale: float = 1.0) -> Evidence:
    """Return for each bound how many losses it could contradict, and how many exceed it.

    Only a bound below 1 is informative; ``several`` counts the informative losses of more than one
    arm. ``scale`` divides the bounds.
    """
    losses = list(losses)
    evidence = Evidence()
    for version in versions:
        compared = [
            (problem.n_arms, loss, bound / scale)
            for problem, epsilon, budget, loss in losses
            if (bound := bounds.fixed_budget_upper(problem, epsilon, budget, version)) < 1
        ]
        name = version.replace("-", "_")
        evidence |= {
            f"{name}_informative": len(compared),
            f"{name}_several": sum(n_arms > 1 for n_arms, _, _ in compared),
            f"{name}_violations": sum(loss > bound for _, loss, bound in compared),
        }
    return evidence


def sampled_losses(
    table: pd.DataFrame,
    instances: Instances,
    policy: str = "apt",
    versions: Sequence[str] = UPPER_VERSIONS[:2],
) -> Evidence:
    """Compare upper bounds with losses far below the floor of plain simulation.

    Reliable estimates only; a bound is contradicted by one that exceeds it by five standard errors.
    """
    rows = table[table["reliable"] & (table["estimate"] > 0) & (table["policy"] == policy)]
    safe_estimate = rows["estimate"] * (1 - MIN_STANDARD_ERRORS * rows["relative_error"])
    problems = rows["instance"].map(instances)
    losses = zip(problems, rows["epsilon"], rows["budget"], safe_estimate, strict=True)
    detects = MIN_STANDARD_ERRORS * rows["relative_error"].median()
    return {"detects": detects} | compare_with_bounds(losses, versions)


# --- do error curves coincide against T/H_eps? ----------------------------------------------------


def collapse(
    cells: pd.DataFrame, policy: str = "apt", targets: Sequence[float] = TARGETS
) -> Evidence:
    """Compare over epsilon the budgets, in units of H_eps, at which the error passes each target.

    The spread is the largest over the smallest, over the epsilons of each range of ``RANGES``, on
    the problem and at the target where it is widest; ``none`` compares each eps <= 1 with no
    privacy, either way.
    """
    series: dict[str, list[np.ndarray]] = {name: [] for name in (*RANGES, "none")}
    curves = cells[cells["policy"] == policy].assign(budget=lambda part: part["scaled_budget"])
    for target in targets:
        budgets_needed = needed_budgets(curves, target).dropna().set_index("epsilon")
        for _, budgets in budgets_needed.groupby("instance")[[*LIMITS]]:
            for name, most in RANGES.items():
                chosen = budgets[budgets.index <= most]
                if len(chosen) > 1:
                    series[name].append(chosen.to_numpy())
            if math.inf in budgets.index:
                for epsilon in budgets.index[budgets.index <= 1]:
                    series["none"].append(budgets.loc[[epsilon, math.inf]].to_numpy())
    result: Evidence = {}
    for name, found in series.items():
        result |= {f"comparisons_{name}": len(found), **widest(found, f"spread_{name}")}
    return result


# --- two policies side by side --------------------------------------------------------------------


def compared(cells: pd.DataFrame, ours: str = "lsa", other: str = "apt") -> Evidence:
    """Compare two policies in all settings.

    Two settings differ when Fisher's exact test says so at ``FISHER``. The price is the largest
    ratio of our error to the other's over the settings in which ours is not better, those without
    a significant difference included; it is 0 if there is no such setting.
    """
    from scipy.stats import fisher_exact

    theirs, own = (cells[cells["policy"] == name] for name in (other, ours))
    keys = ["instance", "epsilon", "budget"]
    pairs = theirs.merge(own, on=keys, suffixes=("_theirs", "_ours"))
    errors = pairs[["errors_theirs", "errors_ours"]].to_numpy()
    others = pairs[["replicates_theirs", "replicates_ours"]].to_numpy() - errors
    counts = np.stack([errors, others], axis=2)  # a table of two policies for each setting
    differs = np.array([fisher_exact(table).pvalue < FISHER for table in counts], bool)
    better = differs & (pairs["estimate_ours"] < pairs["estimate_theirs"])
    floor = np.maximum(pairs["estimate_theirs"], 1 / pairs["replicates_theirs"])
    ratio = pairs["estimate_ours"] / floor
    loss, runs = pairs["estimate_theirs"], pairs["replicates_theirs"]
    informative = (loss > 0) & (loss < 1)
    # the ratio to this loss that Fisher's test finds half of the time
    detects = 1 + FISHER_QUANTILE * np.sqrt(2 * (1 - loss) / (runs * loss))[informative]
    return {
        "differing": int(differs.sum()),
        "better": int(better.sum()),
        "worse": int((differs & ~better).sum()),
        **_share_better(int(better.sum()), int(differs.sum())),
        "worst_error_ratio": float(ratio[~better].max()) if (~better).any() else 0.0,
        "detects": detects.median(),
    }


def _share_better(better: int, differing: int) -> Evidence:
    """Return the share of the settings that differ in which our policy is better, with limits."""
    if not differing:
        return dict.fromkeys(("share_better", "share_better_low", "share_better_high"), math.nan)
    low, high = clopper_pearson(better, differing)
    return {
        "share_better": better / differing,
        "share_better_low": float(low),
        "share_better_high": float(high),
    }


def optimum(table: pd.DataFrame) -> Evidence:
    """Compare exact losses on two arms with the least of any eps-LDP algorithm."""
    ratio = (table["estimate"] / table["optimal"]).groupby(table["policy"])
    return {
        "cases": int(ratio.size().min()),
        "least_over_optimum": float(ratio.min().min()),
        **{
            f"largest_{policy.replace('-', '_')}_over_optimum": largest
            for policy, largest in ratio.max().items()
        },
    }


# --- the article's appendix -----------------------------------------------------------------------


def erring_tapes(table: pd.DataFrame) -> Evidence:
    """Return how often statements about every tape failed on tapes with a wrong answer."""
    return _checked(table[_played(table)])


def exact_chains(table: pd.DataFrame) -> Evidence:
    """Return how often inequalities for one tape failed on exact chains."""
    return _checked(table[~_played(table)])


def _played(table: pd.DataFrame) -> pd.Series:
    """Return which statements are about a policy."""
    return table["statement"].str.match("(apt|lsa)(-clipped)?: ")


def _checked(table: pd.DataFrame) -> Evidence:
    """Return cases of the statement checked least often, and violations of all."""
    return {
        "cases": int(table["cases"].min()),
        "violations": int(table["violations"].sum()),
        "largest_ratio": float(table["largest_ratio"].max()),
    }


CHECKS: Checks = {
    "collapse": lambda m: collapse(m.budget),
    "collapse_lsa": lambda m: collapse(m.budget, "lsa"),
    "collapse_apt_clipped": lambda m: collapse(m.budget, "apt-clipped"),
    "collapse_lsa_clipped": lambda m: collapse(m.budget, "lsa-clipped"),
    "new_problems": lambda m: compared(m.losses_of("new")),
    "optimum": lambda m: optimum(m.optimum),
    "sampled_losses": lambda m: sampled_losses(m.rare_budget, m.problems),
    "erring_tapes": lambda m: erring_tapes(m.tapes),
    "exact_chains": lambda m: exact_chains(m.tapes),
}
