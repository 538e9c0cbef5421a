"""The worked examples: a study with batches, drop-outs and a restart, and the price of batches."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from ldpt.privacy import PrivBern
from ldpt.study.messages import Response, Ticket

EXAMPLES = Path(__file__).parents[1] / "examples"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def study() -> ModuleType:
    return load("dose_finding")


class SeededDevice:
    """The mechanism from a seeded generator, so that the test sees the same study every time."""

    rng = np.random.default_rng(0)

    def __init__(self, epsilon: float, study: str) -> None:
        self.epsilon, self.study = epsilon, study
        self.mechanism = PrivBern(epsilon, self.rng)

    def answer(self, ticket: Ticket, reward: float) -> Response:
        bit = self.mechanism.privatise(reward)
        return Response(
            ticket.arm, bit, self.epsilon, self.study, ticket.number, self.rng.bytes(16).hex()
        )


def run_seeded(study: ModuleType, monkeypatch, path: Path, **options):
    monkeypatch.setattr(study, "PrivateDevice", SeededDevice)
    SeededDevice.rng = np.random.default_rng(12)
    return study.run_study(path, np.random.default_rng(1), **options)


def test_dose_finding_finds_the_harmful_doses(study, tmp_path, monkeypatch):
    learner = run_seeded(study, monkeypatch, tmp_path / "study.json")
    assert learner.above == {3, 4, 5}
    for estimate, harm in zip(learner.estimates(), study.HARM, strict=True):
        assert estimate.low <= harm <= estimate.high
    lines = study.report(learner).splitlines()
    assert [line.split()[-1] for line in lines[1:7]] == ["safe"] * 3 + ["harmful"] * 3
    assert f"{learner.total_requests} patients were asked once, with epsilon = 2" in lines[7]


def test_some_never_answer_and_are_given_up(study, tmp_path, monkeypatch):
    learner = run_seeded(study, monkeypatch, tmp_path / "study.json")
    share = len(learner.given_up) / (learner.total_requests - len(learner.outstanding))
    assert 0.07 < share < 0.13
    assert len(learner.outstanding) <= study.PATIENCE * study.PATIENTS_PER_WEEK


def test_dose_finding_restart_loses_nothing(study, tmp_path, monkeypatch):
    """The same seeds without a restart end in the same state, byte for byte."""
    paths = [tmp_path / "restarted.json", tmp_path / "whole.json"]
    for path, week in zip(paths, (8, -1), strict=True):
        learner = run_seeded(study, monkeypatch, path, restart_in_week=week)
        assert learner.total_requests > 8 * study.PATIENTS_PER_WEEK
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_dose_finding_report_before_the_end_leaves_doses_open(study):
    assert study.report(study.protocol()).count("open") == len(study.HARM)


def test_with_real_devices_every_patient_is_asked_once_and_no_reward_is_kept(
    study, tmp_path, monkeypatch
):
    """Random by design (the system's generator), so nothing is claimed about the answer here."""
    messages: list[str] = []

    class Watched(study.PrivateDevice):
        def answer(self, ticket: Ticket, reward: float) -> Response:
            message = super().answer(ticket, reward)
            assert self.spent == study.EPSILON
            assert self.answers_left == 0
            messages.append(message.to_json())
            return message

    monkeypatch.setattr(study, "PrivateDevice", Watched)
    learner, clinic = study.protocol(), study.Clinic(np.random.default_rng(1))
    path = tmp_path / "study.json"
    for _ in range(8):
        study.run_week(learner, clinic, path)
    assert len(messages) <= learner.total_requests == 8 * study.PATIENTS_PER_WEEK
    fields = {"arm", "bit", "epsilon", "study", "number", "id"}
    assert all(set(json.loads(message)) == fields for message in messages)
    assert set(json.loads(path.read_text())["answered"]) == {"0", "1"}


def test_batches_table_is_what_the_example_computes():
    batches = load("batches")
    readme = (EXAMPLES / "README.md").read_text()
    made = batches.table()
    assert batches.BEGIN + made + batches.END in readme
    rows = [line.split("|") for line in made.splitlines()[2:]]
    assert len({row[3] for row in rows}) == 1  # the same responses decide
    prices = [float(row[4]) for row in rows]
    assert prices[0] == 1 < prices[2] < prices[3] < 2


@pytest.mark.parametrize("batch", [10, 100, 1000])
def test_batches_ask_as_few_people_without_need_as_the_plan_says(batch):
    """At most batch - 1 per arm: those who were asked when its last answer was."""
    batches = load("batches")
    for seed in range(5):
        learner = batches.run(batch, seed)
        vain = learner.total_requests - learner.total_pulls
        assert 0 <= vain <= len(batches.HARM) * (batch - 1)
