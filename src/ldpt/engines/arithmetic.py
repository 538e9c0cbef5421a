"""Exponentials and logarithms for compiled code, the same on every machine.

Those of C libraries differ in their last bits. These are made of additions, multiplications and
divisions, which IEEE 754 fixes. :mod:`ldpt.util.reproducible` has them for NumPy and plain Python.
"""

import math

import numpy as np

from ldpt.engines.jit import compiled, compiled_without_refcount

LEAST_EXPONENT, MOST_EXPONENT = -750.0, 700.0  # beyond, e^x is 0 or may overflow
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
PER_LN2 = 1.0 / (LN2_HIGH + LN2_LOW)
FACTORIALS = tuple(1.0 / math.factorial(i) for i in range(13, 0, -1))  # reciprocals
PARTS = 32  # of a power of 2, whose roots are in a table
ROOTS = np.sqrt(np.sqrt(np.sqrt(np.sqrt(np.sqrt(np.ldexp(1.0, np.arange(PARTS)))))))
HALVES = np.ldexp(1.0, -np.arange(64))  # powers of 1/2


@compiled
def remainder(x: float) -> float:
    """Return e^x - 1 for |x| < 0.36 by its Taylor polynomial."""
    total = FACTORIALS[0]
    for i in range(1, len(FACTORIALS)):
        total = total * x + FACTORIALS[i]
    return x * total


@compiled
def exp(x: float) -> float:
    """Return e^x; a Taylor polynomial after the multiple of log 2 has been taken off."""
    if x < LEAST_EXPONENT:
        return 0.0
    k = math.floor(x * PER_LN2 + 0.5)
    # log 2 in two parts, so that the difference keeps its digits.
    return math.ldexp(1.0 + remainder((x - k * LN2_HIGH) - k * LN2_LOW), int(k))


@compiled
def expm1(x: float) -> float:
    """Return e^x - 1 without cancellation."""
    if abs(x) > 0.35:
        return exp(x) - 1.0
    return remainder(x)


@compiled
def log1p(x: float) -> float:
    """Return log(1 + x) by the series of artanh."""
    fraction, exponent = math.frexp(1.0 + x)
    if -0.25 < x < 0.4:
        z, exponent = x / (2.0 + x), 0
    else:
        z = (fraction - 1.0) / (fraction + 1.0)
        if fraction < 0.7:
            z, exponent = (2.0 * fraction - 1.0) / (2.0 * fraction + 1.0), exponent - 1
    total, square = 0.0, z * z
    for i in range(27, 0, -2):
        total = total * square + 1.0 / i
    return (2.0 * z * total + exponent * LN2_LOW) + exponent * LN2_HIGH


@compiled_without_refcount
def small_exp(x: float) -> float:
    """Return e^x for x <= 0, and 0 below -40; twice as fast as :func:`exp`."""
    if not x > -40.0:
        return 0.0
    k = math.floor(x * (PARTS * PER_LN2))
    r = (x - k * (LN2_HIGH / PARTS)) - k * (LN2_LOW / PARTS)
    # 2^(k / 32) is a root from the table times a power of 2; the rest is small.
    taylor = 1.0 + r * (1.0 + r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r / 720)))))
    return taylor * ROOTS[k & (PARTS - 1)] * HALVES[-(k >> 5)]
