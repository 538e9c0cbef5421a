"""The ledger of a study: its terms, requests and answers, and what follows from them."""

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ldpt.checks import check_number, check_whole
from ldpt.inference import Estimate, estimate
from ldpt.io.messages import shown
from ldpt.learners import FixedBudget, FixedConfidence, check_arms
from ldpt.study.intake import Status
from ldpt.study.messages import Ticket, check_study, token_of
from ldpt.study.requests import Requests

LEVEL = 0.95  # of the intervals, where no delta says otherwise


@dataclass(frozen=True)
class Departure:
    """A request that was given up by hand.

    Attributes
    ----------
    arm : str or int
        Name or number of the arm.
    number : int
        The request.
    reason : str
        Why it was given up.
    before_decision : bool
        Whether the arm was undecided then, so that its verdict has no guarantee.
    """

    arm: str | int
    number: int
    reason: str
    before_decision: bool


class Ledger:
    """All that a study knows; :class:`ldpt.study.Study` documents the parameters."""

    def __init__(
        self,
        learner: FixedBudget | FixedConfidence,
        name: str = "",
        deadline: int | None = None,
        arms: Sequence[str] | None = None,
    ) -> None:
        if not isinstance(learner, (FixedBudget, FixedConfidence)):
            raise ValueError(
                f"learner must be a FixedBudget or a FixedConfidence, got {shown(learner)}"
            )
        if learner.total_pulls:
            raise ValueError(f"learner must be new, got one with {learner.total_pulls} responses")
        self.learner = learner
        self.name = check_study(name)
        self.deadline = None if deadline is None else check_whole("deadline", deadline, 1)
        self.names = _check_names(arms, learner)
        self.arms: list[str | int] = [*(self.names or range(learner.n_arms))]
        self.places = {name: place for place, name in enumerate(self.arms)}
        self.round = 0
        self.departures: list[Departure] = []
        self.secret = secrets.token_hex(32)
        self.requests = [Requests() for _ in range(learner.n_arms)]
        self.entered = [bytearray() for _ in range(learner.n_arms)]  # answers in order
        self.not_counted: Counter[Status] = Counter()

    def ticket(self, arm: int, number: int) -> Ticket:
        """Return the ticket of a request."""
        return Ticket(arm, number, token_of(self.secret, arm, number))

    @property
    def may_reopen(self) -> bool:
        """Whether a decided arm can become undecided as time goes on."""
        learner = self.learner
        return isinstance(learner, FixedConfidence) and learner.radius.kind.timed

    def use(self, arm: int) -> None:
        """Let the learner count an arm's entered answers for as long as it wants them.

        With a radius that grows with the time, a response of one arm can reopen others.
        """
        arms, used = range(self.learner.n_arms) if self.may_reopen else [arm], True
        while used:
            used = False
            for place in arms:
                used |= self._use_one(place)

    def _use_one(self, arm: int) -> bool:
        learner, bits, before = self.learner, self.entered[arm], self.learner.pulls[arm]
        while learner.pulls[arm] < len(bits) and learner.wanted(arm):
            learner.count(arm, bits[learner.pulls[arm]])
        return learner.pulls[arm] > before

    @property
    def counts(self) -> dict[str, int]:
        """How many requests were made, and what became of them and of the answers."""
        entered = sum(map(len, self.entered))
        return {
            "asked": sum(requests.made for requests in self.requests),
            "outstanding": sum(requests.n_missing for requests in self.requests),
            "waiting": sum(requests.n_waiting for requests in self.requests),
            "given up": sum(len(requests.given_up) for requests in self.requests),
            "entered": entered,
            "counted": self.learner.total_pulls,
            "kept for estimates": entered - self.learner.total_pulls,
            "late": self.not_counted[Status.LATE],
            "repeated": self.not_counted[Status.REPEATED],
            "refused": self.not_counted[Status.REFUSED],
        }

    @property
    def no_guarantee(self) -> str:
        """Why no verdict of this study is certain; empty if verdicts can be."""
        learner = self.learner
        if isinstance(learner, FixedBudget):
            return "a fixed budget gives no certainty: the sides are the likelier ones, no more"
        if not learner.radius.kind.valid:
            return f"nothing is certain with the radius {learner.radius.name!r} (use 'coin')"
        return ""

    def departures_of(self, arm: str | int) -> list[Departure]:
        """Return the requests for an arm that were given up by hand."""
        return [departure for departure in self.departures if departure.arm == arm]

    def sides(self) -> dict[str | int, str]:
        """Return the side of every arm that the algorithm has put on one."""
        learner, sides = self.learner, dict[str | int, str]()
        for arm, name in enumerate(self.arms):
            d = learner.sums[arm] - learner.pulls[arm] * learner.private_threshold
            if isinstance(learner, FixedBudget):
                if learner.pulls[arm]:
                    sides[name] = "above" if d > 0 else "below"
            elif not learner.undecided(arm):
                sides[name] = "above" if d >= 0 else "below"
        return sides

    def level(self, level: float | None) -> float:
        """Return the joint level of the intervals, by default that of the study."""
        if level is not None:
            return check_number("level", level, 0, 1)
        return 1 - self.learner.delta if isinstance(self.learner, FixedConfidence) else LEVEL

    def estimates(self, level: float) -> list[Estimate]:
        """Return every arm's estimate from the answers that have entered."""
        counts = [(len(bits), sum(bits)) for bits in self.entered]
        found = estimate(counts, self.learner.epsilon, level)
        return [replace(one, arm=name) for one, name in zip(found, self.arms, strict=True)]


def _check_names(
    arms: Sequence[str] | None, learner: FixedBudget | FixedConfidence
) -> tuple[str, ...] | None:
    if arms is None:
        return learner.names
    if not isinstance(arms, (list, tuple)):
        raise ValueError(f"arms must be a list of names, got a {type(arms).__name__}")
    n_arms, names = check_arms(arms)
    if n_arms != learner.n_arms:
        raise ValueError(f"arms must be {learner.n_arms} names, got {n_arms}")
    return names
