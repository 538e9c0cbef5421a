"""Algorithms 1 and 2 as a reader of the paper would write them: ask for an arm, tell the response.

A learner is fed with 0/1 responses only, never with rewards. The compiled engines in
``ldpt.engines`` are tested against these classes path for path.

>>> learner = FixedBudget(n_arms=2, threshold=0.5, tolerance=0.1, epsilon=1.0, budget=4)
>>> while (arm := learner.next_arm()) is not None:
...     status = learner.record(arm, response=arm)
>>> learner.above
{1}
>>> learner.history
[(0, 0), (1, 1), (0, 0), (1, 1)]

A study asks many people at once, and they answer late, out of order, or never. Every request is a
ticket; an arm's answers enter in the order in which they were asked for, and whoever does not
answer is waited for until given up. The learner keeps a record of all this, saves it as JSON and,
built again with the same parameters, loads it and continues on the same path.

>>> learner = FixedConfidence(n_arms=1, threshold=0.5, epsilon=1.0, delta=0.1)
>>> first, second, third = learner.next_arms(3)
>>> learner.record(third, 1), learner.record(first, 1)
(<Status.WAITING: 'waiting'>, <Status.COUNTED: 'counted'>)
>>> learner.give_up(second)
>>> learner.pulls, learner.outstanding
([2], [])

What is promised: for every radius but ``printed``, an answer of :class:`FixedConfidence`, or of
:meth:`FixedConfidence.decided` at any time, is wrong for some arm with probability at most delta,
whatever the order of the arms, the size of the batches and the delays of the answers, because
the boundary is crossed on the wrong side by an arm's answers in their own order with probability
at most delta / K. It is assumed that giving a request up does not depend on the answer that is
missing.
"""

import copy
import enum
import hashlib
import json
import math
import os
import reprlib
import warnings
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ldpt.files import write_durably
from ldpt.policies import DEFAULT_POLICY, INDEX_POLICIES, check_policy, index
from ldpt.privacy import (
    MIN_DEVICE_EPSILON,
    Response,
    Ticket,
    check_epsilon,
    check_number,
    check_study,
    check_whole,
    is_count,
    is_id,
    private_mean,
    read_json,
    shrinkage,
)
from ldpt.radii import DEFAULT_PRIOR_GAP, Boundary, Radius, as_radius, boundary, check_delta
from ldpt.requests import Requests

STATE_VERSION = 2
MAX_ARMS = 10**6
MAX_OUTSTANDING = 10**6  # requests that a learner lets be open at once
ESTIMATE_LEVEL = 0.95  # joint level of the intervals where no delta says otherwise

Answer = Response | tuple[int | Ticket, int]  # a device's message, or an arm and its 0/1 response


class Status(enum.StrEnum):
    """What became of an answer."""

    COUNTED = "counted"
    WAITING = "waiting"  # for the answer to an earlier request for the same arm
    SPARE = "spare"  # the algorithm no longer needs it; it sharpens the arm's estimate
    REPEATED = "repeated"  # the message or the request was answered before: not counted again
    TOO_LATE = "too late"  # the request had been given up: not counted


@dataclass(frozen=True)
class Estimate:
    """An arm's mean reward, from its private responses.

    Attributes
    ----------
    arm : int
        The arm.
    answers : int
        How many answers the estimate uses.
    mean : float
        The estimated mean reward, in [0, 1]; NaN without answers.
    low, high : float
        The ends of its interval.
    """

    arm: int
    answers: int
    mean: float
    low: float
    high: float


class _Checked(NamedTuple):
    """An answer that may be counted: all that depends on nobody's values has been checked."""

    arm: int
    number: int | None  # of the request; None without a ticket
    bit: int
    message: str | None  # the id of the device's message


class Learner:
    """What both algorithms share: requests, responses, counts, estimates, saving.

    Parameters
    ----------
    n_arms : int
        K, the number of arms.
    threshold : float
        tau, in rewards: a number in [0, 1].
    epsilon : float
        Privacy level of the responses, at least 1e-9; ``math.inf`` means no privacy.
    study : str
        The name of the study, which messages must carry.

    Attributes
    ----------
    pulls, positives : list of int
        For every arm, how many responses were counted and how many of them are 1.
    total_pulls : int
        How many responses were counted.
    repeated, too_late : int
        How many answers were not counted because they came twice, or after their request was
        given up.
    stopped : bool
        Whether the study was stopped early.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    def __init__(self, n_arms: int, threshold: float, epsilon: float, study: str = "") -> None:
        self.n_arms = check_whole("n_arms", n_arms, 1, MAX_ARMS)
        self.threshold = check_number("threshold", threshold, 0, 1)
        self.epsilon = check_epsilon(epsilon)
        if self.epsilon < MIN_DEVICE_EPSILON:
            raise ValueError(f"epsilon must be at least {MIN_DEVICE_EPSILON:g}, got {epsilon}")
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
        self._spare: list[list[int]] = [[] for _ in range(self.n_arms)]
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

    @property
    def above(self) -> set[int]:
        """The answer, once the run is over: the arms found to lie above the threshold."""
        raise NotImplementedError

    def _known(self) -> dict[int, str]:
        """The arms of which something is known, with their side."""
        raise NotImplementedError

    @property
    def _level(self) -> float:
        """The joint level of the intervals, unless asked for another."""
        return ESTIMATE_LEVEL

    @property
    def parameters(self) -> dict[str, Any]:
        """What a saved state must agree with to be continued by this learner."""
        return {
            "n_arms": self.n_arms,
            "threshold": self.threshold,
            "epsilon": "inf" if math.isinf(self.epsilon) else self.epsilon,
        }

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
            What became of it.

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
        >>> learner = FixedBudget(1, threshold=0.5, tolerance=0.0, epsilon=1.0, budget=2)
        >>> learner.record_many([(0, 1), (0, 0), (0, 1)])
        2
        """
        checked = [self._checked(*_split(answer)) for answer in answers]
        before = self.total_pulls
        for answer in checked:
            if answer.number is not None or not self.finished:
                self._accept(answer)
        return self.total_pulls - before

    def _accept(self, answer: _Checked) -> Status:
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
                    self._count(arm, spare.pop(0))
                    taken = True

    def _count(self, arm: int, bit: int) -> None:
        self.pulls[arm] += 1
        self.positives[arm] += bit
        self.total_pulls += 1
        self._record.append(2 * arm + bit)

    def _checked(self, arm: int | Ticket, response: int | Response) -> _Checked:
        ticket = arm if isinstance(arm, Ticket) else None
        arm, number = (
            self._checked_ticket(ticket) if ticket is not None else (self._checked_arm(arm), None)
        )
        message = None
        if isinstance(response, Response):
            self._check_terms(arm, number, response)
            message, number = response.id, response.number if number is None else number
            response = response.bit
        answer = _Checked(arm, number, checked_bit(response), message)
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
            raise ValueError(f"arm must be 0..{self.n_arms - 1}, got {arm}")
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

    # --- what is known

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
        return self.positives[arm] - self.pulls[arm] * self.private_threshold

    def estimates(self, level: float | None = None) -> list[Estimate]:
        """Every arm's mean reward, with an interval that is valid at any time.

        With probability at least ``level``, the intervals of all arms contain their means at all
        times at once: look whenever you like, stop whenever you like. Each arm has the share
        (1 - level) / K of the error. An interval is that of the two-sided normal mixture on the
        arm's mean response (the radius ``mixture``, with rho = (1 / (4 c g))^2 and g = 1/8, so
        that its prior lives on the scale of rewards), mapped back through the mechanism:
        mean = 1/2 + (response - 1/2) / c. It answers a harder question than the decision, so the
        interval of a decided arm may still contain the threshold.

        Parameters
        ----------
        level : float, optional
            Joint level of all intervals; 1 - delta with a fixed confidence, 0.95 with a fixed
            budget.

        Returns
        -------
        list of Estimate
            One per arm. All answers that have entered are used, spare ones included.

        Raises
        ------
        ValueError
            If the level does not lie strictly between 0 and 1.

        Examples
        --------
        >>> learner = FixedBudget(1, threshold=0.5, tolerance=0.0, epsilon=4.0, budget=400)
        >>> learner.record_many([(0, 1), (0, 0), (0, 0), (0, 0)] * 100)
        400
        >>> estimate, = learner.estimates()
        >>> print(f"{estimate.mean:.2f} in [{estimate.low:.2f}, {estimate.high:.2f}]")
        0.24 in [0.16, 0.32]
        """
        level = self._level if level is None else level
        if not 0 < 1 - check_number("level", level, 0, 1) < 1:
            raise ValueError(f"level must lie strictly between 0 and 1, got {level}")
        shrink = shrinkage(self.epsilon)
        mixture = Radius("mixture", rho=(0.25 / (shrink * DEFAULT_PRIOR_GAP)) ** 2)
        edge = mixture.at(self.n_arms, 1 - level, self.threshold, self.epsilon)
        return [self._estimate(arm, edge, shrink) for arm in range(self.n_arms)]

    def _estimate(self, arm: int, edge: Boundary, shrink: float) -> Estimate:
        n = self.pulls[arm] + len(self._spare[arm])
        if n == 0:
            return Estimate(arm, 0, math.nan, 0.0, 1.0)
        response = (self.positives[arm] + sum(self._spare[arm])) / n
        half = boundary(edge, n, n) / n
        centre = 0.5 + (response - 0.5) / shrink
        low, high = centre - half / shrink, centre + half / shrink
        mean, low, high = (min(max(value, 0.0), 1.0) for value in (centre, low, high))
        return Estimate(arm, n, mean, low, high)

    def stop_early(self) -> dict[int, str]:
        """End the study now and return what is known.

        Returns
        -------
        dict
            ``"above"`` or ``"below"`` by arm. With a fixed confidence, the arms that are decided,
            with the promised certainty; with a fixed budget, the side of every arm that has an
            answer, as a budget of so many responses would have given it.
        """
        known = self._known()
        self.stopped = True
        return known

    # --- remember

    @property
    def history(self) -> list[tuple[int, int]]:
        """The counted responses in order: pairs of an arm and its 0/1 response."""
        return [divmod(entry, 2) for entry in self._record]

    def state(self) -> dict[str, Any]:
        """The whole state as plain data, with a checksum; it holds responses and no rewards.

        Returns
        -------
        dict
            What :meth:`restore` takes. Ids of messages are sorted, so that they do not tell which
            response was whose.
        """
        content = self._content()
        return {**content, "checksum": _checksum(content)}

    def _content(self) -> dict[str, Any]:
        return {
            "format": "ldpt learner",
            "version": STATE_VERSION,
            "study": self.study,
            "algorithm": type(self).__name__,
            "parameters": self.parameters,
            "pulls": list(self.pulls),
            "positives": list(self.positives),
            "asked": [entry >> 1 for entry in self._record],
            "answered": _as_text(entry & 1 for entry in self._record),
            "spare": [_as_text(spare) for spare in self._spare],
            "requests": [requests.state() for requests in self._requests],
            "messages": sorted(self._messages),
            "repeated": self.repeated,
            "too_late": self.too_late,
            "stopped": self.stopped,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state of the same study and parameters.

        Parameters
        ----------
        state : mapping
            What :meth:`state` returned.

        Raises
        ------
        ValueError
            If it is not such a state, was cut or changed, belongs to another study or to other
            parameters, or contradicts itself. This learner is left as it is then.

        Examples
        --------
        >>> before = FixedConfidence(1, threshold=0.5, epsilon=1.0, delta=0.1, study="doses")
        >>> tickets = before.next_arms(2)
        >>> after = FixedConfidence(1, threshold=0.5, epsilon=1.0, delta=0.1, study="doses")
        >>> after.restore(before.state())
        >>> after.outstanding == tickets
        True
        """
        content = self._checked_content(_as_json(state))
        restored = copy.copy(self)
        restored._fill(content)
        self.__dict__.update(restored.__dict__)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file.

        Parameters
        ----------
        path : path-like
            The file; a crash leaves the old one or the new one, never a part.
        """
        write_durably(Path(path), json.dumps(self.state(), allow_nan=False) + "\n")

    def load(self, path: str | os.PathLike[str]) -> None:
        """Continue from a file written by :meth:`save`.

        Parameters
        ----------
        path : path-like
            The file.

        Raises
        ------
        ValueError
            If the file is not whole, or :meth:`restore` refuses its content. This learner is left
            as it is then.
        """
        state = read_json(Path(path).read_bytes())
        if state is None:
            raise ValueError(f"{path}: not a whole state file (truncated or not JSON)")
        try:
            self.restore(state)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    def _checked_content(self, state: object) -> dict[str, Any]:
        """A state without its checksum, if it is whole and of this study and these parameters."""
        if not isinstance(state, dict) or state.get("format") != "ldpt learner":
            raise ValueError("not the state of a learner")
        self._check_version(state.get("version"))
        content = {key: value for key, value in state.items() if key != "checksum"}
        if state.get("checksum") != _checksum(content):
            raise ValueError("the state's checksum does not match: it was cut or changed")
        if set(content) != set(self._content()):
            raise ValueError(f"the state's entries must be {', '.join(self._content())}, checksum")
        _check_same("study", content["study"], self.study)
        _check_same("algorithm", content["algorithm"], type(self).__name__)
        found = content["parameters"]
        if not isinstance(found, dict) or set(found) != set(self.parameters):
            raise ValueError(f"the state's parameters must be {', '.join(self.parameters)}")
        for name, value in self.parameters.items():
            _check_same(name, found[name], value)
        return content

    @staticmethod
    def _check_version(version: object) -> None:
        if type(version) is not int or version != STATE_VERSION:
            raise ValueError(
                f"the state has version {reprlib.repr(version)}, this program reads {STATE_VERSION}"
            )

    def _fill(self, content: dict[str, Any]) -> None:
        """Take over the content of a state; every value is new, so a copy can be thrown away."""
        self._fill_counts(content)
        self._spare = [_as_bits("spare", text) for text in self._per_arm(content, "spare")]
        self._requests = [
            Requests.from_state(state, self.pulls[arm] + len(self._spare[arm]), MAX_OUTSTANDING)
            for arm, state in enumerate(self._per_arm(content, "requests"))
        ]
        messages = content["messages"]
        if not (isinstance(messages, list) and all(map(is_id, messages))):
            raise ValueError("the state's messages must be a list of ids")
        self._messages = set(messages)
        for name in ("repeated", "too_late"):
            if not is_count(content[name]):
                raise ValueError(f"the state's {name} must be a whole number >= 0")
            setattr(self, name, content[name])
        if type(content["stopped"]) is not bool:
            raise ValueError("the state's stopped must be true or false")
        self.stopped = content["stopped"]
        if any(spare and self.wanted(arm) for arm, spare in enumerate(self._spare)):
            raise ValueError("the state has spare answers that the algorithm wants")

    def _fill_counts(self, content: dict[str, Any]) -> None:
        asked, bits = content["asked"], _as_bits("answered", content["answered"])
        if not (isinstance(asked, list) and len(asked) == len(bits)):
            raise ValueError("the state's asked and answered must have the same length")
        if not all(is_count(arm) and arm < self.n_arms for arm in asked):
            raise ValueError(f"the state's asked must be arms 0..{self.n_arms - 1}")
        self.pulls, self.positives = [0] * self.n_arms, [0] * self.n_arms
        self.total_pulls, self.stopped, self._record = 0, False, array("q")
        for arm, bit in zip(asked[:-1], bits[:-1], strict=True):
            self._count(arm, bit)
        if asked and self.finished:
            raise ValueError("the state has answers beyond the end of its run")
        if asked:
            self._count(asked[-1], bits[-1])
        if [self.pulls, self.positives] != [content["pulls"], content["positives"]]:
            raise ValueError("the state's counts disagree with its record of responses")

    def _per_arm(self, content: dict[str, Any], name: str) -> list[Any]:
        if not isinstance(content[name], list) or len(content[name]) != self.n_arms:
            raise ValueError(f"the state's {name} must have one entry for each of the arms")
        return content[name]


class FixedBudget(Learner):
    """An index policy: pull the arm whose index is least (:mod:`ldpt.policies`).

    ``lsa`` is the default, because its error depends on the budget through T / H_eps alone;
    ``apt`` is Algorithm 1 as printed. The budget counts responses: for a request that is given up,
    somebody else is asked.

    Parameters
    ----------
    n_arms : int
        K, the number of arms.
    threshold : float
        tau, in rewards: a number in [0, 1].
    tolerance : float
        zeta, in rewards: arms within it of the threshold may be put on either side.
    epsilon : float
        Privacy level of the responses, at least 1e-9; ``math.inf`` means no privacy.
    budget : int
        T, the number of responses, at least 2K.
    policy : str
        ``lsa`` or ``apt``.
    study : str
        The name of the study, which messages must carry.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    def __init__(
        self,
        n_arms: int,
        threshold: float,
        tolerance: float,
        epsilon: float,
        budget: int,
        policy: str = DEFAULT_POLICY,
        study: str = "",
    ) -> None:
        super().__init__(n_arms, threshold, epsilon, study)
        self.tolerance = check_number("tolerance", tolerance, 0, 1)
        self.private_tolerance = shrinkage(self.epsilon) * self.tolerance
        self.budget = check_whole("budget", budget, 2 * self.n_arms)
        self.policy = check_policy(policy, INDEX_POLICIES)
        self._rule = self.policy.rule(self.private_threshold, self.private_tolerance)

    @property
    def parameters(self) -> dict[str, Any]:
        """What a saved state must agree with to be continued by this learner."""
        return {
            **super().parameters,
            "tolerance": self.tolerance,
            "budget": self.budget,
            "policy": self.policy.name,
        }

    @property
    def finished(self) -> bool:
        """Whether the budget is used up, or the study was stopped early."""
        return self.stopped or self.total_pulls >= self.budget

    def wanted(self, arm: int) -> bool:
        """Whether the budget has room for another response.

        Parameters
        ----------
        arm : int
            The arm.

        Returns
        -------
        bool
        """
        return not self.finished

    def index(self, arm: int) -> float:
        """The index of an arm that has been pulled; the arm of least index is asked for next.

        Requests outstanding are taken to be answered with the arm's mean so far.

        Parameters
        ----------
        arm : int
            The arm.

        Returns
        -------
        float
        """
        expected = self._committed(arm)
        return index(self._rule, expected, self.positives[arm] * (expected / self.pulls[arm]))

    def _choose(self, candidates: list[int]) -> int | None:
        """The arm of least index; ties to the lowest number; None if the budget is committed.

        Of an arm without a response nothing is known, so it is asked about as often as any other:
        as long as none has fewer responses and requests.
        """
        committed = [self._committed(arm) for arm in candidates]
        if not sum(committed) < self.budget or not candidates:
            return None
        fewest = min(committed)
        for arm, count in zip(candidates, committed, strict=True):
            if self.pulls[arm] == 0 and count == fewest:
                return arm
        return min((arm for arm in candidates if self.pulls[arm]), key=self.index)

    @property
    def above(self) -> set[int]:
        """The answer, once the run is over: arms whose mean response is strictly above tau_eps.

        Raises
        ------
        ValueError
            If the run is not over.
        """
        if not self.finished:
            raise ValueError(
                f"above is known at the end of the run, after {self.budget} responses, "
                f"not after {self.total_pulls} (see estimates(), stop_early())"
            )
        return {arm for arm in range(self.n_arms) if self.deviation(arm) > 0}

    def _known(self) -> dict[int, str]:
        answered = [arm for arm in range(self.n_arms) if self.pulls[arm]]
        return {arm: "above" if self.deviation(arm) > 0 else "below" for arm in answered}


class FixedConfidence(Learner):
    """Algorithm 2: pull the least-pulled undecided arm until none is left.

    ``onesided``, ``mixture`` and ``hoeffding`` keep the promise that the answer is wrong with
    probability at most delta; ``printed`` is the paper's radius, which does not, and warns.

    With ``onesided`` and ``mixture`` an arm is decided by its own answers alone, and answers that
    come after its decision are kept as spare ones. So batches, delays and drop-outs change how
    many people are asked in vain, but neither the answer nor the responses that it rests on.

    Parameters
    ----------
    n_arms : int
        K, the number of arms.
    threshold : float
        tau, in rewards: a number in [0, 1].
    epsilon : float
        Privacy level of the responses, at least 1e-9; ``math.inf`` means no privacy.
    delta : float
        Error probability of the whole answer, in (0, 1).
    radius : str or Radius
        The stopping boundary (:mod:`ldpt.radii`).
    study : str
        The name of the study, which messages must carry.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Warns
    -----
    UserWarning
        If the radius does not keep its promise.
    """

    def __init__(
        self,
        n_arms: int,
        threshold: float,
        epsilon: float,
        delta: float,
        radius: str | Radius = "onesided",
        study: str = "",
    ) -> None:
        super().__init__(n_arms, threshold, epsilon, study)
        self.delta = check_delta(check_number("delta", delta, 0, 1))
        self.radius = as_radius(radius)
        self._edge = self.radius.at(self.n_arms, self.delta, self.threshold, self.epsilon)
        if not self.radius.kind.valid:
            warnings.warn(
                f"the guarantee of the radius {self.radius.name!r} is false: the answer can be "
                "wrong with probability above delta (use 'onesided')",
                UserWarning,
                stacklevel=2,
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """What a saved state must agree with to be continued by this learner."""
        return {**super().parameters, "delta": self.delta, **self.radius.parameters}

    @property
    def _level(self) -> float:
        return 1 - self.delta

    @property
    def finished(self) -> bool:
        """Whether every arm is decided, or the study was stopped early."""
        return self.stopped or not any(map(self.undecided, range(self.n_arms)))

    def undecided(self, arm: int) -> bool:
        """Whether an arm is unpulled, or shifting its mean by its radius changes its side.

        Parameters
        ----------
        arm : int
            The arm.

        Returns
        -------
        bool
        """
        if self.pulls[arm] == 0:
            return True
        b = boundary(self._edge, self.pulls[arm], self.total_pulls)
        return -b <= self.deviation(arm) < b

    def wanted(self, arm: int) -> bool:
        """Whether the arm is undecided and the study goes on.

        Parameters
        ----------
        arm : int
            The arm.

        Returns
        -------
        bool
        """
        return not self.stopped and self.undecided(arm)

    def _choose(self, candidates: list[int]) -> int | None:
        """The undecided arm with the fewest responses and requests; ties to the lowest number."""
        return min(candidates, key=self._committed, default=None)

    def decided(self) -> dict[int, str]:
        """What is certain now: all of it is right with probability at least 1 - delta.

        Returns
        -------
        dict
            ``"above"`` or ``"below"`` by arm, for the arms that are decided.

        Raises
        ------
        ValueError
            If the radius is ``printed``, which makes nothing certain.

        Examples
        --------
        >>> learner = FixedConfidence(2, threshold=0.5, epsilon=4.0, delta=0.1)
        >>> learner.record_many([(0, 1)] * 40)
        40
        >>> learner.decided()
        {0: 'above'}
        """
        if not self.radius.kind.valid:
            raise ValueError(
                f"nothing is certain with the radius {self.radius.name!r}, whose guarantee is "
                "false (use 'onesided')"
            )
        return {
            arm: "above" if self.deviation(arm) >= 0 else "below"
            for arm in range(self.n_arms)
            if not self.undecided(arm)
        }

    def _known(self) -> dict[int, str]:
        return self.decided()

    @property
    def above(self) -> set[int]:
        """The answer, once every arm is decided: arms whose mean response is at least tau_eps.

        Raises
        ------
        ValueError
            If an arm is undecided.
        """
        undecided = sum(map(self.undecided, range(self.n_arms)))
        if undecided:
            raise ValueError(
                "above is known when every arm is decided, "
                f"{undecided} of {self.n_arms} are not (see decided(), estimates())"
            )
        return {arm for arm in range(self.n_arms) if self.deviation(arm) >= 0}


def checked_bit(response: object) -> int:
    """A response as 0 or 1; a float is refused even if whole, because rewards are floats.

    Parameters
    ----------
    response : object
        What was given.

    Returns
    -------
    int
        0 or 1.

    Raises
    ------
    ValueError
        If it is anything else; its value is not shown.
    """
    if not isinstance(response, (int, np.integer, np.bool_)) or response not in (0, 1):
        kind = type(response).__name__
        raise ValueError(
            "a response is 0 or 1, as a private device returns it, "
            f"got another {kind} (not shown: it may be a reward)"
        )
    return int(response)


def _split(answer: object) -> tuple[int | Ticket, int | Response]:
    if isinstance(answer, Response):
        return answer.arm, answer
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise ValueError("an answer is a message, or a pair of an arm and its 0/1 response")
    return answer[0], answer[1]


def _as_text(bits: Iterable[int]) -> str:
    return "".join(map(str, bits))


def _as_bits(name: str, text: object) -> list[int]:
    if not isinstance(text, str) or not set(text) <= {"0", "1"}:
        raise ValueError(f"the state's {name} must be text of the digits 0 and 1")
    return [int(digit) for digit in text]


def _as_json(state: object) -> Any:
    """A state as JSON holds it, so that every value is of a plain type; None if it cannot be."""
    try:
        state = dict(state) if isinstance(state, Mapping) else state
        return read_json(json.dumps(state, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return None


def _check_same(what: str, found: object, expected: object) -> None:
    if type(found) is not type(expected) or found != expected:
        found_text = reprlib.repr(found)
        raise ValueError(f"the state is of {what} {found_text}, this learner has {expected!r}")


def _checksum(state: Mapping[str, Any]) -> str:
    text = json.dumps(state, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
