"""The worked examples: a study with batches, drop-outs and a restart, batches, a second opinion."""

import importlib.util
import json
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from ldpt.privacy import PrivBern
from ldpt.study import Response, Study, Ticket

EXAMPLES = Path(__file__).parents[1] / "examples"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class SeededDevice:
    """The mechanism from a seeded generator, so that the test sees the same study every time."""

    rng = np.random.default_rng(0)

    def __init__(self, epsilon: float, study: str) -> None:
        self.epsilon, self.study = epsilon, study

    def answer(self, ticket: Ticket, reward: float) -> Response:
        bit = PrivBern(self.epsilon, self.rng).privatise(reward)
        return Response(ticket.arm, bit, self.epsilon, self.study, ticket.number, ticket.token)


def run_seeded(example: ModuleType, monkeypatch, path: Path, **options) -> Study:
    monkeypatch.setattr(example, "PrivateDevice", SeededDevice)
    monkeypatch.setattr("ldpt.study.session.secrets.token_hex", lambda n: "0" * 64)
    SeededDevice.rng = np.random.default_rng(12)
    return example.run_study(path, np.random.default_rng(1), **options)


def test_dose_finding_finds_the_harmful_doses_and_a_restart_loses_nothing(tmp_path, monkeypatch):
    """The same seeds without a restart end in the same state, byte for byte."""
    example = load("dose_finding")
    paths = [tmp_path / "restarted.json", tmp_path / "whole.json"]
    for path, week in zip(paths, (8, -1), strict=True):
        study = run_seeded(example, monkeypatch, path, restart_in_week=week)
        assert study.counts["asked"] > 8 * example.PATIENTS_PER_WEEK
    assert paths[0].read_bytes() == paths[1].read_bytes()
    harmful = [dose for dose, side in study.decided().items() if side == "above"]
    assert harmful == ["40 mg", "80 mg", "160 mg"]
    for estimate, harm in zip(study.estimates(), example.HARM.values(), strict=True):
        assert estimate.low <= harm <= estimate.high
    given_up = study.counts["given up"] / (study.counts["asked"] - study.counts["outstanding"])
    assert 0.07 < given_up < 0.13
    assert len(study.outstanding) <= example.DEADLINE * example.PATIENTS_PER_WEEK


def test_with_real_devices_every_patient_is_asked_once_and_no_reward_is_kept(tmp_path, monkeypatch):
    """Random by design (the system's generator), so nothing is claimed about the answer here."""
    example, messages = load("dose_finding"), []

    class Watched(example.PrivateDevice):
        def answer(self, ticket: Ticket, reward: float) -> Response:
            message = super().answer(ticket, reward)
            assert (self.spent, self.answers_left) == (example.EPSILON, 0)
            messages.append(message.to_json())
            return message

    monkeypatch.setattr(example, "PrivateDevice", Watched)
    learner = example.FixedConfidence(list(example.HARM), 0.3, example.EPSILON, 0.05)
    study, clinic = Study(learner, example.NAME, 3), example.Clinic(np.random.default_rng(1))
    path = tmp_path / "study.json"
    for _ in range(4):
        example.run_week(study, clinic, path)
    assert len(messages) <= study.counts["asked"] == 4 * example.PATIENTS_PER_WEEK
    fields = {"arm", "bit", "epsilon", "study", "number", "token"}
    assert all(set(json.loads(message)) == fields for message in messages)
    requests = json.loads(path.read_text())["requests"]
    assert set("".join(arm["outcomes"] for arm in requests)) == {"0", "1", ".", "x"}


def test_batches_use_the_same_responses_and_ask_few_people_without_need():
    """At most batch - 1 per arm: those who were asked when its last answer was."""
    batches = load("batches")
    studies = {batch: batches.run(batch, 0) for batch in batches.BATCHES}
    assert len({tuple(study.learner.pulls) for study in studies.values()}) == 1
    for batch, study in studies.items():
        vain = study.counts["asked"] - study.counts["counted"]
        assert 0 <= vain <= len(batches.HARM) * (batch - 1)


def test_the_table_of_batches_is_what_the_example_computes(monkeypatch):
    batches = load("batches")
    readme = (EXAMPLES / "README.md").read_text()
    monkeypatch.setattr(batches, "BATCHES", (1000,))
    head, rule, *rows = batches.table().splitlines()
    assert all(row in readme for row in (head, rule, *rows))


def test_the_independent_check_agrees_with_exact_values_and_finds_a_wrong_run(
    tmp_path, capsys, monkeypatch
):
    """The error of the printed radius is exact, the others are from 40 000 runs of the package."""
    check = load("independent_check")
    measured = check.measure(2000)
    monkeypatch.setattr(check, "measure", lambda: measured)
    rows = ["budget,estimate,replicates,instance,policy,epsilon"]
    rows += ["679,{},40000,three-groups,apt,1.0", "145,0.0709,40000,three-groups,apt,inf"]
    confidence = (
        "delta,replicates,mean_pulls,sd_pulls,estimate,instance,radius,epsilon\n"
        "0.1,40000,4330,4600,0.3043,counterexample,printed,1.0\n"
    )
    (tmp_path / "fixed_confidence.csv").write_text(confidence)
    for error, disagreements in ((0.107, 0), (0.17, 1)):
        (tmp_path / "fixed_budget.csv").write_text("\n".join(rows).format(error))
        assert check.main(str(tmp_path)) == disagreements
    assert "z " in capsys.readouterr().out
    values = check.of_the_run(str(tmp_path))
    assert len(values) == 4
    assert all(math.isfinite(value) for value, _ in values.values())


@pytest.mark.workflow
def test_the_independent_check_agrees_with_the_smoke_run(smoke: Path, capsys) -> None:
    check = load("independent_check")
    assert check.main(str(smoke / "results" / "smoke" / "results" / "summaries")) == 0
    assert "no run to compare" not in capsys.readouterr().out


def test_the_independent_check_needs_no_run(tmp_path, capsys, monkeypatch):
    check = load("independent_check")
    key = ("counterexample", 1.0, "error at delta = 0.1")
    monkeypatch.setattr(check, "measure", lambda: {key: (0.3, 0.01)})
    assert check.main(str(tmp_path)) == 0
    assert "no run to compare" in capsys.readouterr().out


def test_the_independent_check_uses_nothing_of_the_package():
    text = (EXAMPLES / "independent_check.py").read_text()
    assert not [line for line in text.splitlines() if "import" in line and "ldpt" in line]
