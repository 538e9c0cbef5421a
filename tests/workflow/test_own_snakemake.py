"""Snakemake from another environment: alone, as in the catalogue of workflows, or with packages."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.conftest import PROJECT

pytestmark = pytest.mark.runs

MECHANISM = "results/tiny/results/summaries/mechanism.csv"
TINY = ("--configfile", "tests/workflow/tiny.yaml")
OURS = ("ldpt", "snakemake_logger_plugin_ldpt", "snakemake_executor_plugin_ldpt_plan")


def needed(names: Iterable[str]) -> set[str]:
    """Return packages and all that they need, without extras."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            requires = distribution(name).requires or []
        except PackageNotFoundError:  # of another platform
            continue
        found.add(name)
        requirements = map(Requirement, requires)
        waiting += [
            r.name for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})
        ]
    return found


def place_packages(folder: Path, names: Iterable[str]) -> Path:
    """Make a folder in which Python finds these packages and no others."""
    folder.mkdir()
    for name in names:
        for file in distribution(name).files or []:
            top = file.parts[0]
            if top != ".." and not (folder / top).is_symlink():
                (folder / top).symlink_to(Path(str(distribution(name).locate_file(top))))
    return folder


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Snakemake and what it needs."""
    return place_packages(tmp_path_factory.mktemp("alone") / "packages", needed(["snakemake"]))


@pytest.fixture(scope="module")
def with_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Snakemake and the packages of the workflow, without this project."""
    project = [Requirement(text).name for text in distribution("ldpt").requires or []]
    names = needed(["snakemake", *project]) - {"ldpt"}
    return place_packages(tmp_path_factory.mktemp("with") / "packages", names)


def snakemake(packages: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Snakemake with the packages of a folder only, and without a profile of the user."""
    left_out = ("PYTHONPATH", "SNAKEMAKE_PROFILE")
    variables = {k: v for k, v in os.environ.items() if k not in left_out}
    return subprocess.run(
        [sys.executable, "-S", "-m", "snakemake", *arguments],
        cwd=folder,
        env=variables | {"PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
    )


def test_the_catalogue_lints_and_draws_the_graph_with_snakemake_alone(alone: Path) -> None:
    where = ("--snakefile", "workflow/Snakefile", "--directory", ".test")
    lint = snakemake(alone, PROJECT, "--lint", *where)
    assert lint.returncode == 0, lint.stderr[-4000:]
    assert "Congratulations" in lint.stdout + lint.stderr
    graph = snakemake(alone, PROJECT, "--forceall", *where, "--cores", "1", "--rulegraph")
    assert graph.returncode == 0, graph.stderr[-4000:]
    assert 'label = "article"' in graph.stdout
    assert graph.stdout.count("->") > 100


def test_missing_packages_are_named_before_any_job(
    alone: Path, copy_project: Callable[[str], Path]
) -> None:
    folder = copy_project("alone")
    done = snakemake(alone, folder, "--cores", "1", MECHANISM, *TINY)
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if "run `make .venv/ready`" in line]
    assert "Traceback" not in done.stderr
    assert not (folder / "results").exists()


def test_an_own_snakemake_with_the_packages_runs_a_clone(
    with_packages: Path, copy_project: Callable[[str], Path]
) -> None:
    folder = copy_project("own")
    done = snakemake(with_packages, folder, "--cores", "1", MECHANISM, *TINY)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "Finished jobid: 0" in done.stderr, "Snakemake's own messages"
    assert (folder / MECHANISM).is_file()


def test_a_batch_system_needs_only_a_command_that_submits(
    copy_project: Callable[[str], Path],
) -> None:
    folder = copy_project("generic")
    command = [sys.executable, "-m", "snakemake", "--workflow-profile", "profiles/generic"]
    command += ["--cluster-generic-submit-cmd", "bash", *TINY, "--", MECHANISM]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    assert (folder / MECHANISM).is_file()


def test_an_activated_environment_selects_our_messages() -> None:
    script = (
        '. .venv/bin/activate; echo "$SNAKEMAKE_PROFILE"; deactivate; echo "$SNAKEMAKE_PROFILE"'
    )
    variables = {k: v for k, v in os.environ.items() if k != "SNAKEMAKE_PROFILE"}
    done = subprocess.run(
        ["bash", "-c", script], cwd=PROJECT, env=variables, capture_output=True, text=True
    )
    profile, after = done.stdout.split("\n")[:2]
    assert after == ""
    assert "logger: ldpt" in (Path(profile) / "config.yaml").read_text()
