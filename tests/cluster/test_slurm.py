"""The same workflow on a real SLURM: the same bytes, also when a job is killed or a node is down."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.slurm import Cluster
from tests.conftest import snakemake

pytestmark = pytest.mark.cluster

CONFIG = "tests/workflow/tiny.yaml"
ROOT = Path("results/tiny")
VOLATILE = {"logs", "benchmarks", "records"}  # times and hosts; the manifest has records' hashes
# The profile as users have it; only its patience is meant for longer jobs than these.
QUICK = ("--slurm-init-seconds-before-status-checks=2", "--seconds-between-status-checks=2")


@pytest.fixture(scope="module")
def local(copy_project: Callable[[str], Path]) -> dict[str, str]:
    """What a run on this machine makes."""
    folder = copy_project("local")
    done = snakemake(folder, "--configfile", CONFIG)
    assert done.returncode == 0, done.stderr[-4000:]
    return products(folder)


@pytest.fixture(scope="module")
def made(copy_project: Callable[[str], Path], cluster: Cluster) -> Path:
    """A copy of the project whose products the cluster made."""
    folder = copy_project("cluster")
    with submitted(folder) as run:
        assert run.wait() == 0, told(folder)
    return folder


def products(folder: Path) -> dict[str, str]:
    """The hash of every product by its name."""
    files = (path for path in (folder / ROOT).rglob("*") if path.is_file())
    names = {path.relative_to(folder / ROOT): path for path in files}
    return {
        name.as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in names.items()
        if VOLATILE.isdisjoint(name.parts)
    }


def submitted(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Snakemake with the profile, started in a folder; what it says goes to a file there."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = [sys.executable, "-m", "snakemake", "--profile", "workflow/profiles/slurm"]
    command += [*QUICK, "--configfile", CONFIG, "--", *arguments]
    with (folder / "snakemake.log").open("wb") as log:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)


def told(folder: Path) -> str:
    return (folder / "snakemake.log").read_text()[-4000:]


def simulate_again(folder: Path) -> tuple[str, ...]:
    """Remove the simulations of Algorithm 2; their names are the targets of the next run."""
    runs = sorted((folder / ROOT / "results/simulations/fixed_confidence").rglob("*.parquet"))
    assert runs
    for run in runs:
        run.unlink()
    return tuple(str(run.relative_to(folder)) for run in runs)


def test_every_product_has_the_bytes_of_a_local_run(made: Path, local: dict[str, str]) -> None:
    assert products(made) == local


def test_the_short_jobs_travel_together(made: Path, cluster: Cluster) -> None:
    jobs = len(list((made / ROOT / "results/benchmarks").rglob("*.tsv")))
    assert len(cluster.jobs()) <= jobs / 2


def test_a_cancelled_job_is_run_again(made: Path, local: dict[str, str], cluster: Cluster) -> None:
    with submitted(made, *simulate_again(made)) as run:
        job, _ = cluster.first_running(run)
        cluster.cancel(job)
        assert run.wait() == 0, told(made)
    assert cluster.state(job) == "CANCELLED"
    assert products(made) == local


def test_a_job_whose_node_goes_down_is_run_again(
    made: Path, local: dict[str, str], cluster: Cluster
) -> None:
    with submitted(made, *simulate_again(made)) as run:
        job, node = cluster.first_running(run)
        cluster.set_node(node, "down")
        assert run.wait() == 0, told(made)
    assert cluster.state(job) == "NODE_FAIL"
    assert cluster.node_states()[node] == "down"
    assert products(made) == local
