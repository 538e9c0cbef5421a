"""Checks of the appendix: what holds on every tape of responses.

The upper bounds on the loss of the index policies rest on statements about every single tape ("when
the answer is wrong, these two arms have deviated"). :func:`check_tapes` plays the policies on
random tapes and checks them on each run whose answer is wrong. It returns one row per statement:
``statement``, ``cases``, ``violations`` and ``largest_ratio``, the largest ratio of the side that
must be smaller to the side that must be larger.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ldpt.bounds import lsa_shares
from ldpt.engines.jit import compiled
from ldpt.policies import POLICIES, IndexRule
from ldpt.privacy import shrinkage
from ldpt.util.reproducible import exp, log

POLICIES_CHECKED = ("apt", "lsa", "apt-clipped", "lsa-clipped")
ROUNDING = 1e-9  # a ratio may exceed one by this much
MAX_PULLS = 600  # pulls of a checked run
RUNS_PER_PROBLEM = 100
EPSILONS = (0.5, 1.0, 2.0, math.inf)
THRESHOLDS = (0.3, 0.5, 0.7)
TOLERANCES = (0.0, 0.03, 0.1)
STATEMENTS = (
    "some arm has its share of pulls before its last one",
    "at its last pull that arm has the least index",
    "the wrong arm's tape and another one deviate, or the wrong arm's alone",
    "the second smallest index never falls",
)


class Problem(NamedTuple):
    """Private means, the index rule of each policy, and the number of pulls."""

    means: np.ndarray
    rules: Mapping[str, IndexRule]
    budget: int


def gaps_of(means: np.ndarray, rule: IndexRule) -> np.ndarray:
    """Return Delta_i: distance of each mean from the threshold plus the tolerance."""
    return np.abs(means - rule.tau) + rule.zeta


def shares_of(gaps: np.ndarray, spare: int, weight: float) -> np.ndarray:
    """Return nu_k of the appendix: nu_k Delta_k^2 + weight log nu_k is constant, sum nu_k = T - K.

    ``spare`` is T - K.
    """
    if weight == 0:
        return spare / np.square(gaps) / (1 / np.square(gaps)).sum()
    return lsa_shares(gaps, spare, weight)


def check_tapes(
    seed: int, erring_runs: int, played: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """Check the statements "Every tape" of the appendix on runs whose answer is wrong.

    Parameters
    ----------
    seed
        Of the random problems and tapes.
    erring_runs
        At least this many runs with a wrong answer are checked for each policy.
    played
        Another policy that is played in the place of one; a test plants a fault so.

    Returns
    -------
    pandas.DataFrame
        One row per policy and statement.
    """
    rows = []
    for policy in POLICIES_CHECKED:
        rng = np.random.default_rng([seed, *POLICIES[policy].stream.encode()])
        ratios: list[np.ndarray] = []  # one row per erring run
        while len(ratios) < erring_runs:
            instead = (played or {}).get(policy, policy)
            ratios.extend(erring_ratios(rng, draw_problem(rng), policy, instead))
        for name, column in zip(STATEMENTS, np.array(ratios).T, strict=True):
            rows.append(checked(f"{policy}: {name}", column))
    return pd.DataFrame(rows)


def checked(statement: str, ratios: np.ndarray) -> dict[str, Any]:
    """Return the row of a statement from one ratio per case."""
    return {
        "statement": statement,
        "cases": len(ratios),
        "violations": int((ratios > 1 + ROUNDING).sum()),
        "largest_ratio": float(ratios.max()),
    }


def draw_problem(rng: np.random.Generator) -> Problem:
    """Return a random problem with 2 to 6 arms that is hard enough for frequent wrong answers."""
    while True:
        n_arms = int(rng.integers(2, 7))
        epsilon = float(rng.choice(EPSILONS))
        threshold = float(rng.choice(THRESHOLDS))
        tolerance = float(rng.choice(TOLERANCES))
        means = 0.5 + shrinkage(epsilon) * (rng.uniform(0.02, 0.98, n_arms) - 0.5)
        rules = {
            name: POLICIES[name].rule(threshold, tolerance, epsilon) for name in POLICIES_CHECKED
        }
        complexity = (1 / np.square(gaps_of(means, rules["apt"]))).sum()
        budget = n_arms + math.ceil(rng.uniform(0.1, 2.5) * complexity)
        if 2 * n_arms <= budget <= MAX_PULLS:
            return Problem(means, rules, budget)


def squared_index(rule: IndexRule, distance: np.ndarray, pulls: np.ndarray) -> np.ndarray:
    """Return I_n^2, the index without its logarithm, from d_n = s - n tau."""
    cap = np.where(distance > 0, rule.cap_above, rule.cap_below)
    return np.square(np.minimum(np.abs(distance), pulls * cap) + pulls * rule.zeta) / pulls


def erring_ratios(
    rng: np.random.Generator, problem: Problem, policy: str, played: str
) -> Iterator[np.ndarray]:
    """For every run with a wrong answer one ratio per statement, the largest over its wrong arms.

    A ratio of at most one means that the statement holds.
    """
    means, rules, budget = problem
    rule, actual = rules[policy], rules[played]
    sums = (rng.random((RUNS_PER_PROBLEM, means.size, budget)) < means[:, None]).cumsum(axis=2)
    positions = np.arange(1, budget + 1)
    distance = sums - positions * rule.tau
    squares = squared_index(rule, distance, positions)
    index = squares + rule.log_weight * log(positions)
    pulled = squared_index(actual, distance, positions) + actual.log_weight * log(positions)
    all_pulls, at_last_pull, falls = play(pulled, budget)
    final = np.take_along_axis(distance, all_pulls[:, :, None] - 1, axis=2)[:, :, 0]
    above = means > rule.tau
    free = np.abs(means - rule.tau) < rule.zeta
    # the answer contains an arm if s > n tau, and no arm at the threshold is drawn
    wrong = ((final > 0) != above) & ~free
    gaps = gaps_of(means, rule)
    shares = shares_of(gaps, budget - means.size, rule.log_weight)
    excess = squares - (shares * np.square(gaps))[:, None]  # I^2 - S^2
    shares = shares * (1 - ROUNDING)
    for run in wrong.any(axis=1).nonzero()[0]:
        before_last = all_pulls[run] - 1
        pigeonhole = (shares / np.maximum(before_last, 1e-300)).min()
        full = before_last >= shares
        ratios = []
        for arm in wrong[run].nonzero()[0]:
            least = _least_index(index[run], at_last_pull[run], full, arm)
            oriented = distance[run, arm] * (1 if above[arm] else -1)
            deviation = _deviation(excess[run], oriented, shares, rule.log_weight, arm)
            ratios.append((pigeonhole, least, deviation, exp(falls[run])))
        yield np.max(ratios, axis=0)


@compiled
def play(
    index: np.ndarray, budget: int, largest: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every arm once, then always the arm with the least index (run, arm, n); all runs.

    Returns the pulls of each arm; the pulls of all arms before the last pull of each, 0 if it was
    pulled in the first round only; and the largest fall of the second smallest index. A test plants
    a fault by having the largest index pulled instead.
    """
    n_runs, n_arms, _ = index.shape
    pulls = np.ones((n_runs, n_arms), np.int64)
    at_last_pull = np.zeros((n_runs, n_arms, n_arms), np.int64)
    falls = np.zeros(n_runs)
    for run in range(n_runs):
        current = index[run, :, 0].copy()
        before = -np.inf
        for _ in range(budget - n_arms):
            arm, least, second = 0, np.inf, np.inf
            for k in range(n_arms):
                if current[k] < least:
                    arm, least, second = k, current[k], least
                elif current[k] < second:
                    second = current[k]
            falls[run] = max(falls[run], before - second)
            before = second
            if largest:
                arm = int(np.argmax(current))
            at_last_pull[run, arm] = pulls[run]
            pulls[run, arm] += 1
            current[arm] = index[run, arm, pulls[run, arm] - 1]
    return pulls, at_last_pull, falls


def _least_index(
    index: np.ndarray, at_last_pull: np.ndarray, full: np.ndarray, wrong: int
) -> float:
    """Return the largest ratio of an arm's index to the wrong arm's, at last pulls of full arms."""
    ratios = [
        _ratio(index[k, at_last_pull[k, k] - 1], index[wrong, at_last_pull[k, wrong] - 1])
        for k in full.nonzero()[0]
        if k != wrong
    ]
    return max(ratios, default=0.0)


def _deviation(
    excess: np.ndarray, oriented: np.ndarray, shares: np.ndarray, weight: float, wrong: int
) -> float:
    """Cases (a) and (b) from the tapes alone, without a look at the run: 0 for (a), else a ratio.

    (a) the wrong arm is on its wrong side at some n >= nu_i; (b) for some other arm k,
    min over n >= nu_k of I_k(n)^2 - S_k^2 is at most the largest I_i(m)^2 - S_i^2 - weight
    log(nu_i / m) over m <= nu_i before a visit to the wrong side. ``excess`` is I^2 - S^2.
    """
    last = int((oriented <= 0).nonzero()[0].max()) + 1
    if last >= shares[wrong]:
        return 0.0
    m = np.arange(1, last + 1)  # all below nu_i, as the last visit is
    reach = (excess[wrong, :last] - weight * log(shares[wrong] / m)).max()
    starts = np.ceil(shares).astype(int)
    return min(
        _ratio(excess[k, start - 1 :].min(), reach)
        for k, start in enumerate(starts)
        if k != wrong and 1 <= start <= excess.shape[1]
    )


def _ratio(smaller: float, larger: float) -> float:
    """exp(smaller - larger), at most one if the first is the smaller one; both may be negative."""
    return exp(min(smaller - larger, 20.0))
