"""Exact checks of Theorem 3.2 and its proof (Appendix C)."""

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ldpt.claims.displays.arithmetic import (
    RATIONAL_EXPONENTIALS,
    Evidence,
    certainly,
    divergence,
    enclose,
    evidence_of,
    intervals,
    midpoint,
    private_divergence,
)


def divergence_of_mirrored_arms(coefficient: int = 2) -> Evidence:
    """KL(Bern(1/2 - D/2), Bern(1/2 + D/2)) = D log((1+D)/(1-D)) <= 2 D^2: violated for every D.

    The series 2 (D^2 + D^4/3 + D^6/5 + ...) shows it, and 2 D^2/(1 - D^2) as a bound that holds.
    """
    iv = intervals()

    def exact(gap: Fraction) -> Any:
        d = enclose(gap)
        return d * iv.log((1 + d) / (1 - d))

    gaps = [Fraction(n, 20) for n in range(1, 20)]
    half = Fraction(1, 2)
    return evidence_of(
        ((f"D = {d}", not certainly(exact(d) > enclose(coefficient * d * d))) for d in gaps),
        ((f"D = {d}", certainly(exact(d) <= enclose(2 * d * d / (1 - d * d)))) for d in gaps),
    ) | {
        "divergence_at_half": midpoint(exact(half)),
        "printed_bound_at_half": float(coefficient * half * half),
    }


def bretagnolle_huber(constant: Fraction = Fraction(1, 2)) -> Evidence:
    """P(A) + Q(not A) >= exp(-KL(P, Q))/2 for Bernoulli laws and the event A = {1}."""
    iv = intervals()
    grid = [Fraction(n, 20) for n in range(1, 20)]

    def holds(p: Fraction, q: Fraction) -> bool:
        return certainly(enclose(p + 1 - q) >= enclose(constant) * iv.exp(-divergence(p, q)))

    return evidence_of((f"p = {p}, q = {q}", holds(p, q)) for p in grid for q in grid)


def channel_contraction(printed: bool = True, scale: Fraction = Fraction(1)) -> Evidence:
    """Divergence after an eps-LDP channel on 0/1 rewards, against its bounds (Appendices C, E).

    On binary inputs every eps-LDP channel is a post-processing of randomised response, that is of
    PrivBern: checking PrivBern checks them all. The bound is 2 min{4, e^(2 eps)} (e^eps - 1)^2 KL
    as ``printed``, otherwise tanh(eps/2)^2 KL; ``scale`` multiplies it.
    """
    grid = [Fraction(n, 20) for n in range(1, 20, 2)]

    def ratio(p: Fraction, q: Fraction, x: Fraction) -> Any:
        rate = 2 * min(Fraction(4), x * x) * (x - 1) ** 2 if printed else ((x - 1) / (x + 1)) ** 2
        return private_divergence(p, q, x) / (enclose(scale * rate) * divergence(p, q))

    found = [
        (f"p = {p}, q = {q}, e^eps = {x}", ratio(p, q, x))
        for p in grid
        for q in grid
        if p != q
        for x in RATIONAL_EXPONENTIALS
    ]
    ratios = [midpoint(r) for _, r in found]
    return evidence_of((name, certainly(r <= 1)) for name, r in found) | {
        "largest_ratio": max(ratios),
        "smallest_ratio": min(ratios),
    }


def pigeonhole_over_measures(
    n_arms: int = 8, budget: int = 100, x: Fraction = Fraction(150)
) -> Evidence:
    """Appendix C: some arm has E_i[T_i] <= 4 T/(H D_i^2), each expectation in its own environment.

    A policy that looks at every arm once and then pulls the first that answered 0 spends, in B^i,
    nearly all on arm i: with D_i = 1 the claim fails for all arms at once. Under the one measure of
    B^0 the expectations do add up to T.
    """
    right = x / (1 + x)  # a response shows the arm's side (means are 0 and 1)
    finds = right**n_arms  # every arm answers as it should
    expected = 1 + (budget - n_arms) * finds  # a lower bound on E_i[T_i]
    allowed = Fraction(4 * budget, n_arms)  # H = K when every gap is 1
    # in B^0 the arm pulled after the first round is arm j with these probabilities
    zero = 1 - right
    shares = [right**j * zero for j in range(n_arms)]
    shares[0] += right**n_arms  # all answered 1: the policy takes the first
    total = sum((1 + (budget - n_arms) * share for share in shares), Fraction(0))
    return evidence_of(
        [("some arm is cheap", expected <= allowed)], [("sum under B^0", total == budget)]
    ) | {
        "least_expected_pulls": float(expected),
        "allowed_pulls": float(allowed),
        "sum_under_one_measure": float(total),
    }


def channel_simulation(channels: int = 200, excess: Fraction = Fraction(1)) -> Evidence:
    """Theorem R for one response: a random eps-LDP channel is PrivBern followed by a channel W.

    In exact arithmetic, W(y|1) = (x Q(y|1) - Q(y|0))/(x - 1) with x = e^eps, and W(y|0) likewise:
    non-negative, sums to one, and PrivBern followed by W is Q. The channels are drawn with
    likelihood ratios between 1/x and x, of which some reach an end; ``excess`` plants a fault by
    letting them leave the interval.
    """
    rng = random.Random(3)
    cases = []
    for number in range(channels):
        x = RATIONAL_EXPONENTIALS[number % len(RATIONAL_EXPONENTIALS)]
        zero, one = _random_channel(rng, x * excess, outputs=2 + number % 4)
        after = [
            [(x * a - b) / (x - 1) for a, b in zip(first, second, strict=True)]
            for first, second in ((zero, one), (one, zero))
        ]
        again = [(x * w1 + w0) / (x + 1) for w0, w1 in zip(*after, strict=True)]
        holds = min(map(min, after)) >= 0 and all(sum(w) == 1 for w in after) and again == one
        cases.append((f"channel {number}, e^eps = {x}", holds))
    return evidence_of(cases)


def _random_channel(
    rng: random.Random, x: Fraction, outputs: int
) -> tuple[list[Fraction], list[Fraction]]:
    """Return Q(y|0) and Q(y|1) with ratios between 1/x and x, of which two reach an end."""
    ends = [x, 1 / x, *(_between(rng, x) for _ in range(outputs - 2))]
    # weights w with sum w (ratio - 1) = 0, so that both rows sum to one
    weights = [Fraction(rng.randint(1, 50)) for _ in ends]
    drift = sum((w * (r - 1) for w, r in zip(weights, ends, strict=True)), Fraction(0))
    which = 1 if drift > 0 else 0
    weights[which] += abs(drift) / abs(ends[which] - 1)
    total = sum(weights, Fraction(0))
    zero = [w / total for w in weights]
    return zero, [w * r for w, r in zip(zero, ends, strict=True)]


def _between(rng: random.Random, x: Fraction) -> Fraction:
    return 1 / x + (x - 1 / x) * Fraction(rng.randint(0, 100), 100)


def other_answer_is_an_error(at_threshold: bool = True) -> Evidence:
    """Appendix C: whoever gives the answer of B^i in B^0 errs, and the loss counts it.

    The two answers differ in arm i, whose mean in B^0 is tau + g/2 + zeta. The loss counts its
    absence only if that mean is above tau + zeta, that is if g > 0.
    """
    tau = Fraction(1, 2)
    gaps = [Fraction(n, 20) for n in range(0 if at_threshold else 1, 9)]
    cases = [
        (f"g = {gap}, zeta = {zeta}", gap, tau + gap / 2 + zeta > tau + zeta)
        for gap in gaps
        for zeta in (Fraction(0), Fraction(1, 20), Fraction(1, 10))
    ]
    return evidence_of(
        ((name, counted) for name, _, counted in cases),
        ((name, counted) for name, gap, counted in cases if gap > 0),
    )


# each is called without arguments, and its name is the key of its evidence
CHECKS: list[Callable[[], Evidence]] = [
    divergence_of_mirrored_arms,
    bretagnolle_huber,
    channel_contraction,
    pigeonhole_over_measures,
    channel_simulation,
    other_answer_is_an_error,
]
