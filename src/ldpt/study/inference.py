"""Verdicts and intervals for private answers that exist already, without a learner.

Every arm has n answers, of which s are 1. An answer is a coin whose probability of 1 is a known
line in the arm's mean reward: PrivBern(epsilon), or another randomised-response design
(:mod:`ldpt.study.designs`).

:func:`decide` tells on which side of the threshold each mean lies. With the answers in their order
it stops at the first crossing of the boundary, as Algorithm 2 does; with counts it looks once, at
the end. Both are wrong for some arm with probability at most delta: the mixture behind ``coin`` is
a nonnegative supermartingale with mean at most 1, at all times and so at the last one. The number
of answers must not depend on answers that came later than it (a fixed number, or any rule that
stops on what it has seen).

:func:`estimate` gives intervals that contain all means at all times with probability at least
``level``. The interval of an arm is {q : M(q) < K / alpha}, alpha = 1 - level, with

    M(q) = sum_l w_l exp(l s - n log(1 - q + q e^l)),

a normal mixture (scale 4 c / 8 in log-odds) of exact likelihood ratios against q: a martingale from
1 if q is the probability of 1. log M is convex in q, so the set is an interval. It is no wider
than the interval of the normal mixture for variables in [0, 1], and narrower away from 1/2.

For a decided arm, ``bound`` is the one-sided bound that agrees with its verdict: the q at which the
same mixture as in ``coin``, taken at the threshold q, would just decide. All bounds are right with
probability at least 1 - 2 delta: delta for the verdicts, delta for the side that is given.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ldpt.checks import check_delta, check_number
from ldpt.privacy import private_mean
from ldpt.radii import (
    DEFAULT_PRIOR_GAP,
    Radius,
    as_radius,
    drift_pulls,
    lower,
    threshold_variance,
    upper,
)
from ldpt.study.answers import Sample, as_answers
from ldpt.study.designs import Design, as_design
from ldpt.study.scale import Scale
from ldpt.util.messages import shown
from ldpt.util.reproducible import exp, expm1, log, log1p, power

__all__ = ["Estimate", "Verdict", "decide", "estimate", "response_range", "tolerated_share"]

NODES = 400  # of a mixture, on each side: 50 octaves
NODES_PER_OCTAVE = 8
MIN_GAP = 1e-6  # between responses and threshold; below, no number of answers is predicted


@dataclass(frozen=True)
class Verdict:
    """The side of the threshold on which an arm's mean lies.

    Attributes
    ----------
    arm : str or int
        Name or number of the arm.
    answers, ones : int
        The number of answers, and how many of them are 1.
    verdict : str
        ``"above"``, ``"below"`` or ``"undecided"``.
    decided_at : int or None
        The number of answers of this arm at its decision; None if it is undecided, or if counts
        were given.
    bound : float or None
        The mean reward is at least (above) or at most (below) this; None if it is undecided.
    """

    arm: str | int
    answers: int
    ones: int
    verdict: str
    decided_at: int | None = None
    bound: float | None = None


@dataclass(frozen=True)
class Estimate:
    """An arm's mean reward, from its private answers.

    Attributes
    ----------
    arm : str or int
        Name or number of the arm.
    answers : int
        The number of answers.
    mean : float
        The estimated mean reward, in [0, 1]; NaN without answers.
    low, high : float
        The ends of its interval.
    note : str
        How the answers contradict the design; empty if they do not.
    """

    arm: str | int
    answers: int
    mean: float
    low: float
    high: float
    note: str = ""

    def on(self, scale: Scale) -> "Estimate":
        """Return the estimate in units of a scale; without all its cuts there is a range only."""
        low, high = scale.interval(self.low, self.high)
        mean = scale.at(self.mean) if scale.valid == "both" else math.nan
        return replace(self, mean=mean, low=low, high=high)


def decide(
    answers: Any,
    threshold: float,
    epsilon: float | Design,
    delta: float,
    radius: str | Radius = "coin",
    noncompliance: float = 0.0,
) -> list[Verdict]:
    """Return on which side of the threshold each arm's mean reward lies.

    Parameters
    ----------
    answers : mapping, sequence, DataFrame or Answers
        For every arm its answers in order, as a sequence of 0 and 1, or its counts, as a pair
        (answers, ones); a mapping has the arms' names as keys. A pair of two bits is taken as
        answers if it is a list and as counts if it is a tuple. A DataFrame has columns ``arm`` and
        ``response``, or ``arm``, ``responses`` and ``ones``.
    threshold : float
        tau, in rewards: a number in [0, 1].
    epsilon : float or Design
        Privacy level of the answers, or their randomised-response design.
    delta : float
        Error probability of all verdicts together, in (0, 1).
    radius : str or Radius
        The stopping boundary (:mod:`ldpt.radii`).
    noncompliance : float
        The largest share of people who do not follow the instruction, below 1/2; the verdicts hold
        whatever they do.

    Returns
    -------
    list of Verdict
        One per arm, in the order of ``answers``.

    Raises
    ------
    ValueError
        If an argument is out of range, or an answer is neither 0 nor 1.

    Examples
    --------
    >>> decide({"low": (400, 150), "high": (400, 260)}, 0.5, 1.0, 0.1)[1].verdict
    'above'
    """
    samples = as_answers(answers).samples
    radius = as_radius(radius, "learner")
    if radius.warning:
        warnings.warn(radius.warning, stacklevel=2)
    test = ThresholdTest(
        radius, len(samples), check_delta(delta), threshold, epsilon, noncompliance
    )
    return [test.verdict(sample) for sample in samples]


def estimate(
    answers: Any, epsilon: float | Design, level: float = 0.95, noncompliance: float = 0.0
) -> list[Estimate]:
    """Return every arm's mean reward, with an interval that is valid at any time.

    With probability at least ``level`` the intervals of all arms contain their means at all times
    at once: look whenever you like, stop whenever you like.

    Parameters
    ----------
    answers : mapping, sequence, DataFrame or Answers
        As in :func:`decide`.
    epsilon : float or Design
        Privacy level of the answers, or their randomised-response design.
    level : float
        Joint level of all intervals, in (0, 1).
    noncompliance : float
        As in :func:`decide`: intervals are widened by the worst case.

    Returns
    -------
    list of Estimate
        One per arm, in the order of ``answers``.

    Raises
    ------
    ValueError
        If an argument is out of range, or an answer is neither 0 nor 1.

    Warns
    -----
    UserWarning
        If an arm's answers contradict the design: no mean reward is likely to give them.

    Examples
    --------
    >>> cheating, = estimate({"cheating": (1150, 291)}, epsilon=1.662)
    >>> print(f"{cheating.mean:.3f} in [{cheating.low:.3f}, {cheating.high:.3f}]")
    0.137 in [0.081, 0.198]
    """
    samples = as_answers(answers).samples
    found = estimates(samples, as_design(epsilon), level, check_share(noncompliance))
    for one in found:
        if one.note:
            warnings.warn(f"arm {one.arm!r}: {one.note}", stacklevel=2)
    return found


def estimates(
    samples: Sequence[Sample], design: Design, level: float, share: float = 0.0
) -> list[Estimate]:
    """Return what :func:`estimate` returns, without a warning: the notes say the same."""
    error = 1 - check_number("level", level, 0, 1)
    if not 0 < error < 1:
        raise ValueError(f"level must lie strictly between 0 and 1, got {shown(level)}")
    log_level = log(len(samples) / error)
    return [_estimate(sample, design, log_level, share) for sample in samples]


def response_range(
    design: Design, mean: float, share: float, conduct: str = "any"
) -> tuple[float, float]:
    """Return the least and largest probability of 1 if up to a share does not comply.

    With p the probability of 1 at this mean reward if all comply, those who do not

    - ``any``: answer in any way, which may depend on their own truth: between p - share * one and
      p + share * (1 - zero) (``one`` and ``zero`` of the design);
    - ``random``: toss a fair coin: between p and (1 - share) p + share / 2;
    - ``opposite``: say the opposite: between p and (1 - share) p + share (1 - p).

    ``random`` and ``opposite`` assume that complying does not depend on a person's own truth.

    Parameters
    ----------
    design : Design
        The randomised-response design.
    mean : float
        The mean reward: a number in [0, 1].
    share : float
        The largest share of people who do not follow the instruction, below 1/2.
    conduct : str
        What they do.

    Returns
    -------
    low, high : float

    Raises
    ------
    ValueError
        If the share or the conduct is not one of these.
    """
    p = design.private_mean(check_number("mean", mean, 0, 1))
    share = check_share(share)
    conducts = {
        "any": (p - share * design.one, share * (1 - design.zero) + p),
        "random": (p, share / 2 + (1 - share) * p),
        "opposite": (p, share + (1 - 2 * share) * p),
    }
    if conduct not in conducts:
        raise ValueError(f"conduct must be one of {', '.join(conducts)}, got {shown(conduct)}")
    ends = conducts[conduct]
    return max(min(ends), 0.0), min(max(ends), 1.0)


def tolerated_share(
    verdict: Verdict, threshold: float, epsilon: float | Design, conduct: str = "any"
) -> float:
    """Return the largest share of noncompliance with which a verdict still holds.

    Parameters
    ----------
    verdict : Verdict
        A decided verdict at this threshold, without noncompliance.
    threshold : float
        tau, in rewards.
    epsilon : float or Design
        Privacy level of the answers, or their randomised-response design.
    conduct : str
        What people do who do not comply (:func:`response_range`).

    Returns
    -------
    float
        In [0, 1/2]; 0 if the arm is undecided.
    """
    if verdict.bound is None:
        return 0.0
    design = as_design(epsilon)
    above = verdict.verdict == "above"
    limit = design.private_mean(verdict.bound)

    def excess(share: float) -> float:
        low, high = response_range(design, threshold, share, conduct)
        return high - limit if above else limit - low

    most = math.nextafter(0.5, 0)
    if excess(0.0) >= 0:
        return 0.0
    return 0.5 if excess(most) <= 0 else _root(excess, 0.0, most)


class ThresholdTest:
    """Decides arms against the threshold, one boundary per side."""

    def __init__(
        self,
        radius: Radius,
        n_arms: int,
        delta: float,
        threshold: float,
        epsilon: float | Design,
        noncompliance: float = 0.0,
    ) -> None:
        self.design = as_design(epsilon)
        self.threshold = check_number("threshold", threshold, 0, 1)
        self.log_level = log(n_arms / delta)
        self.share = check_share(noncompliance)
        self.prior_gap = radius.prior_gap * self.design.shrinkage
        if isinstance(epsilon, Design) or self.share:
            self.low, self.high = response_range(self.design, self.threshold, self.share)
            radius = replace(radius, prior_gap=self.prior_gap)
            self.above = radius.at(n_arms, delta, self.high, math.inf)
            self.below = radius.at(n_arms, delta, self.low, math.inf)
        else:  # the same numbers as the learner's
            self.low = self.high = private_mean(self.threshold, epsilon)
            self.above = self.below = radius.at(n_arms, delta, self.threshold, epsilon)

    def verdict(self, sample: Sample) -> Verdict:
        """Return the verdict on one arm."""
        if sample.bits is None:
            decided_at = None
            side = self.side(sample.answers, sample.ones)
        else:
            decided_at, side = self.first_crossing(sample.bits)
        bound = self.bound(sample, side) if side != "undecided" else None
        return Verdict(sample.arm, sample.answers, sample.ones, side, decided_at, bound)

    def side(self, n: int, s: int) -> str:
        if n and s - n * self.high >= upper(self.above, n, n):
            return "above"
        return "below" if n and s - n * self.low < -lower(self.below, n, n) else "undecided"

    def first_crossing(self, bits: np.ndarray) -> tuple[int | None, str]:
        """Return when and on which side the answers first cross a boundary.

        Boundaries increase and an answer moves s by at most 1, so the distance to the nearer
        boundary tells how many answers can be skipped.
        """
        sums = np.concatenate([[0], np.cumsum(bits, dtype=np.int64)])
        n = 1
        while n < len(sums):
            s = int(sums[n])
            side = self.side(n, s)
            if side != "undecided":
                return n, side
            up = upper(self.above, n, n) - (s - n * self.high)
            down = lower(self.below, n, n) + (s - n * self.low)
            steps = min(_steps(up, 1 - self.high), _steps(down, self.low))
            n += int(min(steps, len(sums)))
        return None, "undecided"

    def bound(self, sample: Sample, side: str) -> float:
        """Return the bound on the mean reward that agrees with a verdict."""
        n, s = sample.answers, sample.ones
        if side == "above":
            q = self._lower_bound(n, s, self.high)
            return max(_mean_range(self.design, self.share, q, q)[0], self.threshold)
        q = 1 - self._lower_bound(n, n - s, 1 - self.low)
        return min(_mean_range(self.design, self.share, q, q)[1], self.threshold)

    def more_answers(self, sample: Sample) -> int | None:
        """Return how many more answers decide an arm if its mean is as estimated; None if unknown.

        The drift at the estimated mean takes the arm to its boundary about then.
        """
        n = sample.answers
        share = sample.ones / max(sample.answers, 1)
        gap = max(share - self.high, 0.0) or min(share - self.low, 0.0)
        if n == 0 or abs(gap) < MIN_GAP:
            return None
        (pulls,) = drift_pulls(self.above if gap > 0 else self.below, [gap], [1])
        return max(math.ceil(pulls) - n, 1)

    def _lower_bound(self, n: int, s: int, t: float) -> float:
        """Return the largest threshold q >= t that the mixture of ``coin`` at t rejects."""
        scale = self.prior_gap / threshold_variance(t, math.inf)
        mixture = Mixture(*_nodes(scale, self.log_level), n, s)
        if t >= s / n or mixture.log(t) <= self.log_level:
            return t  # crossed earlier, or within the slack of the table
        return max(t, mixture.root(self.log_level, t, s / n))


def _steps(distance: float, largest_step: float) -> float:
    """Return how many answers are needed at least to move by this distance."""
    return max(math.floor(distance / largest_step * (1 - 1e-12)), 1) if largest_step else math.inf


def _nodes(scale: float, log_level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes of a half-normal prior, geometric, and the logarithms of their weights."""
    x = (8 + math.sqrt(2 * log_level)) * power(2.0, -np.arange(NODES) / NODES_PER_OCTAVE)
    log_weights = log(x) - x * x / 2
    return x * scale, log_weights - log(exp(log_weights).sum())


class Mixture(NamedTuple):
    """M(q): a mixture of the likelihood ratios of n answers, s of them 1, against q."""

    nodes: np.ndarray
    log_weights: np.ndarray
    n: int
    s: int

    def log(self, q: float) -> float:
        """Return log M(q)."""
        positive = self.nodes > 0
        moment = log1p(np.where(positive, 1 - q, q) * expm1(-np.abs(self.nodes)))
        exponents = self.log_weights + self.nodes * (self.s - self.n * positive) - self.n * moment
        largest = exponents.max()
        return float(largest + log(exp(exponents - largest).sum()))

    def root(self, log_level: float, one: float, other: float) -> float:
        """Return the q between two others at which log M(q) equals the level."""
        return _root(lambda q: self.log(q) - log_level, one, other)


def _root(function: Callable[[float], float], one: float, other: float) -> float:
    from scipy.optimize import brentq  # takes half a second

    return float(brentq(function, one, other, xtol=1e-15))


def _estimate(sample: Sample, design: Design, log_level: float, share: float) -> Estimate:
    if sample.answers == 0:
        return Estimate(sample.arm, 0, math.nan, 0.0, 1.0)
    ends = _response_interval(sample, design.shrinkage, log_level)
    least = response_range(design, 0.0, share)[0]
    most = response_range(design, 1.0, share)[1]
    note = ""
    if ends[1] < least or ends[0] > most:
        note = (
            f"the answers contradict the design: {sample.ones:,} of {sample.answers:,} are 1, "
            "which no mean is likely to give"
        )
    low, high = _mean_range(design, share, *ends)
    mean = min(max(design.mean(sample.ones / sample.answers), 0.0), 1.0)
    return Estimate(sample.arm, sample.answers, mean, min(low, mean), max(high, mean), note)


def _response_interval(sample: Sample, shrinkage: float, log_level: float) -> tuple[float, float]:
    """Return the interval of the probability of 1."""
    n, s = sample.answers, sample.ones
    half, log_weights = _nodes(4 * shrinkage * DEFAULT_PRIOR_GAP, log_level)
    nodes = np.concatenate([half, -half])
    mixture = Mixture(nodes, np.tile(log_weights, 2) - log(2), n, s)
    low = mixture.root(log_level, 0.0, s / n) if mixture.log(0.0) > log_level else 0.0
    high = mixture.root(log_level, s / n, 1.0) if mixture.log(1.0) > log_level else 1.0
    return low, high


def check_share(share: object) -> float:
    """Return a share of people who do not comply, below 1/2."""
    if check_number("noncompliance", share, 0, 0.5) == 0.5:
        raise ValueError("noncompliance must be below 0.5")
    return float(share)  # type: ignore[arg-type]


def _mean_range(design: Design, share: float, low: float, high: float) -> tuple[float, float]:
    """Return the mean rewards, within [0, 1], that can give a probability of 1 in [low, high]."""
    least = design.mean(low - share * (1 - design.zero))
    most = design.mean(high + share * design.one)
    return min(max(least, 0.0), 1.0), max(min(most, 1.0), 0.0)
