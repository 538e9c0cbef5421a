"""The requests for one arm with its answers in their order, and which requests to make next.

People answer late, out of order, or never. A study must not count an arm's answers as they come:
if zeros take longer than ones, the first answers to arrive are mostly ones whatever the arm's
mean. So every request has a number, and an answer enters only when all earlier requests for
the same arm are answered or given up. Until then nobody sees it.
"""

import heapq

from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.policies import index

ZERO, ONE, OPEN, GIVEN_UP = b"01.x"  # outcomes of a request


class Requests:
    """The requests for one arm, numbered from 0.

    Examples
    --------
    >>> arm = Requests()
    >>> first, second, third = (arm.ask(round_number=0) for _ in range(3))
    >>> arm.settle(third, ONE)
    >>> arm.settle(first, ZERO)
    >>> arm.missing, list(arm.entered)
    ([1], [0])
    >>> arm.settle(second, GIVEN_UP)
    >>> list(arm.entered)
    [0, 1]
    """

    def __init__(
        self, outcomes: str = "", rounds: list[int] | None = None, cuts: list[float] | None = None
    ) -> None:
        self.outcomes = bytearray(outcomes, "ascii")
        self.rounds = rounds or []  # in which the requests were made
        self.cuts = cuts or []  # one per request, if answers are graded
        unknown = {*self.outcomes} - {ZERO, ONE, OPEN, GIVEN_UP}
        if unknown or len(self.rounds) != len(self.outcomes) or sorted(self.rounds) != self.rounds:
            raise ValueError("requests are incomplete")
        self.settled = 0  # every request below this number is answered or given up
        self.entered = bytearray()  # the answers below it
        self._enter()

    @property
    def missing(self) -> list[int]:
        """The numbers of the requests that are neither answered nor given up."""
        return [
            number for number in range(self.settled, len(self.outcomes)) if self.is_open(number)
        ]

    def count(self, *outcomes: int) -> int:
        """Return how many requests that are not settled have one of these outcomes."""
        return sum(self.outcomes.count(outcome, self.settled) for outcome in outcomes)

    @property
    def entered_cuts(self) -> list[float]:
        """The cuts of the answers that have entered."""
        settled = zip(self.outcomes[: self.settled], self.cuts, strict=False)
        return [cut for outcome, cut in settled if outcome != GIVEN_UP]

    def is_open(self, number: int) -> bool:
        """Return whether this request is neither answered nor given up."""
        return self.outcomes[number] == OPEN

    def ask(self, round_number: int, cut: float | None = None) -> int:
        """Make a request and return its number."""
        self.outcomes.append(OPEN)
        self.rounds.append(round_number)
        if cut is not None:
            self.cuts.append(cut)
        return len(self.outcomes) - 1

    def settle(self, number: int, outcome: int) -> None:
        """Answer an open request, or give it up."""
        self.outcomes[number] = outcome
        self._enter()

    def _enter(self) -> None:
        while self.settled < len(self.outcomes) and not self.is_open(self.settled):
            outcome = self.outcomes[self.settled]
            if outcome != GIVEN_UP:
                self.entered.append(outcome == ONE)
            self.settled += 1


def next_requests(learner: FixedBudget | FixedConfidence, pending: list[int], n: int) -> list[int]:
    """Return the arms of the next n requests; ``pending`` counts each arm's answers to come.

    With nothing pending the first is ``learner.next_arm()``. Algorithm 2 counts pending answers as
    pulls. Algorithm 1 takes them to equal the arm's mean response so far; an arm without a response
    has its turn while no other has fewer. Fewer than n if no more answers are needed.
    """
    committed = [pulls + more for pulls, more in zip(learner.pulls, pending, strict=True)]
    if isinstance(learner, FixedBudget):
        return _within_budget(learner, committed, n)
    heap = [(committed[arm], arm) for arm in range(learner.n_arms) if learner.undecided(arm)]
    heapq.heapify(heap)
    arms: list[int] = []
    while heap and len(arms) < n:
        number, arm = heap[0]
        arms.append(arm)
        heapq.heapreplace(heap, (number + 1, arm))
    return arms


def _within_budget(learner: FixedBudget, committed: list[int], n: int) -> list[int]:
    def expected_index(arm: int) -> float:
        growth = committed[arm] / learner.pulls[arm]
        return index(learner.rule, committed[arm], learner.sums[arm] * growth)

    unpulled = [arm for arm, pulls in enumerate(learner.pulls) if not pulls]
    indices = {arm: expected_index(arm) for arm, pulls in enumerate(learner.pulls) if pulls}
    arms = []
    for _ in range(min(n, learner.budget - sum(committed))):
        fewest = min(committed)
        arm = next((arm for arm in unpulled if committed[arm] == fewest), None)
        if arm is None:
            arm = min(indices, key=indices.__getitem__)
        committed[arm] += 1
        if arm in indices:
            indices[arm] = expected_index(arm)
        arms.append(arm)
    return arms
