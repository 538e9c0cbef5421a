"""Replays of random chunks of a small finished run."""

from pathlib import Path

import pytest

from ldpt.provenance import read_record, record_path
from ldpt.provenance.audit import audit, render_audit
from ldpt.provenance.plan import JobPlan
from ldpt.provenance.replay import replay_chunks
from tests.provenance.products import ROWS, SHARD


def test_replay_is_equal_bit_for_bit(root: Path, plan: JobPlan) -> None:
    report = audit(root, plan=plan, replay=1000)
    # Two chunks of two files at two privacy levels, two chunks at two error levels, four laws at
    # two privacy levels.
    assert report.intact, render_audit(report)
    assert len(report.replayed) == len(set(report.replayed)) == 8 + 4 + 8


def test_products_of_other_rules_are_not_replayed(root: Path) -> None:
    """A rule may draw from the same streams and keep something else of them."""
    stable = read_record(record_path(root, SHARD))["stable"]
    names, differing = replay_chunks(root, {ROWS: stable | {"rule": "error_map"}}, 5, seed=0)
    assert (names, differing) == ([], [])


def test_replay_refuses_a_record_of_another_version(root: Path) -> None:
    stable = read_record(record_path(root, SHARD))["stable"]
    older = stable | {"params": {"replicates": 500, "budgets": [20]}}
    with pytest.raises(ValueError, match=rf"{SHARD} cannot be replayed: another version of ldpt"):
        replay_chunks(root, {SHARD: older}, 5, seed=0)


def test_replay_chooses_chunks_by_its_seed(root: Path, plan: JobPlan) -> None:
    first, again, other = (audit(root, 3, seed, plan).replayed for seed in (1, 1, 2))
    assert first == again != other
