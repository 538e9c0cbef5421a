"""The stopping boundaries of Algorithm 2: one table, from which everything else derives.

With n pulls and s positive responses of an arm, d = s - n tau_eps, the arm is undecided while
-lower(n, t) <= d < upper(n, t), where t counts the pulls of all arms. :data:`KINDS` has one row per
radius. Four families of formulas are known:

========== ==================================================== ===============================
family     b(n, t)                                              radii
========== ==================================================== ===============================
UNION      sqrt(f n L(t)), L(t) = log(4 K / delta) + 3 log(t)   printed f = 1/8, hoeffding 1/2
TWO_SIDED  sqrt(W (log(W / rho) + 2 log(K / delta)))            mixture, v = 1/4
ONE_SIDED  sqrt(2 W log((A + 1) / 2))                           onesided, v at the threshold
COIN       the lesser of two lines, from one table per side     coin (:mod:`ldpt.coin`)
========== ==================================================== ===============================

with W = v n + rho and A = (K / delta) sqrt(W / rho). The first three are symmetric: ``upper`` and
``lower`` are the same number. The paper (Algorithm 2) has ``printed``; it writes L(t) as
log(4 K t^3 / delta), whose t^3 overflows 64-bit integers beyond t = 2 097 151, and runs go to 10^9.
The others are valid: the answer is wrong with probability at most delta.

Radii have the same three steps as policies (:mod:`ldpt.policies`): a row of a table (``Kind``),
which is filled in with a problem's numbers (``Radius.at`` gives a ``Boundary``), which a function
takes (:func:`boundaries_at`). A radius of a known family is one more row of the table. A new
formula is one more family: a row, which says what supports it, a branch in :meth:`Radius.at` for
its constants and one in :func:`boundaries_at`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ldpt.checks import USES, check_choice, check_delta, check_number, check_whole, supporting
from ldpt.privacy import shrinkage
from ldpt.util.reproducible import log, log1p

__all__ = ["DEFAULT_RADIUS", "RADII", "VALID_RADII", "Radius", "lower", "upper"]

UNION, TWO_SIDED, ONE_SIDED, COIN = 0, 1, 2, 3  # families of formulas
HOEFFDING_VARIANCE = 0.25  # variance proxy of every variable in [0, 1]
DEFAULT_RADIUS = "coin"  # of learners and the command line
DEFAULT_RHO = 10.0
DEFAULT_PRIOR_GAP = 0.125
DRIFT_TOLERANCE = 1e-4  # relative, of pulls that are estimated; every step halves the distance
MAX_ARMS = 10**8  # K / delta overflows beyond
MAX_DRIFT_STEPS, FAR_PULLS = 1000, 1e30  # after which no drift meets the boundary
MIN_CONSTANT, MAX_CONSTANT = 1e-100, 1e100  # of rho and prior_gap; beyond, squares overflow


@dataclass(frozen=True)
class Kind:
    """Problem-independent parameters of a radius: a row of ``KINDS``.

    Attributes
    ----------
    valid : bool
        Whether the answer is proved to be wrong with probability at most delta.
    family : int
        Which formula: ``UNION``, ``TWO_SIDED``, ``ONE_SIDED`` or ``COIN``.
    factor : float
        The constant of its formula: f of ``UNION``, v of ``TWO_SIDED``; ``ONE_SIDED`` and
        ``COIN`` take v from the threshold.
    stream : str
        Name of its random streams; it stays when the radius is renamed. Its name by default.
    supports : frozenset of str
        Out of :data:`ldpt.checks.USES`. What is not among them refuses the radius.
    """

    valid: bool
    family: int
    factor: float = math.nan
    stream: str = ""
    supports: frozenset[str] = USES

    @property
    def timed(self) -> bool:
        """Whether the boundary grows with the pulls of all arms, so that decided arms reopen."""
        return self.family == UNION


KINDS = {
    "printed": Kind(False, UNION, 1 / 8, stream="printed"),
    "hoeffding": Kind(True, UNION, 1 / 2, stream="hoeffding"),
    "mixture": Kind(True, TWO_SIDED, HOEFFDING_VARIANCE, stream="mixture"),
    "onesided": Kind(True, ONE_SIDED, stream="onesided"),
    "coin": Kind(True, COIN, stream="coin"),
}
RADII = tuple(KINDS)
VALID_RADII = tuple(name for name, kind in KINDS.items() if kind.valid)


class Boundary(NamedTuple):
    """A boundary with its problem's numbers filled in, as compiled code takes it."""

    family: int
    factor: float  # f of UNION, else the variance proxy v
    term: float  # what K and delta contribute: log(4K/delta), 2 log(K/delta) or K/delta
    rho: float
    lines: np.ndarray  # of COIN: intercept and slope above the threshold, then below; else no rows


NO_LINES = np.empty((0, 4))


def boundaries_at(edge: Boundary, n: float, t: float) -> tuple[float, float]:
    """Return the boundaries above and below the threshold, which only COIN tells apart.

    Line k of COIN touches it at n = 2^e (1 + m / 32), k = 32 e + m. Plain Python;
    :mod:`ldpt.engines.boundaries` compiles it.
    """
    if edge.family == UNION:
        both = math.sqrt(edge.factor * n * (edge.term + 3.0 * math.log(t)))
        return both, both
    if edge.family == COIN:
        lines = edge.lines
        fraction, exponent = math.frexp(n)
        k = min(32 * (exponent - 1) + int((fraction - 0.5) * 64.0), lines.shape[0] - 2)
        return (
            min(lines[k, 0] + lines[k, 1] * n, lines[k + 1, 0] + lines[k + 1, 1] * n),
            min(lines[k, 2] + lines[k, 3] * n, lines[k + 1, 2] + lines[k + 1, 3] * n),
        )
    width = edge.factor * n + edge.rho
    if edge.family == TWO_SIDED:
        squared = width * (math.log(width / edge.rho) + edge.term)
    else:
        ratio = edge.term * math.sqrt(width / edge.rho)
        squared = 2.0 * width * math.log(0.5 * (ratio + 1.0))
    both = math.sqrt(squared)
    return both, both


def upper(edge: Boundary, n: float, t: float) -> float:
    """Return how large d must be for an arm with n pulls to be decided above at time t.

    Parameters
    ----------
    edge : Boundary
        From :meth:`Radius.at`.
    n : float
        Pulls of the arm, at least 1.
    t : float
        Pulls of all arms, at least n.

    Returns
    -------
    float
        The boundary, in responses: the arm is decided above when d >= upper.
    """
    return float(boundaries_at(edge, n, t)[0])


def lower(edge: Boundary, n: float, t: float) -> float:
    """Return how far below 0 d must be for an arm with n pulls to be decided below at time t.

    Parameters
    ----------
    edge : Boundary
        From :meth:`Radius.at`.
    n : float
        Pulls of the arm, at least 1.
    t : float
        Pulls of all arms, at least n.

    Returns
    -------
    float
        The boundary, in responses: the arm is decided below when d < -lower.
    """
    return float(boundaries_at(edge, n, t)[1])


def drift_pulls(
    edge: Boundary,
    gaps: Sequence[float],
    counts: Sequence[int],
    rest: float = 0.0,
    tolerance: float = DRIFT_TOLERANCE,
) -> list[float]:
    """Return the pulls at which arms with these private gaps are decided by their drift.

    n and t solve n |gap| = b(n, t) for every arm, t being the sum of all n and of ``rest``;
    ``counts`` says how many arms have each gap, ``tolerance`` how far t may be off. About the
    expected pulls, and no bound on them; infinite where the boundary grows as fast as the drift,
    as with a prior on gaps that no arm can have.
    """
    pulls = [1.0] * len(gaps)
    last = 0.0
    for _ in range(MAX_DRIFT_STEPS):  # a contraction: b grows like sqrt(n log n), the drift like n
        t = math.fsum(n * arms for n, arms in zip(pulls, counts, strict=True)) + rest
        if t > FAR_PULLS or not abs(t - last) > tolerance * t:
            break
        last = t
        for place, gap in enumerate(gaps):
            pulls[place] = max(_side(gap)(edge, pulls[place], t) / abs(gap), 1.0)
    return [
        n if n < FAR_PULLS and 2 * n * abs(gap) > _side(gap)(edge, 2 * n, 2 * t) else math.inf
        for n, gap in zip(pulls, gaps, strict=True)
    ]


def _side(gap: float) -> Callable[[Boundary, float, float], float]:
    return upper if gap > 0 else lower


@dataclass(frozen=True)
class Radius:
    """A radius by name, with the constants that may be tuned.

    Parameters
    ----------
    name : str
        One of :data:`RADII`.
    rho : float
        Variance of the prior of ``mixture``, in responses; the others ignore it.
    prior_gap : float
        Scale of the half-normal prior of ``onesided`` and ``coin`` on an arm's gap, in rewards;
        the others ignore it.

    Raises
    ------
    ValueError
        If the name is unknown or a constant is not in [1e-100, 1e100].

    Examples
    --------
    >>> edge = Radius("printed").at(n_arms=1, delta=0.1, threshold=0.5, epsilon=1.0)
    >>> round(upper(edge, n=100, t=100), 4)
    14.7921
    >>> edge = Radius("coin").at(n_arms=1, delta=0.1, threshold=0.9, epsilon=math.inf)
    >>> round(upper(edge, 100, 100), 4), round(lower(edge, 100, 100), 4)
    (6.5168, 8.1945)
    """

    name: str
    rho: float = DEFAULT_RHO
    prior_gap: float = DEFAULT_PRIOR_GAP

    def __post_init__(self) -> None:
        check_choice("radius", self.name, KINDS)
        check_number("rho", self.rho, MIN_CONSTANT, MAX_CONSTANT)
        check_number("prior_gap", self.prior_gap, MIN_CONSTANT, MAX_CONSTANT)

    @property
    def kind(self) -> Kind:
        """The row of the table."""
        return KINDS[self.name]

    @property
    def stream(self) -> str:
        """The name of its random streams."""
        return self.kind.stream or self.name

    @property
    def warning(self) -> str:
        """Why verdicts by this radius have no guarantee; no text if they have."""
        if self.kind.valid:
            return ""
        return (
            f"the guarantee of the radius {self.name!r} is false: the error probability can exceed "
            "delta (use 'coin')"
        )

    @property
    def parameters(self) -> dict[str, str | float]:
        """The name and the constants, as a learner's saved state records them."""
        return {"radius": self.name, "rho": self.rho, "prior_gap": self.prior_gap}

    def at(self, n_arms: int, delta: float, threshold: float, epsilon: float) -> Boundary:
        """Return the boundary for a problem with this many arms, threshold and privacy level.

        Parameters
        ----------
        n_arms : int
            K, over which delta is shared.
        delta : float
            Error probability of the whole answer, in (0, 1).
        threshold : float
            tau, in rewards.
        epsilon : float
            Privacy level; ``math.inf`` means none.

        Returns
        -------
        Boundary
            To be evaluated by :func:`upper` and :func:`lower`.

        Raises
        ------
        ValueError
            If an argument is out of range.
        """
        n_arms = check_whole("n_arms", n_arms, 1, MAX_ARMS)
        threshold = check_number("threshold", threshold, 0, 1)
        delta = check_delta(delta)
        shrink = shrinkage(epsilon)
        family = self.kind.family
        factor = self.kind.factor
        rho = float(self.rho)
        if family == UNION:
            return Boundary(family, factor, log(4 * n_arms / delta), rho, NO_LINES)
        if family == TWO_SIDED:
            return Boundary(family, factor, 2 * log(n_arms / delta), rho, NO_LINES)
        variance = threshold_variance(threshold, epsilon)
        scale = variance / (shrink * self.prior_gap)
        edge = Boundary(ONE_SIDED, variance, n_arms / delta, scale * scale, NO_LINES)
        if family == ONE_SIDED:
            return edge
        from ldpt.coin import tangents  # needs compiled code, which the other radii do not

        t, rest = 0.5 + shrink * (threshold - 0.5), 0.5 - shrink * (threshold - 0.5)
        sides = [
            tangents(x, complement, 1 / scale, log(edge.term))
            for x, complement in ((t, rest), (rest, t))
        ]
        return edge._replace(family=COIN, lines=np.hstack(sides))


def threshold_variance(threshold: float, epsilon: float) -> float:
    """Variance proxy v of a coin that lies exactly at the private threshold (Kearns, Saul 1998).

    v = (1 - 2 t) / (2 log((1 - t) / t)) at t = tau_eps, written as x / (4 artanh(x)) with
    x = 1 - 2 t, which keeps its digits near t = 1/2. Hoeffding's 1/4 at t = 1/2, 0 and 1.

    >>> threshold_variance(0.5, 1.0)
    0.25
    >>> round(threshold_variance(0.9, math.inf), 4)
    0.182
    """
    x = shrinkage(epsilon) * (1 - 2 * check_number("threshold", threshold, 0, 1))
    if x == 0 or abs(x) >= 1:
        return HOEFFDING_VARIANCE
    return HOEFFDING_VARIANCE * x / (0.5 * (log1p(x) - log1p(-x)))


def as_radius(radius: "str | Radius", use: str = "") -> Radius:
    """Return a :class:`Radius` from itself or from its name, with the default constants.

    A ValueError lists the radii that support the use, if one is named.
    """
    result = radius if isinstance(radius, Radius) else Radius(radius)
    if use:
        check_choice("radius", result.name, supporting(KINDS, use))
    return result
