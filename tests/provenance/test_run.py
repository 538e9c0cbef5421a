"""The manifest of a run: what a fresh clone is traced and compared with."""

import shutil
from pathlib import Path

import pytest

from ldpt import cli
from ldpt.provenance import file_hash
from ldpt.provenance.audit import audit, render_audit
from ldpt.provenance.manifest import MANIFEST, read_manifest, run_hash
from ldpt.provenance.records import transitive_closure
from ldpt.provenance.run import read_run
from ldpt.provenance.trace import render_trace, trace
from tests.provenance.products import PRODUCTS, SHARD, flip, found


@pytest.fixture
def clone(root: Path) -> Path:
    """What git would have of the small run: figures and the manifest, no results."""
    shutil.rmtree(root / "results")
    (root / "README.md").write_text(f"The run has the hash {run_hash(read_manifest(root))}.\n")
    return root


def test_the_manifest_knows_what_the_records_know(root: Path) -> None:
    recorded = read_run(root)
    assert not recorded.is_clone
    shutil.rmtree(root / "results")
    listed = read_run(root)
    assert listed.is_clone
    assert sorted(listed.records) == sorted(PRODUCTS)
    for name in PRODUCTS:
        one, other = listed.records[name], recorded.records[name]
        assert one["record_hash"] == other["record_hash"]
        for field in ("product", "sha256", "rule", "params", "wildcards", "inputs", "sources"):
            assert one["stable"][field] == other["stable"][field]


def test_a_clone_traces_its_figures(clone: Path) -> None:
    traced = trace(clone / "figures/rows.png", clone)
    assert traced.preface == []
    assert SHARD in traced.products
    assert "seed = 7" in render_trace(traced, "full")


def test_the_audit_of_a_clone_compares_what_is_committed(clone: Path) -> None:
    report = audit(clone)
    assert report.intact, render_audit(report)
    assert set(report.products) == {"figures/rows.pdf", "figures/rows.png"}
    assert report.hash == run_hash(read_manifest(clone))
    flip(clone / "figures/rows.png")
    (clone / "figures/rows.pdf").unlink()
    wrong = {("changed", "figures/rows.png"), ("missing", "figures/rows.pdf")}
    assert found(audit(clone)) == wrong
    assert cli.main(["audit", "--root", str(clone)]) == 1


def test_a_readme_must_state_the_run_that_is_in_git(clone: Path) -> None:
    (clone / "README.md").write_text("The run has the hash 0123.\n")
    (fault,) = audit(clone).faults
    assert fault.detail.startswith("does not state the hash of the run, ")


def test_a_changed_manifest_is_another_run_than_the_readme_states(clone: Path) -> None:
    text = (clone / MANIFEST).read_text()
    sha = file_hash(clone / "figures/rows.png")
    assert sha in text
    (clone / MANIFEST).write_text(text.replace(sha, "0" * 64))
    wrong = {("changed", "README.md"), ("changed", "figures/rows.png")}
    assert found(audit(clone)) == wrong


@pytest.mark.parametrize("text", ["", "{}", "[" * 100_000, '{"format": 2, "jobs": []}'])
def test_a_broken_manifest_is_one_line(clone: Path, text: str) -> None:
    (clone / MANIFEST).write_text(text)
    with pytest.raises(ValueError, match=r"run.json is not a manifest of format 2"):
        read_run(clone)


def test_reach_visits_every_name_once() -> None:
    graph = {"a": ["b", "c"], "b": ["d"], "c": ["d", "a"], "d": []}
    visited: list[str] = []

    def neighbours(name: str) -> list[str]:
        visited.append(name)
        return graph[name]

    assert sorted(transitive_closure(["a"], neighbours)) == sorted(visited) == list("abcd")
    assert transitive_closure([], neighbours) == []
