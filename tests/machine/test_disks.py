"""Full disks and read-only folders: one line, nothing half-made, and later the same bytes."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ldpt import cli
from ldpt.learners import FixedBudget
from ldpt.study import Study
from tests.conftest import environment, small_project, snakemake
from tests.engines.test_jit import count_bits
from tests.provenance.products import CONFIDENCE, hashes

pytestmark = pytest.mark.machine

RULE = "simulate_fixed_confidence"
COPY = ": copy the project to a folder that can be written"


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """Mount a small file system in memory."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(folder)]
    subprocess.run(command, check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(path: Path) -> None:
    """Leave no free block."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 1024)
        except OSError:
            return


def lines_of(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return what a failed command says."""
    assert done.returncode != 0
    lines = (done.stdout + done.stderr).strip().splitlines()
    lines = [line for line in lines if not line.startswith(("Using profiles", "1 job of"))]
    assert not [line for line in lines if "Traceback" in line], lines
    return lines


def test_a_full_disk_for_results_ends_in_one_line(small_run: Path, tmp_path: Path) -> None:
    folder, target = small_project(tmp_path), f"out/{CONFIDENCE}"
    with mounted(folder / "out", "size=400k"):
        for place in ("simulations", "logs"):  # else Snakemake fails to make them
            (folder / "out" / "results" / place / "fixed_confidence").mkdir(parents=True)
        fill(folder / "out" / "filler")
        lines = lines_of(snakemake(folder, target))
        complaints = [line for line in lines if "No space left on device" in line]
        assert [line for line in complaints if line.startswith(f"{RULE}: ")]
        assert f"failed: {RULE} two: no space left on the disk" in lines
        assert not (folder / target).exists()
        (folder / "out" / "filler").unlink()
        assert snakemake(folder, target).returncode == 0
        assert hashes(folder / "out") == {CONFIDENCE: hashes(small_run / "out")[CONFIDENCE]}


@pytest.mark.parametrize("place", ["TMPDIR", "XDG_CACHE_HOME", ".snakemake"])
def test_a_full_disk_for_what_snakemake_keeps_is_no_trouble_or_one_line(
    small_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Python takes another folder for temporary files where TMPDIR is full."""
    folder, target = small_project(tmp_path), f"out/{CONFIDENCE}"
    disk = folder / ".snakemake" if place == ".snakemake" else tmp_path / "disk"
    monkeypatch.setenv(place, str(disk))
    expected = {CONFIDENCE: hashes(small_run / "out")[CONFIDENCE]}
    with mounted(disk, "size=400k"):
        fill(disk / "filler")
        done = snakemake(folder, target)
        if place == "TMPDIR":
            assert done.returncode == 0, done
        else:
            assert lines_of(done) == [
                "No space left on device: free some for this folder, TMPDIR and XDG_CACHE_HOME"
            ]
            assert hashes(folder / "out") == {}
        (disk / "filler").unlink()
        assert snakemake(folder, target).returncode == 0
    assert hashes(folder / "out") == expected


def test_a_full_disk_for_compiled_code_is_one_warning(tmp_path: Path) -> None:
    """``test_jit`` raises the error where nobody may mount a disk."""
    with mounted(tmp_path / "cache", "size=100k"):
        count_bits(tmp_path / "cache")
        (file,) = (tmp_path / "cache").rglob("*index_bits*.nbi")
        for kept in file.parent.glob("*index_bits*"):
            kept.unlink()
        fill(tmp_path / "cache" / "filler")
        run = count_bits(tmp_path / "cache")
        assert run.stdout == "10\n"
        assert run.stderr.count("No space left on device; set NUMBA_CACHE_DIR") == 1
        assert not [*(tmp_path / "cache").rglob("*index_bits*")]
        (tmp_path / "cache" / "filler").unlink()
        run = count_bits(tmp_path / "cache")
        assert (run.stdout, run.stderr) == ("10\n", "")
        assert len([*(tmp_path / "cache").rglob("*index_bits*.nb?")]) == 2


def test_a_full_disk_for_a_study_keeps_what_was_saved(tmp_path: Path) -> None:
    file = tmp_path / "disk" / "study.json"
    study = Study(FixedBudget(2, 0.5, 0.0, 1.0, budget=10_000))
    with mounted(file.parent, "size=400k"):
        study.save(file)
        before = file.read_bytes()
        fill(file.with_name("filler"))
        study.ask(5000)
        with pytest.raises(OSError, match="No space left"):
            study.save(file)
        assert file.read_bytes() == before
        assert {path.name for path in file.parent.iterdir()} == {"study.json", "filler"}
        file.with_name("filler").unlink()
        study.save(file)
        assert Study.open(file).counts["asked"] == 5000


def test_a_full_disk_for_runs_ends_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "disk" / "runs.csv"
    words = ["simulate", "--means", "0.2", "--epsilon", "1", "--budget", "10", "--output"]
    with mounted(file.parent, "size=400k"):
        fill(file.with_name("filler"))
        assert cli.main([*words, str(file)]) == 2
        line = "ldpt simulate: no space left on the disk: free some and run again\n"
        assert capsys.readouterr() == ("", line)
        assert [path.name for path in file.parent.iterdir()] == ["filler"]
        file.with_name("filler").unlink()
        assert cli.main([*words, str(file)]) == 0
        assert cli.main([*words, str(tmp_path / "runs.csv")]) == 0
        assert file.read_bytes() == (tmp_path / "runs.csv").read_bytes()


def test_a_read_only_folder_for_results_ends_in_one_line(small_run: Path, tmp_path: Path) -> None:
    folder, target = small_project(tmp_path), f"out/{CONFIDENCE}"
    with mounted(folder / "out", "ro"):
        assert lines_of(snakemake(folder, target)) == [
            f"Read-only file system: 'out/results'{COPY}"
        ]
    assert snakemake(folder, target).returncode == 0
    assert hashes(folder / "out") == {CONFIDENCE: hashes(small_run / "out")[CONFIDENCE]}


def test_a_read_only_project_ends_in_one_line(tmp_path: Path) -> None:
    folder = small_project(tmp_path)
    mount = f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder} && cd {folder}"
    command = f"{mount} && {sys.executable} -m snakemake --cores 1"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", command],
        env=environment(),
        capture_output=True,
        text=True,
    )
    *first, last = lines_of(done)  # the first is Snakemake's own
    assert len(first) <= 1
    assert last.startswith("Read-only file system: ")
    assert last.endswith(COPY)
