"""What both algorithms share: sides of arms, stopping early, restarts."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpt.learners import FixedBudget, FixedConfidence, Learner, Status
from ldpt.privacy import private_mean
from ldpt.radii import Radius
from ldpt.study.messages import Response, Ticket
from tests.learners.studies import MEANS, People, drive

pytestmark = pytest.mark.filterwarnings("ignore:the guarantee of the radius 'printed'")


def test_above_at_the_threshold_is_out_for_fixed_budget_and_in_for_fixed_confidence(monkeypatch):
    budget = FixedBudget(1, 0.5, 0.0, 1.0, budget=2)
    confidence = FixedConfidence(1, 0.5, 1.0, 0.1)
    for learner in (budget, confidence):
        assert learner.record_many([(0, 0), (0, 1)]) == 2
        assert learner.deviation(0) == 0
    assert budget.above == set()
    monkeypatch.setattr(confidence, "undecided", lambda arm: False)
    assert confidence.above == {0}


@pytest.mark.parametrize(
    ("learner", "complaint"),
    [
        (FixedBudget(2, 0.5, 0.0, 1.0, budget=9), "after 9 responses, not after 1 "),
        (FixedConfidence(2, 0.5, 1.0, 0.1), "every arm is decided, 2 of 2 are not"),
    ],
)
def test_above_is_refused_before_the_end(learner, complaint):
    learner.record(0, 1)
    with pytest.raises(ValueError, match=complaint):
        _ = learner.above


def test_stop_early_returns_what_is_known():
    study = FixedConfidence(3, 0.5, 4.0, 0.1)
    outstanding = study.next_arms(3)[-1]
    study.record_many([(Ticket(0, 0), 1), (Ticket(1, 0), 0)])
    study.record_many([(0, 1)] * 60 + [(1, 0)] * 60)
    assert study.stop_early() == study.decided() == {0: "above", 1: "below"}
    assert study.finished
    assert study.next_arm() is None
    assert study.next_arms(3) == []
    with pytest.raises(ValueError, match="1 of 3 are not"):
        _ = study.above
    with pytest.raises(ValueError, match="the run is over"):
        study.record(0, 1)
    assert study.record(outstanding, 1) is Status.SPARE
    again = FixedConfidence(3, 0.5, 4.0, 0.1)
    again.restore(study.state())
    assert again.finished


def test_stop_early_leaves_out_an_arm_that_was_never_pulled():
    study = FixedBudget(3, 0.0, 0.0, 1.0, budget=9)
    study.record(0, 1)
    assert study.stop_early() == {0: "above"}
    with pytest.raises(ValueError, match="above needs a response of every arm, arm 1 has none"):
        _ = study.above
    assert FixedConfidence(2, 0.5, 1.0, 0.1).decided() == {}


@settings(max_examples=40, derandomize=True, deadline=None)
@given(seed=st.integers(0, 10**6), stop=st.integers(0, 80), which=st.sampled_from(["fb", "fc"]))
def test_load_continues_on_the_same_path(tmp_path_factory, seed, stop, which):
    def fresh() -> Learner:
        if which == "fb":
            return FixedBudget(len(MEANS), 0.5, 0.05, 1.0, budget=90, study="s")
        return FixedConfidence(len(MEANS), 0.5, math.inf, 0.2, Radius("mixture", 3.0), study="s")

    means = private_mean(np.array(MEANS), fresh().epsilon)
    whole = fresh()
    drive(whole, np.random.default_rng(seed), means, limit=150)

    rng = np.random.default_rng(seed)
    first, second = fresh(), fresh()
    drive(first, rng, means, limit=stop)
    path = tmp_path_factory.mktemp("state") / "study.json"
    first.save(path)
    second.load(path)
    drive(second, rng, means, limit=150)
    assert second.history == whole.history
    assert second.state() == whole.state()


@settings(max_examples=40, derandomize=True, deadline=None)
@given(seed=st.integers(0, 10**6), which=st.sampled_from(["fb", "fc"]), stop=st.integers(1, 30))
def test_load_with_requests_outstanding_loses_nothing(tmp_path_factory, seed, which, stop):
    def fresh() -> Learner:
        if which == "fb":
            return FixedBudget(len(MEANS), 0.5, 0.05, 1.0, budget=90, study="s")
        return FixedConfidence(len(MEANS), 0.5, 2.0, 0.2, study="s")

    def live(learner: Learner, restart_after: int) -> Learner:
        people = People(private_mean(np.array(MEANS), learner.epsilon), seed)
        rng = np.random.default_rng(seed)
        for round_number in range(60):
            if round_number == restart_after:
                path = tmp_path_factory.mktemp("state") / "study.json"
                learner.save(path)
                learner = fresh()
                learner.load(path)
            if not learner.finished and len(learner.outstanding) < 20:
                learner.next_arms(10)
            tickets = learner.outstanding
            rng.shuffle(tickets)
            for ticket in tickets[:5]:
                message = Response(
                    ticket.arm,
                    people.answer(ticket),
                    learner.epsilon,
                    "s",
                    ticket.number,
                    id=f"{ticket.arm:016x}{ticket.number:016x}",
                )
                learner.record(ticket, message)
            for ticket in tickets[5:6]:
                learner.give_up(ticket)
        return learner

    assert live(fresh(), stop).state() == live(fresh(), -1).state()
