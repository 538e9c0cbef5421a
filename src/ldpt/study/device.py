"""PrivBern on the device of one person: safe in finite precision, with an allowance of answers.

It draws from the operating system's generator and has no argument by which a generator could be
handed to it. No error raised here repeats a reward, because errors end up in logs.
"""

import math
import secrets
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ldpt.checks import MAX_COUNT, check_epsilon, check_whole
from ldpt.study.messages import Response, Ticket, check_study, is_count

if TYPE_CHECKING:
    from opendp.mod import Measurement

REWARD_BITS = 1074  # every float in [0, 1] is a whole multiple of 2^-1074


class PrivateDevice:
    """PrivBern on the device of one person, who answers once unless told otherwise.

    The reward becomes a bit by an exact Bernoulli(reward) draw: as many random bits as the finest
    float has, compared as integers. The bit then goes through OpenDP's randomised response, whose
    truth probability is the largest float that OpenDP itself certifies for this epsilon, so the
    realised privacy is at least what is promised (:attr:`realised_epsilon` is never above
    :attr:`epsilon`, and at most 36.7, where floats end). Whatever the first step does, the ratio of
    output probabilities is bounded by the second.

    Parameters
    ----------
    epsilon : float
        Privacy level of one answer. A private device without privacy is a contradiction, so
        ``math.inf`` is refused here.
    study : str
        The study for which the person answers.
    answers : int
        How many answers this person has agreed to; each costs epsilon again.

    Raises
    ------
    ValueError
        If epsilon is not in [1e-9, inf), the study is not a name, or answers is not a whole number
        of at least 1.

    Examples
    --------
    >>> device = PrivateDevice(epsilon=1.0, study="doses")
    >>> device.answer(arm=3, reward=0.25).bit in (0, 1)
    True
    >>> device.answer(arm=3, reward=0.25)
    Traceback (most recent call last):
    ValueError: this device has given all of its 1 answers: another would cost epsilon again
    """

    def __init__(self, epsilon: float, study: str = "", answers: int = 1) -> None:
        epsilon = check_epsilon(epsilon)
        if math.isinf(epsilon):
            raise ValueError(f"epsilon of a device must be finite, got {epsilon}")
        self.epsilon = epsilon
        self.study = check_study(study)
        self.answers_left = self._answers = check_whole("answers", answers, 1, MAX_COUNT)
        self._truth, self._randomise = _certified_randomised_response(epsilon)

    @property
    def realised_epsilon(self) -> float:
        """Privacy loss of one answer, rounded up by OpenDP; never above :attr:`epsilon`."""
        return float(self._randomise.map(1))

    @property
    def spent(self) -> float:
        """Privacy loss of all answers given so far, by basic composition."""
        return self.epsilon * (self._answers - self.answers_left)

    def probability(self, reward: float) -> Fraction:
        """The exact probability of the response 1, as this device realises it.

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
        truth, bit = Fraction(self._truth), Fraction(_check_reward(reward))
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
            If the reward is not a number in [0, 1] (its value is not shown), or no answer is left.
            Neither spends an answer.
        """
        reward = _check_reward(reward)
        if self.answers_left == 0:
            raise ValueError(
                f"this device has given all of its {self._answers} answers: "
                "another would cost epsilon again"
            )
        bit = int(self._randomise(_exact_bernoulli(reward)))
        self.answers_left -= 1
        return bit

    def answer(self, arm: int | Ticket, reward: float) -> Response:
        """The message for the learner: a randomised response with the terms it was given under.

        Parameters
        ----------
        arm : int or Ticket
            The arm that the person was asked about, or the request itself. With a ticket the
            message says which request it answers.
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
        number = arm.number if isinstance(arm, Ticket) else None
        arm = arm.arm if isinstance(arm, Ticket) else _check_arm(arm)
        return Response(arm, self.privatise(reward), self.epsilon, self.study, number)


def _check_arm(arm: int) -> int:
    """An arm on a device; the error shows no value: it may be a reward in the wrong place."""
    if not isinstance(arm, (int, np.integer)) or not is_count(arm := _plain(arm)):
        raise ValueError("an arm is a whole number 0..2^53, or a ticket; the value is not shown")
    return arm


def _plain(number: "int | np.integer") -> int:
    """A number of NumPy as one of Python; a boolean stays one."""
    return int(number) if isinstance(number, np.integer) else number


def _check_reward(reward: float) -> float:
    """A reward on a device; the error does not repeat it, because errors end up in logs."""
    known = isinstance(reward, (int, float, np.integer, np.floating, np.bool_))
    if not known or not 0 <= reward <= 1:
        raise ValueError("a reward on a device must be a number in [0, 1]; its value is not shown")
    return float(reward)


def _exact_bernoulli(probability: float) -> bool:
    """True with exactly this probability; the number of random bits does not depend on it."""
    numerator, denominator = probability.as_integer_ratio()
    return secrets.randbits(REWARD_BITS) * denominator < numerator << REWARD_BITS


def _certified_randomised_response(epsilon: float) -> "tuple[float, Measurement]":
    """Truth probability and OpenDP measurement with a privacy loss of at most ``epsilon``.

    OpenDP draws its coin exactly for the float it is given and rounds the privacy loss up, so a
    float that rounding has pushed above e^eps / (1 + e^eps) is found out and stepped down.
    """
    from opendp.measurements import make_randomized_response_bool
    from opendp.mod import enable_features

    enable_features("contrib")
    truth = min(1 / (1 + math.exp(-epsilon)), math.nextafter(1.0, 0.0))
    while True:
        measurement = make_randomized_response_bool(truth, constant_time=True)
        if measurement.map(1) <= epsilon:
            return truth, measurement
        truth = math.nextafter(truth, 0.0)
