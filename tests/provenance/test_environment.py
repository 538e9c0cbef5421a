"""What a record says about memory, time, commit and machine of a job."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ldpt.provenance import environment
from ldpt.provenance.environment import volatile_facts
from ldpt.provenance.records import record_path

FACTS = """
import json, time
from pathlib import Path
from ldpt.provenance.environment import volatile_facts
sum(range(10**6))
print(json.dumps(volatile_facts(time.monotonic(), Path("."), Path("."))))
"""
LARGE = """
import subprocess, sys
large = bytearray(b"x") * 400_000_000
print(subprocess.run([sys.executable, "-c", sys.argv[1]], capture_output=True, text=True).stdout)
"""


@pytest.mark.skipif(not environment.STATUS.is_file(), reason="this system has no VmHWM")
def test_memory_is_that_of_the_job_and_not_of_its_parent(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LARGE, FACTS]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    facts = json.loads(done.stdout)
    assert 5 < facts["peak_memory_mb"] < 200
    assert 0 < facts["cpu_seconds"] < 60
    assert facts["environment"].keys() >= {"python", "system", "processor"}


def test_memory_is_left_out_where_the_system_does_not_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "STATUS", tmp_path / "nowhere")
    assert "peak_memory_mb" not in volatile_facts(time.monotonic(), tmp_path, tmp_path)


def test_a_clock_that_is_set_back_makes_no_time_negative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = time.monotonic()
    monkeypatch.setattr(time, "time", lambda: 86_400.0)
    facts = volatile_facts(began, tmp_path, tmp_path)
    assert 0 <= facts["wall_seconds"] < 86_400
    assert facts["started"].startswith("1970-01-01T23:")


def git(folder: Path, *words: str) -> None:
    ours = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(folder), *ours, *words], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a script and a committed figure."""
    folder = tmp_path / "a project"
    for name in ("scripts/draw.py", "figures/a.png"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("1")
    git(tmp_path, "init", "-q", str(folder))
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all")
    return folder


def state(project: Path, root: Path) -> tuple[bool, bool | None]:
    """Whether there is a commit, and whether the tree is clean."""
    facts = volatile_facts(time.monotonic(), project, root)
    return facts["commit"] is not None, facts["clean"]


@pytest.mark.parametrize("root", [".", "out", "a/b"])
def test_products_of_a_run_do_not_make_a_tree_unclean(
    project: Path, monkeypatch: pytest.MonkeyPatch, root: str
) -> None:
    monkeypatch.chdir(project)
    for name in ("figures/a.png", "paper/verdicts.md"):
        for path in (project / root / name, record_path(project / root, name)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("2")
    (project / root / "figures/.a.staged-0123456789abcdef.png").touch()
    assert state(project, Path(root)) == (True, True)
    (project / "scripts/draw.py").write_text("2")
    assert state(project, Path(root)) == (True, False)


def test_products_of_an_earlier_run_do_not_either(project: Path) -> None:
    """The products in git may come from a run with another root."""
    record = record_path(project, "figures/a.png")
    record.parent.mkdir(parents=True)
    record.write_text("{}")
    (project / "figures/a.png").write_text("2")
    assert state(project, project / "results/smoke") == (True, True)


def test_names_that_are_no_text_are_read(project: Path) -> None:
    os.close(os.open(os.fsencode(project) + b"/scripts/\xff.py", os.O_CREAT))
    assert state(project, project) == (True, False)


def test_an_untracked_source_makes_a_tree_unclean(project: Path) -> None:
    (project / "scripts/new.py").touch()
    assert state(project, project) == (True, False)


def test_a_worktree_is_a_project(project: Path, tmp_path: Path) -> None:
    git(project, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert state(tmp_path / "tree", tmp_path / "tree") == (True, True)


def test_a_project_inside_another_repository_has_no_commit(project: Path) -> None:
    (project / ".gitignore").write_text("inner\n")
    (project / "inner").mkdir()
    assert state(project / "inner", project / "inner") == (False, None)


def test_without_git_there_is_no_commit(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert state(project, project) == (False, None)
