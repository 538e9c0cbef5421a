"""What Snakemake says to a target, a config or a folder that cannot work: one line, no job."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.conftest import PROJECT, snakemake

pytestmark = pytest.mark.workflow


@pytest.mark.parametrize(
    ("target", "line"),
    [
        ("figures/nonsense.png", "unknown figure 'nonsense' (choose from privacy_cost, "),
        ("figures/nonsense.pdf", "unknown figure 'nonsense' (choose from privacy_cost, "),
        ("results/tables/nonsense.md", "unknown table 'nonsense' (choose from instances, "),
        (
            "results/instances/nonsense.json",
            "unknown instance 'nonsense' (choose from three-groups, ",
        ),
        (
            "results/simulations/fixed_budget/nonsense/apt.parquet",
            "unknown instance 'nonsense' (choose from three-groups, ",
        ),
        ("nonsense", "unknown rule or file 'nonsense' (choose from "),
        (
            "results/simulations/fixed_budget/three-groups/nonsense.parquet",
            "unknown simulation of fixed_budget 'three-groups/nonsense' "
            "(choose from three-groups/apt, three-groups/lsa",
        ),
        (  # one file per privacy level, as it was before 2.0
            "results/simulations/fixed_budget/three-groups/apt/1.parquet",
            "unknown simulation of fixed_budget 'three-groups/apt/1' (choose from three-groups/apt",
        ),
        (
            "results/simulations/fixed_confidence/one-arm/mixture.parquet",
            "unknown simulation of fixed_confidence 'one-arm/mixture' "
            "(choose from none of this instance)",
        ),
    ],
)
def test_snakemake_lists_known_names_for_an_unknown_one(target: str, line: str) -> None:
    done = snakemake(PROJECT, target, "--dry-run", "--nolock")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith(line)
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 4


def test_snakemake_refuses_a_panel_that_is_no_instance_before_any_job(tmp_path: Path) -> None:
    config = tmp_path / "bad.yaml"
    config.write_text(yaml.safe_dump({"figures": {"baselines": ["three-groups", "nonsense"]}}))
    done = snakemake(PROJECT, "--dry-run", "--nolock", "--configfile", str(config))
    assert done.returncode == 1
    assert "figures.baselines: unknown instance 'nonsense' (choose from" in done.stderr


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
    assert lines[-1] == f"cannot write to {folder}: copy the project to a folder of yours"
    assert len(lines) <= 3
    assert "Traceback" not in done.stderr
