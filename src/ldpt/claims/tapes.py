"""Checks of the appendix: what holds on every tape, and inequalities whose two sides are exact.

The upper bounds on the loss of Algorithm 1 and of ``lsa`` rest on statements about every single
tape of responses ("when the answer is wrong, these two arms have deviated") and on inequalities
for one random walk (Lemmas Y, V and E, Ville's inequality for both mixtures).
:func:`check_tapes` plays both policies on random tapes and checks the first kind on each run whose
answer is wrong. :func:`check_chains` computes the second kind by dynamic programming over (n, s).

Both return one row per statement: ``statement``, ``cases``, ``violations`` and ``largest_ratio``,
the largest ratio of the side that must be smaller to the side that must be larger.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import log_ndtr, wrightomega

from ldpt.engines.jit import compiled

LOGARITHM: Mapping[str, float] = {"apt": 0.0, "lsa": 0.5}  # weight of log n in the index
ROUNDING = 1e-9  # a ratio may exceed one by this much
LONGEST = 600  # pulls of a checked run
RUNS_PER_PROBLEM = 100
HORIZON = 1200  # of a chain
NEGLIGIBLE = 1e-40  # mass of a state at the rim of a chain
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
    seed: int, erring_runs: int, played: Mapping[str, float] = LOGARITHM
) -> pd.DataFrame:
    """Check the statements "Every tape" of the appendix on runs whose answer is wrong.

    Parameters
    ----------
    seed
        Of the random problems and tapes.
    erring_runs
        At least this many runs with a wrong answer are checked for each policy.
    played
        Weight of log n in the index that is played; the statements are about ``LOGARITHM``.
        A test plants a fault by passing another one.

    Returns
    -------
    pandas.DataFrame
        One row per policy and statement.
    """
    rows = []
    for policy, weight in LOGARITHM.items():
        rng = np.random.default_rng([seed, *policy.encode()])
        ratios: list[np.ndarray] = []  # one row per erring run
        while len(ratios) < erring_runs:
            ratios.extend(erring_ratios(rng, draw_problem(rng), weight, played[policy]))
        for name, column in zip(TAPE_STATEMENTS, np.array(ratios).T, strict=True):
            rows.append(_row(f"{policy}: {name}", column))
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
        tau = 0.5 + shrinkage * (float(rng.choice(THRESHOLDS)) - 0.5)
        zeta = shrinkage * float(rng.choice(TOLERANCES))
        means = 0.5 + shrinkage * (rng.uniform(0.02, 0.98, n_arms) - 0.5)
        complexity = ((np.abs(means - tau) + zeta) ** -2).sum()
        budget = n_arms + math.ceil(rng.uniform(0.1, 2.5) * complexity)
        if 2 * n_arms <= budget <= LONGEST:
            return Problem(means, tau, zeta, budget)


def erring_ratios(
    rng: np.random.Generator, problem: Problem, weight: float, played: float
) -> Iterator[np.ndarray]:
    """For every run with a wrong answer one ratio per statement, the largest over its wrong arms.

    A ratio of at most one means that the statement holds.
    """
    n_arms, budget = problem.means.size, problem.budget
    shape = (RUNS_PER_PROBLEM, n_arms, budget)
    sums = (rng.random(shape) < problem.means[:, None]).cumsum(axis=2)
    positions = np.arange(1, budget + 1)
    distance = sums - positions * problem.tau
    squares = (np.abs(distance) + positions * problem.zeta) ** 2 / positions  # I_n^2
    runs = play(squares + played * np.log(positions), budget)
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


# --- inequalities between exact numbers -----------------------------------------------------------


def check_chains(chains: int = 300, seed: int = 1, exponent: float = 1.0) -> pd.DataFrame:
    """Compare exact probabilities with Lemmas Y, V and E and with both mixtures' levels.

    Parameters
    ----------
    chains
        Number of random chains per statement.
    seed
        Of the parameters of the chains; the probabilities themselves are not simulated.
    exponent
        Power to which the bounds' exponential is raised; the statements have 1. A test plants a
        fault by passing more.

    Returns
    -------
    pandas.DataFrame
        One row per statement. Chains are followed to a finite horizon, which can only make the
        probabilities smaller.
    """
    rows = []
    for number, (name, draw) in enumerate(CHAINS.items()):
        rng = np.random.default_rng([seed, number])
        ratios: list[float] = []
        while len(ratios) < chains:
            chain, factor, bound = draw(rng)
            if factor * bound < 1:  # otherwise there is nothing to check
                ratios.append(probability(chain) / (factor * bound**exponent))
        rows.append(_row(name, np.array(ratios)))
    return pd.DataFrame(rows)


Event = Callable[[int, np.ndarray], Any]  # of n and d at every s: where it happens


@dataclass(frozen=True)
class Chain:
    """A walk d_n = s - n tau of responses with this mean; it counts when it strikes once armed."""

    mean: float
    tau: float
    horizon: int
    armed: Event
    strikes: Event


def probability(chain: Chain) -> float:
    """Probability that the walk is armed and, then or later, strikes within the horizon.

    Exact but for states at the rim whose mass is below ``NEGLIGIBLE``, which are dropped.
    """
    waiting = np.zeros(chain.horizon + 2)
    waiting[0] = 1.0
    ready = np.zeros_like(waiting)
    struck, low, end = 0.0, 0, 1  # mass is in low <= s < end
    s = np.arange(chain.horizon + 2)
    for n in range(1, chain.horizon + 1):
        end += 1
        for mass in (waiting, ready):
            moved = chain.mean * mass[low : end - 1]
            mass[low:end] *= 1 - chain.mean
            mass[low + 1 : end] += moved
        d = s[low:end] - n * chain.tau
        here, there = waiting[low:end], ready[low:end]
        arming = chain.armed(n, d)
        there += np.where(arming, here, 0.0)
        here *= np.logical_not(arming)
        hit = chain.strikes(n, d)
        struck += there[hit].sum()
        there[hit] = 0.0
        while low < end and waiting[low] + ready[low] < NEGLIGIBLE:
            waiting[low] = ready[low] = 0.0
            low += 1
        while low < end and waiting[end - 1] + ready[end - 1] < NEGLIGIBLE:
            end -= 1
            waiting[end] = ready[end] = 0.0
        if low == end:
            break
    return float(struck)


Drawn = tuple[Chain, float, float]  # the chain, and its bound as a factor times an exponential


def _draw_arm(rng: np.random.Generator) -> tuple[float, float, float, int]:
    """Mean above the threshold, threshold, gap, and a horizon after which little happens."""
    tau = float(rng.uniform(0.1, 0.6))
    gap = float(np.exp(rng.uniform(math.log(0.08), math.log(0.35))))
    return tau + gap, tau, gap, math.ceil(6 / gap**2)


def _lemma_y(rng: np.random.Generator) -> Drawn:
    mean, tau, gap, later = _draw_arm(rng)
    zeta = gap * float(rng.choice([0.0, 0.5, 1.0]))
    start = float(np.exp(rng.uniform(0, math.log(4 / gap**2))))
    ratio, level = float(rng.uniform(1.2, 9.0)), float(rng.uniform(0.6, 1.6))
    rate = 8 * math.sqrt(ratio) / (1 + math.sqrt(ratio)) ** 2

    def armed(n: int, d: np.ndarray) -> Any:
        return (start <= n <= ratio * start) & (np.abs(d) + n * zeta >= level * math.sqrt(n))

    horizon = min(math.ceil(ratio * start) + later, HORIZON)
    chain = Chain(mean, tau, horizon, armed, lambda n, d: d <= 0)
    return chain, 2.0, math.exp(-rate * level**2)


def _lemma_v(rng: np.random.Generator) -> Drawn:
    mean, tau, gap, later = _draw_arm(rng)
    zeta = gap * float(rng.choice([0.0, 0.5, 2.0]))
    root = float(rng.uniform(0.3, 1.8))
    level = root * float(rng.uniform(0, 0.9))
    start = (root / (gap + zeta)) ** 2

    def strikes(n: int, d: np.ndarray) -> Any:
        return np.abs(d) + n * zeta <= level * math.sqrt(n)

    horizon = min(math.ceil(start) + later, HORIZON)
    chain = Chain(mean, tau, horizon, lambda n, d: n >= start, strikes)
    return chain, 1.0, math.exp(-2 * (root - level) ** 2)


def _lemma_e(rng: np.random.Generator) -> Drawn:
    mean, tau, gap, later = _draw_arm(rng)
    start = float(rng.uniform(0.05, 3.0)) / gap**2
    horizon = min(math.ceil(start) + later, HORIZON)
    chain = Chain(mean, tau, horizon, lambda n, d: n >= start, lambda n, d: d <= 0)
    return chain, 1.0, math.exp(-2 * start * gap**2)


def _two_sided(rng: np.random.Generator) -> Drawn:
    mean, rho, level = _draw_mixture(rng)

    def strikes(n: int, d: np.ndarray) -> Any:
        total = n / 4 + rho
        return 0.5 * math.log(rho / total) + d**2 / (2 * total) >= -math.log(level)

    return Chain(mean, mean, HORIZON, lambda n, d: True, strikes), 1.0, level


def _one_sided(rng: np.random.Generator) -> Drawn:
    tau, rho, level = _draw_mixture(rng)
    mean = tau * float(rng.choice([1.0, 1.0, 0.98]))  # an arm at the threshold is the worst case
    proxy = 0.25 if tau == 0.5 else (1 - 2 * tau) / (2 * math.log((1 - tau) / tau))

    def strikes(n: int, d: np.ndarray) -> Any:
        total = proxy * n + rho
        z = d / math.sqrt(total)
        mixture = math.log(2) + 0.5 * math.log(rho / total) + z**2 / 2 + log_ndtr(z)
        return mixture >= -math.log(level)

    return Chain(mean, tau, HORIZON, lambda n, d: True, strikes), 1.0, level


def _draw_mixture(rng: np.random.Generator) -> tuple[float, float, float]:
    """Mean, rho and error level of one arm."""
    mean = float(rng.choice([0.1, 0.3, 0.5, 0.6, 0.9]))
    return mean, float(np.exp(rng.uniform(-2, 5))), float(np.exp(-rng.uniform(0.2, 5)))


CHAINS: Mapping[str, Callable[[np.random.Generator], Drawn]] = {
    "Lemma Y: a large index on a scale, then the wrong side": _lemma_y,
    "Lemma V: a small index late": _lemma_v,
    "Lemma E: the wrong side late": _lemma_e,
    "mixture: a tape ever leaves its two-sided boundary": _two_sided,
    "onesided: a tape ever crosses its wrong boundary": _one_sided,
}


def _row(statement: str, ratios: np.ndarray) -> dict[str, Any]:
    return {
        "statement": statement,
        "cases": len(ratios),
        "violations": int((ratios > 1 + ROUNDING).sum()),
        "largest_ratio": float(ratios.max()),
    }
