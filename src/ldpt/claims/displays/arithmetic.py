"""Exact checks of the paper's displays: rational numbers or outward-rounded intervals, no floats.

Every function returns the evidence for one claim of the register as a flat dictionary. Where the
paper names a constant it is an argument, so that a test can plant another one and see the numbers
turn. A case counts as a violation only when the interval arithmetic is certain of it; a case that
must hold counts as a violation unless the arithmetic is certain that it holds.
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

Evidence = dict[str, Any]

# x stands for e^eps: identities that are rational in e^eps are checked as rational identities.
RATIONAL_EXPONENTIALS = [Fraction(n, 10) for n in (11, 13, 17, 20, 27, 74, 201, 1000)]
UNIT_GRID = [Fraction(n, 20) for n in range(21)]


def intervals() -> Any:
    """mpmath's interval context at 40 digits, imported only where it is used."""
    from mpmath import iv

    iv.dps = 40
    return iv


def certainly(comparison: bool | None) -> bool:
    """Whether an interval comparison is true for every pair of points (None means unknown)."""
    return comparison is True


def enclose(value: Fraction | int | float) -> Any:
    """The interval of a rational number or of a float."""
    iv = intervals()
    if isinstance(value, Fraction):
        return iv.mpf(value.numerator) / iv.mpf(value.denominator)
    return iv.mpf(value)


def midpoint(interval: Any) -> float:
    return float(interval.mid)


def tally(cases: Iterable[tuple[str, bool]]) -> tuple[int, int, str]:
    """Number of cases, number that fail, and the first that does."""
    total, failed, first = 0, 0, ""
    for name, holds in cases:
        total += 1
        if not holds:
            failed += 1
            first = first or name
    return total, failed, first


def verdict_of(
    printed: Iterable[tuple[str, bool]], corrected: Iterable[tuple[str, bool]] = ()
) -> Evidence:
    """Evidence from the cases of a statement as printed and as corrected."""
    cases, failed, first = tally(printed)
    corrected_cases, corrected_failed, corrected_first = tally(corrected)
    return {
        "cases": cases,
        "violations": failed,
        "violating_point": first,
        "corrected_cases": corrected_cases,
        "corrected_violations": corrected_failed,
        "corrected_violating_point": corrected_first,
    }


# --- divergence of Bernoulli laws ---


def divergence(p: Any, q: Any) -> Any:
    """Interval of KL(Bern(p), Bern(q)) for p, q strictly inside (0, 1), rationals or intervals."""
    iv = intervals()
    a, b = (enclose(v) if isinstance(v, Fraction) else v for v in (p, q))
    return a * iv.log(a / b) + (1 - a) * iv.log((1 - a) / (1 - b))


def private_divergence(p: Fraction, q: Fraction, x: Fraction) -> Any:
    return divergence(response_probability(p, x), response_probability(q, x))


# --- the mechanism (Section 2.3, Appendix A) ------------------------------------------------------


def response_probability(reward: Fraction, x: Fraction) -> Fraction:
    """P(response 1) of PrivBern with e^eps = x, as Definition 2.1 writes it."""
    return (reward * x + 1 - reward) / (1 + x)


def mean_of_response(slope: Fraction = Fraction(1, 2)) -> Evidence:
    """Lemma 2.1: the probability equals 1/2 + (2r - 1) (x - 1)/(2 (x + 1)) for every reward.

    Both sides are affine in r and of degree one over x + 1, so agreement on this grid, which has
    more points than the degrees, is agreement everywhere.
    """
    return verdict_of(
        (
            f"r = {r}, e^eps = {x}",
            response_probability(r, x) == Fraction(1, 2) + (2 * r - 1) * slope * (x - 1) / (x + 1),
        )
        for r in UNIT_GRID
        for x in RATIONAL_EXPONENTIALS
    )


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

    found = verdict_of((f"e^eps = {x}", max(ratios(x)) == x) for x in RATIONAL_EXPONENTIALS)
    worst = max(max(ratios(x)) / x for x in RATIONAL_EXPONENTIALS)
    return found | {"largest_ratio_over_level": float(worst)}


def ratio_for_output_zero(corner: tuple[int, int] = (1, 0)) -> Evidence:
    """Appendix A, last display: P(B(1) = 0)/P(B(0) = 0) and its printed value e^eps."""

    def ratio(first: int, second: int, x: Fraction) -> Fraction:
        top = 1 - response_probability(Fraction(first), x)
        return top / (1 - response_probability(Fraction(second), x))

    found = verdict_of(
        ((f"e^eps = {x}", ratio(*corner, x) == x) for x in RATIONAL_EXPONENTIALS),
        ((f"e^eps = {x}", ratio(corner[1], corner[0], x) == x) for x in RATIONAL_EXPONENTIALS),
    )
    return found | {
        "ratio_at_e_eps_2": float(ratio(*corner, Fraction(2))),
        "printed_fraction": 1.0,  # (1/(x+1)) / (1/(x+1)) as it stands there
        "claimed_at_e_eps_2": 2.0,
    }


def extreme_privacy_levels() -> Evidence:
    """Section 2.3: at eps = 0 all rewards give one law; as eps grows it tends to the reward."""
    far = Fraction(10) ** 12
    return verdict_of(
        itertools.chain(
            (
                (f"r = {r}, eps = 0", 2 * response_probability(r, Fraction(1)) == 1)
                for r in UNIT_GRID
            ),
            (
                (f"r = {r}, e^eps = 10^12", abs(response_probability(r, far) - r) <= 1 / far)
                for r in UNIT_GRID
            ),
        )
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
    found = verdict_of((f"e^eps = {x}, zeta = {zeta}", holds(x, zeta)) for x, zeta in cases)
    return found | {"largest_float_error": max(map(_shrinkage_error, epsilons))}


def _shrinkage_error(epsilon: float) -> float:
    """Relative distance of the code's shrinkage from (e^eps - 1)/(e^eps + 1) in intervals."""
    from ldpt.privacy import shrinkage

    x = intervals().exp(enclose(epsilon))
    exact = (x - 1) / (x + 1)
    return abs(midpoint(enclose(shrinkage(epsilon)) / exact) - 1)


def no_privacy_budget_at_all() -> Evidence:
    """eps = 0, which the theorems admit: the shrinkage is 0 and H_eps = H / 0."""
    one = Fraction(1)
    shrinkage_at_zero = response_probability(one, one) - response_probability(Fraction(0), one)
    positive = [
        (f"e^eps = {x}", response_probability(one, x) > response_probability(Fraction(0), x))
        for x in RATIONAL_EXPONENTIALS
    ]
    return verdict_of([("eps = 0", shrinkage_at_zero > 0)], positive) | {
        "shrinkage_at_zero": float(shrinkage_at_zero)
    }


# --- the objective (Section 2.2) ------------------------------------------------------------------


def objective_set_has_no_loss() -> Evidence:
    """Section 2.2: the set {mu >= tau + zeta} that is to be returned has loss 0.

    It has loss 1 when zeta = 0 and an arm lies exactly at the threshold: the set takes the arm,
    the loss forbids it.
    """
    lattice = [Fraction(n, 10) for n in range(11)]

    def no_loss(mean: Fraction, tau: Fraction, zeta: Fraction) -> bool:
        returned = mean >= tau + zeta
        return not ((returned and mean <= tau - zeta) or (not returned and mean > tau + zeta))

    cases = [
        (f"mu = {mean}, tau = {tau}, zeta = {z}", no_loss(mean, tau, z), mean != tau or z > 0)
        for mean in lattice
        for tau in lattice
        for z in (Fraction(0), Fraction(1, 10))
    ]
    return verdict_of(
        ((name, holds) for name, holds, _ in cases),
        ((name, holds) for name, holds, proper in cases if proper),
    )


# each is called without arguments, and its name is the key of its evidence
CHECKS: list[Callable[[], Evidence]] = [
    mean_of_response,
    privacy_ratio,
    ratio_for_output_zero,
    extreme_privacy_levels,
    no_privacy_budget_at_all,
    objective_set_has_no_loss,
]
