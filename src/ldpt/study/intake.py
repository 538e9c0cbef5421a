"""The forms in which answers reach a study, and what became of each answer."""

import enum
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ldpt.learners import check_bit
from ldpt.study.answers import Answers, as_answers, read_answers
from ldpt.study.messages import Response, Ticket
from ldpt.util.messages import counted

FORMS = "an answer is a Response, or a pair of a ticket (or an arm) and its 0/1 response"


class Status(enum.StrEnum):
    """What became of an answer."""

    COUNTED = "counted"  # it entered, and the algorithm used it
    KEPT = "kept for estimates"  # it entered; the algorithm does not need it
    WAITING = "waiting"  # for the answer to an earlier request for the same arm
    REPEATED = "repeated"  # its request was answered before: not counted again
    LATE = "late"  # its request had been given up: not counted
    REFUSED = "refused"  # it answers no request of this study, or was given under other terms


class Answer(NamedTuple):
    """An answer to a ticket, or about an arm (name or number) without one."""

    request: Ticket | str | int
    bit: int
    message: Response | None = None


def read_answer(answer: object) -> Answer:
    """Return an answer in one form; a ValueError shows no value, which may be a reward."""
    if isinstance(answer, Response):
        return Answer(answer.ticket, answer.bit, answer)
    if isinstance(answer, Mapping) and set(answer) == {"arm", "response"}:
        answer = answer["arm"], answer["response"]
    if not isinstance(answer, (tuple, list, np.ndarray)) or len(answer) != 2:
        raise ValueError(f"{FORMS}, got a {type(answer).__name__}")
    request, bit = answer
    request = int(request) if isinstance(request, np.integer) else request
    return Answer(request, check_bit(bit))


def read_all(answers: Any) -> list[Answer]:
    """Return all answers of a list, an array, a DataFrame or a file."""
    if isinstance(answers, (str, os.PathLike)):
        answers = read_answers(answers)
    if hasattr(answers, "columns"):
        answers = as_answers(answers)
    if isinstance(answers, Answers):
        if answers.missing:
            rows = counted(answers.missing, "row")
            raise ValueError(f"{answers.source}: {rows} without a response")
        answers = answers.rows()
    if not isinstance(answers, Iterable):
        raise ValueError(f"answers must be a list of them, got a {type(answers).__name__}")
    return [read_answer(answer) for answer in answers]
