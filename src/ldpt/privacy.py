"""The Bernoulli mechanism PrivBern, what it does to means and gaps, and the messages of devices.

The mechanism is that of Section 2.3 of the paper. Two types keep simulation and deployment apart:
:class:`PrivBern` draws from a fast NumPy generator and is for simulation only;
:class:`PrivateDevice` is the same mechanism for real people: it draws from the operating system's
generator, with probabilities that are safe in finite precision, and has no argument by which a
generator could be handed to it.

A device answers a :class:`Ticket` (or a bare arm) with a :class:`Response`. No error raised here
repeats a reward, because errors end up in logs.
"""

import json
import math
import secrets
import string
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ldpt.io.messages import shown

if TYPE_CHECKING:
    from opendp.mod import Measurement

MIN_EPSILON = 1e-9  # below, a float cannot hold the flip probability to six digits
MAX_COUNT = 2**53  # whole numbers up to here survive JSON in every language
REWARD_BITS = 1074  # every float in [0, 1] is a whole multiple of 2^-1074
ID_DIGITS = 32  # hexadecimal digits of a message's id: 128 random bits
MAX_STUDY_NAME = 200  # characters
MAX_FLOAT = float(np.finfo(float).max)
MAX_MESSAGE = 4096  # characters; the longest study name fits, escaped


# --- checking what was given


def check_number(name: str, value: object, low: float, high: float) -> float:
    """Return a number of the closed interval [low, high] as a float.

    Parameters
    ----------
    name : str
        What the value is called in the error.
    value : object
        What was given; booleans and text are not numbers.
    low, high : float
        The interval.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the value is not a number of the interval.

    Examples
    --------
    >>> check_number("threshold", 2, 0, 1)
    Traceback (most recent call last):
    ValueError: threshold must be a number in [0, 1], got 2
    """
    if not (is_number(value) and low <= value <= high):  # type: ignore[operator]
        raise ValueError(f"{name} must be a number in [{low:g}, {high:g}], got {shown(value)}")
    return float(value)  # type: ignore[arg-type]


def check_whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return a whole number of at least ``least`` as an int; 3.0 is one, 2.5, inf and True are not.

    Parameters
    ----------
    name : str
        What the value is called in the error.
    value : object
        What was given.
    least : int
        The smallest number allowed.
    most : int, optional
        The largest number allowed.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If the value is not such a number.

    Examples
    --------
    >>> check_whole("n_arms", 2.5, 1)
    Traceback (most recent call last):
    ValueError: n_arms must be a whole number of at least 1, got 2.5
    """
    whole = is_number(value) and (not isinstance(value, (float, np.floating)) or _is_whole(value))
    if not whole or not least <= value or not (most is None or value <= most):  # type: ignore[operator]
        allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be a whole number {allowed}, got {shown(value)}")
    return int(value)  # type: ignore[call-overload]


def check_study(study: object) -> str:
    """Return the name of a study.

    Parameters
    ----------
    study : object
        What was given.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If it is not text, or longer than 200 characters.
    """
    if not isinstance(study, str):
        raise ValueError(f"study must be a name, got a {type(study).__name__}")
    if len(study) > MAX_STUDY_NAME:
        raise ValueError(f"study must have at most {MAX_STUDY_NAME} characters, got {len(study)}")
    return study


def check_epsilon(epsilon: float) -> float:
    """Return a privacy level as a float.

    The theorems admit epsilon = 0, but then every response is a fair coin, H_eps is infinite and
    nothing can be learned. Below 1e-9 floats do not tell private means apart, and squares of
    private gaps round to 0.

    Parameters
    ----------
    epsilon : float
        The privacy level; ``math.inf`` means no privacy and is legal everywhere.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If it is not a number of at least 1e-9.
    """
    if not (is_number(epsilon) and epsilon > 0):
        raise ValueError(f"epsilon must be positive (inf means no privacy), got {shown(epsilon)}")
    if epsilon < MIN_EPSILON:
        raise ValueError(
            f"epsilon must be at least {MIN_EPSILON:g} (inf means no privacy), got {shown(epsilon)}"
        )
    return float(epsilon) if epsilon <= MAX_FLOAT else math.inf


def is_number(value: object) -> bool:
    """Whether this is a real number of Python or NumPy; booleans and text are not.

    Parameters
    ----------
    value : object
        What was given.

    Returns
    -------
    bool
    """
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return float(value).is_integer()  # type: ignore[arg-type]


def read_json(text: object, limit: int | None = None) -> Any:
    """Parse JSON that somebody else wrote, strictly.

    Parameters
    ----------
    text : object
        What was received: text, or its bytes in UTF-8.
    limit : int, optional
        The largest length that is read at all.

    Returns
    -------
    object
        The parsed value; None for anything that is not JSON, is too long or nested too deeply,
        repeats a key, or holds NaN or an infinity. The offending text stays out of any error.

    Examples
    --------
    >>> read_json('{"arm": 1}')
    {'arm': 1}
    >>> read_json('{"arm": 1, "arm": 2}') is None
    True
    """
    if not isinstance(text, (str, bytes)) or (limit is not None and len(text) > limit):
        return None
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is repeated")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


# --- the mechanism


def shrinkage(epsilon: float) -> float:
    """Factor by which PrivBern(epsilon) shrinks every gap: tanh(epsilon / 2) (Lemma 2.1).

    The paper writes (e^eps - 1)/(e^eps + 1), which overflows beyond eps = 709.

    Parameters
    ----------
    epsilon : float
        Privacy level; ``math.inf`` means no privacy.

    Returns
    -------
    float
        c in [0, 1].

    Raises
    ------
    ValueError
        If epsilon is not a positive number.

    Examples
    --------
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

    Parameters
    ----------
    mean : float or array_like
        Mean rewards in [0, 1]; the threshold is transformed by the same map.
    epsilon : float
        Privacy level; ``math.inf`` means no privacy.

    Returns
    -------
    float or ndarray
        The mean of the responses, in the shape of ``mean``.

    Raises
    ------
    ValueError
        If a mean lies outside [0, 1] or epsilon is not a positive number.

    Examples
    --------
    >>> private_mean(0.5, 1.0)
    0.5
    """
    means = _numbers(mean)
    if means is None or not np.all((means >= 0) & (means <= 1)):
        raise ValueError(f"a mean reward is a number in [0, 1], got {shown(mean)}")
    private = _shrunk(means, epsilon)
    return float(private) if private.ndim == 0 else private


def _numbers(values: object, kinds: str = "iuf") -> np.ndarray | None:
    """An array of numbers as floats; None for anything else, such as text or a ragged list."""
    try:
        array = np.asarray(values)
    except ValueError:
        return None
    return array.astype(float) if array.dtype.kind in kinds else None


def _shrunk(means: np.ndarray, epsilon: float) -> np.ndarray:
    return np.asarray(0.5 + shrinkage(epsilon) * (means - 0.5))


class PrivBern:
    """Randomised response for rewards in [0, 1], for simulation (Definition 2.1).

    Returns 1 with probability (r e^eps + 1 - r)/(1 + e^eps). Its generator is fast and seedable,
    hence predictable: real users are protected by :class:`PrivateDevice`, never by this class.

    Parameters
    ----------
    epsilon : float
        Privacy level; ``math.inf`` means no privacy.
    rng : numpy.random.Generator or int, optional
        The generator, or its seed.

    Raises
    ------
    ValueError
        If epsilon is not a positive number, or ``rng`` neither a generator nor a seed.

    Examples
    --------
    >>> PrivBern(math.inf, rng=1).privatise([0.0, 1.0, 1.0]).tolist()
    [0, 1, 1]
    """

    def __init__(self, epsilon: float, rng: np.random.Generator | int | None = None) -> None:
        self.epsilon = check_epsilon(epsilon)
        self._rng = _generator(rng)

    @overload
    def probability(self, reward: float) -> float: ...
    @overload
    def probability(self, reward: np.ndarray | Sequence[float]) -> np.ndarray: ...
    def probability(self, reward: float | np.ndarray | Sequence[float]) -> float | np.ndarray:
        """Probability of the response 1.

        Parameters
        ----------
        reward : float or array_like
            Rewards in [0, 1].

        Returns
        -------
        float or ndarray
            The probabilities, in the shape of ``reward``.

        Raises
        ------
        ValueError
            If a reward is not a number in [0, 1]; its value is not shown.
        """
        rewards = _numbers(reward, "biuf")
        if rewards is None or not np.all((rewards >= 0) & (rewards <= 1)):
            raise ValueError("a reward is a number that lies in [0, 1]; the value is not shown")
        probability = _shrunk(rewards, self.epsilon)
        return float(probability) if probability.ndim == 0 else probability

    @overload
    def privatise(self, reward: float) -> int: ...
    @overload
    def privatise(self, reward: np.ndarray | Sequence[float]) -> np.ndarray: ...
    def privatise(self, reward: float | np.ndarray | Sequence[float]) -> int | np.ndarray:
        """Randomise a reward, or an array of rewards, into 0/1 responses.

        Parameters
        ----------
        reward : float or array_like
            Rewards in [0, 1].

        Returns
        -------
        int or ndarray
            The responses, in the shape of ``reward``.

        Raises
        ------
        ValueError
            If a reward is not a number in [0, 1]; its value is not shown.
        """
        probability = np.asarray(self.probability(reward))
        response = (self._rng.random(probability.shape) < probability).astype(np.int8)
        return int(response) if response.ndim == 0 else response


def _generator(rng: object) -> np.random.Generator:
    """A generator from itself or its seed; a fresh one for None."""
    try:
        return np.random.default_rng(rng)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        allowed = "a numpy.random.Generator, or a whole number of at least 0 as its seed"
        raise ValueError(f"rng must be {allowed}, got {shown(rng)}") from None


# --- the messages


@dataclass(frozen=True)
class Ticket:
    """A request to one person: the arm, and which request for that arm it is.

    Where an arm's number is expected, as in ``means[ticket]``, a ticket stands for its arm.

    Attributes
    ----------
    arm : int
        The arm that the person is asked about.
    number : int
        0 for the first request for this arm, 1 for the second, and so on.

    Examples
    --------
    >>> ["low dose", "high dose"][Ticket(arm=1, number=12)]
    'high dose'
    """

    arm: int
    number: int

    def __post_init__(self) -> None:
        if not (is_count(self.arm) and is_count(self.number)):
            raise ValueError("a ticket has an arm and a number, both whole numbers 0..2^53")

    def __index__(self) -> int:
        return self.arm


def is_count(value: object) -> bool:
    """Whether this is a whole number from 0 to 2^53, of Python's own type; booleans are not.

    Parameters
    ----------
    value : object
        What was given.

    Returns
    -------
    bool
    """
    return type(value) is int and 0 <= value <= MAX_COUNT


def new_id() -> str:
    """A fresh random id for a message; it says nothing about who sent it.

    Returns
    -------
    str
        32 hexadecimal digits from the operating system's generator.
    """
    return secrets.token_hex(ID_DIGITS // 2)


@dataclass(frozen=True)
class Response:
    """All that leaves a device: what it was asked, a randomised bit, the terms, and an id.

    Attributes
    ----------
    arm : int
        The arm that the person was asked about.
    bit : int
        The randomised response, 0 or 1.
    epsilon : float
        The privacy level under which it was given, positive and finite.
    study : str
        The study that it was given for.
    number : int or None
        Which request for the arm it answers (:attr:`Ticket.number`); None if none was made.
    id : str
        Random, new for every answer, so that a message sent twice is counted once.

    Examples
    --------
    >>> message = Response(arm=3, bit=1, epsilon=1.0, study="doses", number=7).to_json()
    >>> Response.from_json(message).number
    7
    """

    arm: int
    bit: int
    epsilon: float
    study: str = ""
    number: int | None = None
    id: str = field(default_factory=new_id)

    def __post_init__(self) -> None:
        if not is_count(self.arm):
            raise ValueError("the arm of a response is a whole number 0..2^53; it is not shown")
        if type(self.bit) is not int or self.bit not in (0, 1):
            raise ValueError("the bit of a response is 0 or 1; the value is not shown")
        if type(self.epsilon) not in (int, float) or not 0 < self.epsilon <= MAX_FLOAT:
            raise ValueError("the epsilon of a response is a positive, finite number")
        if not isinstance(self.study, str) or len(self.study) > MAX_STUDY_NAME:
            raise ValueError(f"the study of a response has at most {MAX_STUDY_NAME} characters")
        if not (self.number is None or is_count(self.number)):
            raise ValueError("the number of a response is a whole number 0..2^53, or None")
        if not is_id(self.id):
            raise ValueError(f"the id of a response has {ID_DIGITS} lower-case hexadecimal digits")

    def to_json(self) -> str:
        """The message as one line of text.

        Returns
        -------
        str
        """
        return json.dumps(asdict(self), allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Response":
        """Read a message.

        Parameters
        ----------
        text : str or bytes
            What :meth:`to_json` wrote.

        Returns
        -------
        Response

        Raises
        ------
        ValueError
            If the message is not whole, longer than 4096 characters, repeats a field, lacks one,
            holds anything else, or a value is out of range. The error does not quote the message.
        """
        fields = read_json(text, MAX_MESSAGE)
        expected = sorted(cls.__dataclass_fields__)
        if not isinstance(fields, dict) or sorted(fields) != expected:
            raise ValueError(f"a response is one JSON object with the fields {', '.join(expected)}")
        return cls(**fields)


def is_id(value: object) -> bool:
    """Whether this could be the id of a message.

    Parameters
    ----------
    value : object
        What was given.

    Returns
    -------
    bool
    """
    return (
        isinstance(value, str)
        and len(value) == ID_DIGITS
        and set(value) <= set(string.digits + "abcdef")
    )


# --- the device


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
