"""A small finished run to damage, and the plan that an audit compares it with."""

from pathlib import Path

import pytest

from ldpt.provenance.dag import JobPlan, Project, plan_jobs


@pytest.fixture(scope="session")
def plan(small_run: Path) -> JobPlan:
    return plan_jobs(Project(small_run, small_run, small_run / "out"), {})


@pytest.fixture
def root(small_root: Path) -> Path:
    return small_root
