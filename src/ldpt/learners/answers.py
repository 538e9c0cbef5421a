"""What a learner is told, a response or a device's whole message, and whether it was counted."""

import enum
from typing import NamedTuple

import numpy as np

from ldpt.study.messages import Response, Ticket

Answer = Response | tuple[int | Ticket, int]  # a device's message, or an arm and its 0/1 response


class Status(enum.StrEnum):
    """Whether an answer was counted, and if not, why."""

    COUNTED = "counted"
    WAITING = "waiting"  # for the answer to an earlier request for the same arm
    SPARE = "spare"  # the algorithm no longer needs it; it sharpens the arm's estimate
    REPEATED = "repeated"  # the message or the request was answered before: not counted again
    TOO_LATE = "too late"  # the request had been given up: not counted


class CheckedAnswer(NamedTuple):
    """An answer that may be counted: all that depends on nobody's values has been checked."""

    arm: int
    number: int | None  # of the request; None without a ticket
    bit: int
    message: str | None  # the id of the device's message


def checked_bit(response: object) -> int:
    """A response as 0 or 1; a float is refused even if whole, because rewards are floats.

    Parameters
    ----------
    response : object
        What was given.

    Returns
    -------
    int
        0 or 1.

    Raises
    ------
    ValueError
        If it is anything else; its value is not shown.
    """
    if not isinstance(response, (int, np.integer, np.bool_)) or response not in (0, 1):
        kind = type(response).__name__
        raise ValueError(
            "a response is 0 or 1, as a private device returns it, "
            f"got another {kind} (not shown: it may be a reward)"
        )
    return int(response)


def split_answer(answer: object) -> tuple[int | Ticket, int | Response]:
    if isinstance(answer, Response):
        return answer.arm, answer
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise ValueError("an answer is a message, or a pair of an arm and its 0/1 response")
    return answer[0], answer[1]
