"""The requests for one arm, and its answers in the order in which they were requested.

People answer late, out of order, or never. A study must not count an arm's answers as they come:
if zeros take longer than ones, the first answers to arrive are mostly ones whatever the arm's
mean. So every request has a number, and an answer enters only when all earlier requests for
the same arm are answered or given up. Until then nobody sees it.
"""

from collections.abc import Mapping
from typing import Any


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
    def from_state(cls, state: Mapping[str, Any], entered: int) -> "Requests":
        """Return requests from their state and the number of answers that have entered."""
        requests = cls()
        requests.made, requests.given_up = state["made"], set(state["given_up"])
        requests._open = {number: made_in for number, made_in in state["open"]}
        first = min(requests._open, default=requests.made)
        skipped = [number for number in requests.given_up if number > first]
        requests.settled = first
        requests._ahead = {**dict.fromkeys(skipped), **dict(state["waiting"])}
        numbers = sorted([*requests._open, *requests._ahead])
        early = sum(number < first for number in requests.given_up)
        if entered + early != first or len(numbers) != requests.made - first:
            raise ValueError("answers are missing")
        if numbers != list(range(first, requests.made)) or first in requests.given_up:
            raise ValueError("requests overlap")
        return requests
