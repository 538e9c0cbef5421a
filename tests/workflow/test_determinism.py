"""The bytes of every product depend on config and code alone."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from ldpt.instances import Instance
from ldpt.provenance import file_hash
from ldpt.provenance.manifest import MANIFEST, listed_records, read_manifest
from tests.conftest import snakemake
from tests.plots.scripts import load

# What is not made a second time: simulations of all problems but one, which has every policy and
# every radius, and long jobs in one thread, whatever the number of cores.
TAKEN = re.compile(
    r"(records/results/)?("
    r"simulations/fixed_\w+/(?!three-groups\b)|kernels|instances\.json|tables/instances"
    r"|evidence/(chains|tapes)|exact/optimal_loss)"
)


def hashes(folder: Path) -> dict[str, str]:
    """Return the hash of every product of a smoke run, and of the manifest with all records."""
    root = folder / "results" / "smoke"
    products = listed_records(read_manifest(root))
    assert len(products) > 50
    return {name: file_hash(root / name) for name in (*products, MANIFEST)}


def take_products(smoke: Path, folder: Path) -> None:
    """Copy a part of a run, with Snakemake's metadata, into a copy of the project."""
    shutil.copytree(smoke / ".snakemake" / "metadata", folder / ".snakemake" / "metadata")
    results = smoke / "results" / "smoke" / "results"
    for file in results.rglob("*.*"):
        if TAKEN.match(file.relative_to(results).as_posix()):
            copy = folder / file.relative_to(smoke)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy)


@pytest.mark.workflow
def test_bytes_are_equal_on_more_cores_in_another_folder(
    smoke: Path, copy_project: Callable[[str], Path]
) -> None:
    """``smoke`` ran on 2 cores, where a job has one thread; on 8 cores the long ones have two."""
    folder = copy_project("elsewhere")
    take_products(smoke, folder)
    done = snakemake(folder, "--configfile", "config/smoke.yaml", cores=8, own_code=True)
    assert done.returncode == 0, done.stderr[-4000:]
    before, after = hashes(smoke), hashes(folder)
    assert {name for name in before | after if before.get(name) != after.get(name)} == set()


def budget_table(replicates: int) -> pa.Table:
    script, problem = load("scripts/simulate_fixed_budget.py"), Instance("one", [0.95], 0.9)
    level = {"replicates": replicates, "budgets": [100, 400]}
    return pa.concat_tables(script.simulate(problem, {"apt": {"1": level}}, 7, threads=2))


def confidence_table(replicates: int) -> pa.Table:
    script, problem = load("scripts/simulate_fixed_confidence.py"), Instance("one", [0.95], 0.9)
    level = {"replicates": replicates, "deltas": [0.1]}
    return pa.concat_tables(script.simulate(problem, {"coin": {"1": level}}, {}, 7, threads=2))


@pytest.mark.parametrize("table", [budget_table, confidence_table])
def test_more_replicates_leave_the_first_ones_as_they_were(
    table: Callable[[int], pa.Table],
) -> None:
    """From 600 to 1100: a short chunk grows and a new one comes."""
    short, long = table(600), table(1100)
    assert long.num_rows * 600 == short.num_rows * 1100
    assert long.slice(0, short.num_rows).equals(short)
