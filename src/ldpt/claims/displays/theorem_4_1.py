"""Exact checks of Theorem 4.1 and its proof (Appendix D)."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ldpt.claims.displays.arithmetic import (
    Evidence,
    certainly,
    enclose,
    evidence_of,
    intervals,
)


def hoeffding_on_the_radius(
    scale: Fraction = Fraction(8), amended: Fraction = Fraction(2)
) -> Evidence:
    """P(|mu^ - mu| >= sqrt(L(t)/(scale s))) <= delta/(2 K t^3) for s pulls of a fair coin, exactly.

    Hoeffding gives 2 exp(-2 L/scale) = 2 (delta/(4 K t^3))^(2/scale): the power is 1/4 at the
    printed 8, and 1, which is the printed right-hand side, at 2.
    """
    n_arms, delta = 2, Fraction(1, 10)
    iv = intervals()

    def holds(t: int, divisor: Fraction) -> bool:
        pulls = t - 1
        reach = iv.log(enclose(4 * n_arms * t**3 / delta)) / enclose(divisor)
        tail = sum(
            math.comb(pulls, s)
            for s in range(pulls + 1)
            if certainly(enclose(Fraction((2 * s - pulls) ** 2, 4 * pulls)) >= reach)
        )
        return Fraction(tail, 2**pulls) <= delta / (2 * n_arms * t**3)

    times = [10, 20, 50, 100, 200]
    repaired = [(f"t = {t}, s = {t - 1}", holds(t, amended)) for t in times]
    return evidence_of(
        ((f"t = {t}, s = {t - 1}", holds(t, scale)) for t in times),
        [*repaired, ("power of delta in Hoeffding's bound", 2 / amended >= 1)],
    ) | {"exponent_of_delta": float(2 / scale)}


def _counts_after(rounds: int, p: Fraction) -> dict[tuple[int, ...], Fraction]:
    """Law of (pulls, positives) of two equal arms after some rounds of Algorithm 2."""
    states: dict[tuple[int, ...], Fraction] = {(1, s, 1, r): p**2 for s in (0, 1) for r in (0, 1)}
    for _ in range(2, rounds):
        after: dict[tuple[int, ...], Fraction] = {}
        for state, weight in states.items():
            arm = _next_of_two(state)
            for step, chance in ((0, 1 - p), (1, p)):
                nxt = list(state)
                if arm is not None:  # a run that is over keeps its counts
                    nxt[2 * arm] += 1
                    nxt[2 * arm + 1] += step
                after[tuple(nxt)] = after.get(tuple(nxt), Fraction(0)) + weight * chance
        states = after
    return states


def _next_of_two(state: tuple[int, ...], threshold: float = 0.05) -> int | None:
    """The arm that Algorithm 2 pulls; the threshold is low, so that counts vary early."""
    from ldpt.radii import Radius, upper

    undecided = []
    edge = Radius("printed").at(2, 0.9, threshold, math.inf)
    for arm in (0, 1):
        pulls, positives = state[2 * arm], state[2 * arm + 1]
        b = upper(edge, pulls, state[0] + state[2])
        if -b <= positives - pulls * threshold < b:
            undecided.append((pulls, arm))
    return min(undecided)[1] if undecided else None


def _binomial_deviation(n: int, p: Fraction, asked: Fraction) -> Fraction:
    return sum(
        (
            math.comb(n, s) * p**s * (1 - p) ** (n - s)
            for s in range(n + 1)
            if abs(Fraction(s, n) - p) >= asked
        ),
        Fraction(0),
    )


def termination_is_correct(slack: Fraction = Fraction(0)) -> Evidence:
    """Appendix D: an arm that is decided and within its radius is on its true side, on a lattice.

    ``slack`` lets the estimate leave the radius by so much.
    """
    lattice = [Fraction(n, 10) for n in range(11)]
    cases = itertools.product(lattice, lattice, lattice, [Fraction(n, 10) for n in (0, 1, 2, 4)])

    def holds(estimate: Fraction, mean: Fraction, tau: Fraction, radius: Fraction) -> bool:
        inside = estimate >= tau
        shifted = estimate - radius if inside else estimate + radius
        stopped = (shifted >= tau) == inside
        return not (stopped and abs(estimate - mean) <= radius + slack) or inside == (mean >= tau)

    return evidence_of((f"{case}", holds(*case)) for case in cases)


def fixed_point(constant: int = 499, needed: tuple[int, int] = (126, 54)) -> Evidence:
    """Appendix D: 56 + 24 log(2 C) < C for every C > 499, which the contradiction uses.

    The sum of 1/(2 Delta^2) is H_eps/2 = 18 (H_eps/36), so that 18, 54 and 126 belong where 8, 24
    and 56 are printed. With them the contradiction still works from 499 on: ``least_constant`` is
    where 126 + 54 log(2 C) = C.
    """
    iv = intervals()

    def excess(c: Any, base: int, slope: int) -> Any:
        return c - base - slope * iv.log(2 * c)

    # the excess grows where C is above the slope, so its sign at 499 decides for all larger C
    low, high = Fraction(60), Fraction(2000)
    while high - low > Fraction(1, 10**6):
        middle = (low + high) / 2
        if certainly(excess(enclose(middle), *needed) > 0):
            high = middle
        else:
            low = middle
    found = evidence_of(
        [
            (f"C = {constant}, as printed", certainly(excess(iv.mpf(constant), 56, 24) > 0)),
            (f"C = {constant}, as needed", certainly(excess(iv.mpf(constant), *needed) > 0)),
        ]
    )
    return found | {"least_constant": float(high), "slack_at_constant": float(constant - high)}


# each is called without arguments, and its name is the key of its evidence
CHECKS: list[Callable[[], Evidence]] = [
    hoeffding_on_the_radius,
    termination_is_correct,
    fixed_point,
]
