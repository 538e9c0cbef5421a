"""The operator who gives up requests after looking at later answers: what the study does about it.

One arm exactly at the threshold (so "above" is right), no privacy. People are asked in blocks, one
block per round, and the block that was asked last answers first. Its answers wait behind the open
requests of all earlier blocks. If they would decide the arm wrong, the operator has all earlier
requests given up; else the next block may answer. So the operator chooses among several sequences
of coins, each of which errs with a probability below delta.
"""

import copy
import pickle

import numpy as np
import pytest
from scipy.stats import binomtest

from ldpt.learners import FixedConfidence
from ldpt.radii import Radius
from ldpt.study import Study, Ticket
from ldpt.study.inference import ThresholdTest

DELTA, BLOCKS, SIZE, RUNS = 0.1, 6, 100, 150
LEVEL = 1e-3  # of every test here; seeded, so each passes or fails for good


def play(seed: int, by_hand: bool, sees: bool) -> Study:
    """Play one study; who does not see the waiting answers stops at a random block."""
    rng, test = (
        np.random.default_rng(seed),
        ThresholdTest(Radius("onesided"), 1, DELTA, 0.5, np.inf, 0.0),
    )
    study = Study(FixedConfidence(1, 0.5, np.inf, DELTA, "onesided"), deadline=BLOCKS)
    blocks = []
    for _ in range(BLOCKS):
        blocks.append((study.ask(SIZE), rng.integers(0, 2, SIZE)))
        study.advance()
    for number in range(BLOCKS - 1, 0, -1):
        tickets, bits = blocks[number]
        study.record_many(zip(tickets, bits.tolist(), strict=True))
        if test.first_crossing(bits)[1] == "below" if sees else rng.random() < 0.2:
            return stop(study, number, by_hand)
    study.record_many(zip(blocks[0][0], blocks[0][1].tolist(), strict=True))
    return study


def stop(study: Study, number: int, by_hand: bool) -> Study:
    """Have all open requests given up: by hand, or by waiting for the end of their rounds."""
    if by_hand:
        for ticket in study.outstanding:
            study.give_up(ticket, "no answer expected")
    for _ in range(number):
        study.advance()
    assert study.outstanding == []
    return study


def decided_below(study: Study) -> bool:
    learner = study.learner
    return not learner.undecided(0) and learner.sums[0] < learner.pulls[0] / 2


def test_giving_up_by_hand_takes_the_guarantee_away():
    """Played by hand, the arm is decided wrong too often, and certified wrong seldom enough."""
    studies = [play(seed, by_hand=True, sees=True) for seed in range(RUNS)]
    wrong = sum(map(decided_below, studies))
    assert binomtest(wrong, RUNS, DELTA, "greater").pvalue < LEVEL
    certified = sum(study.decided() == {0: "below"} for study in studies)
    assert binomtest(certified, RUNS, DELTA, "greater").pvalue > LEVEL
    voided = next(study for study in studies if decided_below(study) and study.departures)
    assert voided.decided() == {}
    (row,) = voided.report().rows
    assert (row.verdict, row.certain, row.bound) == ("below", False, None)
    assert row.note.endswith("given up by hand: no answer expected")
    assert "verdict and interval without guarantee" in voided.report().warnings[0]


def test_the_deadline_leaves_nothing_to_gain_because_waiting_answers_are_not_seen():
    """Who reads the mail gains by ending rounds early; the study's interface shows no answer."""
    seen = sum(decided_below(play(seed, by_hand=False, sees=True)) for seed in range(RUNS))
    assert binomtest(seen, RUNS, DELTA, "greater").pvalue < LEVEL
    blind = [play(seed, by_hand=False, sees=False) for seed in range(RUNS)]
    wrong = sum(study.decided() == {0: "below"} for study in blind)
    assert binomtest(wrong, RUNS, DELTA, "greater").pvalue > LEVEL


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, pickle.dumps])
def test_no_copy_of_a_study_can_run_ahead_and_show_what_waits(clone):
    study = Study(FixedConfidence(1, 0.5, np.inf, DELTA), deadline=1)
    with pytest.raises(
        TypeError, match="a study cannot be copied: its copy could show the answers"
    ):
        clone(study)


def test_nobody_decides_an_arm_through_the_learner():
    learner = FixedConfidence(1, 0.5, np.inf, DELTA)
    study = Study(learner)
    while not learner.finished:
        learner.record(0, 1)
    own = study.learner
    own.record(0, 1)
    own.delta = 0.9
    assert (study.decided(), study.counts["counted"], study.learner.pulls) == ({}, 0, [0])


@pytest.mark.parametrize("bits", [(0, 0), (1, 0), (1, 1)])
def test_waiting_answers_are_visible_to_nobody(bits, monkeypatch, recwarn):
    """Two studies that differ in waiting answers alone look the same from outside."""
    monkeypatch.setattr("ldpt.study.session.secrets.token_hex", lambda n: "0" * 64)

    def look(waiting):
        study = Study(FixedConfidence(["a", "b"], 0.5, 4.0, 0.1), "doses", deadline=3)
        tickets = study.ask(40)
        study.record((tickets[1], 1))
        arm_0 = [ticket for ticket in tickets if ticket.arm == 0]
        statuses = study.record_many(zip(arm_0[1:], waiting * 9, strict=False))
        statuses += study.record_many([(Ticket(1, 0, tickets[1].token), 1)])
        study.advance()
        return [
            repr(study), str(study.report()), str(study.estimates()), study.decided(), statuses,
            study.outstanding, study.counts, study.ask(3), study.finished, study.learner.pulls,
        ]  # fmt: skip

    assert look(list(bits)) == look([0, 1])


def test_a_decision_that_came_before_keeps_its_guarantee():
    study = Study(FixedConfidence(1, 0.5, 4.0, 0.1))
    tickets = study.ask(60)
    study.record_many((ticket, 1) for ticket in tickets[:50])
    assert study.decided() == {0: "above"}
    study.give_up(tickets[50], "moved away")
    assert study.decided() == {0: "above"}
    assert study.report().warnings[0].startswith("arm 0: interval without guarantee")


def test_an_arm_with_a_departure_has_neither_bound_nor_silent_interval():
    """The bound uses answers that entered after the departure: it lost its guarantee too."""
    study = Study(FixedConfidence(1, 0.5, 4.0, 0.1))
    tickets = study.ask(60)
    study.record_many((ticket, 1) for ticket in tickets[:50])
    assert study.report().rows[0].bound > 0.5
    study.estimates()
    study.give_up(tickets[50], "moved away")
    (row,) = study.report().rows
    assert (row.verdict, row.certain, row.bound) == ("above", True, None)
    with pytest.warns(
        UserWarning, match="intervals without guarantee, because requests were given"
    ):
        study.estimates()


@pytest.mark.parametrize("radius", ["hoeffding", "coin"])
def test_a_boundary_that_can_reopen_loses_its_guarantee_also_after_the_decision(radius):
    study = Study(FixedConfidence(1, 0.5, 4.0, 0.1, radius))
    tickets = study.ask(60)
    study.record_many((ticket, 1) for ticket in tickets[:50])
    study.give_up(tickets[50], "moved away")
    assert study.decided() == ({} if radius == "hoeffding" else {0: "above"})


def test_give_up_wants_an_open_request_and_a_reason():
    study = Study(FixedConfidence(1, 0.5, 4.0, 0.1))
    first, second = study.ask(2)
    study.record((first, 1))
    for ticket, reason, complaint in [
        (second, "", "reason must be text of 1 to 500 characters"),
        (second, None, "reason must be text"),
        (first, "late", "request 0 of this arm is not open"),
        (Ticket(0, 1, "0" * 32), "late", "request 1 of arm 0 was never made"),
        (0, "late", "a request is given by its ticket, got a int"),
    ]:
        with pytest.raises(ValueError, match=complaint):
            study.give_up(ticket, reason)
    study.give_up(second, "moved\n away")
    assert study.departures[0].reason == "moved away"
    assert study.outstanding == []
