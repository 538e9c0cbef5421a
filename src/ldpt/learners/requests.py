"""The requests for one arm, and its answers in the order in which they were asked for.

People answer late, out of order, or never. A learner must not count an arm's answers as they come:
if zeros take longer than ones, the first answers to arrive are mostly ones whatever the arm's
mean. So every request has a number, and an answer enters only when all earlier requests for
the same arm are answered or given up.
"""

from collections.abc import Mapping
from typing import Any

from ldpt.study.messages import is_count


class Requests:
    """The requests for one arm, numbered from 0.

    Examples
    --------
    >>> arm = Requests()
    >>> first, second, third = arm.ask(), arm.ask(), arm.ask()
    >>> arm.answer(third, 1), arm.answer(first, 0)
    ([], [0])
    >>> arm.missing()
    [1]
    >>> arm.give_up(second)
    [1]
    """

    def __init__(self) -> None:
        self.made = 0
        self.settled = 0  # every request below this number is answered or given up
        self.given_up: set[int] = set()
        self._ahead: dict[int, int | None] = {}  # from there on: answers, None where given up
        self._waiting = 0  # answers among them

    @property
    def n_missing(self) -> int:
        """How many requests are neither answered nor given up."""
        return self.made - self.settled - len(self._ahead)

    @property
    def in_flight(self) -> int:
        """How many answers may still enter: those that are missing or wait for a missing one."""
        return self.n_missing + self._waiting

    def missing(self) -> list[int]:
        """The numbers of the requests that are neither answered nor given up."""
        return [number for number in range(self.settled, self.made) if number not in self._ahead]

    def is_open(self, number: int) -> bool:
        """Whether this request is neither answered nor given up."""
        return self.settled <= number < self.made and number not in self._ahead

    def ask(self) -> int:
        """Make a request and return its number."""
        self.made += 1
        return self.made - 1

    def answer(self, number: int, bit: int) -> list[int]:
        """Answer an open request; return the answers that enter now, in order."""
        self._ahead[number] = bit
        self._waiting += 1
        return self._advance()

    def give_up(self, number: int) -> list[int]:
        """Give up an open request; return the answers that enter now, in order."""
        self._ahead[number] = None
        self.given_up.add(number)
        return self._advance()

    def _advance(self) -> list[int]:
        entering = []
        while self.settled in self._ahead:
            bit = self._ahead.pop(self.settled)
            if bit is not None:
                entering.append(bit)
                self._waiting -= 1
            self.settled += 1
        return entering

    def state(self) -> dict[str, Any]:
        """The requests as plain data, without the answers that have entered."""
        waiting = [[number, bit] for number, bit in sorted(self._ahead.items()) if bit is not None]
        return {"made": self.made, "given_up": sorted(self.given_up), "waiting": waiting}

    @classmethod
    def from_state(cls, state: object, entered: int, most_open: int) -> "Requests":
        """Requests from their state and the number of answers that have entered.

        Raises
        ------
        ValueError
            If the state is malformed, contradicts itself, or leaves more than ``most_open``
            requests open.
        """
        made, given_up, waiting = _checked_fields(state)
        requests = cls()
        requests.made, requests.given_up = made, set(given_up)
        requests.settled = _first_open(entered, given_up)
        ahead = {number: None for number in given_up if number >= requests.settled}
        requests._ahead, requests._waiting = {**ahead, **waiting}, len(waiting)
        numbers = [*given_up, *waiting]
        consistent = (
            given_up == sorted(given_up)
            and len(set(numbers)) == len(numbers)
            and max(numbers, default=-1) < made
            and requests.settled <= made
            and all(number > requests.settled for number in waiting)
        )
        if not consistent:
            raise ValueError("the state's requests contradict each other or its answers")
        if requests.n_missing > most_open:
            raise ValueError(f"the state has more than {most_open} open requests for one arm")
        return requests


def _checked_fields(state: object) -> tuple[int, list[int], dict[int, int]]:
    if not isinstance(state, Mapping) or set(state) != {"made", "given_up", "waiting"}:
        raise ValueError("the state's requests must have the fields made, given_up, waiting")
    made, given_up, waiting = state["made"], state["given_up"], state["waiting"]
    if not (is_count(made) and isinstance(given_up, list) and all(map(is_count, given_up))):
        raise ValueError("the state's requests must be whole numbers >= 0")
    if not (isinstance(waiting, list) and all(map(_is_answer, waiting))):
        raise ValueError("the state's waiting answers must be pairs of a number and 0 or 1")
    if len(dict(waiting)) < len(waiting):
        raise ValueError("the state's waiting answers must be to different requests")
    return made, given_up, dict(waiting)


def _is_answer(pair: object) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(map(is_count, pair)) and pair[1] < 2


def _first_open(entered: int, given_up: list[int]) -> int:
    """The least number that is neither given up nor taken by the answers that have entered."""
    settled = entered
    for number in given_up:
        settled += number <= settled
    return settled
