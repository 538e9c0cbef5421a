"""A lower bound on the error of Algorithm 2 that is a proof: all rounding is on the safe side."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ldpt.checks import check_delta, check_epsilon, check_whole
from ldpt.exact import require_one_arm
from ldpt.instances import Instance
from ldpt.limits import MAX_PULLS
from ldpt.radii import (
    COIN,
    HOEFFDING_VARIANCE,
    TWO_SIDED,
    UNION,
    Radius,
    as_radius,
    threshold_variance,
)


def certified_error_lower_bound(
    instance: Instance,
    epsilon: float,
    delta: float,
    radius: str | Radius = "printed",
    max_pulls: int = 4000,
) -> float:
    """A number that Algorithm 2's error on one arm provably exceeds, from ``max_pulls`` pulls.

    Every sum and product is rounded down. Which states are decided is settled by interval
    arithmetic on the numbers of the instance as they are written (0.95, not the nearest binary
    fraction); a state that the intervals cannot settle is dropped, which only lowers the bound.

    Parameters
    ----------
    instance : Instance
        A problem with one arm.
    epsilon, delta : float
        Privacy level and error level.
    radius : str or Radius
        One of :data:`ldpt.radii.RADII`.
    max_pulls : int
        Pulls to follow; more of them can only raise the bound.

    Returns
    -------
    float
        A lower bound on the error probability.

    Raises
    ------
    ValueError
        If there is more than one arm, it lies at the threshold, or an argument is out of range.
    """
    require_one_arm(instance)
    epsilon, delta = check_epsilon(epsilon), check_delta(delta)
    max_pulls = check_whole("max_pulls", max_pulls, 1, MAX_PULLS)
    strip = _CertifiedStrip(instance, epsilon, delta, as_radius(radius))
    rise, stay = strip.mean_below, strip.complement_below
    above = 0 in instance.above
    mass = np.array([1.0])
    low, error = 0, 0.0
    for n in range(1, max_pulls + 1):
        wider = np.concatenate([[0.0], mass, [0.0]])
        mass = _rounded_down(wider[1:] * stay + wider[:-1] * rise)
        edges = strip.edges(n)
        wrong = mass[: max(0, edges.below - low)] if above else mass[max(0, edges.above - low) :]
        error = float(_rounded_down(np.array([error + math.fsum(wrong)]))[0])
        first, last = max(low, edges.first), min(low + mass.size - 1, edges.last)
        mass, low = mass[first - low : last - low + 1], first
        if mass.size == 0:
            break
    return error


def _rounded_down(values: np.ndarray) -> np.ndarray:
    """A lower bound on what a handful of roundings to nearest have made too large.

    Three roundings add at most three units of 2^-53, relatively; eight are taken off. Below
    1e-280, where results lose digits, everything is taken off.
    """
    return np.where(values < 1e-280, 0.0, values * (1.0 - 2.0**-50))


@dataclass(frozen=True)
class _Edges:
    """States s < below are surely decided low, s >= above surely high, first..last undecided."""

    below: int
    first: int
    last: int
    above: int


class _CertifiedStrip:
    """The undecided states of a one-arm chain, settled in interval arithmetic."""

    def __init__(self, instance: Instance, epsilon: float, delta: float, radius: Radius):
        from mpmath import iv

        self._iv = iv
        self._radius = radius
        self._edge = radius.at(1, delta, instance.threshold, epsilon)
        decay = iv.exp(-iv.mpf(repr(float(epsilon)))) if math.isfinite(epsilon) else iv.mpf(0)
        half = iv.mpf(1) / 2
        shrink = (1 - decay) / (1 + decay)
        mean = half + shrink * (iv.mpf(repr(instance.means[0])) - half)
        self._threshold = half + shrink * (iv.mpf(repr(instance.threshold)) - half)
        self.mean_below = _double_below(mean.a)
        self.complement_below = _double_below((1 - mean).a)
        self._delta = iv.mpf(repr(float(delta)))
        self._log_share = iv.log(4 / self._delta)
        self._variance, self._rho = iv.mpf(1) / 4, iv.mpf(repr(float(radius.rho)))
        if radius.kind.family not in (UNION, TWO_SIDED):
            t = self._threshold
            if threshold_variance(instance.threshold, epsilon) != HOEFFDING_VARIANCE:
                self._variance = (1 - 2 * t) / (2 * iv.log((1 - t) / t))
            self._rho = (self._variance / (shrink * iv.mpf(repr(float(radius.prior_gap))))) ** 2

    def _boundary(self, n: int):  # type: ignore[no-untyped-def]
        """The formulas of :mod:`ldpt.radii` for one arm, in intervals."""
        iv, kind = self._iv, self._radius.kind
        if kind.family == UNION:
            log = self._log_share + 3 * iv.log(iv.mpf(n))
            return iv.sqrt(iv.mpf(kind.factor) * n * log)  # factors are powers of two
        v = self._variance * n + self._rho
        if kind.family == TWO_SIDED:
            return iv.sqrt(v * (iv.log(v / self._rho) - 2 * iv.log(self._delta)))
        return iv.sqrt(2 * v * iv.log((iv.sqrt(v / self._rho) / self._delta + 1) / 2))

    def _line(self, lines: np.ndarray, n: int):  # type: ignore[no-untyped-def]
        """The boundary of ``coin``, whose table is its definition, without rounding."""
        k = min(32 * (n.bit_length() - 1) + (n << 5 >> n.bit_length() - 1) - 32, len(lines) - 2)
        if not np.isfinite(lines[k, 0]):
            return self._iv.mpf(n + 1)  # no state is so far away
        least = min(Fraction(a) + Fraction(m) * n for a, m in lines[k : k + 2].tolist())
        return self._iv.mpf(least.numerator) / self._iv.mpf(least.denominator)

    def edges(self, n: int) -> _Edges:
        """The states that are surely decided or undecided after n pulls."""
        centre = n * self._threshold
        if self._edge.family == COIN:
            low = centre - self._line(self._edge.below, n)
            high = centre + self._line(self._edge.above, n)
        else:
            b = self._boundary(n)
            low, high = centre - b, centre + b  # undecided: low <= s < high
        return _Edges(
            below=math.ceil(_double_below(low.a)),
            first=math.ceil(_double_above(low.b)),
            last=math.ceil(_double_below(high.a)) - 1,
            above=math.ceil(_double_above(high.b)),
        )


def _double_below(value) -> float:  # type: ignore[no-untyped-def]
    """A double under an end of an interval."""
    return math.nextafter(float(value), -math.inf)


def _double_above(value) -> float:  # type: ignore[no-untyped-def]
    """A double over an end of an interval."""
    return math.nextafter(float(value), math.inf)
