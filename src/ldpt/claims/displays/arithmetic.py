"""Exact arithmetic for the paper's displays: rational numbers and outward-rounded intervals.

The modules beside this one hold the checks, one function per claim of the register. Each returns a
flat dictionary. Where the paper names a constant it is an argument, so that a test can plant a
different one and see the verdict change. A comparison of intervals is True, False, or None if the
arithmetic cannot decide. A statement as printed fails only where it is certainly wrong, an amended
statement wherever it is not certainly right.
"""

from fractions import Fraction
from typing import Any

from mpmath import iv

iv.dps = 40
Number = Fraction | int
HALF = Fraction(1, 2)
# x stands for e^eps: identities that are rational in e^eps are checked as rational identities
EXPONENTIALS = [Fraction(n, 10) for n in (11, 13, 17, 20, 27, 74, 201, 1000)]
UNIT_GRID = [Fraction(n, 20) for n in range(21)]
INNER_GRID = UNIT_GRID[1:-1]
LATTICE = UNIT_GRID[::2]
TOLERANCES = (Fraction(0), Fraction(1, 20), Fraction(1, 10))


def enclose(value: Number | float) -> Any:
    """Return the interval of a rational number or of a float."""
    value = Fraction(value)
    return iv.mpf(value.numerator) / value.denominator


def midpoint(interval: Any) -> float:
    """Return the middle of an interval."""
    return float(interval.mid)


def response(reward: Fraction, x: Fraction) -> Fraction:
    """Return P(response 1) of PrivBern with e^eps = x, as Definition 2.1 writes it."""
    return (reward * x + 1 - reward) / (1 + x)


def mirrored(mean: Fraction, tau: Fraction) -> Fraction:
    """Return the mean on the other side of the threshold, clipped to [0, 1]."""
    return min(max(2 * tau - mean, Fraction(0)), Fraction(1))


def divergence(p: Fraction, q: Fraction) -> Any:
    """Return the interval of KL(Bern(p), Bern(q)) for p, q strictly inside (0, 1)."""
    a, b = enclose(p), enclose(q)
    return a * iv.log(a / b) + (1 - a) * iv.log((1 - a) / (1 - b))


def private_divergence(p: Fraction, q: Fraction, x: Fraction) -> Any:
    """Return the divergence of the responses of two arms."""
    return divergence(response(p, x), response(q, x))
