"""Requests, answers and counts: the bookkeeping that both algorithms share."""

from array import array
from collections import deque
from collections.abc import Iterable

import numpy as np

from ldpt.checks import check_epsilon, check_number, check_whole
from ldpt.io.messages import shown
from ldpt.learners.answers import Answer, CheckedAnswer, Status, checked_bit, split_answer
from ldpt.learners.requests import Requests
from ldpt.privacy import private_mean
from ldpt.study.messages import Response, Ticket, check_study

MAX_ARMS = 10**6
MAX_OUTSTANDING = 10**6  # requests that a learner lets be open at once


class Ledger:
    """Who was asked, what they answered, and what the algorithm has counted.

    :class:`ldpt.learners.Learner` documents the parameters, attributes and errors.
    """

    def __init__(self, n_arms: int, threshold: float, epsilon: float, study: str = "") -> None:
        self.n_arms = check_whole("n_arms", n_arms, 1, MAX_ARMS)
        self.threshold = check_number("threshold", threshold, 0, 1)
        self.epsilon = check_epsilon(epsilon)
        self.study = check_study(study)
        self.private_threshold = private_mean(self.threshold, self.epsilon)
        self.pulls = [0] * self.n_arms
        self.positives = [0] * self.n_arms
        self.total_pulls = 0
        self.repeated = 0
        self.too_late = 0
        self.stopped = False
        self._record = array("q")  # 2 arm + response: eight bytes per pull
        self._requests = [Requests() for _ in range(self.n_arms)]
        self._spare: list[deque[int]] = [deque() for _ in range(self.n_arms)]
        self._messages: set[str] = set()  # ids of the messages taken so far

    # --- what an algorithm must say

    def next_arm(self) -> int | None:
        """The arm to ask about next.

        Requests that are outstanding are taken into account, but none is made:
        :meth:`next_arms` does that.

        Returns
        -------
        int or None
            None when there is nobody to ask: the run is over (:attr:`finished`), or the answers
            outstanding use up the budget.
        """
        return self._choose(self._candidates())

    def _candidates(self) -> list[int]:
        """The arms that may be asked about; requests do not change them, responses do."""
        return [arm for arm in range(self.n_arms) if self.wanted(arm)]

    def _choose(self, candidates: list[int]) -> int | None:
        """The candidate to ask about next, given the requests that are outstanding."""
        raise NotImplementedError

    def wanted(self, arm: int) -> bool:
        """Whether the algorithm can use another response of this arm.

        Parameters
        ----------
        arm : int
            The arm.

        Returns
        -------
        bool
        """
        raise NotImplementedError

    @property
    def finished(self) -> bool:
        """Whether the run is over."""
        raise NotImplementedError

    # --- ask

    def next_arms(self, n: int) -> list[Ticket]:
        """Ask n people at once.

        The arms are those that :meth:`next_arm` would name one after the other, each knowing of
        the requests before it, so that no arm is asked for more often than its turn.

        Parameters
        ----------
        n : int
            How many people can be asked now.

        Returns
        -------
        list of Ticket
            One request per person, to be recorded with its answer; fewer than n if the algorithm
            has no use for more, none when the run is over.

        Raises
        ------
        ValueError
            If n is not a whole number of at least 1, or more than a million requests would be
            open.

        Examples
        --------
        >>> from ldpt.learners import FixedConfidence
        >>> learner = FixedConfidence(n_arms=3, threshold=0.5, epsilon=1.0, delta=0.1)
        >>> [ticket.arm for ticket in learner.next_arms(5)]
        [0, 1, 2, 0, 1]
        """
        n = check_whole("n", n, 1, MAX_OUTSTANDING - sum(r.n_missing for r in self._requests))
        tickets: list[Ticket] = []
        candidates = self._candidates()
        while len(tickets) < n and (arm := self._choose(candidates)) is not None:
            tickets.append(Ticket(arm, self._requests[arm].ask()))
        return tickets

    @property
    def total_requests(self) -> int:
        """How many people were asked, with a ticket or without."""
        return sum(requests.made for requests in self._requests)

    @property
    def outstanding(self) -> list[Ticket]:
        """The requests that are neither answered nor given up, arm by arm."""
        return [
            Ticket(arm, number)
            for arm, requests in enumerate(self._requests)
            for number in requests.missing()
        ]

    @property
    def given_up(self) -> list[Ticket]:
        """The requests that were given up, arm by arm."""
        return [
            Ticket(arm, number)
            for arm, requests in enumerate(self._requests)
            for number in sorted(requests.given_up)
        ]

    def give_up(self, ticket: Ticket) -> None:
        """Stop waiting for an answer, so that later answers of the same arm can enter.

        Whom to give up must not depend on what the answer would have been: a deadline is fine,
        as long as it passes over ones and zeros alike.

        Parameters
        ----------
        ticket : Ticket
            The request; giving it up twice changes nothing.

        Raises
        ------
        ValueError
            If the request was never made or has been answered.
        """
        arm, number = self._checked_ticket(ticket)
        requests = self._requests[arm]
        if number in requests.given_up:
            return
        if not requests.is_open(number):
            raise ValueError(f"request {number} of arm {arm} has been answered")
        self._spare[arm].extend(requests.give_up(number))
        self._take()

    def _committed(self, arm: int) -> int:
        """Responses of an arm that were counted, are at hand, or have been asked for."""
        return self.pulls[arm] + len(self._spare[arm]) + self._requests[arm].in_flight

    # --- tell

    def record(self, arm: int | Ticket, response: int | Response) -> Status:
        """Take one response.

        Parameters
        ----------
        arm : int or Ticket
            The request that is answered; or the arm alone, if it has no requests outstanding:
            then the response counts as asked for now.
        response : int or Response
            0 or 1 as a private device returned it, or the device's whole message.

        Returns
        -------
        Status
            Whether it was counted, and if not, why.

        Raises
        ------
        ValueError
            If the response is not 0 or 1 (its value is not shown: it may be a reward), the arm,
            the request or the message's terms are not this learner's, or the run is over and the
            response was never asked for. Nothing changes then.
        """
        return self._accept(self._checked(arm, response))

    def record_many(self, answers: Iterable[Answer]) -> int:
        """Take responses in their order.

        Either all are well formed or none is taken. Those that were never asked for and come
        after the end of the run are left out.

        Parameters
        ----------
        answers : iterable
            Messages of devices, or pairs of an arm (or a ticket) and its 0/1 response.

        Returns
        -------
        int
            How many more responses are counted than before.

        Raises
        ------
        ValueError
            If any answer is one that :meth:`record` refuses. Nothing changes then.

        Examples
        --------
        >>> from ldpt.learners import FixedBudget
        >>> learner = FixedBudget(1, threshold=0.5, tolerance=0.0, epsilon=1.0, budget=2)
        >>> learner.record_many([(0, 1), (0, 0), (0, 1)])
        2
        """
        if not isinstance(answers, Iterable):
            raise ValueError(f"answers must be a list of them, got a {type(answers).__name__}")
        checked = [self._checked(*split_answer(answer)) for answer in answers]
        before = self.total_pulls
        for answer in checked:
            if answer.number is not None or not self.finished:
                self._accept(answer)
        return self.total_pulls - before

    def _accept(self, answer: CheckedAnswer) -> Status:
        arm, requests = answer.arm, self._requests[answer.arm]
        if answer.message in self._messages:
            return self._ignore(Status.REPEATED)
        if answer.number is None:
            status = self._accept_unasked(arm, answer.bit)
        elif requests.is_open(answer.number):
            entering = requests.answer(answer.number, answer.bit)
            self._spare[arm].extend(entering)
            self._take()
            counted = len(self._spare[arm]) < len(entering)  # the answer is the first that enters
            status = Status.COUNTED if counted else Status.SPARE if entering else Status.WAITING
        else:
            late = answer.number in requests.given_up
            return self._ignore(Status.TOO_LATE if late else Status.REPEATED)
        if answer.message is not None:
            self._messages.add(answer.message)
        return status

    def _accept_unasked(self, arm: int, bit: int) -> Status:
        """A response without a request: it is asked for and answered now, behind what is spare."""
        if self.finished:
            raise ValueError(f"the run is over after {self.total_pulls} responses")
        requests = self._requests[arm]
        requests.answer(requests.ask(), bit)
        if self._spare[arm]:
            self._spare[arm].append(bit)
            return Status.SPARE
        self._count(arm, bit)
        self._take()
        return Status.COUNTED

    def _ignore(self, status: Status) -> Status:
        self.repeated += status is Status.REPEATED
        self.too_late += status is Status.TOO_LATE
        return status

    def _take(self) -> None:
        """Count the responses at hand for as long as the algorithm wants them."""
        taken = True
        while taken:
            taken = False
            for arm, spare in enumerate(self._spare):
                while spare and self.wanted(arm):
                    self._count(arm, spare.popleft())
                    taken = True

    def _count(self, arm: int, bit: int) -> None:
        self.pulls[arm] += 1
        self.positives[arm] += bit
        self.total_pulls += 1
        self._record.append(2 * arm + bit)

    def _checked(self, arm: int | Ticket, response: int | Response) -> CheckedAnswer:
        ticket = arm if isinstance(arm, Ticket) else None
        arm, number = (
            self._checked_ticket(ticket) if ticket is not None else (self._checked_arm(arm), None)
        )
        message = None
        if isinstance(response, Response):
            self._check_terms(arm, number, response)
            message, number = response.id, response.number if number is None else number
            response = response.bit
        answer = CheckedAnswer(arm, number, checked_bit(response), message)
        if number is not None:
            self._checked_ticket(Ticket(arm, number))
        elif self._requests[arm].n_missing and message not in self._messages:
            raise ValueError(
                f"arm {arm} has {self._requests[arm].n_missing} requests outstanding: "
                "record its answers with their tickets"
            )
        return answer

    def _checked_ticket(self, ticket: Ticket) -> tuple[int, int]:
        if not isinstance(ticket, Ticket):
            raise ValueError(f"a request is given by its ticket, got a {type(ticket).__name__}")
        arm = self._checked_arm(ticket.arm)
        if ticket.number >= self._requests[arm].made:
            raise ValueError(f"request {ticket.number} of arm {arm} was never made")
        return arm, ticket.number

    def _checked_arm(self, arm: object) -> int:
        """An arm as an int; of anything else only the type is shown: it may be a reward."""
        if not isinstance(arm, (int, np.integer)) or isinstance(arm, bool):
            raise ValueError(f"arm must be 0..{self.n_arms - 1}, got a {type(arm).__name__}")
        if not 0 <= arm < self.n_arms:
            raise ValueError(f"arm must be 0..{self.n_arms - 1}, got {shown(arm)}")
        return int(arm)

    def _check_terms(self, arm: int, number: int | None, response: Response) -> None:
        """A device that randomised by other terms would bias the means in silence."""
        if response.epsilon != self.epsilon:
            raise ValueError(
                f"the device answered with epsilon {response.epsilon}, "
                f"this learner expects {self.epsilon}"
            )
        if response.study != self.study:
            raise ValueError(
                f"the response belongs to study {response.study!r}, this learner to {self.study!r}"
            )
        if response.arm != arm:
            raise ValueError(f"the response is about arm {response.arm}, recorded for arm {arm}")
        if number is not None and response.number not in (None, number):
            raise ValueError(
                f"the response answers request {response.number}, recorded for request {number}"
            )

    # --- what has been counted

    def deviation(self, arm: int) -> float:
        """d = s - n tau_eps: positive when the arm's mean response exceeds the threshold.

        Parameters
        ----------
        arm : int
            The arm.

        Returns
        -------
        float
        """
        arm = self._checked_arm(arm)
        return self.positives[arm] - self.pulls[arm] * self.private_threshold

    @property
    def history(self) -> list[tuple[int, int]]:
        """The counted responses in order: pairs of an arm and its 0/1 response."""
        return [divmod(entry, 2) for entry in self._record]
