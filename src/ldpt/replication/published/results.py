"""Numbers that others have published or that their programs give, beside ours.

Three sources (``config/others.yaml``): stopping times of Kano et al. (2019, table 2) with their
radius, log losses of a notebook of banditpylib, and stopping times of nprr's conjugate mixture for
randomised response. A textbook rule, the one-sided Beta mixture, stands beside them. Where each arm
is judged by its own answers, ours are exact: a forward recursion over the number of ones.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import betainc, betaln

from ldpt.exact import law_after_response
from ldpt.instances import Instance
from ldpt.privacy import private_mean
from ldpt.radii import Radius, lower, upper
from ldpt.simulate import fixed_budget
from ldpt.util.reproducible import log, log1p

REMAINDER = 1e-12  # probability of running on at which a recursion ends
Sides = Callable[[int], tuple[int, int]]  # n -> (first s that is undecided, first that is above)
Row = tuple[str, str, float, float, float, float, float]


def expected_answers(mean: float, sides: Sides) -> float:
    """Return the expected number of answers, the sum of P(N > n), until an arm is decided.

    ``mean`` is the probability that an answer is 1.
    """
    total, first = 1.0, 0  # the first answer is always given
    law = np.array([1.0])  # of the number of ones, from `first` on
    for n in itertools.count(1):
        law = law_after_response(law, mean)
        low, high = sides(n)
        start = max(low - first, 0)
        stop = max(high - first, 0)
        law, first = law[start:stop], first + start
        undecided = float(law.sum())
        if undecided < REMAINDER:
            break
        total += undecided
    return total


def kano_sides(threshold: float, n_arms: int, delta: float) -> Sides:
    """Return the region of Kano et al.: radius sqrt(log(4 K n^2 / delta) / (2 n))."""

    def sides(n: int) -> tuple[int, int]:
        reach = math.sqrt(n * log(4 * n_arms * n * n / delta) / 2)
        return math.ceil(n * threshold - reach), math.ceil(n * threshold + reach)

    return sides


def coin_sides(threshold: float, epsilon: float, level: float) -> Sides:
    """Return the region of `coin` for one arm at level K / delta."""
    private = private_mean(threshold, epsilon)
    edge = Radius("coin").at(1, 1 / level, threshold, epsilon)

    def sides(n: int) -> tuple[int, int]:
        middle = n * private
        return math.ceil(middle - lower(edge, n, n)), math.ceil(middle + upper(edge, n, n))

    return sides


def conjugate_sides(private: float, level: float, v_opt: float) -> Sides:
    """Return the region of a beta-binomial mixture, two-sided (Howard et al. 2021).

    The prior is Beta(r / (1 - t), r / t) around the private threshold t, with r tuned for the
    intrinsic time ``v_opt`` at level 0.05, as confseq does. M is convex in the number of ones, so
    each side is found by steps from where it was one answer before.
    """
    log_odds = 2 * log(1 / 0.05)
    variance = private * (1 - private)
    r = max(v_opt / (log_odds + log1p(log_odds)) - variance, 1e-3 * variance)
    a = r / (1 - private)
    b = r / private
    target = log(level)
    low, high = 0, 1

    def exceeds(n: int, s: int) -> bool:
        ratio = betaln(a + s, b + n - s) - betaln(a, b)
        return bool(ratio - s * log(private) - (n - s) * log1p(-private) >= target)

    def sides(n: int) -> tuple[int, int]:
        nonlocal low, high
        high = max(high, math.floor(n * private) + 1)
        while high <= n and not exceeds(n, high):
            high += 1
        while low < n * private and exceeds(n, low):
            low += 1
        return low, high

    return sides


def beta_sides(threshold: float, epsilon: float, level: float) -> Sides:
    """Return the region of a textbook rule: one-sided Beta mixtures at level K / delta per side.

    The prior of the mean reward is uniform on its side of the threshold. The mixture is an
    incomplete beta function, and convex in the number of ones.
    """
    low_end, private, high_end = (private_mean(x, epsilon) for x in (0.0, threshold, 1.0))
    target = log(level)
    low, high = 0, 1

    def exceeds(n: int, s: int, start: float, end: float) -> bool:
        share = betainc(s + 1, n - s + 1, end) - betainc(s + 1, n - s + 1, start)
        if share <= 0:
            return False
        ratio = betaln(s + 1, n - s + 1) + log(float(share) / (end - start))
        return bool(ratio - s * log(private) - (n - s) * log1p(-private) >= target)

    def sides(n: int) -> tuple[int, int]:
        nonlocal low, high
        high = max(high, math.floor(n * private) + 1)
        while high <= n and not exceeds(n, high, private, high_end):
            high += 1
        while low < n * private and exceeds(n, low, low_end, private):
            low += 1
        return low, high

    return sides


def tabulate(content: Mapping[str, Any], seed: int) -> pd.DataFrame:
    """Return one row per number: theirs, ours, and the difference in standard errors."""
    rows = [
        *_kano(content["kano"]),
        *_banditpylib(content["banditpylib"], seed),
        *_nprr(content["nprr"]),
        *_beta(content["beta"]),
    ]
    columns = ["source", "quantity", "theirs", "their_error", "ours", "our_error", "coin"]
    table = pd.DataFrame(rows, columns=columns)
    spread = np.sqrt(np.square(table["their_error"]) + np.square(table["our_error"]))
    table.insert(6, "difference_in_se", (table["theirs"] - table["ours"]) / spread)
    return table


def _kano(content: Mapping[str, Any]) -> Iterator[Row]:
    """Yield mean stopping times; theirs count one more than the answers."""
    for problem in content["problems"]:
        means, threshold = problem["means"], problem["threshold"]
        regions = (
            kano_sides(threshold, len(means), content["delta"]),
            coin_sides(threshold, math.inf, len(means) / content["delta"]),
        )
        exact, coin = (
            math.fsum(means.count(m) * expected_answers(m, sides) for m in sorted(set(means)))
            for sides in regions
        )
        for algorithm, (theirs, error) in problem["times"].items():
            quantity = f"mean time of {algorithm}, {problem['name']}"
            yield "Kano et al. 2019", quantity, theirs, error, exact + 1, 0.0, coin


def _banditpylib(content: Mapping[str, Any], seed: int) -> Iterator[Row]:
    """Yield log losses at their budgets; their error is that of the runs and of the reading."""
    problem = Instance("banditpylib", content["means"], content["threshold"], content["tolerance"])
    budgets, runs = content["budgets"], content["our_runs"]
    for policy, log_losses in content["log_losses"].items():
        losses = fixed_budget(problem, math.inf, budgets, runs, seed, policy=policy)
        shares = losses.groupby("budget")["loss"].mean()
        for budget, theirs in zip(budgets, log_losses, strict=True):
            share = float(shares[budget])
            error, sampling = (
                math.sqrt((1 - share) / (share * n)) for n in (runs, content["runs"])
            )
            reading = content["reading_error"]
            their_error = math.sqrt(sampling * sampling + reading * reading)
            quantity = f"log loss of {policy}, T = {budget}"
            ours = log(share)
            yield "banditpylib", quantity, theirs, their_error, ours, error, math.nan


def _nprr(settings: list[Mapping[str, Any]]) -> Iterator[Row]:
    """Yield stopping times of the conjugate mixture, and those of `coin` beside them."""
    for setting in settings:
        mean, threshold = setting["mean"], setting["threshold"]
        epsilon, level = setting["epsilon"], setting["level"]
        private = private_mean(threshold, epsilon)
        truth = private_mean(mean, epsilon)
        conjugate = conjugate_sides(private, level, private * (1 - private) * setting["tuned"])
        ours = expected_answers(truth, conjugate)
        coin = expected_answers(truth, coin_sides(threshold, epsilon, level))
        quantity = (
            f"answers, mean {mean:g} at {threshold:g}, epsilon {epsilon:g}, K/delta {level:g}"
        )
        yield "nprr", quantity, setting["theirs"], setting["error"], ours, 0.0, coin


def _beta(settings: list[Mapping[str, Any]]) -> Iterator[Row]:
    """Yield exact expected answers of one-sided Beta mixtures, and those of `coin` beside them."""
    for setting in settings:
        mean, threshold = setting["mean"], setting["threshold"]
        epsilon, level = setting["epsilon"], setting["level"]
        truth = private_mean(mean, epsilon)
        regions = (beta_sides, coin_sides)
        beta, coin = (
            expected_answers(truth, region(threshold, epsilon, level)) for region in regions
        )
        quantity = (
            f"answers, mean {mean:g} at {threshold:g}, epsilon {epsilon:g}, K/delta {level:g}"
        )
        yield "one-sided Beta mixture", quantity, math.nan, math.nan, beta, 0.0, coin
