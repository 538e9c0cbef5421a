"""Kills, a full disk and a folder that cannot be written: nothing half-made passes for whole."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ldpt.provenance import file_hash, read_record, record_path
from tests.conftest import PROJECT, environment, snakemake

pytestmark = pytest.mark.workflow

KILLS = 6
ROOT = "results/tiny"
RUNS = f"{ROOT}/results/simulations"
# Every kind of file, on the shortest way: Parquet, JSON, CSV, captions, PNG and PDF.
TARGETS = [
    f"{RUNS}/mechanism.parquet",
    f"{ROOT}/results/instances.json",
    f"{ROOT}/figures/privacy_cost.png",
]
# A killed Snakemake leaves its lock behind; nobody else is in this folder.
ARGUMENTS = (*TARGETS, "--configfile", "tests/workflow/tiny.yaml", "--nolock")
KEPT_APART = ("logs", "benchmarks", "records")  # not products


def products(folder: Path) -> dict[str, str]:
    """The hash of every file that passes for a product, relative to the root."""
    root = folder / ROOT
    found = [path for path in root.rglob("*") if path.is_file() and path.name[0] != "."]
    names = [path.relative_to(root) for path in found]
    return {
        name.as_posix(): file_hash(root / name)
        for name in names
        if not (name.parts[0] == "results" and name.parts[1] in KEPT_APART)
    }


@pytest.fixture(scope="module")
def whole(copy_project: Callable[[str], Path]) -> tuple[Path, dict[str, str], float]:
    """A run that nothing disturbed: its folder, its products, and how long it took."""
    folder = copy_project("whole")
    started = time.monotonic()
    done = snakemake(folder, *ARGUMENTS)
    assert done.returncode == 0, done.stderr[-4000:]
    return folder, products(folder), time.monotonic() - started


def kill_within(running: subprocess.Popen[bytes], seconds: float) -> bool:
    """Kill it with all its jobs after this time; False when the run was over before."""
    try:
        running.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        return True
    return False


def start(folder: Path) -> subprocess.Popen[bytes]:
    """Start Snakemake in a new process group, to kill it with its jobs."""
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *ARGUMENTS]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(
        command, cwd=folder, env=environment(folder), start_new_session=True, **silent
    )


def test_kills_at_random_moments_end_in_the_same_bytes(
    copy_project: Callable[[str], Path], whole: tuple[Path, dict[str, str], float]
) -> None:
    _, expected, duration = whole
    folder = copy_project("killed")
    moments = random.Random(20)
    kills = 0
    while kills < KILLS:
        # Before a fifth of the time, Snakemake itself is still starting.
        fresh, started = not (folder / ROOT).exists(), time.monotonic()
        running = start(folder)
        if kill_within(running, moments.uniform(duration / 5, duration)):
            kills += 1
        elif products(folder) == expected:
            if fresh:  # the machine was busier when the first run was timed
                duration = time.monotonic() - started
            shutil.rmtree(folder / ROOT)  # finished too soon: begin again
        for name, sha in products(folder).items():
            record = read_record(record_path(folder / ROOT, name))["stable"]
            assert (record["product"], record["sha256"]) == (name, sha)
            assert expected[name] == sha
    done = snakemake(folder, *ARGUMENTS)
    assert done.returncode == 0, done.stderr[-4000:]
    assert products(folder) == expected


def test_ctrl_c_ends_with_status_130_and_without_a_failure(
    copy_project: Callable[[str], Path],
) -> None:
    folder = copy_project("interrupted")
    target, log = f"{ROOT}/results/evidence/tapes.csv", f"{ROOT}/results/logs/evidence_tapes.log"
    command = [sys.executable, "-m", "snakemake", "--cores", "2", target, *ARGUMENTS[-3:]]
    running = subprocess.Popen(
        command,
        cwd=folder,
        env=environment(folder),
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (folder / log).is_file():  # the job computes for many seconds after that
        with suppress(subprocess.TimeoutExpired):
            running.wait(0.1)
        assert running.poll() is None
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate()
    assert running.returncode == 130
    assert "interrupted: waiting for the running jobs; run again to continue" in said
    assert "failed" not in said
    assert not (folder / target).exists()


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
    """A small file system in memory on this folder; skips the test where that is not allowed."""
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


def test_snakemake_with_a_full_disk_ends_in_one_line(
    copy_project: Callable[[str], Path], whole: tuple[Path, dict[str, str], float]
) -> None:
    folder = copy_project("full")
    shutil.copytree(whole[0] / ROOT, folder / "made")
    with mounted(folder / ROOT, "size=400k"):
        # All but one simulation is there, and room for a part of it alone.
        shutil.copytree(folder / "made", folder / ROOT, dirs_exist_ok=True)
        (folder / TARGETS[0]).unlink()
        fill(folder / ROOT / "filler")
        done = snakemake(folder, TARGETS[0], *ARGUMENTS[-3:])
        assert done.returncode != 0
        told = lines_about(done, "No space left on device")
        assert [line for line in told if line.startswith("simulate_mechanism: ")]
        assert "Traceback" not in done.stderr
        assert not (folder / TARGETS[0]).exists()
        (folder / ROOT / "filler").unlink()
        again = snakemake(folder, TARGETS[0], *ARGUMENTS[-3:])
        assert again.returncode == 0, again.stderr[-4000:]
        assert file_hash(folder / TARGETS[0]) == file_hash(whole[0] / TARGETS[0])


def fill(path: Path) -> None:
    """Leave no free block."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 1024)
        except OSError:
            return


def test_snakemake_with_an_unwritable_folder_ends_in_one_line(
    copy_project: Callable[[str], Path],
) -> None:
    folder = copy_project("read-only")
    with mounted(folder / "results", "ro"):
        done = snakemake(folder, *ARGUMENTS)
    assert done.returncode != 0
    assert len(lines_about(done, f"cannot write to {ROOT}/results: Read-only file system")) == 1
    assert "Traceback" not in done.stderr
