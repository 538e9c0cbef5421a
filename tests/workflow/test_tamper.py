"""Tampering with any product of the real workflow, at smoke scale, is found and named."""

import shutil
from pathlib import Path

import pytest

from ldpt.provenance import read_record, record_path
from ldpt.provenance.audit import audit, render_audit
from ldpt.provenance.dag import JobPlan, Project, plan_jobs
from ldpt.provenance.manifest import MANIFEST, listed_records, read_manifest
from ldpt.provenance.records import record_text
from tests.provenance.products import flip, found

pytestmark = pytest.mark.workflow

ROOT = "results/smoke"
ORIGIN = {"files": ["config/smoke.yaml"], "overrides": {}}


@pytest.fixture(scope="module")
def plan(smoke: Path) -> JobPlan:
    return plan_jobs(Project(smoke, smoke, smoke / ROOT), ORIGIN)


@pytest.fixture
def root(smoke: Path, tmp_path: Path) -> Path:
    """The smoke run in a copy of its project, to damage."""
    shutil.copytree(smoke, tmp_path / "project", ignore=shutil.ignore_patterns(".snakemake"))
    return tmp_path / "project" / ROOT


def test_audit_of_the_smoke_run_is_clean_and_replays_a_job(smoke: Path, plan: JobPlan) -> None:
    """``test_determinism`` makes the jobs again."""
    report = audit(smoke / ROOT, replay=1, plan=plan, trust=True)
    assert report.intact, render_audit(report)
    assert report.replayed
    assert all(status == "intact" for status in report.products.values())


def test_audit_finds_a_flipped_bit_in_every_product(root: Path, plan: JobPlan) -> None:
    products = listed_records(read_manifest(root))
    assert len(products) > 50
    for place, name in enumerate(products):
        flip(root / name, place=997 * place, bit=place % 8)
    assert found(audit(root, plan=plan, trust=True)) >= {("changed", name) for name in products}


def test_audit_finds_a_forged_record_of_every_product(root: Path, plan: JobPlan) -> None:
    """The forger rewrites one fact of each, in turn, and the record's own hashes with it."""
    products = listed_records(read_manifest(root))
    for number, name in enumerate(products):
        path = record_path(root, name)
        stable = read_record(path)["stable"]
        facts = sorted(stable.keys() - {"format", "product"})
        fact = facts[number % len(facts)]
        path.write_text(record_text(stable | {fact: forged(stable[fact])}, {}))
    assert found(audit(root, plan=plan, trust=True)) >= {("record", name) for name in products}


def forged(value: object) -> object:
    """Return another value of the same kind."""
    if isinstance(value, dict):
        return value | {"forged": "0" * 64}
    return value + 1 if isinstance(value, int) else f"{value}0"


def test_audit_names_an_edited_config(root: Path) -> None:
    path = root.parents[1] / "config" / "smoke.yaml"
    path.write_text(path.read_text().replace("replicates: 400", "replicates: 401"))
    report = audit(root, trust=True)
    stale = {fault.what: fault for fault in report.faults}
    assert "config.fixed_budget.replicates was 400, is 401" in stale[MANIFEST].detail
    figures = {name for fault in report.faults for name in fault.figures}
    assert "fixed_budget_error" in figures
    assert "privacy_cost" not in figures


def test_audit_follows_a_damaged_simulation_to_its_figures(root: Path, plan: JobPlan) -> None:
    name = "results/simulations/fixed_budget/three-groups.parquet"
    flip(root / name)
    (fault,) = audit(root, plan=plan, trust=True).faults
    assert (fault.kind, fault.what) == ("changed", name)
    assert "fixed_budget_error" in fault.figures
    assert "privacy_cost" not in fault.figures
