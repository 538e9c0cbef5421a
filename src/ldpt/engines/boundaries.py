"""The comparison on which Algorithm 2 turns, in one place for all engines and oracles.

Two engines can only be compared bit for bit if they evaluate the same floating-point expressions.
An arm with n pulls and s positive responses is described by d = s - n tau.
"""

from typing import NamedTuple

import numpy as np

from ldpt import radii
from ldpt.engines.jit import borrowing, compiled
from ldpt.radii import Boundary

height = compiled(radii.height)


class Arms(NamedTuple):
    """The arms of Algorithm 2 as compiled code takes them: about responses, not rewards."""

    means: np.ndarray
    tau: float


@borrowing
def upper(edge: Boundary, n: float, t: float) -> float:
    """Return :func:`ldpt.radii.upper`, compiled."""
    return height(edge, edge.above, n, t)


@borrowing
def lower(edge: Boundary, n: float, t: float) -> float:
    """Return :func:`ldpt.radii.lower`, compiled."""
    return height(edge, edge.below, n, t)


@borrowing
def is_undecided(edge: Boundary, n: float, s: float, t: float, tau: float) -> bool:
    """Whether moving the arm's mean by its radius towards the threshold changes its side."""
    d = s - n * tau
    return -lower(edge, n, t) <= d < upper(edge, n, t)
