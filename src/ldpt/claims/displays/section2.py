"""Exact checks of Section 2 and Appendix A: the definition, the mechanism, the objective."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, pairwise, product

from mpmath import iv

from ldpt.claims.displays.arithmetic import (
    EXPONENTIALS,
    HALF,
    INNER_GRID,
    LATTICE,
    TOLERANCES,
    UNIT_GRID,
    enclose,
    midpoint,
    response,
)
from ldpt.claims.evidence import Evidence, cases, check, counted
from ldpt.privacy import shrinkage

# --- the mechanism (Section 2.3, Appendix A) ------------------------------------------------------


def privacy_ratio(strength: int = 1) -> Evidence:
    """Lemma 2.1: both outputs have ratio at most e^eps, and the level is reached.

    The ratio of two affine functions of (r, r') is extreme at a corner, so the grid, which holds
    the corners, decides. A mechanism of strength 2 leaks twice as much as it claims.
    """

    def largest_ratio(x: Fraction) -> Fraction:
        ones = [response(r, x**strength) for r in UNIT_GRID]
        zeros = [1 - p for p in ones]
        return max(max(ones) / min(ones), max(zeros) / min(zeros))

    found = check("e^eps = {}", zip(EXPONENTIALS), lambda x: largest_ratio(x) == x)
    worst = max(largest_ratio(x) / x for x in EXPONENTIALS)
    return found | {"largest_ratio_over_level": float(worst)}


def lemma_2_1(slope: Fraction = HALF, strength: int = 1) -> Evidence:
    """Lemma 2.1 as one statement: the mean of a response, and privacy at e^eps and no less.

    The mean is 1/2 + (2r - 1) slope (x - 1)/(x + 1) for every reward r. Both sides are affine in r
    and of degree one over x + 1, so agreement on this grid, which has more points than the degrees,
    is agreement everywhere. ``slope`` and ``strength`` are as printed at 1/2 and 1.
    """

    def right_mean(r: Fraction, x: Fraction) -> bool:
        return response(r, x) == HALF + (2 * r - 1) * slope * (x - 1) / (x + 1)

    mean = check("r = {}, e^eps = {}", product(UNIT_GRID, EXPONENTIALS), right_mean)
    private = privacy_ratio(strength)
    totals = {name: mean[name] + private[name] for name in ("cases", "violations")}
    at = mean["violating_point"] or private["violating_point"]
    return private | totals | {"violating_point": at}


def definition_at_the_extremes(smallest: Fraction = Fraction(1)) -> Evidence:
    """Section 2.3: at eps = 0 the definition asks for equal laws; as eps grows it asks for nothing.

    Laws with two outcomes: P(S) <= e^eps Q(S) for every event S and both orders. At e^eps = 1 only
    equal laws satisfy it; and every pair of different laws with all outcomes possible satisfies it
    once e^eps is large.
    """

    def private(p: Fraction, q: Fraction, x: Fraction) -> bool:
        return all(a <= x * b and b <= x * a for a, b in ((p, q), (1 - p, 1 - q)))

    def equal_laws(p: Fraction, q: Fraction) -> bool:
        return private(p, q, smallest) == (p == q)

    def any_laws(p: Fraction, q: Fraction) -> bool:
        return private(p, q, Fraction(10) ** 12)

    near = cases("P = {}, Q = {}, eps = 0", product(UNIT_GRID, UNIT_GRID), equal_laws)
    far = cases("P = {}, Q = {}, e^eps = 10^12", product(INNER_GRID, INNER_GRID), any_laws)
    return counted(chain(near, far))


def variance_of_the_estimate(power: int = -2) -> Evidence:
    """Section 2.4: the more privacy, the harder a mean is to estimate.

    (response - 1/2)/c + 1/2 is unbiased for the mean and has the variance mu_eps (1 - mu_eps)/c^2,
    that is 1/(4 c^2) - (mu - 1/2)^2, which falls as eps grows. ``power`` is that of c.
    """

    def variance(mean: Fraction, x: Fraction) -> Fraction:
        p = response(mean, x)
        return p * (1 - p) * ((x - 1) / (x + 1)) ** power

    points = ((mean, x, y) for x, y in pairwise(EXPONENTIALS) for mean in UNIT_GRID)
    found = check(
        "mu = {}, e^eps from {} to {}", points, lambda m, x, y: variance(m, x) > variance(m, y)
    )
    return found | {"variance_at_e_eps_2.7": float(variance(HALF, Fraction(27, 10)))}


def private_order(exponentials: Sequence[Fraction] = (Fraction(1), *EXPONENTIALS)) -> Evidence:
    """Appendix D: mu_eps >= tau_eps exactly when mu >= tau; needs eps > 0."""

    def kept(mean: Fraction, tau: Fraction, x: Fraction) -> bool:
        return (response(mean, x) >= response(tau, x)) == (mean >= tau)

    points = product(UNIT_GRID, UNIT_GRID, exponentials)
    return check("mu = {}, tau = {}, e^eps = {}", points, kept, kept, lambda mean, tau, x: x > 1)


EPSILONS = (0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 20.0)


def complexity_identity(power: int = 2) -> Evidence:
    """H_eps = ((e^eps + 1)/(e^eps - 1))^2 H, both settings, as a rational identity in e^eps.

    ``largest_float_error`` is the relative error of :func:`ldpt.privacy.shrinkage`.
    """
    means = [Fraction(n, 20) for n in (1, 4, 9, 11, 17)]

    def holds(x: Fraction, zeta: Fraction) -> bool:
        c = (x - 1) / (x + 1)
        plain = sum(1 / (abs(mean - HALF) + zeta) ** 2 for mean in means)
        gaps = [response(mean, x) - response(HALF, x) for mean in means]
        return sum(1 / (abs(gap) + c * zeta) ** 2 for gap in gaps) == plain / c**power

    def float_error(epsilon: float) -> float:
        x = iv.exp(enclose(epsilon))
        return abs(midpoint(enclose(shrinkage(epsilon)) / ((x - 1) / (x + 1))) - 1)

    found = check("e^eps = {}, zeta = {}", product(EXPONENTIALS, TOLERANCES), holds)
    return found | {"largest_float_error": max(map(float_error, EPSILONS))}


def theorem_4_1_at_epsilon_zero(x: Fraction = Fraction(1)) -> Evidence:
    """Theorem 4.1 at eps = 0, which it admits: problems with different answers look the same.

    All responses are then fair coins, so no algorithm answers both of two such problems correctly
    with probability above 1/2. With 1/0 read as infinity the other theorems survive: Theorem 3.1
    bounds the loss by (log T + 1)^(2K) > 1, Theorem 3.2 asks for a loss of 1/4 where an answer that
    ignores the means is wrong with probability 1/2 in one of two mirrored environments, and
    Theorem 4.2 is about algorithms that do not exist. ``x`` is e^eps.
    """
    pairs = [(low, high) for low, high in product(UNIT_GRID, UNIT_GRID) if low < HALF <= high]
    return check(
        "mu = {} or {}, tau = 1/2", pairs, lambda low, high: response(low, x) != response(high, x)
    )


# --- the objective (Section 2.2) ------------------------------------------------------------------


def objective_set_has_no_loss(strict: bool = False) -> Evidence:
    """Section 2.2: the set {mu >= tau + zeta} that is to be returned has loss 0.

    It has loss 1 when zeta = 0 and an arm lies exactly at the threshold: the set contains the arm,
    and the loss forbids it. With a ``strict`` inequality in the set it would not.
    """

    def no_loss(mean: Fraction, tau: Fraction, zeta: Fraction) -> bool:
        returned = mean > tau + zeta if strict else mean >= tau + zeta
        return not ((returned and mean <= tau - zeta) or (not returned and mean > tau + zeta))

    points = product(LATTICE, LATTICE, (TOLERANCES[0], TOLERANCES[-1]))
    name = "mu = {}, tau = {}, zeta = {}"
    return check(name, points, no_loss, no_loss, lambda mean, tau, zeta: mean != tau or zeta > 0)
