"""A small finished run to damage, and the plan that an audit compares it with."""

from pathlib import Path

import pytest

from ldpt.provenance import audit, dag
from ldpt.provenance.dag import JobPlan, Project, plan_jobs


@pytest.fixture(scope="session")
def plan(small_run: Path) -> JobPlan:
    return plan_jobs(Project(small_run, small_run, small_run / "out"), {})


@pytest.fixture
def root(small_root: Path) -> Path:
    """A run in somebody else's project."""
    return small_root


@pytest.fixture
def own(small_root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run in the project that the running package belongs to."""
    for module in (audit, dag):
        monkeypatch.setattr(module, "own_project", lambda: small_root.parent)
    return small_root


@pytest.fixture
def planned(own: Path, plan: JobPlan, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, with the DAG of the present config and code, which is made once."""
    monkeypatch.setattr(audit, "plan_jobs", lambda project, origin: plan)
    return own
