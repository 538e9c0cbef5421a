"""The forms in which answers reach a study, and what became of each answer."""

import enum
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ldpt.answers import Answers
from ldpt.learners import check_bit
from ldpt.study.messages import Response, Ticket

FORMS = (
    "an answer is a Response, a dict of its fields, or a pair of a ticket (or an arm) and its "
    "0/1 response"
)
COLUMNS = {"arm", "response"}


class Status(enum.StrEnum):
    """What became of an answer."""

    COUNTED = "counted"  # it entered, and the algorithm used it
    KEPT = "kept for estimates"  # it entered; the algorithm does not need it
    WAITING = "waiting"  # for the answer to an earlier request for the same arm
    REPEATED = "repeated"  # its request was answered before: not counted again
    LATE = "late"  # its request had been given up: not counted
    REFUSED = "refused"  # it answers no request of this study, or was given under other terms


class Answer(NamedTuple):
    """An answer as it was given: to a ticket, or about an arm (name or number) without one."""

    arm: Any
    bit: int
    ticket: Ticket | None = None
    message: Response | None = None


def read_answer(answer: object) -> Answer:
    """Return an answer in one form; a ValueError shows no value, which may be a reward."""
    if isinstance(answer, Response):
        ticket = None
        if answer.number is not None and answer.token is not None:
            ticket = Ticket(answer.arm, answer.number, answer.token)
        return Answer(answer.arm, answer.bit, ticket, answer)
    if isinstance(answer, Mapping):
        return _read_mapping(answer)
    if not isinstance(answer, (tuple, list, np.ndarray)) or len(answer) != 2:
        raise ValueError(f"{FORMS}, got a {type(answer).__name__}")
    arm, bit = answer
    if isinstance(bit, Response):
        raise ValueError("a Response says which request it answers: record it alone")
    arm = int(arm) if isinstance(arm, np.integer) else arm
    return Answer(arm, check_bit(bit), arm if isinstance(arm, Ticket) else None)


def _read_mapping(answer: Mapping[str, Any]) -> Answer:
    if set(answer) == COLUMNS:
        return Answer(answer["arm"], check_bit(answer["response"]))
    try:
        return read_answer(Response(**answer))
    except TypeError:
        raise ValueError(f"{FORMS}, got a dict with other fields") from None


def read_answers(answers: object) -> list[Answer]:
    """Return all answers, from a list, an array, a DataFrame or a file that was read."""
    return [read_answer(answer) for answer in _rows(answers)]


def _rows(answers: Any) -> Iterator[Any]:
    if isinstance(answers, Answers):
        if answers.bits is None:
            raise ValueError(f"{answers.source}: a study needs the answers in order, not counts")
        for arm, bits in zip(answers.arms, answers.bits, strict=True):
            yield from ((arm, int(bit)) for bit in bits)
    elif hasattr(answers, "columns") and hasattr(answers, "itertuples"):
        yield from _table_rows(answers)
    elif isinstance(answers, np.ndarray):
        if answers.ndim != 2 or answers.shape[1] != 2:
            raise ValueError(
                f"an array of answers has two columns, arm and response, got shape {answers.shape}"
            )
        yield from answers.tolist()
    elif isinstance(answers, Iterable) and not isinstance(answers, (str, bytes, Mapping, Response)):
        yield from answers
    else:
        raise ValueError(f"answers must be a list of them, got a {type(answers).__name__}")


def _table_rows(table: Any) -> Iterator[Any]:
    columns = set(table.columns)
    if columns >= COLUMNS:
        yield from zip(table["arm"].tolist(), table["response"].tolist(), strict=True)
    elif columns == set(Response.__dataclass_fields__):
        yield from table.to_dict("records")
    else:
        fields = ", ".join(Response.__dataclass_fields__)
        raise ValueError(
            f"a table of answers has columns arm and response, or those of a Response ({fields})"
        )
