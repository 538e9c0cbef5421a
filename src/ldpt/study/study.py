"""A study with people around a learner: requests, answers, deadlines, results, saved state.

What is promised. With a fixed confidence (every radius but ``printed``) all verdicts of
:meth:`Study.decided` are right with probability at least 1 - delta, at any time, whatever the order
of the arms, the size of the batches and the delays of the answers: an arm's answers enter in the
order of their requests, and they cross the wrong side of its boundary with probability at most
delta / K.

Missing answers. A request may be skipped by a rule that looks at answers that have entered, at
other arms and at anything independent of this arm's answers, but not at the missing answer or at
later ones of the same arm (optional skipping, Doob 1936). A rule that looks at answers which wait
behind the open request breaks the guarantee: it can raise an error of 0.1 to 0.25. So the deadline
is part of the protocol and applied to all requests alike, waiting answers are shown to nobody, and
giving up by hand (:meth:`Study.give_up`) is recorded and takes the arm's guarantee away. What
remains an assumption: whether a person answers within the deadline does not depend on the answer.
"""

import os
import secrets
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

from ldpt.checks import check_whole
from ldpt.inference import Estimate
from ldpt.io.messages import counted, shown
from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.study import state
from ldpt.study.batches import next_requests
from ldpt.study.intake import Answer, Status, read_answer, read_answers
from ldpt.study.ledger import Departure, Ledger
from ldpt.study.messages import Ticket, token_of
from ldpt.study.report import Report, make_report

__all__ = ["Study"]

MAX_OUTSTANDING = 10**6  # open requests
MAX_REASON = 500  # characters


class Study:
    """A study: a learner, the people who are asked, and their answers.

    Parameters
    ----------
    learner : FixedBudget or FixedConfidence
        The algorithm, without any response so far.
    name : str
        The name of the study, which messages must carry.
    deadline : int, optional
        After how many rounds (:meth:`advance`) a request without an answer is given up; the same
        for all. None waits for ever.
    arms : sequence of str, optional
        Names of the arms, if the learner has none.

    Raises
    ------
    ValueError
        If an argument is out of range.

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
        arms: Sequence[str] | None = None,
    ) -> None:
        self._ledger = Ledger(learner, name, deadline, arms)

    @property
    def learner(self) -> FixedBudget | FixedConfidence:
        """The algorithm with the answers it has used."""
        return self._ledger.learner

    @property
    def name(self) -> str:
        """The name of the study."""
        return self._ledger.name

    @property
    def deadline(self) -> int | None:
        """The deadline, in rounds."""
        return self._ledger.deadline

    @property
    def round(self) -> int:
        """How many rounds have ended."""
        return self._ledger.round

    @property
    def departures(self) -> list[Departure]:
        """The requests that were given up by hand."""
        return list(self._ledger.departures)

    # --- ask

    @property
    def arms(self) -> list[str | int]:
        """The names of the arms, or their numbers."""
        return list(self._ledger.arms)

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
        n_open = sum(requests.n_missing for requests in self._ledger.requests)
        n = check_whole("n", n, 1, MAX_OUTSTANDING - n_open)
        pending = [requests.in_flight for requests in self._ledger.requests]
        arms = next_requests(self.learner, pending, n)
        return [
            self._ledger.ticket(arm, self._ledger.requests[arm].ask(self.round)) for arm in arms
        ]

    @property
    def outstanding(self) -> list[Ticket]:
        """The requests that are neither answered nor given up, arm by arm."""
        return [
            self._ledger.ticket(arm, number)
            for arm, requests in enumerate(self._ledger.requests)
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
        self._ledger.round += 1
        if self.deadline is None:
            return []
        last = self.round - self.deadline
        overdue = [
            (arm, number)
            for arm, requests in enumerate(self._ledger.requests)
            for number in requests.overdue(last)
        ]
        for arm, number in overdue:
            self._ledger.entered[arm].extend(self._ledger.requests[arm].give_up(number))
        for arm in dict(overdue):
            self._ledger.use(arm)
        return [self._ledger.ticket(arm, number) for arm, number in overdue]

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
        if not isinstance(reason, str) or not 0 < len(reason.strip()) <= MAX_REASON:
            raise ValueError(f"reason must be text of 1 to {MAX_REASON} characters")
        if not isinstance(ticket, Ticket):
            raise ValueError(f"a request is given by its ticket, got a {type(ticket).__name__}")
        problem = self._check_ticket(ticket)
        if problem or not self._ledger.requests[ticket.arm].is_open(ticket.number):
            raise ValueError(problem or f"request {ticket.number} of this arm is not open")
        arm = ticket.arm
        pending = self.learner.wanted(arm) or self._ledger.may_reopen
        self._ledger.departures.append(
            Departure(self.arms[arm], ticket.number, " ".join(reason.split()), pending)
        )
        self._ledger.entered[arm].extend(self._ledger.requests[arm].give_up(ticket.number))
        self._ledger.use(arm)

    # --- record

    def record(self, answer: Any) -> Status:
        """Take one answer.

        Parameters
        ----------
        answer : Response, dict or pair
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
        one = read_answer(answer)
        problem = self._problem(one)
        if problem:
            self._ledger.not_counted[Status.REFUSED] += 1
            raise ValueError(problem)
        return self._accept(one)

    def record_many(self, answers: Any) -> Counter[Status]:
        """Take answers in their order; refused ones are counted and left out.

        Parameters
        ----------
        answers : iterable, ndarray, DataFrame or Answers
            Any form that :meth:`record` takes; an array with two columns, arm and response; a table
            with columns ``arm`` and ``response`` or those of a :class:`Response`; or a file that
            :func:`ldpt.answers.read_answers` read.

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
        first = ""
        for answer in read_answers(answers):
            problem = self._problem(answer)
            if problem:
                self._ledger.not_counted[Status.REFUSED] += 1
                first = first or problem
            statuses[Status.REFUSED if problem else self._accept(answer)] += 1
        if first:
            refused = counted(statuses[Status.REFUSED], "answer")
            warnings.warn(f"{refused} refused; the first: {first}", UserWarning, stacklevel=2)
        return statuses

    def _problem(self, answer: Answer) -> str:
        """Return why an answer is refused, or nothing."""
        message = answer.message
        if message is not None:
            if message.study != self.name:
                return f"the response belongs to study {message.study!r}, this is {self.name!r}"
            if message.epsilon != self.learner.epsilon:
                return (
                    f"the device answered with epsilon {message.epsilon}, "
                    f"this study expects {self.learner.epsilon}"
                )
        if answer.ticket is not None:
            return self._check_ticket(answer.ticket)
        if message is not None:
            return "the response answers no ticket of this study"
        arm = self._place(answer.arm)
        if arm is None:
            what = shown(answer.arm) if isinstance(answer.arm, (str, int)) else "another type"
            return f"arm must be one of {shown(self.arms)}, got {what}"
        if self._ledger.requests[arm].n_missing:
            return f"arm {self.arms[arm]!r} has open requests: record its answers with tickets"
        return ""

    def _check_ticket(self, ticket: Ticket) -> str:
        if not ticket.arm < self.learner.n_arms:
            return f"the study has no arm {ticket.arm}"
        expected = token_of(self._ledger.secret, ticket.arm, ticket.number)
        made = ticket.number < self._ledger.requests[ticket.arm].made
        if not made or not secrets.compare_digest(ticket.token or "", expected):
            return f"request {ticket.number} of arm {self.arms[ticket.arm]!r} was never made"
        return ""

    def _place(self, arm: Any) -> int | None:
        """Return the number of an arm given by name or number; None if there is none."""
        if isinstance(arm, str):
            return self._ledger.places.get(arm)
        known = isinstance(arm, int) and not isinstance(arm, bool)
        return arm if known and 0 <= arm < self.learner.n_arms else None

    def _accept(self, answer: Answer) -> Status:
        ledger = self._ledger
        if answer.ticket is None:
            return self._accept_unasked(ledger.places.get(answer.arm, answer.arm), answer.bit)
        arm, number = answer.ticket.arm, answer.ticket.number
        requests = self._ledger.requests[arm]
        if not requests.is_open(number):
            status = Status.LATE if number in requests.given_up else Status.REPEATED
            self._ledger.not_counted[status] += 1
            return status
        entering = requests.answer(number, answer.bit)
        before = len(self._ledger.entered[arm])
        self._ledger.entered[arm].extend(entering)
        self._ledger.use(arm)
        if not entering:
            return Status.WAITING
        return Status.COUNTED if self.learner.pulls[arm] > before else Status.KEPT

    def _accept_unasked(self, arm: int, bit: int) -> Status:
        ledger, learner = self._ledger, self.learner
        ledger.requests[arm].enter()
        ledger.entered[arm].append(bit)
        if learner.pulls[arm] < len(ledger.entered[arm]) - 1 or not learner.wanted(arm):
            return Status.KEPT
        learner.count(arm, bit)
        if ledger.may_reopen:
            ledger.use(arm)
        return Status.COUNTED

    # --- results

    @property
    def finished(self) -> bool:
        """Whether the algorithm needs no more answers."""
        return self.learner.finished

    @property
    def counts(self) -> dict[str, int]:
        """How many requests were made, and what became of them and of the answers."""
        return self._ledger.counts

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
        ledger = self._ledger
        if ledger.no_guarantee:
            warnings.warn(ledger.no_guarantee, UserWarning, stacklevel=2)
        if isinstance(self.learner, FixedBudget):
            return ledger.sides() if self.finished else {}
        lost = {departure.arm for departure in ledger.departures if departure.before_decision}
        return {arm: side for arm, side in ledger.sides().items() if arm not in lost}

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
            One per arm, from all answers that have entered (:func:`ldpt.inference.estimate`).

        Raises
        ------
        ValueError
            If the level does not lie strictly between 0 and 1.
        """
        return self._ledger.estimates(self._ledger.level(level))

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
        return make_report(self._ledger, self._ledger.level(level))

    def __repr__(self) -> str:
        counts, sides = self.counts, self._ledger.sides()
        name = f"study {self.name!r}" if self.name else "study"
        decided = f"{len(sides)} of {self.learner.n_arms} decided"
        if isinstance(self.learner, FixedBudget):
            decided = f"{self.learner.total_pulls:,} of {self.learner.budget:,} responses"
        return (
            f"<{name}: {decided}, {counted(counts['entered'], 'answer')}, "
            f"{counts['outstanding']:,} outstanding>"
        )

    # --- remember

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the study to a file that only its owner can read.

        A crash leaves the old file or the new one, never a part. The file holds every answer,
        waiting ones included, and the secret behind the tickets: who decides when rounds end must
        not read it.

        Parameters
        ----------
        path : path-like
            The file.
        """
        state.save(self._ledger, path)

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
        study = cls.__new__(cls)
        study._ledger = state.load(path)
        return study
