"""Tampering with any product of the real workflow, at smoke scale, is found and named."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldpt.provenance import record_path, record_text
from ldpt.provenance.audit import audit, render_audit
from ldpt.provenance.manifest import MANIFEST, read_manifest
from ldpt.provenance.plan import JobPlan, Project, plan_jobs
from tests.provenance.products import flip, found, swap

pytestmark = pytest.mark.workflow

ROOT = "results/smoke"
ORIGIN = {"files": ["config/smoke.yaml"], "overrides": {}}
QUIETLY = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def plan(smoke: Path) -> JobPlan:
    return plan_jobs(Project(smoke, smoke, smoke / ROOT), ORIGIN)


@pytest.fixture(scope="module")
def kinds(smoke: Path) -> dict[str, list[str]]:
    """Products by the rule that makes them: every kind of product has its own."""
    names: dict[str, list[str]] = {}
    for job in read_manifest(smoke / ROOT)["jobs"]:
        names.setdefault(job["rule"], []).extend(job["products"])
    return names


@pytest.fixture
def root(smoke: Path, tmp_path: Path) -> Path:
    """The smoke run in a copy of its project, to damage."""
    shutil.copytree(smoke, tmp_path / "project", ignore=shutil.ignore_patterns(".snakemake"))
    return tmp_path / "project" / ROOT


def test_audit_of_the_smoke_run_is_clean_and_replays_bit_for_bit(smoke: Path) -> None:
    report = audit(smoke / ROOT, replay=3, trust=True)
    assert report.intact, render_audit(report)
    assert len(report.replayed) >= 3
    assert all(status == "intact" for status in report.products.values())


@QUIETLY
@given(data=st.data())
def test_audit_finds_a_flipped_bit_in_a_product_of_any_rule(
    root: Path, plan: JobPlan, kinds: dict[str, list[str]], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(kinds[data.draw(st.sampled_from(sorted(kinds)))]))
    before = (root / name).read_bytes()
    flip(root / name, data.draw(st.integers(0, len(before) - 1)), data.draw(st.integers(0, 7)))
    try:
        assert ("changed", name) in found(audit(root, plan=plan, trust=True))
    finally:
        (root / name).write_bytes(before)


@QUIETLY
@given(data=st.data())
def test_audit_finds_a_forged_record_of_any_rule(
    root: Path, plan: JobPlan, kinds: dict[str, list[str]], data: st.DataObject
) -> None:
    """The forger rewrites one fact and the record's own hashes with it."""
    name = data.draw(st.sampled_from(kinds[data.draw(st.sampled_from(sorted(kinds)))]))
    path = record_path(root, name)
    before = path.read_text()
    record = json.loads(before)
    fact = data.draw(st.sampled_from(sorted(record["stable"].keys() - {"format", "product"})))
    path.write_text(record_text(record["stable"] | {fact: forged(record, fact)}, {}))
    try:
        assert ("record", name) in found(audit(root, plan=plan, trust=True))
    finally:
        path.write_text(before)


def forged(record: dict, fact: str) -> object:
    """Another value of the same kind."""
    value = record["stable"][fact]
    if isinstance(value, dict):
        return value | {"forged": "0" * 64}
    return value + 1 if isinstance(value, int) else f"{value}0"


@QUIETLY
@given(data=st.data())
def test_swapped_shards_are_found(
    root: Path, plan: JobPlan, kinds: dict[str, list[str]], data: st.DataObject
) -> None:
    rule = data.draw(st.sampled_from(["simulate_fixed_budget", "simulate_fixed_confidence"]))
    pair = data.draw(st.lists(st.sampled_from(kinds[rule]), min_size=2, max_size=2, unique=True))
    with_records = data.draw(st.booleans())
    files = [(root / pair[0], root / pair[1])]
    if with_records:
        files.append((record_path(root, pair[0]), record_path(root, pair[1])))
    for one, two in files:
        swap(one, two)
    try:
        kind = "record" if with_records else "changed"
        assert {(kind, name) for name in pair} <= found(audit(root, plan=plan, trust=True))
    finally:
        for one, two in files:
            swap(one, two)


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
