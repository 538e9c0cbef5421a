"""The compact form of a run: what a fresh clone is traced and compared with."""

import json
import shutil
from pathlib import Path

import pytest

from ldpt import cli
from ldpt.provenance.audit import audit, render_audit
from ldpt.provenance.run import COMPACT, read_compact, read_run
from ldpt.provenance.trace import render_trace, trace
from tests.provenance.products import PRODUCTS, SHARD, flip, found


@pytest.fixture
def clone(root: Path) -> Path:
    """What git would have of the small run: figures and the compact form, no results."""
    shutil.rmtree(root / "results")
    (root / "README.md").write_text(f"The run has the hash {read_compact(root)['run']}.\n")
    return root


def test_the_compact_form_knows_what_the_records_know(root: Path) -> None:
    recorded = read_run(root)
    shutil.rmtree(root / "results")
    compact = read_run(root)
    assert compact.hash == recorded.hash
    assert sorted(compact.products) == sorted(PRODUCTS)
    for name in PRODUCTS:
        product = recorded.products[name]
        assert compact.products[name].record_hash == product.record_hash
        assert compact.products[name].settings == product.settings
        assert compact.products[name].inputs == product.inputs


def test_a_clone_traces_its_figures(clone: Path) -> None:
    traced = trace(clone / "figures/rows.png", clone)
    assert traced.preface == []
    assert SHARD in traced.products
    assert "seed = 7" in render_trace(traced, "full")


def test_the_audit_of_a_clone_compares_what_is_committed(clone: Path) -> None:
    report = audit(clone)
    assert report.intact, render_audit(report)
    assert set(report.products) == {"figures/rows.pdf", "figures/rows.png"}
    assert report.manifest_hash == read_compact(clone)["run"]
    flip(clone / "figures/rows.png")
    (clone / "figures/rows.pdf").unlink()
    wrong = {("changed", "figures/rows.png"), ("missing", "figures/rows.pdf")}
    assert found(audit(clone)) == wrong
    assert cli.main(["audit", "--root", str(clone)]) == 1


def test_a_readme_must_state_the_run_and_its_findings(clone: Path) -> None:
    (clone / "README.md").write_text("The run has the hash 0123.\n")
    (fault,) = audit(clone).faults
    assert fault.detail.startswith("does not state the hash of the run, ")


@pytest.mark.parametrize("text", ["", "{}", "[" * 100_000, '{"run": "0", "manifest": {}}'])
def test_a_changed_compact_form_is_one_line(clone: Path, text: str) -> None:
    (clone / COMPACT).write_text(text)
    with pytest.raises(ValueError, match=r"run.json does not hold a run, or was changed"):
        read_run(clone)


def test_a_forged_hash_in_the_compact_form_is_found(clone: Path) -> None:
    content = json.loads((clone / COMPACT).read_text())
    content["manifest"]["products"]["figures/rows.png"]["sha256"] = "0" * 64
    (clone / COMPACT).write_text(json.dumps(content))
    with pytest.raises(ValueError, match="was changed"):
        audit(clone)
