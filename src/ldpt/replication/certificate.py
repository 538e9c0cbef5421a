"""A lower bound on the error of Algorithm 2 that is a proof: all rounding is on the safe side."""

import math
from typing import Any

import numpy as np

from ldpt.instances import Instance


def certified_error_lower_bound(
    instance: Instance, epsilon: float, delta: float, factor: float = 1 / 8, max_pulls: int = 4000
) -> float:
    """Return a number that Algorithm 2's error on one arm provably exceeds.

    Every sum and product is rounded down. Which states are decided is settled by interval
    arithmetic on the numbers of the instance as they are written (0.95, not the nearest binary
    fraction); a state that the intervals cannot settle is dropped, which only lowers the bound.
    The radius after n pulls is sqrt(``factor`` L(n)/n), with 1/8 as printed and 1/2 as repaired.
    More pulls than ``max_pulls`` could only raise the bound.
    """
    from mpmath import iv

    (reward,) = instance.means
    decay = iv.exp(-iv.mpf(repr(float(epsilon))))
    half = iv.mpf(1) / 2
    mean, tau = (
        half + (1 - decay) / (1 + decay) * (iv.mpf(repr(x)) - half)
        for x in (reward, instance.threshold)
    )
    rise = _double_below(mean.a)
    stay = _double_below((1 - mean).a)
    log_share = iv.log(4 / iv.mpf(repr(float(delta))))
    above = 0 in instance.above
    mass = np.array([1.0])
    first = 0
    error = 0.0
    for n in range(1, max_pulls + 1):
        wider = np.concatenate([[0.0], mass, [0.0]])
        mass = _rounded_down(wider[1:] * stay + wider[:-1] * rise)
        # factors are powers of two; s is undecided if low <= s < high
        height = iv.sqrt(iv.mpf(factor) * n * (log_share + 3 * iv.log(iv.mpf(n))))
        low, high = n * tau - height, n * tau + height
        below = max(0, math.ceil(_double_below(low.a)) - first)  # states before it: surely below
        beyond = max(0, math.ceil(_double_above(high.b)) - first)  # from it on: surely above
        wrong = mass[:below] if above else mass[beyond:]
        error = float(_rounded_down(np.array([error + math.fsum(wrong)]))[0])
        start = max(first, math.ceil(_double_above(low.b)))
        mass = mass[start - first : math.ceil(_double_below(high.a)) - first]
        first = start
        if mass.size == 0:
            break
    return error


def _rounded_down(values: np.ndarray) -> np.ndarray:
    """Return a lower bound on what a handful of roundings to nearest have made too large.

    Three roundings add at most three units of 2^-53, relatively; eight are taken off. Below
    1e-280, where results lose digits, everything is taken off.
    """
    return np.where(values < 1e-280, 0.0, values * (1.0 - 2.0**-50))


def _double_below(value: Any) -> float:
    """Return a double under an end of an interval."""
    return math.nextafter(float(value), -math.inf)


def _double_above(value: Any) -> float:
    """Return a double over an end of an interval."""
    return math.nextafter(float(value), math.inf)
