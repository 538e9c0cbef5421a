"""Kills, Ctrl-C, a full disk and a read-only folder: nothing half-made passes for whole."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ldpt.provenance import file_hash, read_record, record_path
from ldpt.provenance.audit import audit
from tests.conftest import PROJECT, environment, small_project, snakemake
from tests.provenance.products import PRODUCTS

pytestmark = pytest.mark.workflow

NOT_PRODUCTS = ("logs", "records")
MECHANISM = "results/tiny/results/simulations/mechanism.parquet"
TINY = ("--configfile", "tests/workflow/tiny.yaml")

# Every Python of a run loads this first: the signal comes with a file, not after a time.
SIGNAL_AT_A_FILE = """
import os, signal

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job inherits "ignore"
number, when, file = os.environ["SIGNAL"].split()
replace = os.replace


def send(now, target):
    if now == when and str(target).endswith(file):
        os.killpg(0, int(number))
        while True:  # until the signal is here
            pass


def replace_with_signals(source, target):
    send("before", target)
    replace(source, target)
    send("after", target)


os.replace = replace_with_signals
"""


def run_until(
    folder: Path, number: signal.Signals, instant: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake until an instant at which a job sends a signal to all processes of the run."""
    hook = folder.parent / "hook"
    hook.mkdir(exist_ok=True)
    (hook / "sitecustomize.py").write_text(SIGNAL_AT_A_FILE)
    return subprocess.run(
        # A killed Snakemake leaves its lock behind; nobody else is in this folder.
        [sys.executable, "-m", "snakemake", "--cores", "2", "--nolock", *arguments],
        cwd=folder,
        env=environment() | {"PYTHONPATH": str(hook), "SIGNAL": f"{number:d} {instant}"},
        start_new_session=True,
        capture_output=True,
        text=True,
    )


def products(root: Path) -> dict[str, str]:
    """Return the hash of every file that passes for a product."""
    files = [path for path in root.rglob("*") if path.is_file() and path.name[0] != "."]
    names = [path.relative_to(root) for path in files]
    return {
        name.as_posix(): file_hash(root / name)
        for name in names
        if not (name.parts[0] == "results" and name.parts[1] in NOT_PRODUCTS)
    }


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
    expected, root = products(small_run / "out"), folder / "out"
    for target, instant in INSTANTS:
        done = run_until(folder, signal.SIGKILL, instant, f"out/{target}")
        assert done.returncode == -signal.SIGKILL, (instant, done.stderr[-4000:])
        for name, sha in products(root).items():
            record = read_record(record_path(root, name))["stable"]
            assert (record["product"], record["sha256"]) == (name, sha)
            assert expected[name] == sha
    done = snakemake(folder, "--nolock")
    assert done.returncode == 0, done.stderr[-4000:]
    assert products(root) == expected


@pytest.mark.runs
def test_ctrl_c_ends_in_one_line_and_without_a_failure(
    copy_project: Callable[[str], Path],
) -> None:
    folder = copy_project("interrupted")
    done = run_until(folder, signal.SIGINT, "before mechanism.parquet", MECHANISM, *TINY)
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1] == "interrupted: run again to continue"
    assert "Traceback" not in done.stderr
    assert "failed" not in done.stderr
    assert not (folder / MECHANISM).exists()


@pytest.mark.parametrize("name", ['it\'s "100 %" $(touch x)', "[a]* ?\n; `touch x` ☃"])
def test_a_folder_may_have_any_name_without_braces(
    small_run: Path, tmp_path: Path, name: str
) -> None:
    folder = small_project(tmp_path / name)
    done = snakemake(folder)
    assert done.returncode == 0, done.stderr[-4000:]
    assert set(audit(folder / "out").products.values()) == {"intact"}
    for product in PRODUCTS:
        assert file_hash(folder / "out" / product) == file_hash(small_run / "out" / product)
    assert not [*tmp_path.rglob("x")]


def test_make_refuses_a_folder_with_a_brace_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "a{b"
    folder.mkdir()
    shutil.copy(PROJECT / "Makefile", folder)
    done = subprocess.run(["make", "smoke"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 2
    assert "has a brace" in done.stderr
    assert done.stderr.count("\n") == 1


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """Mount a small file system in memory; skip the test where that is not allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("mounting a file system is not permitted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def lines_about(done: subprocess.CompletedProcess[str], words: str) -> list[str]:
    return [line for line in done.stderr.splitlines() if words in line]


def test_snakemake_with_a_full_disk_ends_in_one_line(small_run: Path, tmp_path: Path) -> None:
    folder, target = small_project(tmp_path), "out/results/simulations/fixed_confidence/two.parquet"
    with mounted(folder / "out", "size=400k"):
        for place in ("simulations", "logs"):  # else Snakemake fails to make them
            (folder / "out" / "results" / place / "fixed_confidence").mkdir(parents=True)
        fill(folder / "out" / "filler")
        done = snakemake(folder, target)
        assert done.returncode != 0
        complaints = lines_about(done, "No space left on device")
        assert [line for line in complaints if line.startswith("simulate_fixed_confidence: ")]
        assert "failed: simulate_fixed_confidence two: no space left on the disk" in done.stderr
        assert "Traceback" not in done.stderr
        assert not (folder / target).exists()
        (folder / "out" / "filler").unlink()
        again = snakemake(folder, target)
        assert again.returncode == 0, again.stderr[-4000:]
        assert file_hash(folder / target) == file_hash(small_run / target)


def fill(path: Path) -> None:
    """Leave no free block."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 1024)
        except OSError:
            return


@pytest.mark.runs
def test_snakemake_with_an_unwritable_folder_ends_in_one_line(
    copy_project: Callable[[str], Path],
) -> None:
    folder = copy_project("read-only")
    with mounted(folder / "results", "ro"):
        done = snakemake(folder, MECHANISM, *TINY)
    assert done.returncode != 0
    assert lines_about(done, "Read-only file system") == ["Read-only file system: 'results/tiny'"]
    assert "Traceback" not in done.stderr
