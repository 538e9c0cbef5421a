"""The comparisons on which both algorithms turn, in one place for all engines and oracles.

Two engines can only be compared bit for bit if they evaluate the same floating-point expressions.
An arm with n pulls and s positive responses is described by d = s - n tau.
"""

import math

import numpy as np

from ldpt.engines.jit import compiled
from ldpt.radii import boundary


@compiled
def arm_index(n: float, s: float, tau: float, zeta: float) -> float:
    """Index of Algorithm 1: sqrt(n) (|tau - s/n| + zeta), written so that mirrored arms tie."""
    root = math.sqrt(n)
    return abs(s - n * tau) / root + zeta * root


@compiled
def is_clearly_below(n: float, s: float, tau: float, zeta: float, bar: float) -> bool:
    """Whether the index is less than ``bar`` by more than rounding; takes no root, no division."""
    reach = abs(s - n * tau) + n * zeta
    return bar > 0.0 and reach * reach < (1.0 - 1e-9) * bar * bar * n


@compiled
def is_undecided(
    code: int, n: float, s: float, t: float, tau: float, level: float, rho: float
) -> bool:
    """Whether moving the arm's mean by its radius towards the threshold changes its side."""
    d = s - n * tau
    b = boundary(code, n, t, level, rho)
    return -b <= d < b


@compiled
def is_loss(
    pulls: np.ndarray,
    sums: np.ndarray,
    tau: float,
    must_accept: np.ndarray,
    must_reject: np.ndarray,
) -> bool:
    """Loss of Algorithm 1's answer {k : s_k > n_k tau}; arms inside the tolerance band are free."""
    for k in range(pulls.size):
        returned = sums[k] > pulls[k] * tau
        if (must_accept[k] and not returned) or (must_reject[k] and returned):
            return True
    return False


@compiled
def first_minimum(values: np.ndarray) -> int:
    """Position of the smallest value, the lowest one among ties."""
    best = 0
    for k in range(1, values.size):
        if values[k] < values[best]:
            best = k
    return best


@compiled
def least_of_others(values: np.ndarray, place: int) -> float:
    """The smallest value at any other place; infinite if there is none."""
    least = np.inf
    for k in range(values.size):
        if k != place and values[k] < least:
            least = values[k]
    return least
