"""Exact checks of Section 2 and Appendix A: the definition, the mechanism, the objective."""

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

from ldpt.claims.displays.arithmetic import (
    RATIONAL_EXPONENTIALS,
    UNIT_GRID,
    Evidence,
    enclose,
    evidence_of,
    intervals,
    midpoint,
    response_probability,
)

# --- the mechanism (Section 2.3, Appendix A) ------------------------------------------------------


def privacy_ratio(
    probability: Callable[[Fraction, Fraction], Fraction] = response_probability,
) -> Evidence:
    """Lemma 2.1: both outputs have ratio at most e^eps, and the level is reached.

    The ratio of two affine functions of (r, r') is extreme at a corner, so the grid, which holds
    the corners, decides.
    """

    def ratios(x: Fraction) -> list[Fraction]:
        pairs = list(itertools.product(UNIT_GRID, UNIT_GRID))
        one = [probability(r, x) / probability(s, x) for r, s in pairs]
        zero = [(1 - probability(r, x)) / (1 - probability(s, x)) for r, s in pairs]
        return one + zero

    found = evidence_of((f"e^eps = {x}", max(ratios(x)) == x) for x in RATIONAL_EXPONENTIALS)
    worst = max(max(ratios(x)) / x for x in RATIONAL_EXPONENTIALS)
    return found | {"largest_ratio_over_level": float(worst)}


def mean_of_response(slope: Fraction = Fraction(1, 2)) -> Evidence:
    """Lemma 2.1: the probability equals 1/2 + (2r - 1) (x - 1)/(2 (x + 1)) for every reward.

    Both sides are affine in r and of degree one over x + 1, so agreement on this grid, which has
    more points than the degrees, is agreement everywhere.
    """
    return evidence_of(
        (
            f"r = {r}, e^eps = {x}",
            response_probability(r, x) == Fraction(1, 2) + (2 * r - 1) * slope * (x - 1) / (x + 1),
        )
        for r in UNIT_GRID
        for x in RATIONAL_EXPONENTIALS
    )


def lemma_2_1(slope: Fraction = Fraction(1, 2), strength: int = 1) -> Evidence:
    """Lemma 2.1 as one statement: the mean of a response, and privacy at e^eps and no less.

    ``slope`` and ``strength`` are as printed at 1/2 and 1; a mechanism of strength 2 leaks twice as
    much as it claims.
    """
    mean = mean_of_response(slope)
    private = privacy_ratio(lambda reward, x: response_probability(reward, x**strength))
    return {
        "cases": mean["cases"] + private["cases"],
        "violations": mean["violations"] + private["violations"],
        "violating_point": mean["violating_point"] or private["violating_point"],
        "largest_ratio_over_level": private["largest_ratio_over_level"],
    }


def definition_at_the_extremes(smallest: Fraction = Fraction(1)) -> Evidence:
    """Section 2.3: at eps = 0 the definition asks for equal laws; as eps grows it asks for nothing.

    Laws with two outcomes: P(S) <= e^eps Q(S) for every event S and both orders. At e^eps = 1 only
    equal laws satisfy it; and every pair of different laws with all outcomes possible satisfies it
    once e^eps is large.
    """
    inner = [p for p in UNIT_GRID if 0 < p < 1]

    def private(p: Fraction, q: Fraction, x: Fraction) -> bool:
        pairs = ((p, q), (1 - p, 1 - q))
        return all(a <= x * b and b <= x * a for a, b in pairs)

    far = Fraction(10) ** 12
    return evidence_of(
        itertools.chain(
            (
                (f"P = {p}, Q = {q}, eps = 0", private(p, q, smallest) == (p == q))
                for p in UNIT_GRID
                for q in UNIT_GRID
            ),
            (
                (f"P = {p}, Q = {q}, e^eps = 10^12", private(p, q, far))
                for p in inner
                for q in inner
            ),
        )
    )


def variance_of_the_estimate(power: int = -2) -> Evidence:
    """Section 2.4: the more privacy, the harder a mean is to estimate.

    (response - 1/2)/c + 1/2 is unbiased for the mean and has the variance mu_eps (1 - mu_eps)/c^2,
    that is 1/(4 c^2) - (mu - 1/2)^2, which falls as eps grows. ``power`` is that of c.
    """

    def variance(mean: Fraction, x: Fraction) -> Fraction:
        p = response_probability(mean, x)
        return p * (1 - p) * ((x - 1) / (x + 1)) ** power

    steps = itertools.pairwise(RATIONAL_EXPONENTIALS)
    found = evidence_of(
        (f"mu = {mean}, e^eps from {x} to {y}", variance(mean, x) > variance(mean, y))
        for x, y in steps
        for mean in UNIT_GRID
    )
    half, e = Fraction(1, 2), Fraction(27, 10)
    return found | {"variance_at_e_eps_2.7": float(variance(half, e))}


def private_order(
    exponentials: Sequence[Fraction] = (Fraction(1), *RATIONAL_EXPONENTIALS),
) -> Evidence:
    """Appendix D: mu_eps >= tau_eps exactly when mu >= tau; needs eps > 0."""

    def kept(mean: Fraction, tau: Fraction, x: Fraction) -> bool:
        return (response_probability(mean, x) >= response_probability(tau, x)) == (mean >= tau)

    cases = [
        (f"mu = {mean}, tau = {tau}, e^eps = {x}", kept(mean, tau, x), x)
        for mean in UNIT_GRID
        for tau in UNIT_GRID
        for x in exponentials
    ]
    return evidence_of(
        ((name, holds) for name, holds, _ in cases),
        ((name, holds) for name, holds, x in cases if x > 1),
    )


def complexity_identity(epsilons: Sequence[float], power: int = 2) -> Evidence:
    """H_eps = ((e^eps + 1)/(e^eps - 1))^2 H, both settings, as a rational identity in e^eps."""
    means = [Fraction(n, 20) for n in (1, 4, 9, 11, 17)]
    tau = Fraction(1, 2)

    def holds(x: Fraction, zeta: Fraction) -> bool:
        c = (x - 1) / (x + 1)
        plain = sum(1 / (abs(mean - tau) + zeta) ** 2 for mean in means)
        private = [response_probability(mean, x) - response_probability(tau, x) for mean in means]
        return sum(1 / (abs(gap) + c * zeta) ** 2 for gap in private) == plain / c**power

    cases = itertools.product(
        RATIONAL_EXPONENTIALS, [Fraction(0), Fraction(1, 20), Fraction(1, 10)]
    )
    found = evidence_of((f"e^eps = {x}, zeta = {zeta}", holds(x, zeta)) for x, zeta in cases)
    return found | {"largest_float_error": max(map(_shrinkage_error, epsilons))}


def _shrinkage_error(epsilon: float) -> float:
    """Relative distance of the code's shrinkage from (e^eps - 1)/(e^eps + 1) in intervals."""
    from ldpt.privacy import shrinkage

    x = intervals().exp(enclose(epsilon))
    exact = (x - 1) / (x + 1)
    return abs(midpoint(enclose(shrinkage(epsilon)) / exact) - 1)


def theorem_4_1_at_epsilon_zero(x: Fraction = Fraction(1)) -> Evidence:
    """Theorem 4.1 at eps = 0, which it admits: problems with different answers look the same.

    All responses are then fair coins, so no algorithm answers both of two such problems correctly
    with probability above 1/2. With 1/0 read as infinity the other theorems survive: Theorem 3.1
    bounds the loss by (log T + 1)^(2K) > 1, Theorem 3.2 asks for a loss of 1/4 where an answer that
    ignores the means is wrong with probability 1/2 in one of two mirrored environments, and
    Theorem 4.2 is about algorithms that do not exist. ``x`` is e^eps.
    """
    pairs = [(low, high) for low in UNIT_GRID for high in UNIT_GRID if low < Fraction(1, 2) <= high]

    def told_apart(low: Fraction, high: Fraction, y: Fraction) -> bool:
        return response_probability(low, y) != response_probability(high, y)

    return evidence_of(
        ((f"mu = {low} or {high}, tau = 1/2", told_apart(low, high, x)) for low, high in pairs),
        (
            (f"mu = {low} or {high}, e^eps = {y}", told_apart(low, high, y))
            for low, high in pairs
            for y in RATIONAL_EXPONENTIALS
        ),
    )


# --- the objective (Section 2.2) ------------------------------------------------------------------


def objective_set_has_no_loss(strict: bool = False) -> Evidence:
    """Section 2.2: the set {mu >= tau + zeta} that is to be returned has loss 0.

    It has loss 1 when zeta = 0 and an arm lies exactly at the threshold: the set contains the arm,
    and the loss forbids it. With a ``strict`` inequality in the set it would not.
    """
    lattice = [Fraction(n, 10) for n in range(11)]

    def no_loss(mean: Fraction, tau: Fraction, zeta: Fraction) -> bool:
        returned = mean > tau + zeta if strict else mean >= tau + zeta
        return not ((returned and mean <= tau - zeta) or (not returned and mean > tau + zeta))

    cases = [
        (f"mu = {mean}, tau = {tau}, zeta = {z}", no_loss(mean, tau, z), mean != tau or z > 0)
        for mean in lattice
        for tau in lattice
        for z in (Fraction(0), Fraction(1, 10))
    ]
    return evidence_of(
        ((name, holds) for name, holds, _ in cases),
        ((name, holds) for name, holds, proper in cases if proper),
    )


# each is called without arguments, and its name is the key of its evidence
CHECKS: list[Callable[[], Evidence]] = [
    privacy_ratio,
    lemma_2_1,
    definition_at_the_extremes,
    variance_of_the_estimate,
    private_order,
    theorem_4_1_at_epsilon_zero,
    objective_set_has_no_loss,
]
