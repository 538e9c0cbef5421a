"""Saved studies: opened from their file alone; cut, changed, forged or foreign ones are refused."""

import contextlib
import json
import multiprocessing
import os
import signal
import stat
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.radii import Radius
from ldpt.study import Status, Study
from ldpt.study.state import sealed


def busy(cls=FixedConfidence) -> Study:
    """Return a study in the middle: answers that wait, kept ones, requests given up and open."""
    if cls is FixedBudget:
        learner = FixedBudget(["a", "b"], 0.5, 0.0, 4.0, budget=80)
    else:
        learner = FixedConfidence(["a", "b"], 0.5, 4.0, 0.2, Radius("onesided", prior_gap=0.1))
    study = Study(learner, "doses", deadline=3)
    tickets = study.ask(60)
    arm_b = [ticket for ticket in tickets if ticket.arm == 1]
    study.advance()
    study.record_many((ticket, 1) for ticket in tickets if ticket.arm == 0)
    study.record_many((ticket, 1) for ticket in (arm_b[0], arm_b[3], arm_b[3]))
    study.give_up(arm_b[1], "moved away")
    study.give_up(arm_b[5], "moved away")
    study.ask(4)
    with contextlib.suppress(ValueError):
        study.record(("c", 1))
    return study


@pytest.mark.parametrize("cls", [FixedBudget, FixedConfidence])
def test_a_study_opens_from_its_file_alone_and_goes_on_as_before(cls, tmp_path):
    path, study = tmp_path / "study.json", busy(cls)
    study.save(path)
    other = Study.open(path)
    assert other._state() == study._state()
    rng = np.random.default_rng(0)
    for _ in range(5):
        assert other.outstanding == study.outstanding
        bits = rng.integers(0, 2, len(study.outstanding)).tolist()
        chosen = [answer for answer in zip(study.outstanding, bits, strict=True)][::2]
        for one in (study, other):
            one.record_many(chosen)
            one.advance()
            one.ask(6)
    assert other._state() == study._state()
    assert str(other.report()) == str(study.report())
    assert other.counts == study.counts


def test_only_the_owner_can_read_a_saved_study(tmp_path):
    path = tmp_path / "study.json"
    before = os.umask(0)
    try:
        busy().save(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["study.json"]


def test_saving_follows_no_link_that_waits_under_a_guessed_name(tmp_path):
    victim, path = tmp_path / "victim.txt", tmp_path / "study.json"
    victim.write_text("precious")
    for name in (".study.staged.json", ".study-"):
        (tmp_path / name).symlink_to(victim)
    busy().save(path)
    assert victim.read_text() == "precious"


def test_a_link_is_followed_when_a_study_is_saved(tmp_path):
    target, link = tmp_path / "disk" / "study.json", tmp_path / "study.json"
    link.symlink_to(target)
    study = busy()
    study.save(link)
    assert link.is_symlink()
    study.record(("a", 1))
    study.save(link)
    assert Study.open(target).counts == study.counts


@pytest.mark.parametrize("content", ["precious", "another study"])
def test_a_study_replaces_no_file_that_it_has_neither_written_nor_read(content, tmp_path):
    path = tmp_path / "study.json"
    if content == "precious":
        path.write_text(content)
    else:
        Study(FixedConfidence(1, 0.5, 1.0, 0.1)).save(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="saved by another process, or is another file"):
        busy().save(path)
    assert path.read_bytes() == before


def test_the_second_writer_is_refused_and_its_answers_can_be_recorded_again(tmp_path):
    path = tmp_path / "study.json"
    study = Study(FixedConfidence(2, 0.5, 1.0, 0.1))
    mine, yours = study.ask(2)
    study.save(path)
    first, second = Study.open(path), Study.open(path)
    first.record((mine, 1))
    second.record((yours, 0))
    first.save(path)
    with pytest.raises(ValueError, match="saved by another process") as caught:
        second.save(path)
    assert "\n" not in str(caught.value)
    second = Study.open(path)
    second.record((yours, 0))
    second.save(path)
    assert Study.open(path).counts["entered"] == 2


def test_a_copy_of_an_earlier_state_may_be_replaced_by_its_own_study(tmp_path):
    path, copy, study = tmp_path / "study.json", tmp_path / "copy.json", busy()
    study.save(path)
    copy.write_bytes(path.read_bytes())
    study.record(("a", 1))
    study.save(path)
    study.save(copy)
    assert copy.read_bytes() == path.read_bytes()


def collect(path: Path, log: Path, places: list[int]) -> None:
    """Record the answers to these tickets, and log each one whose save has returned."""
    with log.open("a") as lines:
        for place in places:
            while True:
                study = Study.open(path)
                study.record((study._ticket(place % 2, place // 2), place % 3 == 0))
                try:
                    study.save(path)
                except ValueError:  # the other process has saved
                    continue
                break
            lines.write(f"{place}\n")
            lines.flush()


@pytest.mark.parametrize("seed", range(3))
def test_two_processes_that_are_killed_at_random_lose_no_saved_answer(seed, tmp_path):
    """Each is killed after a random number of answers, at whatever it does then."""
    path, rng = tmp_path / "study.json", np.random.default_rng(seed)
    study = Study(FixedConfidence(2, 0.5, 0.1, 0.01))
    study.ask(80)
    study.save(path)
    logs = [tmp_path / "even", tmp_path / "odd"]
    fork = multiprocessing.get_context("fork")
    for last in (False, False, False, True):
        processes = []
        for worker, log in enumerate(logs):
            log.touch()
            logged = {int(line) for line in log.read_text().split()}
            rest = [n for n in range(80) if n // 2 % 2 == worker and n not in logged]
            process = fork.Process(target=collect, args=(path, log, rest))
            process.start()
            processes.append((process, log, len(logged) + int(rng.integers(1, 8))))
        for process, log, enough in processes:
            while not last and process.is_alive() and len(log.read_text().split()) < enough:
                pass
            if not last:
                process.kill()
            process.join()
            assert process.exitcode in ((0,) if last else (0, -signal.SIGKILL))
        logged = {int(line) for log in logs for line in log.read_text().split()}
        outcomes = Study.open(path)._state()["requests"]
        for place in logged:
            assert outcomes[place % 2]["outcomes"][place // 2] == str(int(place % 3 == 0))
    assert logged == set(range(80))
    assert Study.open(path).counts["entered"] == 80


def test_a_save_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path, study = tmp_path / "study.json", busy()
    study.save(path)
    before = path.read_bytes()
    study.record(("a", 1))

    def full_disk(descriptor: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("ldpt.util.files.os.fsync", full_disk)
    with pytest.raises(OSError, match="no space left"):
        study.save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["study.json"]


def test_a_state_holds_a_digest_of_the_boundary_and_not_its_table(tmp_path):
    path = tmp_path / "study.json"
    study = Study(FixedConfidence(2, 0.5, 1.0, 0.1))
    study.save(path)
    assert path.stat().st_size < 2000
    learner = json.loads(path.read_text())["learner"]
    assert len(learner["boundary"]) == 64
    assert learner["radius"] == "coin"
    other = Study(FixedConfidence(2, 0.5, 1.0, 0.05))
    assert other._state()["learner"]["boundary"] != learner["boundary"]


def test_a_state_cut_anywhere_is_refused(tmp_path):
    path = tmp_path / "study.json"
    busy().save(path)
    text = path.read_text().rstrip()
    for length in range(0, len(text), 7):
        path.write_text(text[:length])
        with pytest.raises(ValueError, match="not a whole state file"):
            Study.open(path)


@pytest.mark.parametrize("kind", ["missing", "folder", "text", "list", "other"])
def test_what_is_no_saved_study_is_refused(kind, tmp_path):
    path = tmp_path / "study.json"
    if kind == "folder":
        path.mkdir()
    elif kind != "missing":
        path.write_text({"text": "x", "list": "[1]", "other": '{"format": "other"}'}[kind])
    with pytest.raises((ValueError, FileNotFoundError), match=r"study\.json"):
        Study.open(path)


def opened(state: dict) -> Study:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "study.json")
        path.write_text(json.dumps(state))
        return Study.open(path)


@pytest.mark.parametrize("version", [0, 3, 5, "4", None])
def test_a_state_of_another_version_is_refused(version):
    with pytest.raises(ValueError, match="this program reads 4"):
        opened({**sealed(busy()._state()), "version": version})


def forged(change: dict) -> dict:
    return sealed({**busy()._state(), **change})


def test_a_changed_state_is_refused_without_a_new_checksum():
    state = forged({})
    for change in ({"counted": [1, 0]}, {"name": "x"}, {"more": 1}, {"round": 9}):
        with pytest.raises(ValueError, match="checksum does not match"):
            opened({**state, **change})
    assert sealed(opened(state)._state()) == state


LEARNER, REQUESTS = busy()._state()["learner"], busy()._state()["requests"]
DEPARTURE = busy()._state()["departures"][0]


@pytest.mark.parametrize(
    "change",
    [
        {"learner": []},
        {"learner": {}},
        {"learner": {**LEARNER, "delta": 3}},
        {"learner": {**LEARNER, "delta": 0.1}},
        {"learner": {**LEARNER, "boundary": "0" * 64}},
        {"learner": {**LEARNER, "boundary": None}},
        {"learner": {**LEARNER, "n_arms": ["a"]}},
        {"name": 3},
        {"deadline": 0},
        {"more": 1},
        {"round": "1"},
        {"secret": None},
        {"counted": [31, 1]},
        {"counted": [1, 1]},
        {"counted": [True, 1]},
        {"counted": [0]},
        {"requests": None},
        {"requests": [None, None]},
        {"requests": REQUESTS[:1]},
        {"requests": [REQUESTS[0], {**REQUESTS[1], "outcomes": "2"}]},
        {"requests": [REQUESTS[0], {**REQUESTS[1], "rounds": [0]}]},
        {"requests": [REQUESTS[0], {**REQUESTS[1], "rounds": REQUESTS[1]["rounds"][::-1]}]},
        {"requests": [REQUESTS[0], {"outcomes": "\u0661", "rounds": [0]}]},
        {"departures": [{}]},
        {"departures": [{**DEPARTURE, "arm": "c"}]},
        {"departures": [{**DEPARTURE, "number": 0}]},
        {"departures": [{**DEPARTURE, "number": 10**6}]},
        {"departures": [{**DEPARTURE, "reason": 5}]},
        {"departures": [{**DEPARTURE, "before_decision": 1}]},
        {"departures": [DEPARTURE, DEPARTURE]},
        {"departures": []},
        {"round": 10**30},
        {"round": 0},
        {"round": 4},
        {"requests": [{**REQUESTS[0], "rounds": [-1, *REQUESTS[0]["rounds"][1:]]}, REQUESTS[1]]},
        {"requests": [{**REQUESTS[0], "rounds": [*REQUESTS[0]["rounds"][:-1], 2]}, REQUESTS[1]]},
        {"secret": ""},
        {"secret": "0" * 63 + "g"},
        {"not_counted": {"late": -1, "repeated": 1, "refused": 1}},
        {"not_counted": {}},
        {"not_counted": {"late": 0.0, "repeated": 1, "refused": 1}},
    ],
)
def test_a_forged_state_is_refused_in_one_line(change):
    opened(forged({}))  # the state itself opens
    with pytest.raises(ValueError, match="the state contradicts itself") as caught:
        opened(forged(change))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(key=st.sampled_from(sorted(busy()._state())), value=JSON)
def test_any_value_of_any_entry_opens_or_is_a_value_error(key, value):
    with contextlib.suppress(ValueError):
        study = opened(forged({key: value}))
        assert study.counts["entered"] >= study.counts["counted"]


def test_a_printed_study_opens_without_a_second_warning(recwarn, tmp_path):
    path = tmp_path / "study.json"
    with pytest.warns(UserWarning, match="guarantee of the radius"):
        study = Study(FixedConfidence(1, 0.5, 1.0, 0.1, "printed"))
    study.save(path)
    recwarn.clear()
    assert Study.open(path).record((0, 1)) is Status.COUNTED
    assert not recwarn
