"""Requests for one arm: answers enter in order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpt.study.requests import Requests


@settings(max_examples=100, derandomize=True, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 30))
def test_answers_enter_in_the_order_of_requests_whatever_the_order_of_arrival(seed, n):
    rng, arm, entered = np.random.default_rng(seed), Requests(), []
    numbers = [arm.ask(0) for _ in range(n)]
    bits = rng.integers(0, 2, n).tolist()
    skipped = {number for number in numbers if rng.random() < 0.2}
    for count, number in enumerate(rng.permutation(n).tolist(), start=1):
        done = arm.give_up(number) if number in skipped else arm.answer(number, bits[number])
        entered += done
        assert arm.n_missing == n - count
        assert arm.in_flight == arm.n_missing + arm.n_waiting
        restored = Requests.from_state(arm.state(), len(entered))
        assert restored.state() == arm.state()
        assert restored.settled == arm.settled
    assert entered == [bit for number, bit in enumerate(bits) if number not in skipped]


def test_overdue_requests_are_those_of_old_rounds():
    arm = Requests()
    for round_number in (0, 0, 1, 3):
        arm.ask(round_number)
    arm.answer(1, 1)
    assert (arm.overdue(-1), arm.overdue(0), arm.overdue(2)) == ([], [0], [0, 2])


GOOD = {"made": 6, "open": [[1, 0], [4, 2]], "given_up": [0, 3], "waiting": [[2, 1], [5, 0]]}


@pytest.mark.parametrize(
    "change",
    [
        {"made": 5}, {"made": 7}, {"made": 10**15}, {"given_up": [0]}, {"given_up": [0, 3, 99]},
        {"given_up": [0, 1, 3]}, {"waiting": [[2, 1]]}, {"waiting": [[2, 1], [7, 0]]},
        {"open": [[1, 0]]}, {"open": [[1, 0], [2, 0], [4, 2]]}, {"open": [[4, 2]]},
    ],
)  # fmt: skip
def test_contradictory_states_are_refused(change):
    assert Requests.from_state(GOOD, 0).state() == GOOD
    with pytest.raises(ValueError, match=r"answers are missing|requests overlap"):
        Requests.from_state({**GOOD, **change}, 0)
    with pytest.raises(ValueError, match="answers are missing"):
        Requests.from_state(GOOD, 1)
