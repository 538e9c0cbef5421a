"""Messages between a study and its devices."""

import contextlib
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpt.study.device import PrivateDevice
from ldpt.study.messages import Response, Ticket
from tests.study.test_device import says_nothing


@pytest.mark.parametrize("count", [10**400, 10**19, -1, 1.0, True, None, "1"])
def test_whole_numbers_of_messages_survive_json_elsewhere(count):
    for use in (
        lambda: Ticket(count, 0),
        lambda: Ticket(0, count),
        lambda: Response(count, 1, 1.0),
        lambda: PrivateDevice(1.0).answer(count, 0.5),
    ):
        with pytest.raises(ValueError, match=r"whole numbers? 0\.\.2\^53"):
            use()
    with pytest.raises(ValueError, match=r"whole numbers 0\.\.2\^53"):
        Response(0, 1, 1.0, number=count)


def test_response_holds_the_terms_and_no_reward():
    message = PrivateDevice(0.1, study="doses").answer(Ticket(2, 7, "0" * 32), 0.123456789)
    fields = json.loads(message.to_json())
    assert set(fields) == {"arm", "bit", "epsilon", "study", "number", "token"}
    assert (fields["arm"], fields["number"]) == (2, 7)
    assert "123456789" not in message.to_json() + repr(message)
    assert Response.from_json(message.to_json()) == message
    assert Response.from_json(message.to_json().encode()) == message


def test_response_holds_the_longest_study_name():
    for letter in "a\U0001f600\ud800":
        message = Response(10**6, 1, 1.0, letter * 200, 10**6)
        assert Response.from_json(message.to_json()) == message


MESSAGE = {"arm": 1, "bit": 1, "epsilon": 0.5, "study": "doses", "number": 3, "token": "0" * 32}


WRONG = {
    "arm": (-1, 0.0, 2.7, "1", True, None, [], 0.123),
    "bit": (2, 0.123, "1", True, None, 123),
    "epsilon": ("1", None, True, 0, 0.0, -1, 1e999, [1]),
    "study": (3, None, "x" * 201),
    "number": (-1, 2.5, "3", False),
    "token": ("0" * 31, "0" * 33, "G" * 32, "A" * 32, "\u0663" * 32, 5),
}


MALFORMED = [
    "",
    json.dumps(MESSAGE)[:-4],
    "[1, 1]",
    "0.123",
    json.dumps({**MESSAGE, "reward": 0.123}),
    json.dumps({key: MESSAGE[key] for key in ("arm", "bit", "epsilon", "study")}),
    json.dumps(MESSAGE).replace("0.5", "NaN"),
    json.dumps(MESSAGE).replace("0.5", "Infinity"),
    json.dumps(MESSAGE).replace("0.5", "1" * 3000 + "23"),
    json.dumps(MESSAGE).replace('"bit": 1', '"bit": 1, "bit": 0'),
    json.dumps(MESSAGE) + " " * 5000,
    "[" * 4000,
    '{"a":' * 800,
    b"\xff\xfe",
    b"\xe2\x28\xa1",
    None,
    {**MESSAGE},
    *(json.dumps({**MESSAGE, key: bad}) for key, wrong in WRONG.items() for bad in wrong),
]


@pytest.mark.parametrize("text", MALFORMED, ids=lambda text: repr(text)[:60])
def test_response_refuses_a_malformed_message_in_one_line_without_its_values(text):
    assert Response.from_json(json.dumps(MESSAGE)) == Response(**MESSAGE)
    with pytest.raises(ValueError, match=r"response|study must|a ticket has") as caught:
        Response.from_json(text)
    assert says_nothing(caught.value)
    assert "\n" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    changes=st.dictionaries(st.sampled_from([*MESSAGE, "more"]), JSON, max_size=3),
    gone=st.sets(st.sampled_from([*MESSAGE]), max_size=1),
)
def test_response_of_any_message_is_valid_or_a_value_error(changes, gone):
    fields = {key: value for key, value in {**MESSAGE, **changes}.items() if key not in gone}
    with contextlib.suppress(ValueError):
        message = Response.from_json(json.dumps(fields))
        assert set(fields) == set(MESSAGE)
        assert type(message.arm) is int
        assert message.bit in (0, 1)
        assert 0 < message.epsilon < math.inf
        assert Response.from_json(message.to_json()) == message


@settings(max_examples=300, derandomize=True, deadline=None)
@given(text=st.text() | st.binary())
def test_response_refuses_any_other_text(text):
    with pytest.raises(ValueError, match="a response is one JSON object"):
        Response.from_json(text)


@pytest.mark.parametrize(("arm", "number"), [(-1, 0), (0, -1), (True, 0), (0, 2.0), ("1", 0)])
def test_ticket_is_two_whole_numbers(arm, number):
    with pytest.raises(ValueError, match="a ticket has an arm and a number"):
        Ticket(arm, number)


def test_ticket_is_its_arm_where_an_index_is_wanted():
    assert np.array([0.1, 0.2])[Ticket(1, 9)] == 0.2
    assert Ticket(1, 9) != Ticket(1, 8)


def test_a_message_in_another_encoding_is_refused():
    message = Response(arm=1, bit=1, epsilon=1.0).to_json()
    assert Response.from_json(message.encode()).arm == 1
    for encoding in ("utf-16", "utf-32", "utf-8-sig"):
        with pytest.raises(ValueError, match="a response is one JSON object"):
            Response.from_json(message.encode(encoding))
