"""Exact checks of Theorem 4.1 and its proof (Appendix D)."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from ldpt.claims.displays.arithmetic import (
    Evidence,
    certainly,
    enclose,
    evidence_of,
    intervals,
    midpoint,
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
    mended = [(f"t = {t}, s = {t - 1}", holds(t, amended)) for t in times]
    return evidence_of(
        ((f"t = {t}, s = {t - 1}", holds(t, scale)) for t in times),
        [*mended, ("power of delta in Hoeffding's bound", 2 / amended >= 1)],
    ) | {"exponent_of_delta": float(2 / scale)}


def sum_over_rounds(numerator: Fraction = Fraction(1, 2)) -> Evidence:
    """sum_t delta/(2 t^2) = pi^2 delta/12 <= delta, after (t - 1)/t^3 <= 1/t^2 in every round."""
    iv = intervals()
    total = enclose(numerator) * iv.pi**2 / 6
    rounds = [(f"t = {t}", Fraction(t - 1, t**3) <= Fraction(1, t**2)) for t in (1, 2, 10, 10**6)]
    return evidence_of([*rounds, ("sum", certainly(total <= 1))]) | {
        "sum_over_delta": midpoint(total)
    }


def conditional_sum(rounds: int = 7) -> Evidence:
    """Appendix D: P(deviation at t) = sum_s P(deviation | T_i(t) = s), exactly, for two arms.

    A sum of conditional probabilities with their weights left out. What is meant is the union over
    s of events on the arm's own sequence of responses, which bounds the probability.
    """
    p, asked = Fraction(1, 2), Fraction(2, 5)
    counts = _counts_after(rounds, p)
    mass: dict[int, Fraction] = {}
    hits: dict[int, Fraction] = {}
    for (pulls, positives, *_), weight in counts.items():
        mass[pulls] = mass.get(pulls, Fraction(0)) + weight
        if abs(Fraction(positives, pulls) - p) >= asked:
            hits[pulls] = hits.get(pulls, Fraction(0)) + weight
    probability = sum(hits.values(), Fraction(0))
    conditional = sum((hit / mass[pulls] for pulls, hit in hits.items()), Fraction(0))
    union = sum((_binomial_deviation(s, p, asked) for s in range(1, rounds)), Fraction(0))
    where = f"K = 2, t = {rounds}"
    return evidence_of([(where, probability == conditional)], [(where, probability <= union)]) | {
        "probability": float(probability),
        "sum_of_conditionals": float(conditional),
        "union_bound": float(union),
    }


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


def small_radius_means_no_pull(
    private_gap: bool = False,
    shares: Sequence[Fraction] = (Fraction(1, 2), Fraction(9, 10), Fraction(1)),
) -> Evidence:
    """Appendix D: a radius at most Delta_i/2 means no pull; true of a radius below Delta_{i,eps}/2.

    The worst estimate lies a radius nearer to the threshold than the mean does. At equality an arm
    below the threshold is shifted onto it, counts as above, and is pulled.
    """
    tau = Fraction(1, 2)
    cases = [
        (f"gap = {gap}, c = {c}, side = {side}, rad = {share} Delta/2", gap, c, side, share)
        for gap in (Fraction(1, 10), Fraction(2, 5))
        for c in (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))
        for side in (-1, 1)
        for share in shares
    ]

    def holds(gap: Fraction, c: Fraction, side: int, radius: Fraction) -> bool:
        worst = tau + side * (c * gap - radius)
        inside = worst >= tau
        shifted = worst - radius if inside else worst + radius
        return (shifted >= tau) == inside

    return evidence_of(
        (
            (name, holds(gap, c, side, share * gap / 2 * (c if private_gap else 1)))
            for name, gap, c, side, share in cases
        ),
        (
            (name, holds(gap, c, side, share * c * gap / 2))
            for name, gap, c, side, share in cases
            if share < 1
        ),
    )


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


def steps_to_the_fixed_point(
    deltas: Sequence[Fraction] = (Fraction(99, 100), Fraction(1, 10), Fraction(1, 10**4)),
) -> Evidence:
    """Appendix D: y = log(4 K H~/delta) >= 1, log y <= y and log H~ <= y, if H~ >= 1, delta < 1."""
    iv = intervals()
    cases = [
        (k, h, d)
        for k in (1, 2, 100)
        for h in (Fraction(1), Fraction(7), Fraction(10**6))
        for d in deltas
    ]

    def holds(n_arms: int, effective: Fraction, delta: Fraction) -> bool:
        y = iv.log(enclose(4 * n_arms * effective / delta))
        return (
            certainly(y >= 1)
            and certainly(iv.log(y) <= y)
            and certainly(iv.log(enclose(effective)) <= y)
        )

    return evidence_of((f"K = {k}, H~ = {h}, delta = {d}", holds(k, h, d)) for k, h, d in cases)


# each is called without arguments, and its name is the key of its evidence
CHECKS: list[Callable[[], Evidence]] = [
    hoeffding_on_the_radius,
    sum_over_rounds,
    conditional_sum,
    termination_is_correct,
    small_radius_means_no_pull,
    fixed_point,
    steps_to_the_fixed_point,
]
