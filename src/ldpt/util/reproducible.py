"""Elementary functions that give the same bits on every machine.

The exp, log and power of NumPy depend on the processor (AVX2, AVX-512), those of the C library on
its version and on whether the processor has fused multiplication. IEEE 754 fixes additions,
multiplications, divisions and square roots, so these functions are made of nothing else. They
return a float for a float and an array for an array, within two units in the last place.

SciPy's special functions call those of the C library: what they return is :func:`rounded` where a
product shows it.

Sums of floats outside arrays are ``math.fsum``: :func:`sum` compensates its rounding from Python
3.12 on and not before.
"""

import math
from collections.abc import Callable
from typing import Any, Protocol, overload

import numpy as np

__all__ = [
    "bernoulli_divergence",
    "exp",
    "expm1",
    "geomspace",
    "log",
    "log1p",
    "power",
    "rounded",
    "slope",
    "tanh",
]

LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
PER_LN2 = 1.0 / (LN2_HIGH + LN2_LOW)
MIN_EXPONENT, MAX_EXPONENT = -760.0, 720.0  # beyond, e^x is 0 or overflows
MAX_SHIFT = 60  # powers of 2 beyond which the 1 in e^x - 1, or the e^x, is below rounding
LEAST_SMALL, MOST_SMALL = -0.29, 0.41  # of u where the series of log(1 + u) is used
FACTORIALS = tuple(1.0 / math.factorial(i) for i in range(15, 1, -1))
ODD_NUMBERS = tuple(1.0 / i for i in range(27, 1, -2))


class Elementwise(Protocol):
    """A function of a float or of an array of floats."""

    @overload
    def __call__(self, x: float) -> float: ...
    @overload
    def __call__(self, x: np.ndarray) -> np.ndarray: ...


def _elementwise(
    function: Callable[[np.ndarray], np.ndarray], of_float: Callable[[float], float] | None = None
) -> Elementwise:
    """Let a function of an array take a float; infinite and undefined values are no warnings.

    ``of_float`` makes the same operations on a float, ten times as fast as NumPy.
    """

    def wrapped(x: float | np.ndarray) -> float | np.ndarray:
        if of_float is not None and isinstance(x, (float, int)):
            return of_float(float(x))
        with np.errstate(all="ignore"):
            result = function(np.asarray(x, float))
        return float(result) if result.ndim == 0 else result

    wrapped.__doc__ = function.__doc__
    return wrapped  # type: ignore[return-value]


def _polynomial(x: Any, coefficients: tuple[float, ...]) -> Any:
    total = coefficients[0]
    for coefficient in coefficients[1:]:
        total = total * x + coefficient
    return total


def _without_powers_of_two(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return e^r - 1 and k, where x = k log 2 + r and |r| < 0.35."""
    x = np.clip(x, MIN_EXPONENT, MAX_EXPONENT)
    k = np.floor(x * PER_LN2 + 0.5)
    high, low = x - k * LN2_HIGH, k * LN2_LOW
    r = high - low
    return high - (low - r * r * _polynomial(r, FACTORIALS)), k.astype(int)


def _log1pmx(u: Any) -> Any:
    """Return log(1 + u) - u, never positive, for -0.3 < u < 0.42, by artanh(u / (2 + u))."""
    z = u / (2.0 + u)
    square = z * z
    return z * (2.0 * square * _polynomial(square, ODD_NUMBERS) - u)


@_elementwise
def exp(x: np.ndarray) -> np.ndarray:
    """Return e^x."""
    rest, k = _without_powers_of_two(x)
    return np.ldexp(1.0 + rest, k)


@_elementwise
def expm1(x: np.ndarray) -> np.ndarray:
    """Return e^x - 1 without cancellation."""
    rest, k = _without_powers_of_two(x)
    near = np.ldexp(rest, k) + (np.ldexp(1.0, k) - 1.0)
    return np.where(np.abs(k) < MAX_SHIFT, near, np.ldexp(1.0 + rest, k) - 1.0)


def _log_of_float(x: float) -> float:
    if not 0 < x < math.inf:
        return x if x == math.inf else -math.inf if x == 0 else math.nan
    fraction, exponent = math.frexp(x)
    if fraction < math.sqrt(0.5):
        fraction, exponent = 2.0 * fraction, exponent - 1
    u = fraction - 1.0
    return exponent * LN2_HIGH + (u + (float(_log1pmx(u)) + exponent * LN2_LOW))


def _log1p_of_float(x: float) -> float:
    if LEAST_SMALL <= x <= MOST_SMALL:
        return x + float(_log1pmx(x))
    return _log_of_float(1.0 + x)


def _log(x: np.ndarray) -> np.ndarray:
    """Return the natural logarithm: -inf at 0, NaN below."""
    fraction, exponent = np.frexp(x)
    is_low = fraction < math.sqrt(0.5)
    u = np.where(is_low, 2.0 * fraction, fraction) - 1.0
    k = exponent - is_low
    value = k * LN2_HIGH + (u + (_log1pmx(u) + k * LN2_LOW))
    return np.select([x < 0, x == 0, np.isinf(x)], [np.nan, -np.inf, np.inf], value)


def _log1p(x: np.ndarray) -> np.ndarray:
    """Return log(1 + x) without cancellation."""
    u = np.clip(x, LEAST_SMALL, MOST_SMALL)
    return np.where(u == x, u + _log1pmx(u), log(1.0 + x))


log = _elementwise(_log, _log_of_float)
log1p = _elementwise(_log1p, _log1p_of_float)


@_elementwise
def tanh(x: np.ndarray) -> np.ndarray:
    """Return the hyperbolic tangent."""
    size = np.abs(x)
    near = expm1(-2.0 * size)
    far = expm1(2.0 * size)
    return np.copysign(np.where(size < 1.0, -near / (near + 2.0), 1.0 - 2.0 / (far + 2.0)), x)


@overload
def power(base: float, exponent: float) -> float: ...
@overload
def power(base: np.ndarray, exponent: float | np.ndarray) -> np.ndarray: ...
@overload
def power(base: float, exponent: np.ndarray) -> np.ndarray: ...
def power(base: float | np.ndarray, exponent: float | np.ndarray) -> float | np.ndarray:
    """Return a positive base to a power, the less exact the larger the logarithm of the result."""
    return exp(exponent * log(base))


def geomspace(first: float, last: float, number: int) -> np.ndarray:
    """Return so many positive numbers with equal ratios, the two ends among them."""
    values = first * exp(np.linspace(0.0, 1.0, number) * log(last / first))
    values[-1] = last
    return values


def rounded(x: np.ndarray | float, digits: int) -> np.ndarray:
    """Return numbers with so many significant digits."""
    values = np.asarray(x, float)
    texts = [f"{value:.{digits}g}" for value in values.ravel().tolist()]
    return np.array(texts, float).reshape(values.shape)


def slope(x: np.ndarray, y: np.ndarray) -> float:
    """Return the slope of the line of least squares."""
    away = x - np.mean(x)
    return float(np.sum(away * y) / np.sum(away * away))


def bernoulli_divergence(
    p: np.ndarray | float, q: np.ndarray | float, excess: np.ndarray | float
) -> np.ndarray:
    """Return KL(Bernoulli(p), Bernoulli(q)) in nats, never negative.

    ``excess`` is p - q, which a caller may know with more digits.
    """
    p = np.asarray(p, float)
    q = np.asarray(q, float)
    return _divergence_term(p, q, -np.asarray(excess)) + _divergence_term(1 - p, 1 - q, excess)


def _divergence_term(mass: np.ndarray, other: np.ndarray, change: np.ndarray | float) -> np.ndarray:
    """Return mass log(mass / other) + change with all its digits; change = other - mass."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        u = change / mass
        far = change - mass * log(other / mass)
    near = np.clip(u, LEAST_SMALL, MOST_SMALL)
    term = np.where(u == near, -mass * _log1pmx(near), far)
    # A mass of 0, or one that is below rounding against its change, leaves the change alone.
    return np.where((mass == 0) | np.isinf(u), change, np.maximum(term, 0.0))
