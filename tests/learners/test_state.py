"""Saved states: what is written, and every way to refuse one that is cut, forged or foreign."""

import json
import math
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.learners.state import checksum
from ldpt.radii import Radius
from tests.learners.studies import busy, forged, started


def test_save_writes_json_with_counts_and_bits_only(tmp_path):
    path = tmp_path / "study.json"
    started().save(path)
    state = json.loads(path.read_text())
    assert state["asked"] == [0, 1, 2, 0]
    assert state["answered"] == "1010"
    assert state["pulls"] == [2, 1, 1]
    assert state["positives"] == [1, 0, 1]
    assert os.listdir(tmp_path) == ["study.json"]


def test_save_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "study.json"
    learner = started()
    learner.save(path)
    before = path.read_bytes()
    learner.record(1, 1)

    def full_disk(descriptor: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("ldpt.io.files.os.fsync", full_disk)
    with pytest.raises(OSError, match="no space left"):
        learner.save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["study.json"]


OTHERS = [
    ({"study": "other"}, "study 'other', this learner has 'doses'"),
    ({"epsilon": 0.5}, "epsilon 0.5, this learner has 1.0"),
    ({"epsilon": math.inf}, "epsilon 'inf', this learner has 1.0"),
    ({"threshold": 0.4}, "threshold 0.4"),
    ({"delta": 0.05}, "delta 0.05"),
    ({"radius": "hoeffding"}, "radius 'hoeffding'"),
    ({"radius": Radius("mixture", 2.0)}, "rho 2.0"),
    ({"n_arms": 4}, "n_arms 4"),
]


@pytest.mark.parametrize(("changes", "complaint"), OTHERS)
def test_load_refuses_a_state_of_another_study(tmp_path, changes, complaint):
    path = tmp_path / "study.json"
    started(**changes).save(path)
    learner = started()
    learner.record(1, 1)
    before = learner.state()
    with pytest.raises(ValueError, match=complaint) as caught:
        learner.load(path)
    assert str(path) in str(caught.value)
    assert learner.state() == before


def test_restore_refuses_a_state_of_the_other_algorithm():
    with pytest.raises(ValueError, match="algorithm 'FixedBudget'"):
        started().restore(FixedBudget(3, 0.5, 0.0, 1.0, budget=9, study="doses").state())


def test_load_refuses_a_state_cut_anywhere(tmp_path):
    path = tmp_path / "study.json"
    started().save(path)
    text = path.read_text().rstrip()
    learner = FixedConfidence(3, 0.5, 1.0, 0.1, "mixture", study="doses")
    before = learner.state()
    for length in range(len(text)):
        path.write_text(text[:length])
        with pytest.raises(ValueError, match="not a whole state file"):
            learner.load(path)
    assert learner.state() == before


@pytest.mark.parametrize("version", [0, 1, 3, "2", 2.0, None])
def test_restore_refuses_a_state_of_another_version(version):
    learner = started()
    with pytest.raises(ValueError, match=f"version {version!r}, this program reads 2"):
        learner.restore({**learner.state(), "version": version})


@pytest.mark.parametrize(
    "change",
    [{"answered": "0110"}, {"asked": [1, 0, 2, 0]}, {"pulls": [1, 2, 1]}, {"study": "x"}, {"a": 1}],
)
def test_restore_refuses_a_changed_state(change):
    learner = started()
    before = learner.state()
    with pytest.raises(ValueError, match="checksum does not match"):
        learner.restore({**before, **change})
    assert learner.state() == before


@pytest.mark.parametrize("state", [None, [], {}, {"format": "other"}, 3, "text"])
def test_restore_refuses_what_is_not_a_state(state):
    with pytest.raises(ValueError, match="not the state of a learner"):
        started().restore(state)


def test_restore_refuses_a_contradictory_state_even_with_its_checksum():
    learner = started()
    content = {**learner.state(), "positives": [2, 0, 0]}
    del content["checksum"]
    with pytest.raises(ValueError, match="counts disagree"):
        learner.restore({**content, "checksum": checksum(content)})


REQUESTS = {"made": 23, "given_up": [1, 5], "waiting": [[3, 1]]}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"parameters": []}, "the state's parameters must be n_arms, threshold, epsilon"),
        ({"parameters": {}}, "the state's parameters must be"),
        ({"asked": None}, "asked and answered must have the same length"),
        ({"asked": [0]}, "asked and answered must have the same length"),
        ({"asked": [[]], "answered": "1"}, r"asked must be arms 0\.\.1"),
        ({"asked": [True], "answered": "1"}, r"asked must be arms 0\.\.1"),
        ({"asked": [2], "answered": "1"}, r"asked must be arms 0\.\.1"),
        ({"asked": [0], "answered": "\u0661"}, "answered must be text of the digits 0 and 1"),
        ({"answered": 1}, "answered must be text of the digits 0 and 1"),
        ({"asked": [0] * 400, "answered": "1" * 400}, "counts disagree"),
        ({"asked": [0, 1] * 200, "answered": "1" * 400}, "beyond the end of its run"),
        ({"pulls": [1e300, None]}, "counts disagree"),
        ({"positives": "11"}, "counts disagree"),
        ({"spare": []}, "spare must have one entry for each of the arms"),
        ({"spare": ["1", 1]}, "spare must be text"),
        ({"requests": None}, "requests must have one entry for each"),
        ({"requests": [REQUESTS, None]}, "the state's requests"),
        ({"messages": ["0.37"]}, "messages must be a list of ids"),
        ({"messages": None}, "messages must be a list of ids"),
        ({"repeated": -1}, "repeated must be a whole number"),
        ({"too_late": True}, "too_late must be a whole number"),
        ({"stopped": 0}, "stopped must be true or false"),
        ({"study": None}, "the state is of study None, this learner has 'doses'"),
        ({"study": "x" * 10**6}, "the state is of study 'xxx"),
        ({"more": 1}, "the state's entries must be format, version"),
    ],
)
def test_restore_refuses_a_forged_state_in_one_line_and_changes_nothing(change, complaint):
    study = busy()
    before = study.state()
    with pytest.raises(ValueError, match=complaint) as caught:
        study.restore(forged({**before, **change}))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert study.state() == before


@pytest.mark.parametrize(
    "change",
    [
        {"made": -1},
        {"made": 2.5},
        {"made": True},
        {"made": 3},
        {"made": 10**15},
        {"given_up": [5, 1]},
        {"given_up": [1, 1, 5]},
        {"given_up": [1, 99]},
        {"given_up": [[1]]},
        {"given_up": [1, 3, 5]},
        {"waiting": [[2, 1]]},
        {"waiting": [[0, 1]]},
        {"waiting": [[3, 2]]},
        {"waiting": [[3, 1], [3, 0]]},
        {"waiting": [[99, 1]]},
        {"waiting": [3]},
        {"waiting": {"3": 1}},
        {"more": 1},
    ],
)
def test_restore_refuses_contradictory_requests(change):
    study = busy()
    before = study.state()
    assert before["requests"][1] == REQUESTS
    requests = [before["requests"][0], {**REQUESTS, **change}]
    with pytest.raises(ValueError, match=r"the state('s requests| has|'s waiting)"):
        study.restore(forged({**before, "requests": requests}))
    assert study.state() == before


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 60) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def places(value: object, path: tuple = ()) -> list[tuple]:
    """Where in nested lists and dictionaries a value could be replaced."""
    if isinstance(value, dict):
        inner = [places(item, (*path, key)) for key, item in value.items()]
    elif isinstance(value, list):
        inner = [places(item, (*path, index)) for index, item in enumerate(value)]
    else:
        return [path]
    return [path, *(place for found in inner for place in found)]


@settings(max_examples=300, derandomize=True, deadline=None)
@given(data=st.data(), cls=st.sampled_from([FixedConfidence, FixedBudget]))
def test_restore_refuses_any_nonsense_or_takes_it_over_unchanged(data, cls):
    """What is accepted is taken over as it stands; what is refused changes nothing."""
    study = busy(cls)
    before = study.state()
    state = json.loads(json.dumps({k: v for k, v in before.items() if k != "checksum"}))
    place = data.draw(st.sampled_from([place for place in places(state) if place]))
    target = state
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = data.draw(JSON)
    try:
        json.dumps(state, allow_nan=False)
    except ValueError:
        state = before  # JSON has no NaN: nothing to forge
    fresh = busy(cls)
    unchanged = fresh.state()
    try:
        fresh.restore(forged(state))
    except ValueError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either outcome is fine
        assert fresh.state() == unchanged
    else:
        assert fresh.state() == forged(state)
        fresh.next_arms(1)
        assert len(fresh.outstanding) < 10**6


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 100_000, "NaN", '{"format": 1, "format": 2}', "\x00", "1" * 5000],
    ids=lambda text: text[:10],
)
def test_load_refuses_a_file_of_nonsense_in_one_line(tmp_path, text):
    path = tmp_path / "study.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="not a whole state file") as caught:
        busy().load(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("state", [{"format": {1, 2}}, {"format": math.nan}, {1: 2}, object()])
def test_restore_refuses_a_state_that_is_not_json(state):
    with pytest.raises(ValueError, match="not the state of a learner"):
        busy().restore(state)


def test_restore_refuses_a_state_inside_itself():
    state: dict = {"format": "ldpt learner"}
    state["self"] = state
    with pytest.raises(ValueError, match="not the state of a learner"):
        busy().restore(state)
