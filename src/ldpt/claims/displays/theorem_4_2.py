"""Exact checks of Theorem 4.2 and its proof (Appendix E)."""

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


def mirrored_divergence(coefficient: Fraction = Fraction(2)) -> Evidence:
    """Divergence of mirrored arms' responses over min{4, e^(2 eps)} (e^eps - 1)^2 Delta^2.

    The printed 2 does not follow from the cited lemma, which allows 4 (total variation 2 Delta),
    yet holds: KL <= (p - q)^2/(2 min v(1 - v)) and PrivBern has v(1 - v) >= e^eps/(1 + e^eps)^2.
    """
    tau = Fraction(1, 2)
    cases = [
        (mean, t, x)
        for t in (Fraction(3, 10), tau, Fraction(9, 10))
        for mean in (Fraction(n, 20) for n in range(21))
        if mean != t
        for x in RATIONAL_EXPONENTIALS
    ]

    def ratio(mean: Fraction, t: Fraction, x: Fraction) -> Any:
        mirrored = min(max(2 * t - mean, Fraction(0)), Fraction(1))
        rate = min(Fraction(4), x * x) * (x - 1) ** 2 * (mean - t) ** 2
        return private_divergence(mean, mirrored, x) / enclose(rate)

    found = [(f"mu = {m}, tau = {t}, e^eps = {x}", ratio(m, t, x)) for m, t, x in cases]
    return evidence_of((name, certainly(r <= enclose(coefficient))) for name, r in found) | {
        "largest_coefficient": max(midpoint(r) for _, r in found)
    }


def binary_divergence_bound(slack: int = 2) -> Evidence:
    """kl(x, y) >= x log(1/y) - log 2 for x, y in (0, 1)."""
    iv = intervals()
    grid = [Fraction(n, 40) for n in range(1, 40)]

    def holds(x: Fraction, y: Fraction) -> bool:
        right = enclose(x) * iv.log(1 / enclose(y)) - iv.log(iv.mpf(slack))
        return certainly(divergence(x, y) - right >= -iv.mpf(1e-30))

    return evidence_of((f"x = {x}, y = {y}", holds(x, y)) for x in grid for y in grid)


def confidence_range(
    share: Fraction = Fraction(1, 1000), largest: Fraction = Fraction(1, 10)
) -> Evidence:
    """(1 - delta) log(1/delta) - log 2 >= share log(1/delta), needed for Omega(log(1/delta)).

    However small the share, it fails at large delta, where the left side is negative; and from
    delta = 1/2 on guessing one arm with a fair coin needs no pull. Up to 1/10 half of it holds.
    """
    iv = intervals()

    def holds(delta: Fraction, part: Fraction) -> bool:
        log_term = iv.log(1 / enclose(delta))
        return certainly(
            (1 - enclose(delta)) * log_term - iv.log(iv.mpf(2)) >= enclose(part) * log_term
        )

    deltas = [Fraction(n, 100) for n in (1, 5, 10, 20, 30, 40, 50, 60, 80, 95, 99)]
    positive = [d for d in deltas if holds(d, Fraction(0))]
    return evidence_of(
        ((f"delta = {d}", holds(d, share)) for d in deltas),
        ((f"delta = {d}", holds(d, Fraction(1, 2))) for d in deltas if d <= largest),
    ) | {"largest_delta_with_positive_bound": float(max(positive))}


def other_environment_has_another_answer(at_threshold: bool = True) -> Evidence:
    """Appendix E: the correct answers in Q and Q^i differ, so that P_{Q^i}(answer of Q) <= delta.

    An arm exactly at the threshold is its own mirror image: then they are the same. For
    0 < tau <= 1 and any other mean they differ, clipped or not.
    """
    lattice = [Fraction(n, 10) for n in range(11)]
    cases = [
        (f"mu = {mean}, tau = {tau}", mean, tau)
        for tau in lattice[1:]
        for mean in lattice
        if at_threshold or mean != tau
    ]

    def differs(mean: Fraction, tau: Fraction) -> bool:
        mirrored = min(max(2 * tau - mean, Fraction(0)), Fraction(1))
        return (mean >= tau) != (mirrored >= tau)

    return evidence_of(
        ((name, differs(mean, tau)) for name, mean, tau in cases),
        ((name, differs(mean, tau)) for name, mean, tau in cases if mean != tau),
    )


# each is called without arguments, and its name is the key of its evidence
CHECKS: list[Callable[[], Evidence]] = [
    mirrored_divergence,
    binary_divergence_bound,
    confidence_range,
    other_environment_has_another_answer,
]
