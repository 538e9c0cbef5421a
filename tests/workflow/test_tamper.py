"""Tampering with any product of the real workflow, at smoke scale, is found and named."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ldpt import cli
from ldpt.provenance import audit as audits
from ldpt.provenance import dag, read_record, record_path
from ldpt.provenance.audit import audit
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


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Makes a copy of the project the one that the running package belongs to."""

    def make(project: Path) -> None:
        for module in (audits, dag):
            monkeypatch.setattr(module, "own_project", lambda: project)

    return make


@pytest.fixture
def planned(
    root: Path, plan: JobPlan, own: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The copy to damage, as our own project, with the DAG of the undamaged one."""
    own(root.parents[1])
    monkeypatch.setattr(audits, "plan_jobs", lambda project, origin: plan)
    return root


def test_audit_of_the_smoke_run_is_clean_and_replays_a_job(
    planned: Path, capsys: pytest.CaptureFixture
) -> None:
    """``test_determinism`` makes the jobs again."""
    assert cli.main(["audit", "--root", str(planned), "--replay", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["replayed"]
    assert set(report["products"].values()) == {"intact"}


def test_audit_finds_a_flipped_bit_in_every_product(planned: Path) -> None:
    root = planned
    products = listed_records(read_manifest(root))
    assert len(products) > 50
    for place, name in enumerate(products):
        flip(root / name, place=997 * place, bit=place % 8)
    assert found(audit(root)) >= {("changed", name) for name in products}


def test_audit_finds_a_forged_record_of_every_product(planned: Path) -> None:
    root = planned
    """The forger rewrites one fact of each, in turn, and the record's own hashes with it."""
    products = listed_records(read_manifest(root))
    for number, name in enumerate(products):
        path = record_path(root, name)
        stable = read_record(path)["stable"]
        facts = sorted(stable.keys() - {"format", "product"})
        fact = facts[number % len(facts)]
        path.write_text(record_text(stable | {fact: forged(stable[fact])}, {}))
    assert found(audit(root)) >= {("record", name) for name in products}


def forged(value: object) -> object:
    """Return another value of the same kind."""
    if isinstance(value, dict):
        return value | {"forged": "0" * 64}
    return value + 1 if isinstance(value, int) else f"{value}0"


def test_audit_names_an_edited_config(root: Path, own: Callable[[Path], None]) -> None:
    own(root.parents[1])
    path = root.parents[1] / "config" / "smoke.yaml"
    path.write_text(path.read_text().replace("replicates: 400", "replicates: 401"))
    report = audit(root)
    details = [fault.detail for fault in report.faults if MANIFEST in fault.products]
    assert "config.fixed_budget.replicates was 400, is 401" in details
    figures = {name for fault in report.faults for name in fault.figures}
    assert "fixed_budget_error" in figures
    assert "privacy_cost" not in figures


def test_audit_follows_a_damaged_simulation_to_its_figures(planned: Path) -> None:
    root = planned
    name = "results/simulations/fixed_budget/three-groups.parquet"
    flip(root / name)
    (fault,) = audit(root).faults
    assert (fault.kind, fault.products) == ("changed", (name,))
    assert "fixed_budget_error" in fault.figures
    assert "privacy_cost" not in fault.figures
