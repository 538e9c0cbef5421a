"""Checks of the appendix: what holds on every tape of responses.

The upper bounds on the loss of the index policies rest on statements about every single tape ("when
the answer is wrong, these two arms have deviated"). :func:`check_tapes` plays the policies on
random tapes and checks them on each run whose answer is wrong. It returns one row per statement:
``statement``, ``cases``, ``violations`` and ``largest_ratio``, the largest ratio of the side that
must be smaller to the side that must be larger.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import wrightomega

from ldpt.engines.jit import compiled

PLAYED = ("apt", "lsa", "apt-clipped", "lsa-clipped")
ROUNDING = 1e-9  # a ratio may exceed one by this much
LONGEST = 600  # pulls of a checked run
RUNS_PER_PROBLEM = 100
EPSILONS = (0.5, 1.0, 2.0, math.inf)
THRESHOLDS = (0.3, 0.5, 0.7)
TOLERANCES = (0.0, 0.03, 0.1)


@dataclass(frozen=True)
class Problem:
    """Private means, threshold and tolerance, and the number of pulls."""

    means: np.ndarray
    tau: float
    zeta: float
    budget: int
    caps: tuple[float, float] = (math.inf, math.inf)  # c (1 - tau) above and c tau below

    def weight(self, policy: str) -> float:
        """Weight of log n in the index of a policy."""
        if policy.startswith("apt"):
            return 0.0
        return 2 * self.tau * (1 - self.tau) if policy == "lsa-clipped" else 0.5

    def clip(self, policy: str, distance: np.ndarray, positions: np.ndarray) -> np.ndarray:
        """|d|, of an estimated mean reward that is clipped to [0, 1] if the policy does so."""
        if not policy.endswith("clipped"):
            return np.abs(distance)
        above, below = self.caps
        return np.minimum(np.abs(distance), positions * np.where(distance > 0, above, below))

    @property
    def gaps(self) -> np.ndarray:
        """Delta_i: distance of each mean from the threshold plus the tolerance."""
        return np.abs(self.means - self.tau) + self.zeta

    @property
    def sides(self) -> np.ndarray:
        """1 for arms above the threshold, -1 for the others."""
        return np.where(self.means > self.tau, 1.0, -1.0)

    def shares(self, weight: float) -> np.ndarray:
        """nu_k of the appendix: nu_k Delta_k^2 + weight log nu_k is constant, sum nu_k = T - K."""
        spare, squares = self.budget - self.means.size, self.gaps**2
        if weight == 0:
            return spare / squares / (1 / squares).sum()

        def solution(level: float) -> np.ndarray:
            # with u = nu Delta^2 / weight: u + log u = level - log(weight / Delta^2)
            return weight / squares * wrightomega(level - np.log(weight / squares))

        level = brentq(lambda c: math.log(solution(c).sum() / spare), -700, 1e6, xtol=1e-12)
        found = solution(level)
        return found * (spare / found.sum())


@dataclass(frozen=True)
class Runs:
    """Runs of one policy: pulls of every arm, at the end and when each arm was last pulled."""

    pulls: np.ndarray  # run, arm
    at_last_pull: np.ndarray  # run, arm pulled, arm; before the pull, 0 if only in the first round
    second_smallest: np.ndarray  # run; largest fall of the second smallest index, as a ratio


# --- statements about every tape ------------------------------------------------------------------


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
    for policy in PLAYED:
        rng = np.random.default_rng([seed, *policy.encode()])
        ratios: list[np.ndarray] = []  # one row per erring run
        while len(ratios) < erring_runs:
            instead = (played or {}).get(policy, policy)
            ratios.extend(erring_ratios(rng, draw_problem(rng), policy, instead))
        for name, column in zip(TAPE_STATEMENTS, np.array(ratios).T, strict=True):
            rows.append(checked(f"{policy}: {name}", column))
    return pd.DataFrame(rows)


TAPE_STATEMENTS = (
    "some arm has its share of pulls before its last one",
    "at its last pull that arm has the least index",
    "the wrong arm's tape and another one deviate, or the wrong arm's alone",
    "the second smallest index never falls",
)


def draw_problem(rng: np.random.Generator) -> Problem:
    """A random problem with 2 to 6 arms whose answer is wrong often enough to be of use."""
    while True:
        n_arms = int(rng.integers(2, 7))
        shrinkage = math.tanh(float(rng.choice(EPSILONS)) / 2)
        threshold = float(rng.choice(THRESHOLDS))
        tau = 0.5 + shrinkage * (threshold - 0.5)
        zeta = shrinkage * float(rng.choice(TOLERANCES))
        means = 0.5 + shrinkage * (rng.uniform(0.02, 0.98, n_arms) - 0.5)
        complexity = ((np.abs(means - tau) + zeta) ** -2).sum()
        budget = n_arms + math.ceil(rng.uniform(0.1, 2.5) * complexity)
        if 2 * n_arms <= budget <= LONGEST:
            caps = shrinkage * (1 - threshold), shrinkage * threshold
            return Problem(means, tau, zeta, budget, caps)


def erring_ratios(
    rng: np.random.Generator, problem: Problem, policy: str, played: str
) -> Iterator[np.ndarray]:
    """For every run with a wrong answer one ratio per statement, the largest over its wrong arms.

    A ratio of at most one means that the statement holds.
    """
    n_arms, budget = problem.means.size, problem.budget
    shape = (RUNS_PER_PROBLEM, n_arms, budget)
    sums = (rng.random(shape) < problem.means[:, None]).cumsum(axis=2)
    positions = np.arange(1, budget + 1)
    distance = sums - positions * problem.tau
    squares, actual = (
        (problem.clip(name, distance, positions) + positions * problem.zeta) ** 2 / positions
        for name in (policy, played)
    )  # I_n^2
    weight = problem.weight(policy)
    runs = play(actual + problem.weight(played) * np.log(positions), budget)
    index = squares + weight * np.log(positions)
    final = np.take_along_axis(distance, runs.pulls[:, :, None] - 1, axis=2)[:, :, 0]
    free = np.abs(problem.means - problem.tau) < problem.zeta
    # the answer contains an arm if s > n tau, and no arm at the threshold is drawn
    wrong = ((final > 0) != (problem.means > problem.tau)) & ~free
    shares = problem.shares(weight)
    for run in wrong.any(axis=1).nonzero()[0]:
        pulls, last = runs.pulls[run], runs.at_last_pull[run]
        yield np.max(
            [
                (
                    (shares / np.maximum(pulls - 1, 1e-300)).min(),
                    _least_index(index[run], pulls, last, shares, arm),
                    _deviation(
                        squares[run], problem.sides[arm] * distance[run, arm], problem.gaps,
                        shares, weight, arm,
                    ),
                    runs.second_smallest[run],
                )
                for arm in wrong[run].nonzero()[0]
            ],
            axis=0,
        )  # fmt: skip


def play(index: np.ndarray, budget: int, largest: bool = False) -> Runs:
    """Every arm once, then always the arm with the least index (run, arm, n); all runs.

    A test plants a fault by having the largest index pulled instead.
    """
    pulls, at_last_pull, falls = _play(index, budget, largest)
    return Runs(pulls, at_last_pull, np.exp(falls))


@compiled
def _play(
    index: np.ndarray, budget: int, largest: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The pulls of :class:`Runs`, and the largest fall of the second smallest index."""
    n_runs, n_arms, _ = index.shape
    pulls = np.ones((n_runs, n_arms), np.int64)
    at_last_pull = np.zeros((n_runs, n_arms, n_arms), np.int64)
    falls = np.zeros(n_runs)
    for run in range(n_runs):
        current, before = index[run, :, 0].copy(), -np.inf
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
    index: np.ndarray, pulls: np.ndarray, at_last_pull: np.ndarray, shares: np.ndarray, wrong: int
) -> float:
    """Index of an arm with n_k - 1 >= nu_k over the wrong arm's, when the first was last pulled."""
    ratios = [
        _ratio(index[k, at_last_pull[k, k] - 1], index[wrong, at_last_pull[k, wrong] - 1])
        for k in (pulls - 1 >= shares * (1 - ROUNDING)).nonzero()[0]
        if k != wrong
    ]
    return max(ratios, default=0.0)


def _deviation(
    squares: np.ndarray, oriented: np.ndarray, gaps: np.ndarray, shares: np.ndarray, weight: float,
    wrong: int,
) -> float:  # fmt: skip
    """Cases (a) and (b) from the tapes alone, without a look at the run: 0 for (a), else a ratio.

    (a) the wrong arm is on its wrong side at some n >= nu_i; (b) for some other arm k,
    min over n >= nu_k of I_k(n)^2 is at most the largest
    I_i(m)^2 - S_i^2 + S_k^2 - weight log(nu_i / m) over m <= nu_i before a visit to the wrong side.
    """
    last = int((oriented <= 0).nonzero()[0].max()) + 1
    if last >= shares[wrong] * (1 - ROUNDING):
        return 0.0
    m = np.arange(1, last + 1)  # all below nu_i, as the last visit is
    excess = shares * gaps**2  # S^2
    reach = (squares[wrong, :last] - weight * np.log(shares[wrong] / m)).max() - excess[wrong]
    best = math.inf
    for k in range(len(gaps)):
        start = math.ceil(shares[k] * (1 - ROUNDING))
        if k != wrong and 1 <= start <= squares.shape[1]:
            least = squares[k, start - 1 :].min()
            best = min(best, _ratio(least - excess[k], reach))
    return best


def _ratio(smaller: float, larger: float) -> float:
    """exp(smaller - larger), at most one if the first is the smaller one; both may be negative."""
    return math.exp(min(smaller - larger, 20.0))


def checked(statement: str, ratios: np.ndarray) -> dict[str, Any]:
    """Return the row of a statement from one ratio per case."""
    return {
        "statement": statement,
        "cases": len(ratios),
        "violations": int((ratios > 1 + ROUNDING).sum()),
        "largest_ratio": float(ratios.max()),
    }
