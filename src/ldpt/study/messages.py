"""The messages between a study and its devices: requests out, randomised bits back."""

import json
import secrets
import string
from dataclasses import asdict, dataclass, field

from ldpt.checks import MAX_COUNT, MAX_FLOAT
from ldpt.io.json_values import read_json

ID_DIGITS = 32  # hexadecimal digits of a message's id: 128 random bits
MAX_STUDY_NAME = 200  # characters
MAX_MESSAGE = 4096  # characters; the longest study name fits, escaped


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


def check_study(study: object) -> str:
    """Return the name of a study: text of at most 200 characters."""
    if not isinstance(study, str):
        raise ValueError(f"study must be a name, got a {type(study).__name__}")
    if len(study) > MAX_STUDY_NAME:
        raise ValueError(f"study must have at most {MAX_STUDY_NAME} characters, got {len(study)}")
    return study
