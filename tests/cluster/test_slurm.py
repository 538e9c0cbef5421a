"""The same workflow on a real SLURM: the same bytes, also when jobs are killed and nodes lost."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from ldpt.provenance import file_hash
from ldpt.provenance.manifest import MANIFEST, listed_records, read_manifest
from tests.cluster.slurm import Cluster
from tests.plots.scripts import load

finished_jobs = load("docs/readme.py").finished_jobs

pytestmark = pytest.mark.cluster

CONFIG = "config/smoke.yaml"
PROFILE = Path("profiles/slurm")
ROOT = Path("results/smoke")
AGAIN = ROOT / "results/simulations/fixed_confidence/counterexample.parquet"
# The profile as users have it; only its patience is meant for longer jobs than these.
QUICK = ("--slurm-init-seconds-before-status-checks=2", "--seconds-between-status-checks=2")


def submitted(folder: Path, *targets: str) -> subprocess.Popen[bytes]:
    """Snakemake with the profile, started in a folder; what it says goes to a file there."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = [sys.executable, "-m", "snakemake", "--workflow-profile", str(PROFILE), *QUICK]
    command += ["--configfile", CONFIG, "--", *targets]
    with (folder / "snakemake.log").open("wb") as log:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)


def told(folder: Path) -> str:
    return (folder / "snakemake.log").read_text()[-4000:]


def hashes(folder: Path) -> dict[str, str]:
    """The hash of every product, the manifest with the hashes of all records included."""
    names = [*listed_records(read_manifest(folder / ROOT)), MANIFEST]
    return {name: file_hash(folder / ROOT / name) for name in names}


@pytest.fixture(scope="module")
def made(copy_project: Callable[[str], Path], cluster: Cluster) -> Path:
    """A copy of the project whose products the cluster made."""
    folder = copy_project("cluster")
    with submitted(folder) as run:
        assert run.wait() == 0, told(folder)
    return folder


@pytest.fixture
def lost(made: Path) -> dict[str, str]:
    """Remove a simulation; return its name, for a run to make it again, and its hash."""
    before = {str(AGAIN): file_hash(made / AGAIN)}
    (made / AGAIN).unlink()
    return before


def test_slurm_products_have_the_bytes_of_a_local_run(made: Path, smoke: Path) -> None:
    there, here = hashes(made), hashes(smoke)
    assert {name for name in there | here if there.get(name) != here.get(name)} == set()


def test_jobs_travel_together(made: Path, cluster: Cluster) -> None:
    assert len(cluster.jobs()) <= len(finished_jobs(made / ROOT)) / 4


def test_jobs_ask_for_cores_that_this_machine_may_not_have(made: Path, cluster: Cluster) -> None:
    profile = yaml.safe_load((made / PROFILE / "config.yaml").read_text())
    assert max(cluster.cores()) == max(profile["set-threads"].values())


def test_slurm_runs_a_cancelled_job_again(
    made: Path, lost: dict[str, str], cluster: Cluster
) -> None:
    with submitted(made, *lost) as run:
        job, _ = cluster.in_mid_run(run, [made / name for name in lost])
        cluster.cancel(job)
        assert run.wait() == 0, told(made)
    assert cluster.state(job) == "CANCELLED"
    assert {name: file_hash(made / name) for name in lost} == lost


def test_slurm_runs_a_job_again_when_its_node_goes_down(
    made: Path, lost: dict[str, str], cluster: Cluster
) -> None:
    with submitted(made, *lost) as run:
        job, node = cluster.in_mid_run(run, [made / name for name in lost])
        cluster.set_node(node, "down")
        assert run.wait() == 0, told(made)
    assert cluster.state(job) == "NODE_FAIL"
    assert cluster.node_states()[node] == "down"
    assert {name: file_hash(made / name) for name in lost} == lost
