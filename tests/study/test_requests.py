"""Requests for one arm: answers enter in order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpt.study.requests import GIVEN_UP, ONE, OPEN, ZERO, Requests


@settings(max_examples=100, derandomize=True, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 30))
def test_answers_enter_in_the_order_of_requests_whatever_the_order_of_arrival(seed, n):
    rng, arm = np.random.default_rng(seed), Requests()
    numbers = [arm.ask(0) for _ in range(n)]
    bits = rng.integers(0, 2, n).tolist()
    skipped = {number for number in numbers if rng.random() < 0.2}
    for count, number in enumerate(rng.permutation(n).tolist(), start=1):
        outcome = ONE if bits[number] else ZERO
        arm.settle(number, GIVEN_UP if number in skipped else outcome)
        assert arm.count(OPEN) == len(arm.missing) == n - count
        restored = Requests(arm.outcomes.decode(), arm.rounds)
        assert vars(restored) == vars(arm)
    assert list(arm.entered) == [bit for number, bit in enumerate(bits) if number not in skipped]


@pytest.mark.parametrize(
    ("outcomes", "rounds"),
    [("01", [0]), ("", [0]), ("0", []), ("2", [0]), ("0 ", [0, 0]), ("..", [1, 0])],
)
def test_incomplete_requests_are_refused(outcomes, rounds):
    with pytest.raises(ValueError, match="requests are incomplete"):
        Requests(outcomes, rounds)
