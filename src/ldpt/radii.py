"""The three stopping boundaries of Algorithm 2, one definition for learners, kernels and chains.

With n pulls and s positive responses of an arm, d = s - n tau_eps, the arm is undecided while
-b(n, t) <= d < b(n, t), where t counts the pulls of all arms and

========== ===================================================================== ==============
radius     b(n, t)                                                               status
========== ===================================================================== ==============
printed    sqrt(n L(t) / 8)                                                      not valid
hoeffding  sqrt(n L(t) / 2)                                                      valid
mixture    sqrt((n/4 + rho) (log((n/4 + rho)/rho) + 2 log(K/delta)))             valid
========== ===================================================================== ==============

and L(t) = log(4 K / delta) + 3 log(t). The paper writes log(4 K t^3 / delta), whose t^3 overflows
64-bit integers beyond t = 2 097 151; runs go to 10^9.
"""

import math
from dataclasses import dataclass

from numba import njit

PRINTED, HOEFFDING, MIXTURE = 0, 1, 2
RADII = ("printed", "hoeffding", "mixture")
DEFAULT_RHO = 10.0


@dataclass(frozen=True)
class Radius:
    """A boundary by name; ``rho`` tunes the mixture and is ignored by the other two."""

    name: str
    rho: float = DEFAULT_RHO

    def __post_init__(self) -> None:
        if self.name not in RADII:
            raise ValueError(f"radius must be one of {', '.join(RADII)}, got {self.name!r}")
        if not (self.rho > 0 and math.isfinite(self.rho)):
            raise ValueError(f"rho must be positive and finite, got {self.rho}")

    @property
    def code(self) -> int:
        """The number by which compiled code knows this radius."""
        return RADII.index(self.name)

    def level(self, n_arms: int, delta: float) -> float:
        """The part of the boundary's logarithm that depends on K and delta alone."""
        check_delta(delta)
        if self.name == "mixture":
            return 2 * math.log(n_arms / delta)
        return math.log(4 * n_arms / delta)

    def boundary(self, n: float, t: float, n_arms: int, delta: float) -> float:
        """b(n, t): how far d must be from 0 for an arm with n pulls to be decided at time t."""
        return boundary(self.code, n, t, self.level(n_arms, delta), self.rho)


def check_delta(delta: float) -> float:
    """Return ``delta`` as a float, or say why it is not an error level."""
    delta = float(delta)
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie strictly between 0 and 1, got {delta}")
    return delta


def as_radius(radius: "str | Radius") -> Radius:
    """A :class:`Radius` from itself or from its name."""
    return radius if isinstance(radius, Radius) else Radius(radius)


@njit(cache=True)
def boundary(code: int, n: float, t: float, level: float, rho: float) -> float:
    """b(n, t) for compiled callers; ``level`` comes from :meth:`Radius.level`."""
    if code == 2:
        v = 0.25 * n + rho
        return math.sqrt(v * (math.log(v / rho) + level))
    scale = 0.125 if code == 0 else 0.5
    return math.sqrt(scale * n * (level + 3.0 * math.log(t)))
