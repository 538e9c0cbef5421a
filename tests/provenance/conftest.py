"""A small finished run to damage, and the plan that an audit compares it with."""

from pathlib import Path

import pytest

from ldpt.provenance import audit
from ldpt.provenance.plan import JobPlan, Project, plan_jobs


@pytest.fixture(scope="module")
def small_plan(small_run: Path) -> JobPlan:
    return plan_jobs(Project(small_run, small_run, small_run / "out"), {})


@pytest.fixture
def plan(small_plan: JobPlan, monkeypatch: pytest.MonkeyPatch) -> JobPlan:
    """The plan of the small run; audits of the test take it instead of starting Snakemake."""
    monkeypatch.setattr(audit, "plan_jobs", lambda *_: small_plan)
    return small_plan


@pytest.fixture
def root(small_root: Path) -> Path:
    return small_root
