"""The messages between a study and its devices: tickets out, randomised bits back.

A ticket carries a token that only the study can compute and nobody can guess. A response carries it
back, so a message that answers no ticket is refused. Whoever sees a ticket can answer it once:
tickets must reach their people over a channel that others cannot read.
"""

import hashlib
import hmac
import json
import re
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from ldpt.checks import MAX_COUNT, MAX_FLOAT
from ldpt.util.json_values import read_json

__all__ = ["Response", "Ticket"]

TOKEN = re.compile("([0-9a-f]{32})?")  # 128 bits, or none
MAX_STUDY_NAME = 200  # characters
MAX_MESSAGE = 4096  # characters; the longest study name fits, escaped


class _Message:
    """What both kinds of messages share: one line of JSON."""

    __dataclass_fields__: dict[str, Any]
    cut: float | None

    def to_json(self) -> str:
        """Return the message as one line of text; without a scale it has no field ``cut``.

        Returns
        -------
        str
        """
        fields = asdict(self)  # type: ignore[call-overload]
        if self.cut is None:
            del fields["cut"]
        return json.dumps(fields, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a message.

        Parameters
        ----------
        text : str or bytes
            What :meth:`to_json` wrote.

        Returns
        -------
        Ticket or Response

        Raises
        ------
        ValueError
            If the message is not whole, longer than 4096 characters, repeats a field, lacks one,
            holds anything else, or a value is out of range. The error does not quote the message.
        """
        fields = read_json(text, MAX_MESSAGE)
        expected = sorted(cls.__dataclass_fields__)
        if not isinstance(fields, dict) or sorted({"cut": None, **fields}) != expected:
            kind = cls.__name__.lower()
            raise ValueError(f"a {kind} is one JSON object with the fields {', '.join(expected)}")
        return cls(**fields)


@dataclass(frozen=True)
class Ticket(_Message):
    """A request to one person: the arm, and which request for that arm it is.

    Where an arm's number is expected, as in ``names[ticket]``, a ticket stands for its arm.

    Attributes
    ----------
    arm : int
        The arm that the person is asked about.
    number : int
        0 for the first request for this arm, 1 for the second, and so on.
    token : str
        32 hexadecimal digits by which the study recognises the answer; a ticket without them is not
        a study's.
    cut : float, optional
        With graded answers (:class:`ldpt.study.Scale`), the k of "is your answer at least k?".

    Examples
    --------
    >>> ["low dose", "high dose"][Ticket(arm=1, number=12)]
    'high dose'
    """

    arm: int
    number: int
    token: str = field(default="", repr=False)
    cut: float | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.cut is not None and not (
            type(self.cut) in (int, float) and abs(self.cut) <= MAX_FLOAT
        ):
            raise ValueError("the cut of a ticket or response is a finite number")
        if not (is_count(self.arm) and is_count(self.number)):
            raise ValueError(
                "a ticket has an arm and a number, both whole numbers 0..2^53; they are not shown"
            )
        if not (isinstance(self.token, str) and TOKEN.fullmatch(self.token)):  # type: ignore[redundant-expr]
            raise ValueError("the token of a ticket or response has 32 lower-case hex digits")

    def __index__(self) -> int:
        return self.arm


@dataclass(frozen=True)
class Response(_Message):
    """All that leaves a device: the request, a randomised bit and the terms it was given under.

    Attributes
    ----------
    arm : int
        The arm that the person was asked about.
    bit : int
        The randomised response, 0 or 1; ``repr`` does not show it.
    epsilon : float
        The privacy level under which it was given, positive and finite.
    study : str
        The study that it was given for.
    number, token, cut : int, str and float
        Which request for the arm it answers (:class:`Ticket`).

    Examples
    --------
    >>> message = Response(arm=3, bit=1, epsilon=1.0, study="doses", number=7)
    >>> message
    Response(arm=3, epsilon=1.0, study='doses', number=7)
    >>> Response.from_json(message.to_json()).bit
    1
    """

    arm: int
    bit: int = field(repr=False)
    epsilon: float
    study: str = ""
    number: int = 0
    token: str = field(default="", repr=False)
    cut: float | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if type(self.bit) is not int or self.bit not in (0, 1):
            raise ValueError("the bit of a response is 0 or 1; the value is not shown")
        if type(self.epsilon) not in (int, float) or not 0 < self.epsilon <= MAX_FLOAT:
            raise ValueError("the epsilon of a response is a positive, finite number")
        check_study(self.study)
        _ = self.ticket  # checks its parts

    @property
    def ticket(self) -> Ticket:
        """The request that is answered."""
        return Ticket(self.arm, self.number, self.token, self.cut)


def token_of(secret: str, arm: int, number: int, cut: float | None = None) -> str:
    """Return the token of a request, computed from the study's secret."""
    request = f"{arm}:{number}" if cut is None else f"{arm}:{number}:{float(cut)!r}"
    digest = hmac.new(secret.encode(), request.encode(), hashlib.sha256)
    return digest.hexdigest()[:32]


def is_count(value: object) -> bool:
    """Return whether this is an int from 0 to 2^53; booleans are not."""
    return type(value) is int and 0 <= value <= MAX_COUNT


def check_study(study: object) -> str:
    """Return the name of a study: text of at most 200 characters."""
    if not isinstance(study, str) or len(study) > MAX_STUDY_NAME:
        raise ValueError(f"study must be a name of at most {MAX_STUDY_NAME} characters")
    return study
