"""The cluster's profile on a machine that has no SLURM, and on a large grid."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ldpt import cost
from ldpt.config import experiment as config
from tests.conftest import PROJECT, snakemake

pytestmark = pytest.mark.workflow

LARGE = "config/large.yaml"
PROFILE = ("--workflow-profile", "profiles/slurm")
SLURM = {"sacct", "sacctmgr", "sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun", "sshare"}


@pytest.fixture
def path_without_slurm(tmp_path: Path) -> str:
    """What is installed here, but for SLURM."""
    for folder in ("/bin", "/usr/bin", "/usr/local/bin"):
        for tool in Path(folder).iterdir():
            if tool.name not in SLURM and not (tmp_path / tool.name).is_symlink():
                (tmp_path / tool.name).symlink_to(tool)
    return f"{Path(sys.executable).parent}:{tmp_path}"


def run_with_profile(folder: Path, path: str) -> subprocess.CompletedProcess[str]:
    """One job on SLURM, with these programs."""
    target = "results/tiny/results/simulations/mechanism.parquet"
    command = [sys.executable, "-m", "snakemake", *PROFILE]
    command += ["--configfile", "tests/workflow/tiny.yaml", "--", target]
    environment = os.environ | {"PATH": path}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_profile_without_slurm_ends_in_one_line(
    copy_project: Callable[[str], Path], tmp_path: Path, path_without_slurm: str
) -> None:
    folder = copy_project("no-slurm")
    done = run_with_profile(folder, path_without_slurm)
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("no SLURM here (sbatch is not found)")
    assert "Traceback" not in done.stderr
    for name in SLURM:  # installed, but nothing answers
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    done = run_with_profile(folder, path_without_slurm)
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("SLURM does not answer")
    assert "Traceback" not in done.stderr


def test_profile_plans_a_large_grid_in_few_submissions(tmp_path: Path) -> None:
    """Groups are valid, and the short simulations among them share submissions."""
    lines = (PROJECT / "profiles/slurm/config.yaml").read_text().splitlines()
    plain = [line for line in lines if not line.startswith("logger:")]  # ours hides the groups
    (tmp_path / "config.yaml").write_text("\n".join(plain))
    profile = ("--workflow-profile", str(tmp_path))
    done = snakemake(PROJECT, *profile, "--dry-run", "--nolock", "--configfile", LARGE)
    assert done.returncode == 0, done.stderr[-4000:]
    told = done.stdout + done.stderr
    groups = re.findall(r"Group job (\w+)", told)
    assert [groups.count(name) for name in ("prepare", "engines", "conclude")] == [1, 1, 1]
    jobs = told.count("rule simulate_fixed_")
    assert jobs > 30
    assert groups.count("short") <= jobs / 2
    together = re.findall(r"^    rule simulate_fixed_", told, re.MULTILINE)
    costs = cost.job_costs(config.build_experiment(config.load(PROJECT / LARGE))).values()
    assert jobs == len(costs)
    assert len(together) == sum(job.group == "short" for job in costs)
