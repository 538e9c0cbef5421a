"""Answers enter in the order of their requests, whatever the order in which they come."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpt.learners.requests import Requests


@settings(max_examples=200, derandomize=True, deadline=None)
@given(data=st.data(), bits=st.lists(st.sampled_from([0, 1, None]), max_size=12))
def test_requests_enter_answers_in_order_whatever_the_order_of_arrival(data, bits):
    """None is a request that is given up; a state taken at any point gives the same requests."""
    requests = Requests()
    assert [requests.ask() for _ in bits] == list(range(len(bits)))
    entered: list[int] = []
    open_requests = set(range(len(bits)))
    for number in data.draw(st.permutations(range(len(bits)))):
        assert requests.missing() == sorted(open_requests)
        assert requests.n_missing == len(open_requests)
        bit = bits[number]
        new = requests.give_up(number) if bit is None else requests.answer(number, bit)
        entered += new
        open_requests.remove(number)
        requests = Requests.from_state(requests.state(), len(entered), most_open=12)
        settled = min(open_requests, default=len(bits))
        assert requests.settled == settled
        assert entered == [bit for bit in bits[:settled] if bit is not None]
        waiting = sum(
            bits[n] is not None for n in range(settled, len(bits)) if n not in open_requests
        )
        assert requests.in_flight == len(open_requests) + waiting
    assert requests.given_up == {number for number, bit in enumerate(bits) if bit is None}


def test_from_state_refuses_more_open_requests_than_allowed():
    state = {"made": 6, "given_up": [], "waiting": []}
    assert Requests.from_state(state, entered=2, most_open=4).missing() == [2, 3, 4, 5]
    with pytest.raises(ValueError, match="more than 3 open requests"):
        Requests.from_state(state, entered=2, most_open=3)


def test_in_flight_counts_what_may_still_enter_also_after_a_restart():
    arm = Requests()
    for _ in range(5):
        arm.ask()
    arm.answer(2, 1)
    arm.give_up(3)
    assert arm.in_flight == 4  # 0, 1 and 4 are missing, 2 waits for them
    again = Requests.from_state(arm.state(), entered=0, most_open=9)
    assert again.in_flight == 4
    assert [arm.answer(0, 0), arm.answer(1, 0), arm.in_flight] == [[0], [0, 1], 1]
