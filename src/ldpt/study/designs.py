"""Randomised-response designs: how a truthful yes or no becomes the bit that is recorded.

A design has two numbers: the probability of bit 1 if the true answer is yes, and if it is no.
PrivBern(epsilon), Warner's design, the crosswise model, the forced response and the unrelated
question are of this kind. The mean bit is ``zero + (one - zero) * mean``, a line in the share of
yes, so thresholds and estimates move between both scales by that line.
"""

import math
from dataclasses import dataclass, field, replace

from ldpt.checks import check_epsilon, check_number
from ldpt.privacy import shrinkage
from ldpt.util.reproducible import log

__all__ = ["Design", "as_design", "crosswise", "forced", "unrelated", "warner"]


@dataclass(frozen=True)
class Design:
    """A randomised-response design.

    Parameters
    ----------
    one : float
        Probability of bit 1 if the true answer is yes.
    zero : float
        Probability of bit 1 if the true answer is no; below ``one``.
    flipped : bool
        Whether the bit is 1 - x of the recorded response x (designs with p < 1/2).
    name : str
        The design in words.
    level : float, optional
        The stated privacy level, which floats next to 0 and 1 do not give back exactly.

    Raises
    ------
    ValueError
        If the numbers are no probabilities, ``one`` is not above ``zero``, or the stated level is
        not that of the probabilities.

    Examples
    --------
    >>> die = forced(1 / 6, 1 / 6)
    >>> round(die.epsilon, 4) == round(math.log(5), 4)
    True
    >>> round(die.mean(831 / 2435), 3)
    0.262
    """

    one: float
    zero: float
    flipped: bool = False
    name: str = field(default="randomised response", compare=False)
    level: float | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("one", "zero"):
            check_number(name, getattr(self, name), 0, 1)
        if not self.one > self.zero:
            raise ValueError(
                "a design must record 1 more often for yes than for no, got probabilities "
                f"{self.one:g} and {self.zero:g}"
            )
        if self.level is None:
            return
        level, computed = check_epsilon(self.level), self._computed_epsilon()
        if not (math.isclose(level, computed, rel_tol=1e-3) or min(level, computed) > 30):
            raise ValueError(f"the design has privacy level {computed:g}, got level {level:g}")

    @property
    def shrinkage(self) -> float:
        """Return the factor by which gaps between means shrink."""
        return self.one - self.zero

    @property
    def epsilon(self) -> float:
        """Return the privacy level: as stated, or the largest log-ratio of the bit's two laws."""
        return self._computed_epsilon() if self.level is None else self.level

    def _computed_epsilon(self) -> float:
        return max(_log_ratio(self.one, self.zero), _log_ratio(1 - self.zero, 1 - self.one))

    def private_mean(self, mean: float) -> float:
        """Return the mean bit at this share of yes."""
        middle = (self.one + self.zero) / 2
        return middle + self.shrinkage * (mean - 0.5)

    def mean(self, private_mean: float) -> float:
        """Return the share of yes at this mean bit; outside [0, 1] if no share gives it."""
        return 0.5 + (private_mean - (self.one + self.zero) / 2) / self.shrinkage


def warner(p: float) -> Design:
    """Return Warner's design: the sensitive question with probability p, else its negation."""
    p = check_number("p", p, 0, 1)
    if p == 0.5:
        raise ValueError("p must differ from 0.5, at which answers say nothing")
    return Design(max(p, 1 - p), min(p, 1 - p), p < 0.5, f"Warner's design, p = {p:g}")


def crosswise(p: float) -> Design:
    """Return the crosswise model: response 1 says that both answers agree; p is the known share.

    A person compares the sensitive answer with one to an unrelated question, to which a share p
    says yes. The law of the response is Warner's.
    """
    return replace(warner(p), name=f"crosswise model, p = {p:g}")


def forced(yes: float, no: float) -> Design:
    """Return the forced response: yes or no whatever is true with these probabilities."""
    yes = check_number("yes", yes, 0, 1)
    no = check_number("no", no, 0, 1)
    if not yes + no < 1:
        raise ValueError(f"yes + no must be below 1, got {yes:g} + {no:g}")
    return Design(1 - no, yes, name=f"forced response, yes {yes:g}, no {no:g}")


def unrelated(p: float, q: float) -> Design:
    """Return the unrelated question: the sensitive one with probability p, else a harmless one.

    A known share q says yes to the harmless question.
    """
    p = check_number("p", p, 0, 1)
    q = check_number("q", q, 0, 1)
    if p == 0:
        raise ValueError("p must be above 0: with 0 nobody answers the sensitive question")
    return Design(p + (1 - p) * q, (1 - p) * q, name=f"unrelated question, p = {p:g}, q = {q:g}")


def as_design(epsilon: float | Design) -> Design:
    """Return a design from itself, or PrivBern of a privacy level."""
    if isinstance(epsilon, Design):
        return epsilon
    level = check_epsilon(epsilon)
    factor = shrinkage(level)
    return Design(0.5 + factor / 2, 0.5 - factor / 2, level=level)


def _log_ratio(top: float, bottom: float) -> float:
    if bottom == 0:
        return math.inf if top > 0 else -math.inf
    return log(top / bottom) if top > 0 else -math.inf
