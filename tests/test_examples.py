"""The worked example: private devices, a learner that sees responses only, a restart."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from ldpt.privacy import PrivBern, Response

SOURCE = Path(__file__).parents[1] / "examples" / "dose_finding.py"


@pytest.fixture
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dose_finding", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class SeededDevice:
    """The mechanism from a seeded generator, so that the test sees the same study every time."""

    rng = np.random.default_rng(0)

    def __init__(self, epsilon: float, study: str) -> None:
        self.epsilon, self.study = epsilon, study
        self.mechanism = PrivBern(epsilon, self.rng)

    def answer(self, arm: int, reward: float) -> Response:
        return Response(arm, self.mechanism.privatise(reward), self.epsilon, self.study)


def test_the_harmful_doses_are_found(example, tmp_path, monkeypatch):
    SeededDevice.rng = np.random.default_rng(12)
    monkeypatch.setattr(example, "PrivateDevice", SeededDevice)
    learner = example.run_study(tmp_path / "study.json", np.random.default_rng(1))
    assert learner.above == {3, 4, 5}
    assert "Harmful doses (mean harm of at least 0.3): 4, 5, 6" in example.report(learner)
    assert "wrong for some dose with probability at most 0.05" in example.report(learner)


def test_the_restart_loses_nothing(example, tmp_path, monkeypatch):
    """The same seeds without a restart give the same record, response by response."""
    monkeypatch.setattr(example, "PrivateDevice", SeededDevice)
    histories = []
    for restart_after in (500, 10**9):
        SeededDevice.rng = np.random.default_rng(3)
        path = tmp_path / f"{restart_after}.json"
        learner = example.run_study(path, np.random.default_rng(2), restart_after)
        assert learner.finished
        histories.append(learner.history)
    assert len(histories[0]) > 600
    assert histories[0] == histories[1]


def test_with_real_devices_every_patient_is_asked_once_and_no_reward_is_kept(
    example, tmp_path, monkeypatch
):
    """Random by design (the system's generator), so nothing is claimed about the answer here."""
    harms = []

    class Watched(example.Patient):
        def treat(self, dose: int) -> str:
            message = super().treat(dose)
            assert self.device.spent == example.EPSILON
            assert self.device.answers_left == 0
            harms.append(message)
            return message

    monkeypatch.setattr(example, "Patient", Watched)
    path = tmp_path / "study.json"
    learner = example.run_study(path, np.random.default_rng(1), restart_after=200)
    assert learner.total_pulls <= len(harms) < learner.total_pulls + example.BATCH
    state = json.loads(path.read_text())
    assert set(state["answered"]) == {"0", "1"}
    assert all("harm" not in json.loads(m) for m in harms)
