"""Replays of random jobs of a small finished run."""

from pathlib import Path

import pytest

from ldpt.provenance.audit import audit, render_audit
from ldpt.provenance.plan import JobPlan
from tests.provenance.products import PRODUCTS


def test_replay_of_all_jobs_is_equal_bit_for_bit(
    root: Path, plan: JobPlan, capfd: pytest.CaptureFixture
) -> None:
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}
    report = audit(root, plan=plan, replay=1000, trust=True)
    assert report.intact, render_audit(report)
    assert report.replayed == sorted(PRODUCTS)
    assert "simulate_mechanism" in capfd.readouterr().err  # progress
    assert before == {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}


def test_replay_chooses_jobs_by_its_seed(root: Path, plan: JobPlan) -> None:
    first, again, other = (audit(root, 1, seed, True, plan).replayed for seed in (1, 1, 2))
    assert first == again != other


def test_replay_asks_for_trust(root: Path, plan: JobPlan) -> None:
    with pytest.raises(ValueError, match=r"--replay runs the code of .*: add --trust"):
        audit(root, 1, plan=plan)
