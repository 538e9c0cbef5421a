"""What may be recorded: bits and messages on the learner's terms, never rewards."""

import json
import math

import numpy as np
import pytest

from ldpt.study.device import PrivateDevice
from ldpt.study.messages import Response, Ticket
from tests.learners.studies import started

REWARDS = [0.37, 1.0, 0.0, 37, -37, "37", None, math.nan, np.float64(0.37), [37], (0, 37), b"37"]


@pytest.mark.parametrize("reward", REWARDS, ids=repr)
@pytest.mark.parametrize(
    "use",
    [
        lambda learner, reward: learner.record(0, reward),
        lambda learner, reward: learner.record_many([(0, reward)]),
        lambda learner, reward: learner.record_many([(0, 1), (0, 1, reward)]),
        lambda learner, reward: learner.record_many([(0, 1), reward, (0, 1)]),
    ],
)
def test_record_refuses_a_raw_reward_without_showing_it(use, reward):
    learner = started()
    before = learner.state()
    with pytest.raises(ValueError, match=r"a response is 0 or 1|an answer is a message") as caught:
        use(learner, reward)
    for error in (caught.value, caught.value.__cause__, caught.value.__context__):
        assert "37" not in repr(error)
    assert learner.state() == before


@pytest.mark.parametrize("response", [1, True, np.int8(1), np.int64(1), np.bool_(True)])
def test_record_takes_every_kind_of_bit(response):
    learner = started()
    learner.record(np.int64(1), response)
    assert learner.history[-1] == (1, 1)
    json.dumps(learner.state())


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (Response(1, 1, 2.0, "doses"), "answered with epsilon 2.0, this learner expects 1.0"),
        (Response(1, 1, 1.0, "other"), "belongs to study 'other'"),
        (Response(2, 1, 1.0, "doses"), "about arm 2, recorded for arm 1"),
    ],
)
def test_record_refuses_a_device_on_other_terms(message, complaint):
    learner = started()
    before = learner.state()
    with pytest.raises(ValueError, match=complaint):
        learner.record(1, message)
    assert learner.state() == before


def test_record_counts_a_device_on_the_same_terms():
    learner = started()
    message = PrivateDevice(1.0, study="doses").answer(1, 0.9)
    learner.record(1, message)
    assert learner.record_many([PrivateDevice(1.0, study="doses").answer(2, 0.1)]) == 1
    assert learner.pulls == [2, 2, 2]
    assert learner.history[-2] == (1, message.bit)


@pytest.mark.parametrize(
    "bad", [(0, 0.4), (7, 1), 5, (1, 2, 3), Response(0, 1, 9.0, "doses"), (Ticket(0, 9), 1)]
)
def test_record_many_counts_none_of_a_batch_with_one_bad_answer(bad):
    learner = started()
    before = learner.state()
    with pytest.raises(ValueError, match=r"got|epsilon|an answer is|never made"):
        learner.record_many([(0, 1), bad, (1, 1)])
    assert learner.state() == before
