"""A study with people around a learner: requests, answers, deadlines, results, saved state.

What is promised. With a fixed confidence (every radius but ``printed``) all verdicts of
:meth:`Study.decided` are right with probability at least 1 - delta, at any time, whatever the order
of the arms, the size of the batches and the delays of the answers: an arm's answers enter in the
order of their requests, and they cross the wrong side of its boundary with probability at most
delta / K.

Missing answers. A request may be skipped by a rule that looks at answers that have entered, at
other arms and at anything independent of this arm's answers, but not at the missing answer or at
later ones of the same arm (optional skipping, Doob 1936). A rule that looks at answers which wait
behind the open request breaks the guarantee (the article has an example). So the deadline
is part of the protocol and applied to all requests alike, waiting answers are shown to nobody, and
giving up by hand (:meth:`Study.give_up`) is recorded and takes the arm's guarantee away. What
remains an assumption: whether a person answers within the deadline does not depend on the answer.
"""

import copy
import os
import secrets
import warnings
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, NoReturn, Self

import numpy as np

from ldpt.checks import MAX_COUNT, check_choice, check_number, check_whole, privacy_warning
from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.study import state
from ldpt.study.answers import Answers, Sample
from ldpt.study.inference import Estimate, estimate
from ldpt.study.intake import Answer, Status, read_all, read_answer
from ldpt.study.messages import Ticket, check_study, token_of
from ldpt.study.report import make_report, no_guarantee
from ldpt.study.requests import GIVEN_UP, ONE, OPEN, ZERO, Requests, next_requests
from ldpt.study.scale import Scale
from ldpt.study.verdict_table import Report
from ldpt.util.messages import counted, shown

__all__ = ["Study"]

MAX_OUTSTANDING = 10**6  # open requests
MAX_REASON = 500  # characters
LEVEL = 0.95  # of the intervals with a fixed budget
NOT_COUNTED = (Status.LATE, Status.REPEATED, Status.REFUSED)


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


class Study:
    """A study: a learner, the people who are asked, and their answers.

    A study cannot be copied: its copy could run ahead and show the answers that wait.

    Parameters
    ----------
    learner : FixedBudget or FixedConfidence
        The algorithm, without any response so far; the study works with a copy of it.
    name : str
        The name of the study, which messages must carry.
    deadline : int, optional
        After how many rounds (:meth:`advance`) a request without an answer is given up; the same
        for all. None waits for ever.
    scale : Scale, optional
        Of graded answers: every ticket then carries a cut, and the report speaks in units of the
        scale. The learner has the threshold ``scale.threshold(value)``.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Warns
    -----
    UserWarning
        If epsilon is above 10: hardly anybody is protected.

    Examples
    --------
    >>> from ldpt.learners import FixedConfidence
    >>> study = Study(FixedConfidence(["A", "B"], 0.5, epsilon=4.0, delta=0.1), deadline=2)
    >>> tickets = study.ask(60)
    >>> study.record_many((ticket, int(ticket.arm == 1)) for ticket in tickets)
    Counter({<Status.KEPT: 'kept for estimates'>: 34, <Status.COUNTED: 'counted'>: 26})
    >>> study.decided()
    {'A': 'below', 'B': 'above'}
    """

    def __init__(
        self,
        learner: FixedBudget | FixedConfidence,
        name: str = "",
        deadline: int | None = None,
        scale: Scale | None = None,
    ) -> None:
        if not isinstance(scale, Scale | None):
            raise ValueError(f"scale must be a Scale, got {shown(scale)}")
        if not isinstance(learner, (FixedBudget, FixedConfidence)):
            raise ValueError(
                f"learner must be a FixedBudget or a FixedConfidence, got {shown(learner)}"
            )
        if learner.total_pulls:
            raise ValueError(f"learner must be new, got one with {learner.total_pulls} responses")
        if warning := privacy_warning(learner.epsilon):
            warnings.warn(warning, stacklevel=2)
        self._learner = copy.deepcopy(learner)
        self._name = check_study(name)
        self._deadline = None if deadline is None else check_whole("deadline", deadline, 1)
        self._scale = scale
        self._round = 0
        self._secret = secrets.token_hex(32)
        self._places: dict[str | int, int] = dict(enumerate(range(learner.n_arms)))
        self._places |= {str(name): place for place, name in enumerate(self.arms)}
        self._requests = [Requests() for _ in range(learner.n_arms)]
        self._departures: list[Departure] = []
        self._not_counted: Counter[Status] = Counter()
        self._files: set[str] = set()  # digests of all that was saved or opened

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a study cannot be copied: its copy could show the answers that wait")

    @property
    def learner(self) -> FixedBudget | FixedConfidence:
        """The algorithm with the answers it has used; a copy."""
        return copy.deepcopy(self._learner)

    @property
    def name(self) -> str:
        """The name of the study."""
        return self._name

    @property
    def deadline(self) -> int | None:
        """The deadline, in rounds."""
        return self._deadline

    @property
    def scale(self) -> Scale | None:
        """The scale of graded answers."""
        return self._scale

    @property
    def arms(self) -> list[str | int]:
        """The names of the arms, or their numbers."""
        return [*(self._learner.names or range(self._learner.n_arms))]

    @property
    def departures(self) -> list[Departure]:
        """The requests that were given up by hand."""
        return list(self._departures)

    @property
    def without_guarantee(self) -> set[str | int]:
        """The arms that had a request given up by hand before they were decided."""
        return {departure.arm for departure in self._departures if departure.before_decision}

    # --- ask

    def ask(self, n: int = 1) -> list[Ticket]:
        """Ask n people at once.

        Parameters
        ----------
        n : int
            How many people can be asked now.

        Returns
        -------
        list of Ticket
            One request per person; ``study.arms[ticket]`` is the arm. Fewer than n if the algorithm
            needs no more, none when the study is finished.

        Raises
        ------
        ValueError
            If n is not a whole number of at least 1, or more than a million requests would be open.
        """
        n = check_whole("n", n, 1, MAX_OUTSTANDING - self._total(OPEN))
        pending = [requests.count(OPEN, ZERO, ONE) for requests in self._requests]
        arms = next_requests(self._learner, pending, n)
        draw = self._scale.draw if self._scale else lambda: None
        return [self._ticket(arm, self._requests[arm].ask(self._round, draw())) for arm in arms]

    def _ticket(self, arm: int, number: int) -> Ticket:
        cut = self._requests[arm].cuts[number] if self._scale else None
        return Ticket(arm, number, token_of(self._secret, arm, number, cut), cut)

    def _total(self, *outcomes: int) -> int:
        return sum(requests.count(*outcomes) for requests in self._requests)

    @property
    def outstanding(self) -> list[Ticket]:
        """The requests that are neither answered nor given up, arm by arm."""
        return [
            self._ticket(arm, number)
            for arm, requests in enumerate(self._requests)
            for number in requests.missing
        ]

    def advance(self) -> list[Ticket]:
        """End a round: give up all requests that have waited for ``deadline`` rounds.

        When a round ends must not depend on answers that have not entered (the mail of whoever
        carries the messages, say). A round is best a fixed time, such as a week.

        Returns
        -------
        list of Ticket
            The requests that were given up.
        """
        self._round += 1
        if self._deadline is None:
            return []
        last = self._round - self._deadline
        overdue = [
            (arm, number)
            for arm, requests in enumerate(self._requests)
            for number in requests.missing
            if requests.rounds[number] <= last
        ]
        for arm, number in overdue:
            self._requests[arm].settle(number, GIVEN_UP)
        for arm in dict(overdue):
            self._use(arm)
        return [self._ticket(arm, number) for arm, number in overdue]

    def give_up(self, ticket: Ticket, reason: str) -> None:
        """Give up a request by hand, outside the protocol.

        The arm loses its guarantee: if it is not decided yet, :meth:`decided` leaves it out from
        now on, and the report says why. Use a deadline instead wherever possible.

        Parameters
        ----------
        ticket : Ticket
            An open request.
        reason : str
            Why; it appears in the report.

        Raises
        ------
        ValueError
            If the request is not open, or there is no reason.
        """
        reason = _check_reason(reason)
        if not isinstance(ticket, Ticket):
            raise ValueError(f"a request is given by its ticket, got a {type(ticket).__name__}")
        self._check_ticket(ticket)
        arm = ticket.arm
        if not self._requests[arm].is_open(ticket.number):
            raise ValueError(f"request {ticket.number} of this arm is not open")
        pending = self._learner.wanted(arm) or self._may_reopen
        self._departures.append(Departure(self.arms[arm], ticket.number, reason, pending))
        self._requests[arm].settle(ticket.number, GIVEN_UP)
        self._use(arm)

    @property
    def _may_reopen(self) -> bool:
        """Whether a decided arm can become undecided as time goes on."""
        learner = self._learner
        return isinstance(learner, FixedConfidence) and learner.radius.kind.timed

    def _use(self, arm: int) -> None:
        """Let the learner count an arm's entered answers for as long as it wants them.

        With a radius that grows with the time, a response of one arm can reopen others.
        """
        learner, used = self._learner, True
        while used:
            used = False
            for place in range(learner.n_arms) if self._may_reopen else [arm]:
                bits = self._requests[place].entered
                while learner.pulls[place] < len(bits) and learner.wanted(place):
                    learner.record(place, bits[learner.pulls[place]])
                    used = True

    # --- record

    def record(self, answer: Any) -> Status:
        """Take one answer.

        Parameters
        ----------
        answer : Response or pair
            A device's message, or a pair of a ticket and its 0/1 response. A pair of an arm (name
            or number) and a response is an answer without a request, which counts as asked for now;
            it is refused while the arm has open requests.

        Returns
        -------
        Status
            What became of it.

        Raises
        ------
        ValueError
            If it is not an answer, or refused because it answers no request of this study or was
            given under other terms. Nothing but the number of refused answers changes then.
        """
        return self._take(read_answer(answer))

    def record_many(self, answers: Any) -> Counter[Status]:
        """Take answers in their order; refused ones are counted and left out.

        Parameters
        ----------
        answers : iterable, DataFrame or path-like
            Answers as :meth:`record` takes them; or a table or a CSV file with columns ``arm`` and
            ``response``, whose rows are in order of arrival.

        Returns
        -------
        Counter
            How many answers were counted, kept for estimates, and so on (:class:`Status`).

        Raises
        ------
        ValueError
            If one of them is not an answer. Nothing changes then.

        Warns
        -----
        UserWarning
            If answers are refused; the reason of the first is given.
        """
        statuses: Counter[Status] = Counter()
        reasons = []
        for answer in read_all(answers):
            try:
                statuses[self._take(answer)] += 1
            except ValueError as error:
                statuses[Status.REFUSED] += 1
                reasons.append(error)
        if reasons:
            refused = counted(len(reasons), "answer")
            warnings.warn(f"{refused} refused; the first: {reasons[0]}", stacklevel=2)
        return statuses

    def _take(self, answer: Answer) -> Status:
        try:
            arm, number = self._request(answer)
        except ValueError:
            self._not_counted[Status.REFUSED] += 1
            raise
        requests = self._requests[arm]
        if not requests.is_open(number):
            status = Status.LATE if requests.outcomes[number] == GIVEN_UP else Status.REPEATED
            self._not_counted[status] += 1
            return status
        before = len(requests.entered)
        requests.settle(number, ONE if answer.bit else ZERO)
        if len(requests.entered) == before:
            return Status.WAITING
        self._use(arm)
        return Status.COUNTED if self._learner.pulls[arm] > before else Status.KEPT

    def _request(self, answer: Answer) -> tuple[int, int]:
        """Return the arm and the number of the request that is answered, or refuse the answer."""
        request, message, epsilon = answer.request, answer.message, self._learner.epsilon
        if message is not None and message.study != self._name:
            raise ValueError(
                f"the response belongs to study {message.study!r}, this is {self._name!r}"
            )
        if message is not None and message.epsilon != epsilon:
            raise ValueError(f"the device answered with epsilon {message.epsilon}, not {epsilon}")
        if isinstance(request, Ticket):
            self._check_ticket(request)
            return request.arm, request.number
        known = not isinstance(request, bool) and isinstance(request, (str, int))
        if not known or request not in self._places:
            what = shown(request) if known else "another type"
            raise ValueError(f"arm must be one of {shown(self.arms)}, got {what}")
        if self._scale:
            raise ValueError("a graded answer needs the ticket that carries its cut")
        arm = self._places[request]
        if self._requests[arm].count(OPEN):
            raise ValueError(
                f"arm {self.arms[arm]!r} has open requests: record its answers with tickets"
            )
        return arm, self._requests[arm].ask(self._round)

    def _check_ticket(self, ticket: Ticket) -> None:
        if not ticket.arm < self._learner.n_arms:
            raise ValueError(f"the study has no arm {ticket.arm}")
        request = f"request {ticket.number} of arm {self.arms[ticket.arm]!r}"
        exists = ticket.number < len(self._requests[ticket.arm].outcomes)
        expected = self._ticket(ticket.arm, ticket.number) if exists else None
        if expected is None or not secrets.compare_digest(ticket.token, expected.token):
            raise ValueError(f"{request} was never made")
        if ticket.cut != expected.cut:
            raise ValueError(f"{request} asks about the cut {expected.cut}, not {ticket.cut}")

    # --- results

    @property
    def finished(self) -> bool:
        """Whether the algorithm needs no more answers."""
        return self._learner.finished

    @property
    def counts(self) -> dict[str, int]:
        """How many requests were made, and what became of them and of the answers."""
        entered = sum(len(requests.entered) for requests in self._requests)
        return {
            "asked": sum(len(requests.outcomes) for requests in self._requests),
            "outstanding": self._total(OPEN),
            "waiting": self._total(ZERO, ONE),
            "given up": sum(requests.outcomes.count(GIVEN_UP) for requests in self._requests),
            "entered": entered,
            "counted": self._learner.total_pulls,
            "kept for estimates": entered - self._learner.total_pulls,
            **{str(status): self._not_counted[status] for status in NOT_COUNTED},
        }

    def decided(self) -> dict[str | int, str]:
        """Return what is certain now.

        Returns
        -------
        dict
            ``"above"`` or ``"below"`` by arm. With a fixed confidence, all of it is right with
            probability at least 1 - delta; arms that lost their guarantee (:meth:`give_up`) are
            left out. With a fixed budget, the answer once the budget is used up, which nothing
            makes certain.

        Warns
        -----
        UserWarning
            If nothing is certain: with a fixed budget, or with the radius ``printed``.
        """
        if reason := no_guarantee(self._learner):
            warnings.warn(reason, UserWarning, stacklevel=2)
        if isinstance(self._learner, FixedBudget) and not self.finished:
            return {}
        lost = self.without_guarantee
        return {arm: side for arm, side in self._sides().items() if arm not in lost}

    def _sides(self) -> dict[str | int, str]:
        """Return the side of every arm that the algorithm has put on one."""
        learner = self._learner
        sides = dict[str | int, str]()
        for arm, name in enumerate(self.arms):
            d = learner.deviation(arm)
            if isinstance(learner, FixedConfidence):
                if not learner.undecided(arm):
                    sides[name] = "above" if d >= 0 else "below"
            elif learner.pulls[arm]:
                sides[name] = "above" if d > 0 else "below"
        valid = self._scale.valid if self._scale else "both"
        return {arm: side for arm, side in sides.items() if valid in (side, "both")}

    def _samples(self) -> list[Sample]:
        """Return the answers that have entered."""
        samples = []
        for arm, requests in zip(self.arms, self._requests, strict=True):
            sample = Sample(arm, len(requests.entered), sum(requests.entered))
            if self._scale:
                bits = np.frombuffer(requests.entered, np.uint8)
                sample = sample.split(bits, np.array(requests.entered_cuts), self._scale.cuts)
            samples.append(sample)
        return samples

    def estimates(self, level: float | None = None) -> list[Estimate]:
        """Return every arm's mean reward, with an interval that is valid at any time.

        Parameters
        ----------
        level : float, optional
            Joint level of all intervals; 1 - delta with a fixed confidence, 0.95 with a fixed
            budget.

        Returns
        -------
        list of Estimate
            One per arm, from all answers that have entered (:func:`ldpt.study.inference.estimate`);
            in units of the scale, if there is one.

        Raises
        ------
        ValueError
            If the level does not lie strictly between 0 and 1.

        Warns
        -----
        UserWarning
            If requests were given up by hand: the intervals of these arms have no guarantee.
        """
        if self._departures:
            arms = ", ".join(dict.fromkeys(str(departure.arm) for departure in self._departures))
            warnings.warn(
                f"intervals without guarantee, because requests were given up by hand: {arms}",
                stacklevel=2,
            )
        estimates = self._estimates(self._level(level))
        return [one.on(self._scale) for one in estimates] if self._scale else estimates

    def _estimates(self, level: float) -> list[Estimate]:
        return estimate(Answers(tuple(self._samples())), self._learner.epsilon, level)

    def _level(self, level: float | None) -> float:
        if level is not None:
            return check_number("level", level, 0, 1)
        return 1 - self._learner.delta if isinstance(self._learner, FixedConfidence) else LEVEL

    def report(self, level: float | None = None) -> Report:
        """Return verdicts, estimates and bounds, a paragraph on methods, and warnings.

        Parameters
        ----------
        level : float, optional
            Joint level of the intervals, as in :meth:`estimates`.

        Returns
        -------
        Report
            ``print`` it, or read its parts.
        """
        level = self._level(level)
        return make_report(self, self._sides(), self._samples(), self._estimates(level), level)

    def __repr__(self) -> str:
        counts, learner = self.counts, self._learner
        name = f"study {self._name!r}" if self._name else "study"
        if isinstance(learner, FixedBudget):
            decided = f"{learner.total_pulls:,} of {learner.budget:,} responses"
        else:
            decided = f"{len(self._sides())} of {learner.n_arms} decided"
        return (
            f"<{name}: {decided}, {counted(counts['entered'], 'answer')}, "
            f"{counts['outstanding']:,} outstanding>"
        )

    # --- remember

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the study to a file that only its owner can read.

        Answers are durable once this returns. A crash leaves the old file or the new one, never a
        part. The file holds every answer, waiting ones included, and the secret behind the
        tickets: who decides when rounds end must neither read it nor open it a second time to try
        what the next rounds would show.

        Parameters
        ----------
        path : path-like
            The file; a symbolic link is followed.

        Raises
        ------
        ValueError
            If the file holds anything but an earlier state of this object: another process has
            saved the study since, or it is another study. Nothing is written then.
        """
        state.write(path, self._state(), self._files)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Return the study of a file that :meth:`save` wrote.

        Parameters
        ----------
        path : path-like
            The file.

        Returns
        -------
        Study

        Raises
        ------
        ValueError
            If the file is not a regular one, was cut or changed, contradicts itself, or the
            boundary of its radius differs from this installation's.
        """
        study, digest = state.read(path, cls._from_state, cls._state)
        study._files.add(digest)
        return study

    def _state(self) -> dict[str, Any]:
        """Return the whole study as plain data; it holds responses and no rewards."""
        return {
            "name": self._name,
            "deadline": self._deadline,
            **({"scale": asdict(self._scale)} if self._scale else {}),
            "learner": state.describe_learner(self._learner),
            "round": self._round,
            "secret": self._secret,
            "requests": [
                {
                    "outcomes": requests.outcomes.decode(),
                    "rounds": requests.rounds,
                    **({"cuts": requests.cuts} if self._scale else {}),
                }
                for requests in self._requests
            ],
            "counted": self._learner.pulls,
            "departures": [asdict(departure) for departure in self._departures],
            "not_counted": {str(status): self._not_counted[status] for status in NOT_COUNTED},
        }

    @classmethod
    def _from_state(cls, content: dict[str, Any]) -> Self:
        scale = Scale(**content["scale"]) if "scale" in content else None
        learner = state.build_learner(content["learner"])
        study = cls(learner, content["name"], content["deadline"], scale)
        study._round = check_whole("round", content["round"], 0, MAX_COUNT)
        study._secret = state.check_secret(content["secret"])
        study._requests = [Requests(**requests) for requests in content["requests"]]
        study._departures = [Departure(**departure) for departure in content["departures"]]
        lost = content["not_counted"]
        for status in NOT_COUNTED:
            study._not_counted[status] = check_whole(str(status), lost[status], 0, MAX_COUNT)
        study._count_again(content["counted"])
        study._check_requests()
        return study

    def _count_again(self, counted: list[int]) -> None:
        """Let the new learner count the answers that it had counted."""
        learner, entered = self._learner, [requests.entered for requests in self._requests]
        if not len(entered) == len(counted) == learner.n_arms:
            raise ValueError(f"{learner.n_arms} arms, requests of {len(entered)}")
        if isinstance(learner, FixedConfidence) and not self._may_reopen:
            for arm in range(learner.n_arms):  # its own answers alone decide an arm
                self._use(arm)
        else:
            learner.pulls = list(counted)
            learner.sums = [sum(bits[:n]) for bits, n in zip(entered, counted, strict=True)]
            learner.total_pulls = sum(counted)
        surplus = [len(bits) - n for bits, n in zip(entered, counted, strict=True)]
        arms = [arm for arm, n in enumerate(surplus) if n and learner.wanted(arm)]
        if learner.pulls != counted or min(surplus) < 0 or min(counted) < 0 or arms:
            raise ValueError("answers are counted that are not there, or kept that are needed")

    def _check_requests(self) -> None:
        """Refuse requests of later rounds, overdue ones, and departures that never happened."""
        by_hand = Counter((departure.arm, departure.number) for departure in self._departures)
        last = -1 if self._deadline is None else self._round - self._deadline
        for name, requests in zip(self.arms, self._requests, strict=True):
            if len(requests.cuts) != (len(requests.outcomes) if self._scale else 0):
                raise ValueError(f"arm {shown(name)} has requests without a cut")
            if self._scale and not {*requests.cuts} <= {*self._scale.cuts}:
                raise ValueError(f"arm {shown(name)} has requests with another cut")
            for number, (outcome, made) in enumerate(
                zip(requests.outcomes, requests.rounds, strict=True)
            ):
                if not (type(made) is int and 0 <= made <= self._round):
                    raise ValueError(f"request {number} of arm {shown(name)} has no such round")
                departed = by_hand.pop((name, number), 0)
                given_up = outcome == GIVEN_UP
                if departed > given_up or (given_up > departed and made > last):
                    raise ValueError(f"request {number} of arm {shown(name)} was not given up")
                if outcome == OPEN and made <= last:
                    raise ValueError(f"request {number} of arm {shown(name)} is overdue and open")
        if by_hand:
            raise ValueError("a request was given up that was never made")
        for departure in self._departures:
            if departure.reason != _check_reason(departure.reason):
                raise ValueError("the reason of a departure has other blanks")
            check_choice("before_decision", str(departure.before_decision), ("True", "False"))


def _check_reason(reason: object) -> str:
    """Return why a request was given up, on one line."""
    if not isinstance(reason, str) or not 0 < len(reason.strip()) <= MAX_REASON:
        raise ValueError(f"reason must be text of 1 to {MAX_REASON} characters")
    return " ".join(reason.split())
