"""Kills, Ctrl-C, edits, a wrong clock, odd folders: nothing half-made or false passes for whole.

Disks and users are in ``tests/machine``.
"""

import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ldpt.provenance import read_record, record_path
from ldpt.provenance.audit import audit
from tests.conftest import ODD_NAME, PROJECT, environment, small_project, snakemake
from tests.provenance.products import ROWS, SHARD, hashes
from tests.provenance.test_environment import git

pytestmark = pytest.mark.workflow

DAY = 86_400  # seconds
MEMORY = 16 * 10**9  # bytes of address space; Snakemake and a job take four
MECHANISM = "results/tiny/results/simulations/mechanism.parquet"
TINY = ("--configfile", "tests/workflow/tiny.yaml")

# Every Python of a run loads this first: the fault comes with a file, not after a time.
FAULT_AT_A_FILE = """
import os, signal

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job inherits "ignore"
fault, when, file = os.environ["FAULT"].split()
replace = os.replace


def strike(now, target):
    if now != when or not str(target).endswith(file):
        return
    if fault == "edit":
        with open(target, "a") as product:
            product.write("edited\\n")
        return
    number, whom = fault.split(":")
    os.kill({"run": 0, "job": os.getpid()}[whom], int(number))
    while True:  # until the signal is here
        pass


def replace_with_faults(source, target):
    strike("before", target)
    replace(source, target)
    strike("after", target)


os.replace = replace_with_faults
"""
KILL_RUN, KILL_JOB = (f"{signal.SIGKILL:d}:{whom}" for whom in ("run", "job"))
INTERRUPT_RUN = f"{signal.SIGINT:d}:run"


def run_with(
    fault: str, instant: str, folder: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake with a fault at an instant: a signal to a job or to the run, or an edit."""
    hook = folder.parent / "hook"
    hook.mkdir(exist_ok=True)
    (hook / "sitecustomize.py").write_text(FAULT_AT_A_FILE)
    return subprocess.run(
        # A killed Snakemake leaves its lock behind; nobody else is in this folder.
        [sys.executable, "-m", "snakemake", "--cores", "2", "--nolock", *arguments],
        cwd=folder,
        env=environment() | {"PYTHONPATH": str(hook), "FAULT": f"{fault} {instant}"},
        start_new_session=True,
        capture_output=True,
        text=True,
    )


def failures(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the lines of a failed run about its failed jobs, without their logs."""
    assert done.returncode == 1, done.stderr[-4000:]
    assert "Traceback" not in done.stderr
    return [line for line in done.stderr.splitlines() if line.startswith("failed: ")]


def assert_recorded(root: Path, expected: dict[str, str]) -> None:
    """Require that every product is whole, recorded, and as in an undisturbed run."""
    for name, sha in hashes(root).items():
        record = read_record(record_path(root, name))["stable"]
        assert (record["product"], record["sha256"]) == (name, sha)
        assert expected[name] == sha


def assert_run_gives(expected: dict[str, str], folder: Path, *arguments: str) -> None:
    """Require the same products as in an undisturbed run from another run."""
    done = snakemake(folder, "--nolock", *arguments)
    assert done.returncode == 0, done.stderr[-4000:]
    assert hashes(folder / "out") == expected


INSTANTS = [
    # outputs are written, and none has its name
    ("results/instances.json", "before records/results/instances.json.json"),
    # the first of two outputs
    ("results/instances.json", "after out/results/instances.json"),
    # done, and Snakemake does not know; the job beside it dies wherever it is
    ("results/summaries/rows.csv", "after out/results/simulations/fixed_budget/two.parquet"),
    # the last file of the run
    ("paper/run.json", "after out/paper/run.json"),
]


def test_kills_at_every_step_of_a_job_end_in_the_same_bytes(
    small_run: Path, tmp_path: Path
) -> None:
    """What Snakemake finds after a kill; ``test_job`` has every step of publishing."""
    folder = small_project(tmp_path)
    expected = hashes(small_run / "out")
    for target, instant in INSTANTS:
        done = run_with(KILL_RUN, instant, folder, f"out/{target}")
        assert done.returncode == -signal.SIGKILL, (instant, done.stderr[-4000:])
        assert_recorded(folder / "out", expected)
    assert_run_gives(expected, folder)


@pytest.mark.runs
def test_ctrl_c_ends_in_one_line_and_without_a_failure(
    copy_project: Callable[[str], Path],
) -> None:
    folder = copy_project("interrupted")
    done = run_with(INTERRUPT_RUN, "before mechanism.parquet", folder, MECHANISM, *TINY)
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1] == "interrupted: run again to continue"
    assert "Traceback" not in done.stderr
    assert "failed" not in done.stderr
    assert not (folder / MECHANISM).exists()


@pytest.mark.runs
def test_a_job_without_memory_is_one_line_and_is_made_again(
    small_run: Path, tmp_path: Path
) -> None:
    """Killed, as the kernel kills where memory ends; then refused memory, as by ``ulimit -v``."""
    folder = small_project(tmp_path)
    target = f"out/{SHARD}"
    (line,) = failures(run_with(KILL_JOB, "before two.parquet", folder, target))
    assert line.startswith("failed: simulate_fixed_budget two: killed from outside by SIGKILL")
    assert line.endswith("run again with fewer --cores or more memory")
    assert not (folder / target).exists()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, before[1]))
    try:
        done = snakemake(folder, "--config", "replicates=100000000000", "--", target)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    (line,) = failures(done)
    advice = "run again with fewer --cores or more memory"
    assert line.startswith(f"failed: simulate_fixed_budget two: {advice} (MemoryError: Unable to")
    assert not (folder / target).exists()
    expected = {SHARD: hashes(small_run / "out")[SHARD]}
    assert_run_gives(expected, folder, target)


@pytest.mark.runs
def test_a_product_that_is_edited_during_a_run_is_named_and_nothing_is_made_of_it(
    small_run: Path, tmp_path: Path
) -> None:
    """Between two jobs; ``test_job`` has edits while a job reads."""
    folder = small_project(tmp_path)
    (line,) = failures(run_with("edit", f"after out/{ROWS}", folder))
    advice = f"out/{ROWS} differs from its record: delete it and run again"
    assert line == f"failed: draw_rows: ValueError: {advice}"
    assert not (folder / "out" / "figures" / "rows.png").exists()
    (folder / "out" / ROWS).unlink()
    expected = hashes(small_run / "out")
    assert_recorded(folder / "out", expected)
    assert_run_gives(expected, folder)


@pytest.mark.runs
def test_after_a_clock_is_set_back_nothing_is_made_until_it_is_right(
    small_run: Path, tmp_path: Path
) -> None:
    """All files then have times in the future, as they get here; the clock itself stays."""
    folder, expected = small_project(tmp_path), hashes(small_run / "out")
    assert snakemake(folder, f"out/{ROWS}").returncode == 0
    for path in folder.rglob("*"):
        os.utime(path, (path.stat().st_atime + DAY, path.stat().st_mtime + DAY))
    done = snakemake(folder)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "in the future" in line]
    assert line.startswith(f"out/{ROWS} has the date 20")
    subprocess.run(line.split("`")[1], shell=True, cwd=folder, check=True)
    assert_recorded(folder / "out", expected)
    assert_run_gives(expected, folder)


@pytest.mark.runs
def test_a_worktree_makes_the_same_bytes_and_names_its_commit(
    small_run: Path, tmp_path: Path
) -> None:
    home, folder = small_project(tmp_path), tmp_path / "work tree"
    (home / ".gitignore").write_text("/.snakemake/\n")
    git(home, "init", "-q")
    git(home, "add", "-A")
    git(home, "commit", "-qm", "all")
    git(home, "worktree", "add", "-q", "--detach", str(folder))
    assert_run_gives(hashes(small_run / "out"), folder)
    assert set(audit(folder / "out").products.values()) == {"intact"}
    volatile = read_record(record_path(folder / "out", ROWS))["volatile"]
    assert len(volatile["commit"]) == 40
    assert volatile["clean"]


def test_a_folder_may_have_any_name_without_braces(small_run: Path) -> None:
    """Quotes, wildcards, commands, a new line: no shell or pattern reads the name of the folder.

    The kill test compares the products with those of a run in a folder with a plain name.
    """
    assert small_run.parent.name == ODD_NAME
    assert set(audit(small_run / "out").products.values()) == {"intact"}
    assert not [*small_run.parents[1].rglob("x")]


def test_make_refuses_a_folder_with_a_brace_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "a{b"
    folder.mkdir()
    shutil.copy(PROJECT / "Makefile", folder)
    done = subprocess.run(["make", "smoke"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 2
    assert "has a brace" in done.stderr
    assert done.stderr.count("\n") == 1
