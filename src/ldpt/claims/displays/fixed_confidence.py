"""Exact checks of the displays behind Theorems 4.1 and 4.2 (Appendices D and E)."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ldpt.claims.displays.arithmetic import (
    RATIONAL_EXPONENTIALS,
    Evidence,
    certainly,
    divergence,
    enclose,
    intervals,
    midpoint,
    private_divergence,
    verdict_of,
)

# --- Theorem 4.1, Appendix D ----------------------------------------------------------------------


def hoeffding_on_the_radius(
    scale: Fraction = Fraction(8), corrected: Fraction = Fraction(2)
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
    mended = [(f"t = {t}, s = {t - 1}", holds(t, corrected)) for t in times]
    return verdict_of(
        ((f"t = {t}, s = {t - 1}", holds(t, scale)) for t in times),
        [*mended, ("power of delta in Hoeffding's bound", 2 / corrected >= 1)],
    ) | {"exponent_of_delta": float(2 / scale)}


def sum_over_rounds(numerator: Fraction = Fraction(1, 2)) -> Evidence:
    """sum_t delta/(2 t^2) = pi^2 delta/12 <= delta, after (t - 1)/t^3 <= 1/t^2 in every round."""
    iv = intervals()
    total = enclose(numerator) * iv.pi**2 / 6
    rounds = [(f"t = {t}", Fraction(t - 1, t**3) <= Fraction(1, t**2)) for t in (1, 2, 10, 10**6)]
    return verdict_of([*rounds, ("sum", certainly(total <= 1))]) | {
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
    return verdict_of([(where, probability == conditional)], [(where, probability <= union)]) | {
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
    from ldpt.radii import Radius, boundary

    undecided = []
    edge = Radius("printed").at(2, 0.9, threshold, math.inf)
    for arm in (0, 1):
        pulls, positives = state[2 * arm], state[2 * arm + 1]
        b = boundary(edge, pulls, state[0] + state[2])
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


def bounds_defined_before_all_arms(n_arms: int = 5) -> Evidence:
    """Appendix D intersects A_t over t >= 1; before round K some arm has no mean and no radius."""
    rounds = [(t, f"K = {n_arms}, t = {t}", min(t, n_arms)) for t in range(1, n_arms + 3)]
    return verdict_of(
        ((name, pulled == n_arms) for _, name, pulled in rounds),
        ((name, pulled == n_arms) for t, name, pulled in rounds if t >= n_arms),
    )


def termination_is_correct() -> Evidence:
    """Appendix D: within the radius and decided means on the right side, over a lattice."""
    lattice = [Fraction(n, 10) for n in range(11)]
    cases = itertools.product(lattice, lattice, lattice, [Fraction(n, 10) for n in (0, 1, 2, 4)])

    def holds(estimate: Fraction, mean: Fraction, tau: Fraction, radius: Fraction) -> bool:
        inside = estimate >= tau
        shifted = estimate - radius if inside else estimate + radius
        stopped = (shifted >= tau) == inside
        return not (stopped and abs(estimate - mean) <= radius) or inside == (mean >= tau)

    return verdict_of((f"{case}", holds(*case)) for case in cases)


def small_radius_means_no_pull(private_gap: bool = False) -> Evidence:
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
        for share in (Fraction(1, 2), Fraction(9, 10), Fraction(1))
    ]

    def holds(gap: Fraction, c: Fraction, side: int, radius: Fraction) -> bool:
        worst = tau + side * (c * gap - radius)
        inside = worst >= tau
        shifted = worst - radius if inside else worst + radius
        return (shifted >= tau) == inside

    return verdict_of(
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


def pulls_of_an_arm(divisor: int = 8) -> Evidence:
    """Appendix D: Delta/2 < sqrt(L/(8 n)) means n < L/(2 Delta^2); L/(2 n): n < 2 L/Delta^2."""
    cases = [(Fraction(n, 7), Fraction(d, 10)) for n in (3, 20, 100) for d in (1, 4, 9)]
    # equality case n = 4 L/(divisor Delta^2)
    return verdict_of(
        ((f"L = {v}, Delta = {d}", 4 * v / (divisor * d * d) == v / (2 * d * d)) for v, d in cases),
        ((f"L = {v}, Delta = {d}", 4 * v / (2 * d * d) == 2 * v / (d * d)) for v, d in cases),
    )


def effective_complexity(divisor: int = 36, corrected: int = 16) -> Evidence:
    """Appendix D: sum 1/(2 Delta^2) = H_eps/2 <= 8 H~ with H~ = H_eps/36; 16 is needed."""
    return verdict_of(
        [("H_eps large", Fraction(8, divisor) >= Fraction(1, 2))],
        [("H_eps large", Fraction(8, corrected) >= Fraction(1, 2))],
    ) | {"covered_share_of_half": float(Fraction(8, divisor) * 2)}


def fixed_point(constant: int = 499) -> Evidence:
    """56 + 24 log(2 C) < C for every C > 499, and the least constant for which it is so."""
    iv = intervals()

    def excess(c: Any) -> Any:
        return c - 56 - 24 * iv.log(2 * c)

    # the excess grows where C > 24, so its sign at the constant decides for all larger ones
    low, high = Fraction(100), Fraction(499)
    while high - low > Fraction(1, 10**6):
        middle = (low + high) / 2
        if certainly(excess(enclose(middle)) > 0):
            high = middle
        else:
            low = middle
    return verdict_of([(f"C = {constant}", certainly(excess(iv.mpf(constant)) > 0))]) | {
        "excess_at_constant": midpoint(excess(iv.mpf(constant))),
        "least_constant_low": float(low),
        "least_constant_high": float(high),
    }


def steps_to_the_fixed_point() -> Evidence:
    """Appendix D: 8 + 24 + 24 = 56; y = log(4 K H~/delta) >= 1, log y <= y and log H~ <= y."""
    iv = intervals()
    cases = [
        (k, h, d)
        for k in (1, 2, 100)
        for h in (Fraction(1), Fraction(7), Fraction(10**6))
        for d in (Fraction(99, 100), Fraction(1, 10), Fraction(1, 10**4))
    ]

    def holds(n_arms: int, effective: Fraction, delta: Fraction) -> bool:
        y = iv.log(enclose(4 * n_arms * effective / delta))
        return (
            certainly(y >= 1)
            and certainly(iv.log(y) <= y)
            and certainly(iv.log(enclose(effective)) <= y)
        )

    found = [(f"K = {k}, H~ = {h}, delta = {d}", holds(k, h, d)) for k, h, d in cases]
    return verdict_of([("8 + 24 + 24", 8 + 24 + 24 == 56), *found])


# --- Theorem 4.2, Appendix E ----------------------------------------------------------------------


def mirrored_mean_distance(factor: int = 1) -> Evidence:
    """Appendix E takes Delta for the distance of the mirrored mean, which is 2 Delta."""
    lattice = [Fraction(n, 10) for n in range(1, 10)]
    tau = Fraction(1, 2)

    def distance(mean: Fraction) -> Fraction:
        mirrored = min(max(2 * tau - mean, Fraction(0)), Fraction(1))
        return abs(mirrored - mean)

    return verdict_of(
        ((f"mu = {m}", distance(m) == factor * abs(m - tau)) for m in lattice if m != tau),
        ((f"mu = {m}", distance(m) == 2 * abs(m - tau)) for m in lattice),
    ) | {"distance_over_gap": float(distance(lattice[0]) / abs(lattice[0] - tau)),
         "distance_of_an_arm_at_threshold": float(distance(tau))}  # fmt: skip


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
    return verdict_of((name, certainly(r <= enclose(coefficient))) for name, r in found) | {
        "largest_coefficient": max(midpoint(r) for _, r in found)
    }


def binary_divergence_bound(slack: int = 2) -> Evidence:
    """kl(x, y) >= x log(1/y) - log 2 for x, y in (0, 1)."""
    iv = intervals()
    grid = [Fraction(n, 40) for n in range(1, 40)]

    def holds(x: Fraction, y: Fraction) -> bool:
        right = enclose(x) * iv.log(1 / enclose(y)) - iv.log(iv.mpf(slack))
        return certainly(divergence(x, y) - right >= -iv.mpf(1e-30))

    return verdict_of((f"x = {x}, y = {y}", holds(x, y)) for x in grid for y in grid)


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
    return verdict_of(
        ((f"delta = {d}", holds(d, share)) for d in deltas),
        ((f"delta = {d}", holds(d, Fraction(1, 2))) for d in deltas if d <= largest),
    ) | {"largest_delta_with_positive_bound": float(max(positive))}


# each is called without arguments, and its name is the key of its evidence
CHECKS: list[Callable[[], Evidence]] = [
    hoeffding_on_the_radius,
    sum_over_rounds,
    conditional_sum,
    bounds_defined_before_all_arms,
    termination_is_correct,
    small_radius_means_no_pull,
    pulls_of_an_arm,
    effective_complexity,
    fixed_point,
    steps_to_the_fixed_point,
    mirrored_mean_distance,
    mirrored_divergence,
    binary_divergence_bound,
    confidence_range,
]
