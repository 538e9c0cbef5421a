"""Exact arithmetic for the paper's displays: rational numbers and outward-rounded intervals.

The modules beside this one hold the checks, one function per claim of the register. Each returns a
flat dictionary. Where the paper names a constant it is an argument, so that a test can plant a
different one and see the verdict turn. A case of a statement as printed is a violation only when
the interval arithmetic is certain of it; a case of an amended statement is a violation unless the
arithmetic is certain that it holds.
"""

from collections.abc import Iterable
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


def evidence_of(
    printed: Iterable[tuple[str, bool]], amended: Iterable[tuple[str, bool]] = ()
) -> Evidence:
    """Evidence from the cases of a statement as printed and as amended."""
    cases, failed, first = tally(printed)
    amended_cases, amended_failed, amended_first = tally(amended)
    return {
        "cases": cases,
        "violations": failed,
        "violating_point": first,
        "amended_cases": amended_cases,
        "amended_violations": amended_failed,
        "amended_violating_point": amended_first,
    }


# --- private responses ---


def response_probability(reward: Fraction, x: Fraction) -> Fraction:
    """P(response 1) of PrivBern with e^eps = x, as Definition 2.1 writes it."""
    return (reward * x + 1 - reward) / (1 + x)


# --- divergence of Bernoulli laws ---


def divergence(p: Any, q: Any) -> Any:
    """Interval of KL(Bern(p), Bern(q)) for p, q strictly inside (0, 1), rationals or intervals."""
    iv = intervals()
    a, b = (enclose(v) if isinstance(v, Fraction) else v for v in (p, q))
    return a * iv.log(a / b) + (1 - a) * iv.log((1 - a) / (1 - b))


def private_divergence(p: Fraction, q: Fraction, x: Fraction) -> Any:
    return divergence(response_probability(p, x), response_probability(q, x))
