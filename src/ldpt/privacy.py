"""The Bernoulli mechanism PrivBern and what it does to means and gaps (Section 2.3 of the paper).

Two types, so that simulation and deployment cannot be confused: :class:`PrivBern` draws from a
fast NumPy generator and is for simulation only; :class:`PrivateDevice` is the same mechanism for
real people: it draws from the operating system's generator, with probabilities that are safe in
finite precision, and has no argument by which a generator could be handed to it.
"""

import json
import math
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, overload

import numpy as np

if TYPE_CHECKING:
    from opendp.mod import Measurement

LEAST_DEVICE_EPSILON = 1e-9  # below, a float cannot hold the flip probability to six digits
REWARD_BITS = 1074  # every float in [0, 1] is a whole multiple of 2^-1074


def check_epsilon(epsilon: float) -> float:
    """Return ``epsilon`` as a float, or say why it is not a privacy level.

    The theorems admit epsilon = 0, but then every response is a fair coin, H_eps is infinite and
    nothing can be learned; ``math.inf`` means no privacy and is legal everywhere.
    """
    epsilon = float(epsilon)
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive (inf means no privacy), got {epsilon}")
    return epsilon


def shrinkage(epsilon: float) -> float:
    """Factor by which PrivBern(epsilon) shrinks every gap: tanh(epsilon / 2) (Lemma 2.1).

    The paper writes (e^eps - 1)/(e^eps + 1), which overflows beyond eps = 709.

    >>> shrinkage(math.inf)
    1.0
    """
    return math.tanh(check_epsilon(epsilon) / 2)


@overload
def private_mean(mean: float, epsilon: float) -> float: ...
@overload
def private_mean(mean: np.ndarray | Sequence[float], epsilon: float) -> np.ndarray: ...
def private_mean(mean: float | np.ndarray | Sequence[float], epsilon: float) -> float | np.ndarray:
    """Mean of the responses of an arm with this mean reward: 1/2 + c (mean - 1/2) (Lemma 2.1).

    Takes a scalar or an array; the threshold is transformed by the same map.

    >>> private_mean(0.5, 1.0)
    0.5
    """
    means = np.asarray(mean, dtype=float)
    if not np.all((means >= 0) & (means <= 1)):
        raise ValueError(f"a mean reward lies in [0, 1], got {mean}")
    private = 0.5 + shrinkage(epsilon) * (means - 0.5)
    return float(private) if private.ndim == 0 else private


class PrivBern:
    """Randomised response for rewards in [0, 1], for simulation (Definition 2.1).

    Returns 1 with probability (r e^eps + 1 - r)/(1 + e^eps). Its generator is fast and seedable,
    hence predictable: real users are protected by :class:`PrivateDevice`, never by this class.

    >>> PrivBern(math.inf, rng=1).privatise([0.0, 1.0, 1.0]).tolist()
    [0, 1, 1]
    """

    def __init__(self, epsilon: float, rng: np.random.Generator | int | None = None) -> None:
        self.epsilon = check_epsilon(epsilon)
        self._rng = np.random.default_rng(rng)

    @overload
    def probability(self, reward: float) -> float: ...
    @overload
    def probability(self, reward: np.ndarray | Sequence[float]) -> np.ndarray: ...
    def probability(self, reward: float | np.ndarray | Sequence[float]) -> float | np.ndarray:
        """Probability of the response 1."""
        return private_mean(reward, self.epsilon)

    @overload
    def privatise(self, reward: float) -> int: ...
    @overload
    def privatise(self, reward: np.ndarray | Sequence[float]) -> np.ndarray: ...
    def privatise(self, reward: float | np.ndarray | Sequence[float]) -> int | np.ndarray:
        """Randomise a reward, or an array of rewards, into 0/1 responses."""
        probability = np.asarray(self.probability(reward))
        response = (self._rng.random(probability.shape) < probability).astype(np.int8)
        return int(response) if response.ndim == 0 else response


@dataclass(frozen=True)
class Response:
    """All that leaves a device: the arm it was asked about, a randomised bit, and the terms.

    >>> message = Response(arm=3, bit=1, epsilon=1.0, study="doses").to_json()
    >>> Response.from_json(message).bit
    1
    """

    arm: int
    bit: int
    epsilon: float
    study: str = ""

    def __post_init__(self) -> None:
        if type(self.arm) is not int or self.arm < 0:
            raise ValueError(f"the arm of a response is a whole number >= 0, got {self.arm!r}")
        if type(self.bit) is not int or self.bit not in (0, 1):
            raise ValueError(f"the bit of a response is 0 or 1, got {self.bit!r}")
        if not isinstance(self.epsilon, (int, float)):
            raise ValueError(f"the epsilon of a response is a number, got {self.epsilon!r}")
        if not isinstance(self.study, str):
            raise ValueError(f"the study of a response is a name, got {self.study!r}")

    def to_json(self) -> str:
        """The message as one line of text."""
        return json.dumps(asdict(self), allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Response":
        """Read a message; one that is not whole, or holds anything else, is refused."""
        try:
            fields = json.loads(text)
        except ValueError as error:
            raise ValueError(f"a response is one line of JSON: {error}") from None
        expected = {"arm", "bit", "epsilon", "study"}
        if not isinstance(fields, dict) or set(fields) != expected:
            found = sorted(fields) if isinstance(fields, dict) else type(fields).__name__
            raise ValueError(f"a response has the fields {sorted(expected)}, got {found}")
        return cls(**fields)


class PrivateDevice:
    """PrivBern on the device of one person, who answers once unless told otherwise.

    The reward becomes a bit by an exact Bernoulli(reward) draw: as many random bits as the finest
    float has, compared as integers. The bit then goes through OpenDP's randomised response, whose
    truth probability is the largest float that OpenDP itself certifies for this epsilon, so the
    realised privacy is at least what is promised (:attr:`realised_epsilon` is never above
    :attr:`epsilon`, and at most 36.7, where floats end). Whatever the first step does, the ratio of
    output probabilities is bounded by the second.

    Every further answer costs epsilon again; ``answers`` says how many this person has agreed to.
    A private device without privacy is a contradiction, so ``math.inf`` is refused here.

    >>> device = PrivateDevice(epsilon=1.0, study="doses")
    >>> device.answer(arm=3, reward=0.25).bit in (0, 1)
    True
    >>> device.answer(arm=3, reward=0.25)
    Traceback (most recent call last):
    ValueError: this device has given all of its 1 answers: another would cost epsilon again
    """

    def __init__(self, epsilon: float, study: str = "", answers: int = 1) -> None:
        epsilon = check_epsilon(epsilon)
        if not LEAST_DEVICE_EPSILON <= epsilon < math.inf:
            raise ValueError(
                f"epsilon of a device must be finite and at least {LEAST_DEVICE_EPSILON:g}, "
                f"got {epsilon}"
            )
        if answers < 1:
            raise ValueError(f"answers must be at least 1, got {answers}")
        self.epsilon = epsilon
        self.study = str(study)
        self.answers_left = int(answers)
        self._answers = int(answers)
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
        """The exact probability of the response 1, as this device realises it."""
        truth, bit = Fraction(self._truth), Fraction(_check_reward(reward))
        return truth * bit + (1 - truth) * (1 - bit)

    def privatise(self, reward: float) -> int:
        """Randomise a reward into a 0/1 response; only the response may leave the device."""
        reward = _check_reward(reward)
        if self.answers_left == 0:
            raise ValueError(
                f"this device has given all of its {self._answers} answers: "
                "another would cost epsilon again"
            )
        self.answers_left -= 1
        return int(self._randomise(_exact_bernoulli(reward)))

    def answer(self, arm: int, reward: float) -> Response:
        """The message for the learner: a randomised response with the terms it was given under."""
        return Response(int(arm), self.privatise(reward), self.epsilon, self.study)


def _check_reward(reward: float) -> float:
    """A reward on a device; the error does not repeat it, because errors end up in logs."""
    value = float(reward)
    if not 0 <= value <= 1:
        raise ValueError("a reward on a device must be a number in [0, 1]; its value is not shown")
    return value


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
