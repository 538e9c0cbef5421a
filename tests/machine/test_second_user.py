"""A second user, who may read the first one's folder and not write to it: a result or one line."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import PROJECT, environment
from tests.engines.test_jit import SMALL
from tests.provenance.products import hashes
from tests.provenance.test_environment import git

pytestmark = pytest.mark.machine

USER = 54_321  # without a name, as in many containers
Run = Callable[..., subprocess.CompletedProcess[str]]


def closed_folder(path: Path) -> Path | None:
    """Return the first folder on the way to a path that others may not enter."""
    return next((p for p in [*reversed(path.parents), path] if not p.stat().st_mode & 1), None)


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that everybody may enter; those of pytest belong to one user alone."""
    with tempfile.TemporaryDirectory(prefix="ldpt-machine-") as name:
        os.chmod(name, 0o755)
        yield Path(name)


def script(stage: Path) -> str:
    """Return a shell script that runs its arguments as the second user.

    Folders that only root may enter, such as a home with a Python, are covered in the script's
    mount namespace, and what the command needs of them is put back.
    """
    folders = (Path(sys.base_prefix), Path(sys.prefix), PROJECT)
    needed = {folder.resolve() for folder in folders if closed_folder(folder.resolve())}
    places = [(path, stage / str(number)) for number, path in enumerate(sorted(needed))]
    lines = ["set -e"]
    lines += [f"mkdir -p '{place}' && mount --rbind '{path}' '{place}'" for path, place in places]
    for closed in sorted({str(closed_folder(path)) for path in needed}):
        lines.append(f"mount -t tmpfs -o mode=755 tmpfs '{closed}'")
    lines += [f"mkdir -p '{path}' && mount --move '{place}' '{path}'" for path, place in places]
    lines.append(f'exec setpriv --reuid {USER} --regid {USER} --clear-groups -- "$@"')
    return "\n".join(lines)


@pytest.fixture
def home(shared: Path) -> Path:
    """The folder of the second user."""
    folder = shared / "home"
    folder.mkdir()
    os.chown(folder, USER, USER)
    return folder


@pytest.fixture
def as_user(shared: Path, home: Path) -> Run:
    """Runs a command as the second user."""
    program = script(shared / "stage")

    def run(folder: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        left_out = {"NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "TMPDIR"}
        env = {k: v for k, v in environment().items() if k not in left_out}
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", program, "sh", *command],
            cwd=folder,
            env=env | {"HOME": str(home)} | variables,
            capture_output=True,
            text=True,
        )

    return run


@pytest.fixture
def project(small_run: Path, shared: Path) -> Path:
    """The first user's project in git, after its run."""
    folder = shared / "project"
    shutil.copytree(small_run, folder)
    git(folder, "init", "-q")
    git(folder, "add", "out")
    git(folder, "commit", "-qm", "all")
    return folder


def contents(folder: Path) -> dict[str, float]:
    """Return all files below a folder with their time stamps."""
    return {str(path): path.stat().st_mtime for path in folder.rglob("*")}


def only_line(done: subprocess.CompletedProcess[str], status: int = 2) -> str:
    """Return the one line that a refused command says."""
    assert done.returncode == status, done
    (line,) = (done.stdout + done.stderr).splitlines()
    return line


def test_another_user_reads_a_run(as_user: Run, project: Path) -> None:
    root = project / "out"
    for words in (["audit"], ["trace", "rows.png"], ["compare", ".", "."]):
        done = as_user(root, "ldpt", *words)
        assert (done.returncode, done.stderr) == (0, ""), done
    line = only_line(as_user(root, "ldpt", "compare"))
    assert line.endswith("belongs to another user: copy it, or see safe.directory in git's manual")


def test_another_user_audits_the_project_of_this_package(as_user: Run) -> None:
    """As far as git lets him; ``test_audit`` leaves out the DAG where Snakemake cannot write."""
    done = as_user(PROJECT, "ldpt", "audit")
    assert done.stderr == ""
    assert "no DAG" not in done.stdout
    assert "belongs to another user: copy it" in done.stdout
    assert done.returncode == (0 if "all intact" in done.stdout else 1)


@pytest.mark.parametrize("name", ["", "someone"])
def test_another_user_runs_a_copy_and_not_the_original(
    as_user: Run, project: Path, home: Path, small_run: Path, name: str
) -> None:
    """A user without a name, as in many containers, is told to choose one."""
    before = contents(project)
    snakemake = (sys.executable, "-m", "snakemake", "--cores", "2")
    done = as_user(project, *snakemake, USER=name)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    said = done.stderr.splitlines()[-1]
    if not name:
        assert said == "this user has no name, which Snakemake asks for: set USER and run again"
        return
    assert said.endswith("copy the project to a folder that can be written")
    assert contents(project) == before
    copied = home / "project"
    # What Snakemake keeps in .snakemake is for its owner alone.
    assert as_user(home, "sh", "-c", f"mkdir project; cp -r {project}/* project").returncode == 0
    shutil.rmtree(copied / "out")
    done = as_user(copied, *snakemake, USER=name)
    assert done.returncode == 0, done
    assert hashes(copied / "out") == hashes(small_run / "out")


def test_another_user_analyses(as_user: Run, shared: Path) -> None:
    answers = shared / "answers.csv"
    answers.write_text("arm,responses,ones\nq,900,700\n")
    analyse = ["ldpt", "analyse", "answers.csv", "--epsilon", "1", "--threshold", "0.5"]
    done = as_user(shared, *analyse)
    assert (done.returncode, done.stderr) == (0, ""), done
    assert "above" in done.stdout
    answers.chmod(0o600)
    assert only_line(as_user(shared, *analyse)) == "ldpt analyse: 'answers.csv': permission denied"
    simulate = ["ldpt", "simulate", "--means", "0.2", "--epsilon", "1", "--delta", "0.1"]
    line = only_line(as_user(shared, *simulate, "--output", "runs.csv"))
    assert line.endswith("--output: runs.csv: the folder . cannot be written")
    assert not (shared / "runs.csv").exists()


def test_another_user_has_a_cache_of_compiled_code(as_user: Run, home: Path) -> None:
    call = [sys.executable, "-c", SMALL.format(before="")]
    run = as_user(home, *call)
    assert (run.stdout, run.stderr) == ("10\n", "")
    assert [*home.rglob("*index_bits*.nbi")]
    run = as_user(home, *call, HOME="/nowhere")
    assert run.stdout == "10\n"
    assert run.stderr.count("set NUMBA_CACHE_DIR to a writable folder") == 1
