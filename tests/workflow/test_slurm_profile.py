"""The cluster's profile on a machine that has no SLURM, and the submissions that it plans."""

import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ldpt import cost
from ldpt.config import experiment as config
from tests.conftest import PROJECT, environment

pytestmark = pytest.mark.workflow

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
    variables = environment() | {"PATH": path}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)


def test_profile_without_slurm_ends_in_one_line(
    copy_project: Callable[[str], Path], tmp_path: Path, path_without_slurm: str
) -> None:
    folder = copy_project("no-slurm")
    done = run_with_profile(folder, path_without_slurm)
    assert done.returncode == 1
    assert "no SLURM here: sbatch is not found" in done.stderr.splitlines()
    assert "Traceback" not in done.stderr


def test_profile_plans_a_run_in_few_submissions() -> None:
    """Groups are valid, and the short simulations among them share submissions."""
    plan = [sys.executable, "-m", "snakemake", *PROFILE, "--dry-run", "--nolock"]
    variables = {k: v for k, v in os.environ.items() if k != "SNAKEMAKE_PROFILE"}  # hides groups
    done = subprocess.run(plan, cwd=PROJECT, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    told = done.stdout + done.stderr
    groups = re.findall(r"Group job (\w+)", told)
    assert [groups.count(name) for name in ("prepare", "engines", "conclude")] == [1, 1, 1]
    simulations = told.count("rule simulate_fixed_")
    together = re.findall(r"^    rule simulate_fixed_", told, re.MULTILINE)
    costs = cost.job_costs(config.build_experiment(config.load())).values()
    assert simulations == len(costs)
    assert len(together) == sum(job.group == "short" for job in costs)
    assert groups.count("short") == math.ceil(len(together) / cost.JOBS_PER_SUBMISSION)
