"""Requests, answers and counts of a study, one by one and in any order."""

import json
import math
from collections import deque

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ldpt.learners import FixedBudget, FixedConfidence, Learner, Status
from ldpt.policies import INDEX_POLICIES
from ldpt.radii import VALID_RADII
from ldpt.study.device import PrivateDevice
from ldpt.study.messages import Response, Ticket
from tests.learners.studies import started


@pytest.mark.parametrize(
    ("arm", "shown"),
    [
        (-1, "-1"),
        (3, "3"),
        (0.37, "a float"),
        ("0", "a str"),
        (None, "a NoneType"),
        (True, "a bool"),
        (np.bool_(True), "a bool"),
        (np.float64(1), "a float64"),
    ],
)
def test_record_refuses_an_arm_out_of_range_and_shows_no_reward(arm, shown):
    learner = started()
    before = learner.state()
    with pytest.raises(ValueError, match=rf"^arm must be 0\.\.2, got {shown}"):
        learner.record(arm, 1)
    with pytest.raises(ValueError, match=rf"^arm must be 0\.\.2, got {shown}"):
        learner.record_many([(0, 1), (arm, 1)])
    assert learner.state() == before


def test_next_arms_asks_no_arm_more_often_than_its_turn():
    study = FixedConfidence(3, 0.5, 1.0, 0.1, "mixture")
    study.record_many([(0, 1), (0, 0), (0, 1), (1, 0)])
    assert [ticket.arm for ticket in study.next_arms(6)] == [2, 1, 2, 1, 2, 0]
    assert study.next_arm() == 1
    budget = FixedBudget(3, 0.5, 0.0, 1.0, budget=100)
    budget.record_many([(0, 1), (0, 1), (0, 1), (1, 0), (1, 1)])
    assert [ticket.arm for ticket in budget.next_arms(5)] == [2, 2, 2, 1, 2]


def test_record_enters_answers_in_the_order_of_their_requests():
    study = FixedConfidence(1, 0.5, 1.0, 0.1)
    first, second, third, fourth = study.next_arms(4)
    assert study.record(third, 1) is Status.WAITING
    assert study.record(second, 0) is Status.WAITING
    assert study.history == []
    assert study.outstanding == [first, fourth]
    assert study.record(first, 1) is Status.COUNTED
    assert study.history == [(0, 1), (0, 0), (0, 1)]
    study.give_up(fourth)
    assert study.given_up == [fourth]
    assert study.outstanding == []


def test_record_waits_for_a_missing_answer_until_give_up():
    study = FixedConfidence(1, 0.5, 1.0, 0.1)
    missing, *others = study.next_arms(10)
    for ticket in others:
        study.record(ticket, 1)
    assert study.total_pulls == 0
    assert study.estimates()[0].answers == 0
    study.give_up(missing)
    study.give_up(missing)
    assert study.total_pulls == 9
    assert study.given_up == [missing]
    assert study.record(missing, 1) is Status.TOO_LATE
    assert (study.total_pulls, study.too_late) == (9, 1)


def test_record_counts_a_repeated_answer_once():
    study = FixedConfidence(1, 0.5, 1.0, 0.1, study="doses")
    device = PrivateDevice(1.0, study="doses", answers=3)
    ticket, other = study.next_arms(2)
    message = device.answer(ticket, 0.5)
    assert study.record(0, message) is Status.COUNTED
    assert study.record(0, message) is Status.REPEATED
    assert study.record(ticket, 1) is Status.REPEATED
    assert study.record_many([message, device.answer(other, 0.5), message]) == 1
    unasked = device.answer(0, 0.5)
    assert [study.record(0, unasked), study.record(0, unasked)] == ["counted", "repeated"]
    assert (study.total_pulls, study.repeated) == (3, 5)


@pytest.mark.parametrize(
    ("action", "complaint"),
    [
        (lambda s: s.record(Ticket(0, 2), 1), "request 2 of arm 0 was never made"),
        (lambda s: s.record(Ticket(3, 0), 1), r"arm must be 0\.\.2, got 3"),
        (lambda s: s.record(1, 1), "arm 1 has 2 requests outstanding: record its answers with"),
        (lambda s: s.record_many([(2, 1), (1, 1)]), "arm 1 has 2 requests outstanding"),
        (
            lambda s: s.record(Ticket(0, 0), Response(0, 1, 1.0, "doses", number=1)),
            "answers request 1, recorded for request 0",
        ),
        (lambda s: s.record(0, Response(0, 1, 1.0, "doses", number=9)), "request 9 of arm 0 was"),
        (lambda s: s.give_up(Ticket(0, 0)), "request 0 of arm 0 has been answered"),
        (lambda s: s.give_up(Ticket(0, 9)), "request 9 of arm 0 was never made"),
        (lambda s: s.give_up(0), "a request is given by its ticket, got a int"),
        *(
            (lambda s, n=n: s.next_arms(n), "n must be a whole number from 1 to")
            for n in (0, -1, 2.5, math.inf, "3", True, None, 10**7)
        ),
    ],
)
def test_record_and_give_up_refuse_requests_that_do_not_fit(action, complaint):
    study = FixedConfidence(3, 0.5, 1.0, 0.1, study="doses")
    tickets = study.next_arms(6)
    study.record(tickets[0], 1)
    study.record(tickets[3], 1)
    study.give_up(tickets[2])
    study.give_up(tickets[5])
    before = study.state()
    with pytest.raises(ValueError, match=complaint) as caught:
        action(study)
    assert "\n" not in str(caught.value)
    assert study.state() == before


class AnyStudy(RuleBasedStateMachine):
    """Requests, answers, drop-outs and restarts in any order keep the books balanced."""

    def __init__(self) -> None:
        super().__init__()
        self.study: Learner | None = None
        self.tickets: list[Ticket] = []

    @initialize(which=st.sampled_from(["lsa", "apt", *VALID_RADII]))
    def begin(self, which: str) -> None:
        self.which = which
        self.study = self.fresh()

    def fresh(self) -> Learner:
        if self.which in INDEX_POLICIES:
            return FixedBudget(2, 0.5, 0.0, 4.0, budget=40, policy=self.which)
        return FixedConfidence(2, 0.5, 4.0, 0.4, radius=self.which)

    @rule(n=st.integers(1, 30))
    def ask(self, n: int) -> None:
        first = self.study.next_arm()
        tickets = self.study.next_arms(n)
        assert (tickets[0].arm if tickets else None) == first
        self.tickets += tickets

    @precondition(lambda self: self.tickets)
    @rule(data=st.data(), bit=st.sampled_from([0, 1]))
    def answer(self, data: st.DataObject, bit: int) -> None:
        ticket = data.draw(st.sampled_from(self.tickets))
        was_open = ticket in self.study.outstanding
        status = self.study.record(ticket, bit)
        assert was_open == (status not in (Status.REPEATED, Status.TOO_LATE))
        assert (status is Status.TOO_LATE) == (ticket in self.study.given_up)

    @precondition(lambda self: self.study.outstanding)
    @rule(data=st.data())
    def give_up(self, data: st.DataObject) -> None:
        self.study.give_up(data.draw(st.sampled_from(self.study.outstanding)))

    @precondition(lambda self: not self.study.finished)
    @rule(arm=st.sampled_from([0, 1]), bit=st.sampled_from([0, 1]))
    def record_unasked(self, arm: int, bit: int) -> None:
        if all(ticket.arm != arm for ticket in self.study.outstanding):
            assert self.study.record(arm, bit) in (Status.COUNTED, Status.SPARE)

    @rule()
    def restart(self) -> None:
        state = json.loads(json.dumps(self.study.state()))
        self.study = self.fresh()
        self.study.restore(state)
        assert self.study.state() == state

    @invariant()
    def books_balance(self) -> None:
        if self.study is None:
            return
        state = self.study.state()
        spare = sum(map(len, state["spare"]))
        waiting = sum(len(requests["waiting"]) for requests in state["requests"])
        left = spare + waiting + len(self.study.outstanding) + len(self.study.given_up)
        assert self.study.total_requests == self.study.total_pulls + left
        assert self.study.total_pulls == len(self.study.history) == sum(self.study.pulls)
        assert self.study.finished == (not any(map(self.study.wanted, range(2))))
        if isinstance(self.study, FixedBudget):
            assert self.study.total_pulls <= 40
        elif self.study.finished:
            assert self.study.above == {
                a for a, side in self.study.decided().items() if side == "above"
            }


TestAnyStudy = AnyStudy.TestCase


TestAnyStudy.settings = settings(
    max_examples=60, stateful_step_count=40, derandomize=True, deadline=None
)


@pytest.mark.parametrize("arm", [-1, 9, 1.5, "0", None, True, 10**400])
@pytest.mark.parametrize("method", ["wanted", "deviation", "index", "undecided"])
def test_an_arm_that_does_not_exist_is_refused(method, arm):
    """-1 would be the last arm."""
    kind = FixedConfidence if method == "undecided" else FixedBudget
    terms = {"delta": 0.1} if method == "undecided" else {"tolerance": 0.0, "budget": 4}
    learner = kind(2, threshold=0.5, epsilon=1.0, **terms)
    with pytest.raises(ValueError, match=r"^arm must be 0\.\.1, got"):
        getattr(learner, method)(arm)


def test_index_of_an_arm_without_a_response_is_not_known():
    learner = FixedBudget(2, threshold=0.5, tolerance=0.0, epsilon=1.0, budget=4)
    with pytest.raises(ValueError, match="arm 1 has no response yet"):
        learner.index(1)


def test_record_many_refuses_what_is_no_list_without_showing_it():
    learner = FixedBudget(2, threshold=0.5, tolerance=0.0, epsilon=1.0, budget=4)
    with pytest.raises(ValueError, match=r"^answers must be a list of them, got a float$"):
        learner.record_many(0.37)


def test_many_answers_that_enter_at_once_are_taken_from_a_queue():
    """200 000 of them took ten seconds when taking one moved all others."""
    learner = FixedConfidence(1, 0.5, epsilon=0.001, delta=0.1)
    first, *others = learner.next_arms(20_000)
    learner.record_many((ticket, ticket.number % 2) for ticket in others)
    assert learner.record(first, 1) is Status.COUNTED
    assert learner.total_pulls == 20_000
    restored = FixedConfidence(1, 0.5, epsilon=0.001, delta=0.1)
    restored.restore(learner.state())
    for study in (learner, restored):
        assert all(isinstance(spare, deque) for spare in study._spare)
