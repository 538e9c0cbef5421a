"""The bytes of every product depend on config and code alone."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from ldpt.instances import Instance
from ldpt.provenance import file_hash, read_record, record_path
from ldpt.provenance.manifest import listed_records, read_manifest
from tests.conftest import snakemake
from tests.plots.scripts import load

# What is not made a second time: simulations of all problems but one, which has every policy and
# every radius, and long jobs in one thread, whatever the number of cores.
TAKEN = re.compile(
    r"(records/results/)?("
    r"simulations/fixed_\w+/(?!three-groups\b)|kernels|instances\.json|tables/instances"
    r"|evidence/(chains|tapes)|exact/optimal_loss)"
)
# Every rule with several threads, all that the verdicts need, and a product of each other kind.
# Figures are written again in ``test_figure_rules``, the article in ``test_report``.
TARGETS = ("claims", "hero", "explorer", "notebook")


def hashes(root: Path, name: str) -> tuple[str, str]:
    """Return the hashes of a product and of its record."""
    return file_hash(root / name), read_record(record_path(root, name))["record_hash"]


def take_products(smoke: Path, folder: Path) -> None:
    """Copy a part of a run, with Snakemake's metadata, into a copy of the project."""
    shutil.copytree(smoke / ".snakemake" / "metadata", folder / ".snakemake" / "metadata")
    results = smoke / "results" / "smoke" / "results"
    for file in results.rglob("*.*"):
        if TAKEN.match(file.relative_to(results).as_posix()):
            copy = folder / file.relative_to(smoke)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy)


@pytest.mark.runs
def test_bytes_are_equal_on_more_cores_in_another_folder(
    smoke: Path, copy_project: Callable[[str], Path]
) -> None:
    """``smoke`` ran on 2 cores, where a job has one thread; on 8 cores the long ones have two."""
    folder = copy_project("elsewhere")
    take_products(smoke, folder)
    done = snakemake(folder, *TARGETS, "--configfile", "config/smoke.yaml", cores=8)
    assert done.returncode == 0, done.stderr[-4000:]
    before, after = (place / "results" / "smoke" for place in (smoke, folder))
    names = [name for name in listed_records(read_manifest(before)) if (after / name).is_file()]
    assert len(names) > 30
    assert [name for name in names if hashes(before, name) != hashes(after, name)] == []


@pytest.mark.runs
def test_bytes_are_equal_without_the_features_of_new_processors(
    smoke: Path, copy_project: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No AVX2, AVX-512 or fused multiplication in NumPy, OpenBLAS, the C library and Numba."""
    monkeypatch.setenv("NPY_DISABLE_CPU_FEATURES", "X86_V3 X86_V4 AVX512_ICL AVX512_SPR")
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2,-FMA")
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    folder = copy_project("old-processor")
    done = snakemake(folder, "--configfile", "config/smoke.yaml")
    assert done.returncode == 0, done.stderr[-4000:]
    before, after = (place / "results" / "smoke" for place in (smoke, folder))
    names = listed_records(read_manifest(before))
    assert [name for name in names if file_hash(before / name) != file_hash(after / name)] == []


def budget_table(replicates: int, seed: int = 7, threads: int = 2) -> pd.DataFrame:
    script, problem = load("scripts/simulate_fixed_budget.py"), Instance("one", [0.95], 0.9)
    setting = {"policy": "apt", "epsilon": 1.0, "budgets": [100, 400], "replicates": replicates}
    settings = [{"instance": "one", **setting}]
    return pd.concat(script.simulate({"one": problem}, settings, seed, threads))


def confidence_table(replicates: int, seed: int = 7, threads: int = 2) -> pd.DataFrame:
    script, problem = load("scripts/simulate_fixed_confidence.py"), Instance("one", [0.95], 0.9)
    setting = {"radius": "coin", "epsilon": 1.0, "delta": 0.1, "replicates": replicates}
    settings = [{"instance": "one", **setting}]
    return pd.concat(script.simulate({"one": problem}, settings, {}, seed, threads))


@pytest.mark.parametrize("table", [budget_table, confidence_table])
def test_more_replicates_leave_the_first_ones_as_they_were(
    table: Callable[[int], pd.DataFrame],
) -> None:
    """From 600 to 1100: a short chunk grows and a new one comes."""
    short, long = table(600), table(1100)
    assert len(long) * 600 == len(short) * 1100
    assert long.head(len(short)).equals(short)


@pytest.mark.parametrize("table", [budget_table, confidence_table])
def test_runs_of_a_script_depend_on_the_seed_alone(table: Callable[..., pd.DataFrame]) -> None:
    first = table(600)
    assert table(600, threads=1).equals(first)
    assert not table(600, seed=8).equals(first)
