"""The requests for one arm, and its answers in the order in which they were requested.

People answer late, out of order, or never. A study must not count an arm's answers as they come:
if zeros take longer than ones, the first answers to arrive are mostly ones whatever the arm's
mean. So every request has a number, and an answer enters only when all earlier requests for
the same arm are answered or given up. Until then nobody sees it.
"""

from collections.abc import Mapping
from typing import Any

from ldpt.study.messages import is_count


class Requests:
    """The requests for one arm, numbered from 0.

    Examples
    --------
    >>> arm = Requests()
    >>> first, second, third = (arm.ask(round_number=0) for _ in range(3))
    >>> arm.answer(third, 1), arm.answer(first, 0)
    ([], [0])
    >>> arm.missing
    [1]
    >>> arm.give_up(second)
    [1]
    """

    def __init__(self) -> None:
        self.made = 0
        self.settled = 0  # every request below this number is answered or given up
        self.given_up: set[int] = set()
        self._open: dict[int, int] = {}  # the round of every open request, by number
        self._ahead: dict[int, int | None] = {}  # beyond settled: answers, None where given up

    @property
    def missing(self) -> list[int]:
        """The numbers of the requests that are neither answered nor given up."""
        return list(self._open)

    @property
    def n_missing(self) -> int:
        """How many requests are neither answered nor given up."""
        return len(self._open)

    @property
    def n_waiting(self) -> int:
        """How many answers wait for an earlier request."""
        return sum(bit is not None for bit in self._ahead.values())

    @property
    def in_flight(self) -> int:
        """How many answers may still enter."""
        return self.n_missing + self.n_waiting

    def is_open(self, number: int) -> bool:
        """Return whether this request is neither answered nor given up."""
        return number in self._open

    def overdue(self, last_round: int) -> list[int]:
        """Return the open requests made in this round or before."""
        return [number for number, made_in in self._open.items() if made_in <= last_round]

    def ask(self, round_number: int) -> int:
        """Make a request and return its number."""
        number = self.made
        self._open[number] = round_number
        self.made += 1
        return number

    def enter(self) -> None:
        """Make a request that is answered at once; only while none is open."""
        self.made += 1
        self.settled += 1

    def answer(self, number: int, bit: int) -> list[int]:
        """Answer an open request; return the answers that enter now, in order."""
        del self._open[number]
        self._ahead[number] = bit
        return self._advance()

    def give_up(self, number: int) -> list[int]:
        """Give up an open request; return the answers that enter now, in order."""
        del self._open[number]
        self.given_up.add(number)
        self._ahead[number] = None
        return self._advance()

    def _advance(self) -> list[int]:
        entering = []
        while self.settled in self._ahead:
            bit = self._ahead.pop(self.settled)
            if bit is not None:
                entering.append(bit)
            self.settled += 1
        return entering

    def state(self) -> dict[str, Any]:
        """Return the requests as plain data, without the answers that have entered."""
        return {
            "made": self.made,
            "open": [list(item) for item in self._open.items()],
            "given_up": sorted(self.given_up),
            "waiting": [[n, bit] for n, bit in sorted(self._ahead.items()) if bit is not None],
        }

    @classmethod
    def from_state(cls, state: object, entered: int, last_round: int) -> "Requests":
        """Return requests from their state and the number of answers that have entered."""
        made, opened, given_up, waiting = _check_fields(state)
        requests = cls()
        requests.made, requests.given_up, requests._open = made, set(given_up), dict(opened)
        first = min([number for number, _ in opened], default=made)
        ahead = {number: None for number in given_up if number > first}
        requests.settled, requests._ahead = first, {**ahead, **dict(waiting)}
        early = sum(number < first for number in given_up)
        beyond = {number for number, _ in opened} | requests._ahead.keys()
        consistent = (
            entered + early == first
            and len(beyond) == len(opened) + len(requests._ahead) == made - first
            and all(first <= number < made for number in beyond)
            and len(set(given_up)) == len(given_up)
            and len(dict(waiting)) == len(waiting)
            and not set(given_up) & dict(opened).keys()
            and opened == sorted(opened)
            and all(round_number <= last_round for _, round_number in opened)
        )
        if not consistent:
            raise ValueError("the state's requests contradict each other or its answers")
        return requests


def _check_fields(state: object) -> tuple[int, list[Any], list[int], list[Any]]:
    fields = ("made", "open", "given_up", "waiting")
    if not isinstance(state, Mapping) or set(state) != set(fields):
        raise ValueError(f"the state's requests must have the fields {', '.join(fields)}")
    made, opened, given_up, waiting = (state[field] for field in fields)
    if not (is_count(made) and isinstance(given_up, list) and all(map(is_count, given_up))):
        raise ValueError("the state's requests must be whole numbers >= 0")
    if not (_is_pairs(opened) and _is_pairs(waiting) and all(bit < 2 for _, bit in waiting)):
        raise ValueError("the state's open requests and waiting answers must be pairs of numbers")
    return made, opened, given_up, waiting


def _is_pairs(pairs: object) -> bool:
    return isinstance(pairs, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(map(is_count, pair)) for pair in pairs
    )
