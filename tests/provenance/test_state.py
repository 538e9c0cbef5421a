"""A run that was copied or handed over notices what has changed since it was made."""

from pathlib import Path

import pytest

from ldpt.provenance import read_record, record_path
from ldpt.provenance.audit import audit
from tests.conftest import snakemake
from tests.provenance.products import ROWS, SHARD, flip


def test_a_copied_run_has_nothing_to_do(root: Path) -> None:
    done = snakemake(root.parent)
    assert done.returncode == 0, done.stderr
    assert "Nothing to be done" in done.stdout + done.stderr


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_changed_seed_stops_a_copied_run_with_one_line(root: Path) -> None:
    edit(root.parent / "config.yaml", "seed: 7", "seed: 8")
    done = snakemake(root.parent, "--dry-run")
    said = done.stdout + done.stderr
    assert done.returncode == 1
    assert "Nothing to be done" not in said
    (line,) = [line for line in said.splitlines() if "came from another folder" in line]
    assert "settings changed: seed" in line
    assert "simulate_mechanism (1)" in line
    assert line.endswith("with LDPT_STALE=remove in the environment to make them again")


def test_stale_products_are_removed_where_this_is_allowed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(root.parent / "scripts/count_rows.py", "policy,rows", "policy,lines")
    before = {name: record_path(root, name).read_bytes() for name in (SHARD, ROWS)}
    monkeypatch.setenv("LDPT_STALE", "remove")
    done = snakemake(root.parent)
    assert done.returncode == 0, done.stderr
    line = "removed 1 product under out: code changed: scripts/count_rows.py; rules count_rows (1)"
    assert line in done.stderr.splitlines()
    assert record_path(root, SHARD).read_bytes() == before[SHARD]
    assert record_path(root, ROWS).read_bytes() != before[ROWS]
    assert audit(root).intact


def test_a_tampered_product_stops_a_copied_run_before_any_job(root: Path) -> None:
    flip(root / SHARD)
    done = snakemake(root.parent)
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "(contents do not match the recorded SHA-256; rules simulate_fixed_budget (1))" in said
    assert "rule count_rows:" not in said


def test_products_of_this_folder_are_left_to_snakemake(root: Path) -> None:
    """A tampered one stops the first job that reads it."""
    for name in (SHARD, ROWS):
        (root / name).unlink()
    done = snakemake(root.parent, f"out/{ROWS}")  # these are products of this folder now
    assert done.returncode == 0, done.stderr
    record = read_record(record_path(root, ROWS))
    assert record["volatile"]["folder"] == (root.parent / ".snakemake/ldpt-folder").read_text()
    edit(root.parent / "scripts/count_rows.py", "policy,rows", "policy,lines")
    done = snakemake(root.parent, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "count_rows" in done.stdout + done.stderr
    flip(root / SHARD)
    for name in (ROWS, "figures/rows.png"):
        (root / name).unlink()
    done = snakemake(root.parent)
    said = done.stdout + done.stderr
    assert done.returncode == 1
    assert f"count_rows: out/{SHARD} differs from its record: delete it and run again" in said
    assert "rule draw_rows:" not in said.split("count_rows: ")[-1]
