"""Exact checks of Theorems 3.1 and 3.2 and their proofs (Appendices B and C)."""

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from mpmath import iv

from ldpt.claims.displays.arithmetic import (
    EXPONENTIALS,
    HALF,
    INNER_GRID,
    TOLERANCES,
    UNIT_GRID,
    divergence,
    enclose,
    midpoint,
    private_divergence,
)
from ldpt.claims.evidence import Evidence, check, counted

# --- Theorem 3.1 (Appendix B) ---------------------------------------------------------------------


def sub_gaussian(scale: Fraction = Fraction(1, 4), amended: Fraction = HALF) -> Evidence:
    """Check log E exp(lam X) <= lam^2 scale^2 / 2 of a centred Bernoulli variable."""

    def excess(p: Fraction, lam: Fraction, r: Fraction) -> Any:
        q, s = enclose(p), enclose(lam)
        log_moment = iv.log((1 - q) * iv.exp(-s * q) + q * iv.exp(s * (1 - q)))
        return log_moment - s * s * enclose(r * r) / 2

    # lam = 0 is an equality; p = 1/2 makes 1/2 the exact limit as lam -> 0
    rates = [Fraction(n, 4) for n in (-32, -8, -2, -1, 1, 2, 8, 32)]
    found = check(
        "p = {}, lambda = {}",
        product(INNER_GRID, rates),
        lambda p, lam: not excess(p, lam, scale) > 0,
        lambda p, lam: excess(p, lam, amended) <= 0,
    )
    return found | {"excess_at_half": midpoint(excess(HALF, Fraction(1), scale))}


def maximal_inequality(rate: int = 8, factor: int = 1) -> Evidence:
    """P(some v in [m, 2m]: |S_v/v - 1/2| >= sqrt(x/v)) of a fair coin, exactly, against its bound.

    The paper has exp(-8 x) with x = T delta^2/H_eps; Doob's inequality with variance 1/4 at the
    long end and the deviation at the short end gives 2 exp(-x).
    """
    exact = {x: crossing_probability(64, 128, x) for x in (1, 2, 3)}
    found = check(
        "x = {}",
        zip(exact),
        lambda x: not enclose(exact[x]) > factor * iv.exp(-rate * x),
        lambda x: enclose(exact[x]) <= 2 * iv.exp(-x),
    )
    return found | {
        "exact_probability": float(exact[1]),
        "printed_bound": midpoint(factor * iv.exp(-rate)),
    }


def crossing_probability(first: int, last: int, x: int) -> Fraction:
    """Return the probability that a fair coin has (2 S_v - v)^2 >= 4 x v for a v in first..last."""
    paths = Counter({0: 1})  # 2 S_v - v -> number of paths that have not crossed
    for v in range(1, last + 1):
        after: Counter[int] = Counter()
        for (position, count), step in product(paths.items(), (-1, 1)):
            if v < first or (position + step) ** 2 < 4 * x * v:
                after[position + step] += count
        paths = after
    return 1 - Fraction(paths.total(), 2**last)


def peeling_scales(budgets: Sequence[int] = tuple(range(2, 200))) -> Evidence:
    """Appendix B: scales [2^u, 2^(u+1)] with u up to floor(log T) reach T; they do with log2.

    They do for T = 2, 3, 4 and 8 alone: from T = 10 on 2^(log T + 1) = 2 T^(log 2) is below T.
    """

    def reached(budget: int) -> bool:
        return 2 ** (math.floor(iv.log(budget).a) + 1) >= budget

    found = check(
        "T = {}", zip(budgets), reached, lambda budget: 2 ** budget.bit_length() >= budget
    )
    return found | {"largest_budget_reached": max(filter(reached, budgets), default=0)}


def union_term(factor: int = 2) -> Evidence:
    """2 (log T + 1) K <= exp(2 K log(log T + 1)), which the last step of Theorem 3.1 needs."""

    def holds(n_arms: int, budget: int) -> bool:
        log_term = iv.log(budget) + 1
        return factor * n_arms * log_term <= log_term ** (2 * n_arms)

    points = [(k, t) for k in (1, 2, 3, 5, 10) for t in (2 * k, 2 * k + 1, 4 * k, 100 * k, 10**6)]
    return check("K = {}, T = {}", points, holds, holds, lambda n_arms, budget: budget >= 3)


def rejected_below_threshold(
    share: Fraction = HALF, tolerances: Sequence[Fraction] = TOLERANCES
) -> Evidence:
    """Appendix B: a deviation of at most Delta/2 puts every arm with mu < tau below tau.

    Worst estimate mu + Delta/2; inside the tolerance band it is above the threshold. Outside the
    band, mu <= tau - zeta, it is at most tau, which the strict rule of Algorithm 1 rejects.
    ``share`` is the half.
    """

    def worst(mean: Fraction, zeta: Fraction) -> Fraction:
        return mean + share * (HALF - mean + zeta)

    return check(
        "mu = {}, zeta = {}",
        product(UNIT_GRID[:10], tolerances),
        lambda mean, zeta: worst(mean, zeta) < HALF,
        lambda mean, zeta: worst(mean, zeta) <= HALF,
        lambda mean, zeta: mean <= HALF - zeta,
    )


def accepted_above_threshold(share: Fraction = HALF) -> Evidence:
    """Appendix B: a deviation of at most Delta/2 leaves an arm with mu > tau + zeta above tau.

    The worst estimate, mu - Delta/2 = tau + (mu - tau - zeta)/2, is strictly above tau.
    """
    points = [(m, zeta) for m, zeta in product(UNIT_GRID, TOLERANCES) if m > HALF + zeta]
    return check(
        "mu = {}, zeta = {}", points, lambda mean, zeta: mean - share * (mean - HALF + zeta) > HALF
    )


def pulls_of_other_arms(scale: int = 1) -> Evidence:
    """Appendix B, display of T_i(t*): at least (1 - 2 sqrt(2 d))^2 T/(2 H Delta_i^2) pulls.

    The two chains before it give the square of 1 - 2 sqrt(2) d, which is 1/4 at d = 1/(4 sqrt 2).
    The printed square has the misplaced root and is smaller, so the display holds as it stands.
    """
    root = iv.sqrt(2)
    delta = 1 / (4 * root)
    printed = scale * (1 - 2 * iv.sqrt(2 * delta)) ** 2
    proved = (1 - 2 * root * delta) ** 2
    return counted([("delta = 1/(4 sqrt 2)", printed <= proved)]) | {
        "printed_share": midpoint(printed),
        "proved_share": midpoint(proved),
    }


# --- Theorem 3.2 (Appendix C) ---------------------------------------------------------------------


def divergence_of_mirrored_arms(coefficient: int = 2) -> Evidence:
    """Check KL(Bern(1/2 - D/2), Bern(1/2 + D/2)) = D log((1+D)/(1-D)) <= 2 D^2, wrong for all D.

    The series 2 (D^2 + D^4/3 + D^6/5 + ...) shows it, and 2 D^2/(1 - D^2) as a bound that holds.
    """

    def exact(gap: Fraction) -> Any:
        return divergence(HALF - gap / 2, HALF + gap / 2)

    return check(
        "D = {}",
        zip(INNER_GRID),
        lambda d: not exact(d) > enclose(coefficient * d * d),
        lambda d: exact(d) <= enclose(2 * d * d / (1 - d * d)),
    ) | {
        "divergence_at_half": midpoint(exact(HALF)),
        "printed_bound_at_half": float(coefficient * HALF * HALF),
    }


def bretagnolle_huber(constant: Fraction = HALF) -> Evidence:
    """P(A) + Q(not A) >= exp(-KL(P, Q))/2 for Bernoulli laws and the event A = {1}."""

    def holds(p: Fraction, q: Fraction) -> bool:
        return enclose(p + 1 - q) >= enclose(constant) * iv.exp(-divergence(p, q))

    return check("p = {}, q = {}", product(INNER_GRID, INNER_GRID), holds)


def channel_contraction(scale: Fraction = Fraction(1)) -> Evidence:
    """Divergence after an eps-LDP channel on 0/1 rewards: 2 min{4, e^(2 eps)} (e^eps - 1)^2 KL.

    On binary inputs every eps-LDP channel is a post-processing of randomised response, that is of
    PrivBern: checking PrivBern checks them all. ``scale`` multiplies the bound.
    """
    return _contraction(lambda x: 2 * scale * min(Fraction(4), x * x) * (x - 1) ** 2)


def sharp_contraction(scale: Fraction = Fraction(1)) -> Evidence:
    """Check the same with the bound tanh(eps/2)^2 KL."""
    return _contraction(lambda x: scale * ((x - 1) / (x + 1)) ** 2)


def _contraction(rate: Callable[[Fraction], Fraction]) -> Evidence:
    grid = INNER_GRID[::2]
    ratios = {
        (p, q, x): private_divergence(p, q, x) / (enclose(rate(x)) * divergence(p, q))
        for p, q, x in product(grid, grid, EXPONENTIALS)
        if p != q
    }
    found = check("p = {}, q = {}, e^eps = {}", ratios, lambda *point: ratios[point] <= 1)
    return found | {"largest_ratio": max(map(midpoint, ratios.values()))}


def pigeonhole_over_measures(x: Fraction = Fraction(150)) -> Evidence:
    """Appendix C: some arm has E_i[T_i] <= 4 T/(H D_i^2), each expectation in its own environment.

    A policy that looks at every arm once and then pulls the first that answered 0 spends, in B^i,
    nearly all on arm i: with D_i = 1 the claim fails for all arms at once. Under the one measure of
    B^0 the expectations do add up to T.
    """
    n_arms, budget = 8, 100
    right = x / (1 + x)  # a response shows the arm's side (means are 0 and 1)
    expected = 1 + (budget - n_arms) * right**n_arms  # a lower bound on E_i[T_i]
    allowed = Fraction(4 * budget, n_arms)  # H = K when every gap is 1
    # in B^0 the arm pulled after the first round is arm j with these probabilities
    shares = [right**j * (1 - right) for j in range(n_arms)]
    shares[0] += right**n_arms  # all answered 1: the policy takes the first
    total = sum((1 + (budget - n_arms) * share for share in shares), Fraction(0))
    return counted(
        [("some arm is cheap", expected <= allowed)], [("sum under B^0", total == budget)]
    ) | {"least_expected_pulls": float(expected), "allowed_pulls": float(allowed)}


def channel_simulation(excess: Fraction = Fraction(1)) -> Evidence:
    """Theorem R for one response: a random eps-LDP channel is PrivBern followed by a channel W.

    In exact arithmetic, W(y|1) = (x Q(y|1) - Q(y|0))/(x - 1) with x = e^eps, and W(y|0) likewise:
    non-negative, sums to one, and PrivBern followed by W is Q. The channels are drawn with
    likelihood ratios between 1/x and x, of which some reach an end; ``excess`` plants a fault by
    letting them leave the interval.
    """
    rng = random.Random(3)

    def simulated(number: int, x: Fraction) -> bool:
        zero, one = _random_channel(rng, x * excess, outputs=2 + number % 4)
        after = [
            [(x * a - b) / (x - 1) for a, b in zip(first, second, strict=True)]
            for first, second in ((zero, one), (one, zero))
        ]
        again = [(x * w1 + w0) / (x + 1) for w0, w1 in zip(*after, strict=True)]
        return min(map(min, after)) >= 0 and all(sum(w) == 1 for w in after) and again == one

    points = [(number, EXPONENTIALS[number % len(EXPONENTIALS)]) for number in range(200)]
    return check("channel {}, e^eps = {}", points, simulated)


def _random_channel(
    rng: random.Random, x: Fraction, outputs: int
) -> tuple[list[Fraction], list[Fraction]]:
    """Return Q(y|0) and Q(y|1) with ratios between 1/x and x, of which two reach an end."""
    inner = [1 / x + (x - 1 / x) * Fraction(rng.randint(0, 100), 100) for _ in range(outputs - 2)]
    ratios = [x, 1 / x, *inner]
    # weights w with sum w (ratio - 1) = 0, so that both rows sum to one
    weights = [Fraction(rng.randint(1, 50)) for _ in ratios]
    drift = sum((w * (r - 1) for w, r in zip(weights, ratios, strict=True)), Fraction(0))
    which = 1 if drift > 0 else 0
    weights[which] += abs(drift) / abs(ratios[which] - 1)
    total = sum(weights, Fraction(0))
    zero = [w / total for w in weights]
    return zero, [w * r for w, r in zip(zero, ratios, strict=True)]


def other_answer_is_an_error(least_gap: Fraction = Fraction(0)) -> Evidence:
    """Appendix C: whoever gives the answer of B^i in B^0 errs, and the loss counts it.

    The two answers differ in arm i, whose mean in B^0 is tau + g/2 + zeta. The loss counts its
    absence only if that mean is above tau + zeta, that is if g > 0.
    """

    def counts(gap: Fraction, zeta: Fraction) -> bool:
        return HALF + gap / 2 + zeta > HALF + zeta

    gaps = [gap for gap in UNIT_GRID[:9] if gap >= least_gap]
    name = "g = {}, zeta = {}"
    return check(name, product(gaps, TOLERANCES), counts, counts, lambda gap, zeta: gap > 0)
