"""`snakemake` in a fresh clone with a problem from a config, and what runs again after a change."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ldpt.provenance.audit import audit
from tests.conftest import PROJECT, snakemake

pytestmark = pytest.mark.runs

CONFIG = """
extra_instances:
  - {name: two, means: [0.3, 0.6], threshold: 0.5}
extra_study:
  policies: [apt]
  radii: [onesided]
  epsilons: [1, .inf]
  multiples: [1, 4]
  deltas: [0.1]
  replicates: 600
figures: {error: 0.1}
"""
FIGURES = ("fixed_budget_error", "fixed_budget_collapse", "bounds")


@pytest.fixture(scope="module")
def made(copy_project: Callable[[str], Path]) -> Path:
    """A fresh clone in which a small problem has run."""
    folder = copy_project("own-problem")
    (folder / "config" / "two.yaml").write_text(CONFIG)
    done = snakemake(folder, *config())
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stderr.splitlines()[-1].startswith("3 figures in results/two/figures; 0:")
    return folder


def config(name: str = "two.yaml") -> tuple[str, ...]:
    return ("--configfile", f"config/{name}")


def pending(folder: Path, *arguments: str) -> set[str]:
    """Return the rules that a run would carry out."""
    plan = snakemake(folder, "--dry-run", *arguments)
    assert plan.returncode == 0, plan.stderr[-4000:]
    return set(re.findall(r"^rule (\w+):", plan.stdout, re.MULTILINE))


def test_a_fresh_clone_draws_the_figures_of_an_own_problem(made: Path) -> None:
    root = made / "results" / "two"
    for name in FIGURES:
        assert (root / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    assert set(audit(root).products.values()) == {"intact"}


def test_a_second_run_has_nothing_to_do(made: Path) -> None:
    done = snakemake(made, *config())
    assert done.returncode == 0
    assert "Nothing to be done" in done.stderr
    assert pending(made, *config()) == set()


def test_a_changed_script_runs_only_what_depends_on_it(made: Path) -> None:
    script = made / "scripts" / "fixed_budget_error.py"
    before = script.read_text()
    script.write_text(before + "\nEDITED = True\n")
    assert pending(made, *config()) == {"fixed_budget_error", "manifest"}
    script.write_text(before)


def test_a_changed_key_runs_only_what_reads_it(made: Path) -> None:
    (made / "config" / "three.yaml").write_text(CONFIG.replace("error: 0.1", "error: 0.2"))
    reads = {name for name in FIGURES if "error=" in entry(name)}
    assert reads
    assert pending(made, *config("three.yaml")) == {*reads, "manifest"}


def entry(name: str) -> str:
    """Return the entry of a figure."""
    rules = (PROJECT / "workflow" / "rules" / "figures.smk").read_text()
    return rules.split(f"use rule figure as {name} with:")[1].split("\nuse rule ")[0]


def test_a_copy_without_the_state_of_snakemake_is_audited_and_made_again_on_demand(
    made: Path, tmp_path: Path
) -> None:
    """Snakemake knows only the times of its files; ``--forceall`` makes all again."""
    copy = tmp_path / "copy"
    shutil.copytree(made, copy, symlinks=True, ignore=shutil.ignore_patterns(".snakemake"))
    assert pending(copy, *config()) == set()
    assert set(audit(copy / "results" / "two").products.values()) == {"intact"}
    everything = pending(copy, *config(), "--forceall")
    assert {"simulate_fixed_budget", "simulate_fixed_confidence", *FIGURES} <= everything
