"""The comparison that Algorithm 2 makes, shared by the engines and the exact chains.

Two engines can only be compared bit for bit if they evaluate the same floating-point expressions.
An arm with n pulls and s positive responses is described by d = s - n tau.
"""

from typing import NamedTuple

import numpy as np

from ldpt import radii
from ldpt.engines.jit import inlined
from ldpt.radii import Boundary

# Called once per response: a call would cost more than the arithmetic.
sides = inlined(radii.boundaries_at)


class Arms(NamedTuple):
    """The arms of Algorithm 2 as compiled code takes them: about responses, not rewards."""

    means: np.ndarray
    tau: float


@inlined
def is_undecided(edge: Boundary, n: float, s: float, t: float, tau: float) -> bool:
    """Whether moving the arm's mean by its radius towards the threshold changes its side."""
    d = s - n * tau
    above, below = sides(edge, n, t)
    return -below <= d < above
