"""The bytes of every product depend on config and code alone."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from ldpt.provenance import file_hash
from ldpt.provenance.run import MANIFEST, listed_records, read_manifest
from tests.conftest import snakemake

pytestmark = pytest.mark.workflow

SMOKE = ("--configfile", "config/smoke.yaml")
TINY = "tests/workflow/tiny.yaml"
RUNS = "results/tiny/results/simulations"
SIMULATIONS = [
    f"{RUNS}/fixed_budget/counterexample.parquet",
    f"{RUNS}/fixed_confidence/counterexample.parquet",
]


def hashes(folder: Path) -> dict[str, str]:
    """The hash of every product of a smoke run, the manifest with all records' hashes included."""
    root = folder / "results" / "smoke"
    products = listed_records(read_manifest(root))
    assert len(products) > 50
    return {name: file_hash(root / name) for name in (*products, MANIFEST)}


def take_other_instances(smoke: Path, folder: Path) -> None:
    """Put what was simulated of all instances but one beside a copy of the project.

    The one has every policy and every radius; the others would show the same.
    """
    shutil.copytree(smoke / ".snakemake", folder / ".snakemake")
    of_others = r"simulations/fixed_\w+/(?!three-groups\b)|instances\.json|tables/instances|kernels"
    for file in (smoke / "results").rglob("*.*"):
        name = file.relative_to(smoke)
        if re.match(rf"results/smoke/results/(records/results/)?({of_others})", name.as_posix()):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, folder / name)


def test_bytes_are_equal_on_more_cores_in_another_folder(
    smoke: Path, copy_project: Callable[[str], Path]
) -> None:
    """``smoke`` ran on 2 cores, where a job has one thread; on 8 cores the long ones have two."""
    folder = copy_project("elsewhere")
    take_other_instances(smoke, folder)
    done = snakemake(folder, *SMOKE, cores=8, own_code=True)
    assert done.returncode == 0, done.stderr[-4000:]
    before, after = hashes(smoke), hashes(folder)
    assert {name for name in before | after if before.get(name) != after.get(name)} == set()


def test_bytes_are_equal_on_one_core(smoke: Path, copy_project: Callable[[str], Path]) -> None:
    """One job after the other, on the shortest graph with both algorithms and a figure."""
    root = "results/smoke"
    targets = [
        f"{root}/results/simulations/fixed_budget/two-arms.parquet",
        f"{root}/results/simulations/fixed_confidence/counterexample.parquet",
        f"{root}/figures/privacy_cost.png",
    ]
    folder = copy_project("one-core")
    done = snakemake(folder, *targets, *SMOKE, cores=1)
    assert done.returncode == 0, done.stderr[-4000:]
    for name in targets:
        assert file_hash(folder / name) == file_hash(smoke / name), name


def test_more_replicates_leave_the_first_ones_as_they_were(
    copy_project: Callable[[str], Path],
) -> None:
    """From 600 to 1100: a short chunk grows and a new one comes."""
    folder = copy_project("more")

    def run() -> list[pd.DataFrame]:
        done = snakemake(folder, *SIMULATIONS, "--configfile", TINY)
        assert done.returncode == 0, done.stderr[-4000:]
        return [pd.read_parquet(folder / name) for name in SIMULATIONS]

    few = run()
    text = (folder / TINY).read_text()
    (folder / TINY).write_text(text.replace("replicates: 600", "replicates: 1100"))
    many = run()
    for short, long in zip(few, many, strict=True):
        assert (short["replicate"].max(), long["replicate"].max()) == (599, 1099)
        first = long[long["replicate"] < 600].reset_index(drop=True)
        pd.testing.assert_frame_equal(short, first, check_exact=True)
