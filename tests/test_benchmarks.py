"""What the benchmarks rest on: schedules of recorded jobs, agreement of engines, planted faults."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from benchmarks import blind_spots, cores, faults, peers
from benchmarks.cores import Job

from ldpt.instances import Instance

DIAMOND = {
    "first": Job(1.0, 1, ()),
    "long": Job(4.0, 1, ("first",)),
    "short": Job(2.0, 1, ("first",)),
    "wide": Job(3.0, 2, ("first",)),
    "last": Job(1.0, 1, ("long", "short", "wide")),
}


@pytest.mark.parametrize(("n", "seconds"), [(1, 14), (2, 9), (3, 7), (64, 6)])
def test_wall_time_of_a_diamond(n: int, seconds: float) -> None:
    """On three cores the short job waits for the wide one, on two the wide one for both."""
    assert cores.wall_time(DIAMOND, n) == seconds


def test_wall_time_prefers_the_job_that_most_work_waits_for() -> None:
    jobs = {"a": Job(2.0, 1, ()), "z": Job(1.0, 1, ()), "after z": Job(3.0, 1, ("z",))}
    assert cores.wall_time(jobs, 1) == 6
    assert cores.wall_time(jobs, 2) == 4
    assert cores.critical_path(jobs) == ["z", "after z"]


@pytest.mark.workflow
def test_jobs_of_a_run_are_read_from_its_records(small_run: Path) -> None:
    jobs = cores.recorded_jobs(small_run / "out")
    assert all(job.seconds > cores.OVERHEAD for job in jobs.values())
    assert {name.split()[0] for name in jobs} >= {"manifest"}
    assert set().union(*(job.needs for job in jobs.values())) < set(jobs)
    whole = sum(job.seconds for job in jobs.values())
    assert cores.wall_time(jobs, 1) == pytest.approx(whole)
    path = [jobs[name].seconds for name in cores.critical_path(jobs)]
    assert cores.wall_time(jobs, 64) == pytest.approx(sum(path))


PAIR = Instance("pair", [0.3, 0.7], 0.5)


@pytest.mark.parametrize("case", [peers.Case(PAIR, 2.0, 60), peers.Case(PAIR, 2.0, delta=0.2)])
def test_peers_agree_with_the_engines(case: peers.Case, tmp_path: Path) -> None:
    engines = {"literal": peers.engine("literal"), "NumPy": peers.with_numpy}
    loops = peers.with_c(str(tmp_path))
    if loops is not None:
        engines["C"] = loops
    made = {name: make(case, 2000) for name, make in engines.items()}
    peers.check_agreement("pair", made)
    assert made["literal"].losses.any()


def test_engines_that_err_differently_are_reported() -> None:
    few, many = np.zeros(1000, bool), np.arange(1000) < 50
    pulls = np.full(1000, 10)
    made = {"one": peers.Made(few, pulls, 1.0), "other": peers.Made(many, pulls, 1.0)}
    with pytest.raises(ValueError, match="case: losses of other differ from those of one by"):
        peers.check_agreement("case", made)


@pytest.mark.parametrize(
    ("folder", "table"),
    [(faults.PACKAGE, faults.FAULTS), (blind_spots.PROJECT, blind_spots.FAULTS)],
)
def test_faults_can_be_planted_in_the_present_code(
    folder: Path, table: Mapping[str, faults.Fault | blind_spots.Fault]
) -> None:
    lines = {
        name: (folder / fault.file).read_text().count(fault.line) for name, fault in table.items()
    }
    assert lines == dict.fromkeys(table, 1)


def test_tests_that_find_planted_faults_exist() -> None:
    for fault in blind_spots.FAULTS.values():
        file, _, name = fault.tests.partition("::")
        assert f"def {name}" in (blind_spots.PROJECT / "tests" / file).read_text()
