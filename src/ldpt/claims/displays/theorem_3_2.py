"""Exact checks of Theorem 3.2 and its proof (Appendix C)."""

import math
from collections.abc import Callable, Sequence
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


def small_epsilon_factor(small: Sequence[float] = (0.001, 0.01, 0.1, 0.3)) -> Evidence:
    """Section 3.2: (e^eps + 1)^2 min{4, e^(2 eps)} stays bounded, by 16, for small eps."""
    iv = intervals()

    def factor(epsilon: float) -> Any:
        x = iv.exp(enclose(epsilon))
        return (x + 1) ** 2 * (x * x if certainly(x * x < 4) else iv.mpf(4))

    return evidence_of((f"eps = {e}", certainly(factor(e) <= 16)) for e in small) | {
        "factor_at_0.001": midpoint(factor(0.001)),
        "factor_at_4": midpoint(factor(4.0)),
    }


def matching_exponents(largest_small: float = 0.5, upper_rate: float = 0.25) -> Evidence:
    """Printed lower over printed upper exponent of T (Sections 1 and 3.2).

    Both are T/H_eps times a factor: 8 (e^eps + 1)^2 min{4, e^(2 eps)} below, ``upper_rate`` above.
    The environments of the lower bound have halved gaps at zeta = 0, so in terms of their own
    complexity its factor is four times that. ``smallest`` is the ratio at eps = 0.001.
    """

    def ratio(epsilon: float) -> float:
        factor = 8 * (math.exp(epsilon) + 1) ** 2 * min(4.0, math.exp(2 * epsilon))
        return factor / upper_rate if upper_rate else math.inf

    smallest = ratio(0.001)
    grid = [largest_small / 2**n for n in range(6)]
    return {
        "cases": len(grid),
        "smallest": smallest,
        "in_one_unit": 4 * smallest,
        "largest_at_small_epsilon": max(map(ratio, grid)),
        "growth_to_small": ratio(largest_small) / smallest,
        "growth_to_4": ratio(4.0) / smallest,
        "growth_to_8": ratio(8.0) / smallest,
    }


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
    small_epsilon_factor,
    other_answer_is_an_error,
    matching_exponents,
]
