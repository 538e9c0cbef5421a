"""Graded answers: stars and scores, as the plain question "is your answer at least k?".

The study draws the cut k uniformly among the cuts of the scale, independently of the person, and
keeps it with the response. The device randomises the truth of the answer, one bit, so the privacy
is that of a yes or no, whatever the cut is.

Let q(k) = P(score >= k) and let m be the number of all cuts. Summation by parts gives
(mean - low) / (high - low) = (sum of q over all cuts) / m, so the truth has this mean if every cut
is in use. Leaving cuts out at one end helps a one-sided question:

- Without the lowest share a: mean' = a (average of q left out) + (1 - a) A <= a + (1 - a) A, as
  q <= 1, where A is the average of the cuts in use. If A < (t - a) / (1 - a), then mean' < t.
- Without the highest share 1 - u: mean' >= u A, as q >= 0. If A > t / u, then mean' > t.
- The other verdict says nothing. As q decreases, mean' >= A in the first case, <= A in the second.
"""

import math
import secrets
from dataclasses import dataclass

import numpy as np

from ldpt.checks import check_number, check_whole, is_number
from ldpt.util.messages import shown

__all__ = ["Scale"]

MAX_END = 1e12  # beyond, steps of a float are no longer exact enough
MAX_CUTS = 1000


@dataclass(frozen=True)
class Scale:
    """The scale of a graded answer, and the cuts at which people are asked.

    Parameters
    ----------
    low, high : float
        The least and the greatest answer that a person can give; the true ends are best, because
        the number of answers that a study needs grows with the square of their distance.
    step : float
        Distance between neighbouring answers.
    skip_low, skip_high : int
        How many of the lowest or of the highest cuts are left out; not both.

    Attributes
    ----------
    cuts : tuple of float
        The cuts in use, each above ``low``.
    valid : str
        Which verdicts about the mean are valid: ``"both"``, ``"below"`` or ``"above"``.

    Raises
    ------
    ValueError
        If the ends are in the wrong order, the step does not divide their distance, cuts are left
        out at both ends, or none is left.

    Examples
    --------
    >>> stars = Scale(1, 5, skip_low=2)
    >>> stars.cuts, stars.valid, stars.threshold(4)
    ((4, 5), 'below', 0.5)
    >>> stars.answer(4, cut=5)
    0.0
    """

    low: float
    high: float
    step: float = 1
    skip_low: int = 0
    skip_high: int = 0

    def __post_init__(self) -> None:
        for name in ("low", "high", "step"):
            check_number(name, getattr(self, name), -MAX_END, MAX_END)
        if not self.low < self.high:
            raise ValueError(f"low must be below high, got {self.low:g} and {self.high:g}")
        steps = (self.high - self.low) / self.step if self.step > 0 else math.nan
        if not (1 <= round(steps or 0, 6) <= MAX_CUTS and abs(steps - round(steps)) < 1e-6):
            raise ValueError(
                f"step must divide {self.high:g} - {self.low:g} into 1 to {MAX_CUTS} steps, "
                f"got {self.step:g}"
            )
        for name in ("skip_low", "skip_high"):
            check_whole(name, getattr(self, name), 0, round(steps) - 1)
        if self.skip_low and self.skip_high:
            raise ValueError("cuts are left out at one end only: skip_low or skip_high")

    @property
    def _steps(self) -> int:
        return round((self.high - self.low) / self.step)

    @property
    def cuts(self) -> tuple[float, ...]:
        """The cuts in use."""
        places = range(1 + self.skip_low, self._steps + 1 - self.skip_high)
        return tuple(self.low + place * self.step for place in places)

    @property
    def valid(self) -> str:
        """Which verdicts about the mean are valid."""
        if self.skip_low:
            return "below"
        return "above" if self.skip_high else "both"

    def threshold(self, value: float) -> float:
        """Return the threshold in [0, 1] for the learner.

        Parameters
        ----------
        value : float
            The threshold on the scale, strictly between the ends; between the cuts that are left
            out and the other end.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If the value is not there.
        """
        low = self.at(0.0)
        high = self.at(1.0)
        if not (is_number(value) and low < value < high):
            raise ValueError(
                f"threshold must lie strictly between {low:g} and {high:g} on this scale, "
                f"got {shown(value)}"
            )
        return (value - low) / (high - low)

    def at(self, threshold: float) -> float:
        """Return the value on the scale of a threshold in [0, 1]: the inverse of ``threshold``.

        Parameters
        ----------
        threshold : float
            A threshold of the learner, or a bound on the mean truth.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If the threshold is no number in [0, 1].
        """
        check_number("threshold", threshold, 0, 1)
        low = self.low + self.skip_low * self.step
        return low + threshold * (self._steps - self.skip_low - self.skip_high) * self.step

    def interval(self, low: float, high: float) -> tuple[float, float]:
        """Return the range of the mean if that of the truth lies in an interval.

        Parameters
        ----------
        low, high : float
            An interval of the mean truth.

        Returns
        -------
        low, high : float
        """
        length = self.high - self.low
        least = self.low + length * low if self.skip_low else self.at(low)
        return least, self.low + length * high if self.skip_high else self.at(high)

    def draw(self, rng: np.random.Generator | None = None) -> float:
        """Return a cut, drawn uniformly.

        Parameters
        ----------
        rng : numpy.random.Generator, optional
            The operating system's randomness if omitted.

        Returns
        -------
        float
        """
        count = len(self.cuts)
        return self.cuts[secrets.randbelow(count) if rng is None else int(rng.integers(count))]

    def answer(self, score: float, cut: float) -> float:
        """Return the truth of "my answer is at least the cut": 1.0 or 0.0, for the device.

        Parameters
        ----------
        score : float
            The person's answer, on the scale.
        cut : float
            The cut of the ticket.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If the score or the cut is not on the scale; the score is not shown.
        """
        number = isinstance(score, (int, float, np.integer, np.floating))
        if not number or self._place(score) is None:
            raise ValueError(
                f"a score is one of the answers {self.low:g} to {self.high:g} in steps of "
                f"{self.step:g}; its value is not shown"
            )
        return float(self._place(score) >= self._place(self.cut(cut)))  # type: ignore[operator]

    def cut(self, value: object) -> float:
        """Return a cut in use from its number.

        Parameters
        ----------
        value : float
            About one of ``cuts``.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If there is no such cut.
        """
        number = isinstance(value, (int, float, np.integer, np.floating))
        place = self._place(float(value)) if number else None  # type: ignore[arg-type]
        if place is None or not self.skip_low < place <= self._steps - self.skip_high:
            cuts = f"{self.cuts[0]:g} to {self.cuts[-1]:g} in steps of {self.step:g}"
            raise ValueError(f"a cut is one of {cuts}, got {shown(value)}")
        return self.cuts[place - 1 - self.skip_low]

    def _place(self, value: float) -> int | None:
        """Return the number of steps above the low end; None if there is no such answer."""
        steps = (float(value) - self.low) / self.step
        if not -0.5 < steps < self._steps + 0.5 or abs(steps - round(steps)) > 1e-6:
            return None
        return round(steps)
