"""The archive of `make summaries`: small, the same for equal runs, and enough to draw figures."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ldpt.provenance.records import read_record, record_path, record_text
from tests.conftest import PROJECT, snakemake
from tests.workflow.test_second_runs import pending

pytestmark = pytest.mark.runs

ROOT = Path("results/smoke")
SMOKE = ("--configfile", "config/smoke.yaml")
# The rules that read tables only: all figures, explorer and notebook.
READERS = {path.stem for path in (PROJECT / "workflow" / "captions").glob("*.rst")}
READERS -= {"claims", "workflow"}


def pack(root: Path) -> Path:
    """Return the archive of a finished run."""
    command = [sys.executable, PROJECT / "tools" / "summaries.py", root]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return root / "results" / "summaries.tar.gz"


@pytest.fixture
def root(smoke: Path, tmp_path: Path) -> Path:
    """A copy of the products of the smoke run."""
    return shutil.copytree(smoke / ROOT, tmp_path / "smoke")


def test_a_fresh_clone_draws_from_the_archive(
    root: Path, copy_project: Callable[[str], Path]
) -> None:
    clone = copy_project("unpacked")
    for file in clone.rglob("*.y*ml"):  # a clone is younger than the run
        file.touch()
    (clone / ROOT).mkdir(parents=True)
    tar = ["tar", "--extract", "--touch", "--directory", clone / ROOT, "--file", pack(root)]
    subprocess.run(tar, check=True)
    assert pending(clone, *READERS, *SMOKE) == READERS
    done = snakemake(clone, "hero", "notebook", *SMOKE)
    assert done.returncode == 0, done.stderr[-4000:]
    for name in ("figures/hero.png", "figures/hero.pdf", "results/explore/explore.html"):
        assert (clone / ROOT / name).read_bytes() == (root / name).read_bytes()


def test_equal_runs_have_archives_with_equal_bytes(root: Path) -> None:
    first = pack(root).read_bytes()
    path = record_path(root, "results/instances.json")
    record = read_record(path)
    path.write_text(record_text(record["stable"], record["volatile"] | {"host": "another"}))
    assert pack(root).read_bytes() == first


def test_a_table_that_differs_from_its_record_is_not_packed(root: Path) -> None:
    (root / "results" / "error_map.csv").write_text("arms\n")
    with pytest.raises(AssertionError, match=r"error_map.csv differs from its record"):
        pack(root)
