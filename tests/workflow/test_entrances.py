"""What Snakemake says to a target, a config or a folder that cannot work: one line, no job."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import PROJECT, snakemake

pytestmark = pytest.mark.workflow


def test_snakemake_refuses_an_unknown_target_in_a_few_lines() -> None:
    done = snakemake(PROJECT, "nonsense", "--dry-run", "--nolock")
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "No rule to produce nonsense" in said
    assert "Traceback" not in said
    assert len(said.splitlines()) <= 4


def test_snakemake_refuses_a_bad_config_in_one_line_before_any_job(tmp_path: Path) -> None:
    """What is wrong with a config is tested in ``test_config``."""
    config = tmp_path / "bad.yaml"
    config.write_text("fixd_budget: 1\n")
    done = snakemake(PROJECT, "--dry-run", "--nolock", "--configfile", str(config))
    assert done.returncode == 1
    complaint = "config: unknown key 'fixd_budget' (did you mean fixed_budget?)"
    assert complaint in (done.stdout + done.stderr).strip().splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_config_of_one_problem_runs_one_study(tmp_path: Path) -> None:
    config = tmp_path / "mine.yaml"
    config.write_text("extra_instances:\n  - {name: mine, means: [0.1, 0.4], threshold: 0.3}\n")
    done = snakemake(PROJECT, "--dry-run", "--nolock", "--configfile", str(config))
    assert done.returncode == 0, done.stderr[-4000:]
    assert "12 jobs of 12 rules" in done.stdout + done.stderr
    assert "results/mine/figures/fixed_budget_error.pdf" in done.stdout + done.stderr


MODULE = """
module ldpt:
    snakefile: "{project}/Snakefile"
    config: {{"root": "out", "mechanism": {{"draws": 2000}}}}


use rule * from ldpt as their_*


rule all:
    default_target: True
    input:
        "out/figures/privacy_cost.png",
"""


def test_the_workflow_runs_from_another_folder_and_as_a_module(tmp_path: Path) -> None:
    """Both draw a figure; from another folder, the graph has all its sources."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    tiny = ("--configfile", str(PROJECT / "tests/workflow/tiny.yaml"))
    place = ("--snakefile", str(PROJECT / "Snakefile"), "--directory", str(elsewhere))
    for target in (("--dry-run",), ("results/tiny/figures/privacy_cost.png",)):
        done = snakemake(elsewhere, *target, *place, *tiny)
        assert done.returncode == 0, done.stderr[-4000:]
    assert (elsewhere / "results/tiny/figures/privacy_cost.pdf").is_file()
    (tmp_path / "Snakefile").write_text(MODULE.format(project=PROJECT))
    done = snakemake(tmp_path)
    assert done.returncode == 0, done.stderr[-4000:]
    assert (tmp_path / "out/figures/privacy_cost.pdf").is_file()


def test_snakemake_in_a_read_only_folder_ends_in_one_line(
    copy_project: Callable[[str], Path],
) -> None:
    folder = copy_project("read-only")
    mount = f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder} && cd {folder}"
    command = f"{mount} && {sys.executable} -m snakemake -n"
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("mounting a folder read-only needs the rights of an administrator")
    done = subprocess.run(["unshare", "-m", "sh", "-c", command], capture_output=True, text=True)
    assert done.returncode == 1
    lines = done.stderr.strip().splitlines()
    assert lines[-1] == f"cannot write to {folder}: copy the project to a writable folder"
    assert len(lines) <= 3
    assert "Traceback" not in done.stderr
