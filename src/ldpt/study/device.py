"""PrivBern on the device of one person: safe in finite precision, with an allowance of answers.

It draws from the operating system's generator and takes no generator as an argument. No error
raised here repeats a reward, because errors end up in logs.

Timing: the random number has 1074 bits whatever the reward, the reward is compared with it as a
fraction of 2^1074, and OpenDP's coin runs in constant time. Python does not promise constant time
for the integer comparison, for memory or for garbage collection: a process on the same machine that
measures single nanoseconds is outside the guarantee.
"""

import math
import os
import secrets
import threading
import warnings
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from ldpt.checks import MAX_COUNT, check_epsilon, check_whole, privacy_warning
from ldpt.study.messages import Response, Ticket, check_study

__all__ = ["PrivateDevice"]

REWARD_BITS = 1074  # every float in [0, 1] is a whole multiple of 2^-1074


class PrivateDevice:
    """PrivBern on the device of one person, who answers once unless agreed otherwise.

    The reward becomes a bit by an exact Bernoulli(reward) draw: as many random bits as the finest
    float has, compared as integers. The bit then goes through OpenDP's randomised response, whose
    truth probability is the largest float that OpenDP itself certifies for this epsilon, so the
    realised privacy is at least what is promised (:attr:`realised_epsilon` is never above
    :attr:`epsilon`, and at most 36.7, where floats end). Whatever the first step does, the ratio of
    output probabilities is bounded by the second.

    Parameters
    ----------
    epsilon : float
        Privacy level of one answer; ``math.inf`` is rejected, because a device must add noise.
    study : str
        The study for which the person answers.
    answers : int
        How many answers this person has agreed to; each spends epsilon again.

    Raises
    ------
    ValueError
        If epsilon is not in [1e-9, inf), the study is not a name, or answers is not a whole number
        of at least 1.

    Warns
    -----
    UserWarning
        If all answers together spend more than 10: the person is hardly protected.

    Examples
    --------
    >>> device = PrivateDevice(epsilon=1.0, study="doses")
    >>> device.answer(arm=3, reward=0.25).bit in (0, 1)
    True
    >>> device.answer(arm=3, reward=0.25)
    Traceback (most recent call last):
    ValueError: no answers left (limit 1); each answer spends epsilon again
    """

    def __init__(self, epsilon: float, study: str = "", answers: int = 1) -> None:
        epsilon = check_epsilon(epsilon)
        if math.isinf(epsilon):
            raise ValueError(f"epsilon of a device must be finite, got {epsilon}")
        self._epsilon = epsilon
        self._study = check_study(study)
        self._answers = check_whole("answers", answers, 1, MAX_COUNT)
        self._left = self._answers
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._counting = False
        if warning := privacy_warning(epsilon, self._answers):
            warnings.warn(warning, stacklevel=2)
        self._truth, self._randomise = _certified_randomised_response(epsilon)

    def __repr__(self) -> str:
        return (
            f"PrivateDevice(epsilon={self.epsilon!r}, study={self.study!r}, "
            f"answers={self._answers}), {self.answers_left} left"
        )

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a device cannot be copied or pickled: its copy would answer again")

    @property
    def epsilon(self) -> float:
        """Privacy level of one answer."""
        return self._epsilon

    @property
    def study(self) -> str:
        """The study for which the person answers."""
        return self._study

    @property
    def answers_left(self) -> int:
        """How many answers this device may still give."""
        return self._left

    @property
    def realised_epsilon(self) -> float:
        """Privacy loss of one answer, rounded up by OpenDP; never above :attr:`epsilon`."""
        return float(self._randomise.map(1))

    @property
    def spent(self) -> float:
        """Privacy loss of all answers given so far, by basic composition."""
        return self.epsilon * (self._answers - self._left)

    def probability(self, reward: float) -> Fraction:
        """Return the exact probability of the response 1, as this device realises it.

        Parameters
        ----------
        reward : float
            A reward in [0, 1].

        Returns
        -------
        fractions.Fraction

        Raises
        ------
        ValueError
            If the reward is not a number in [0, 1]; its value is not shown.
        """
        truth = Fraction(self._truth)
        bit = Fraction(_check_reward(reward))
        return truth * bit + (1 - truth) * (1 - bit)

    def privatise(self, reward: float) -> int:
        """Randomise a reward into a 0/1 response; only the response may leave the device.

        Parameters
        ----------
        reward : float
            A reward in [0, 1].

        Returns
        -------
        int
            0 or 1.

        Raises
        ------
        ValueError
            If the reward is not a number in [0, 1] (its value is not shown), no answer is left, or
            a signal handler calls while an answer is counted. None of them spends an answer; a draw
            that fails does.
        """
        reward = _check_reward(reward)
        if os.getpid() != self._process:
            raise ValueError("a device answers only in the process that created it")
        with self._lock:  # count first: several threads must not share an answer
            if self._counting:
                raise ValueError("a device cannot answer while it counts an answer: call it again")
            self._counting = True
            try:
                self._spend()
            finally:
                self._counting = False
        return int(self._randomise(_exact_bernoulli(reward)))

    def _spend(self) -> None:
        if self._left == 0:
            raise ValueError(
                f"no answers left (limit {self._answers}); each answer spends epsilon again"
            )
        self._left -= 1

    def answer(self, arm: int | Ticket, reward: float) -> Response:
        """Return the message for the study: a randomised response and its terms.

        Parameters
        ----------
        arm : int or Ticket
            The request, or the arm alone. A study accepts answers to its tickets only.
        reward : float
            The reward, in [0, 1]; it does not leave the device.

        Returns
        -------
        Response

        Raises
        ------
        ValueError
            If the arm or the reward is invalid (no value is shown), or no answer is left. None of
            them spends an answer.
        """
        ticket = arm if isinstance(arm, Ticket) else Ticket(arm, 0)
        bit = self.privatise(reward)
        request = ticket.number, ticket.token, ticket.cut
        return Response(ticket.arm, bit, self.epsilon, self.study, *request)


def _check_reward(reward: float) -> float:
    """Return a reward as a float; the error does not repeat it."""
    is_number = isinstance(reward, (int, float, np.integer, np.floating, np.bool_))
    if not is_number or not 0 <= reward <= 1:
        raise ValueError("a reward on a device must be a number in [0, 1]; its value is not shown")
    return float(reward)


def _exact_bernoulli(probability: float) -> bool:
    """Return True with exactly this probability, as a fraction of 2^1074."""
    numerator, denominator = probability.as_integer_ratio()
    successes = numerator << (REWARD_BITS + 1 - denominator.bit_length())
    return secrets.randbits(REWARD_BITS) < successes


def _certified_randomised_response(epsilon: float) -> tuple[float, Any]:
    """Return a truth probability and OpenDP's measurement of at most this privacy loss.

    OpenDP draws its coin exactly for the float it is given and rounds the privacy loss up, so a
    float that rounding has pushed above e^eps / (1 + e^eps) is detected and decreased by one ulp.
    """
    try:
        from opendp.measurements import make_randomized_response_bool
        from opendp.mod import enable_features
    except ModuleNotFoundError:
        raise ModuleNotFoundError("a device needs OpenDP: pip install 'ldpt[device]'") from None
    enable_features("contrib")
    truth = min(1 / (1 + math.exp(-epsilon)), math.nextafter(1.0, 0.0))
    while True:
        measurement: Any = make_randomized_response_bool(truth, constant_time=True)
        if measurement.map(1) <= epsilon:
            return truth, measurement
        truth = math.nextafter(truth, 0.0)
