"""Predict how long a run takes on more cores, from the records of a finished one.

    python benchmarks/cores.py [--root FOLDER]

writes benchmarks/cores.md. The jobs of the run, with the CPU time and the inputs that their records
name, are scheduled on so many cores: whenever cores are free, the job goes first that most work
waits for. Snakemake picks among the jobs that are ready without looking ahead, so it takes a little
longer. ``config/large.yaml`` has no run: its simulations, by far the most of its work, are
scheduled at their predicted costs (:mod:`ldpt.cost`).
"""

import argparse
import heapq
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ldpt import cost
from ldpt.config import experiment as config
from ldpt.provenance import read_record, record_path
from ldpt.provenance.manifest import MANIFEST

HERE = Path(__file__).parent
LARGE = HERE.parent / "config" / "large.yaml"
CORES = (1, 2, 4, 8, 16, 64)
OVERHEAD = 0.6  # CPU seconds of Snakemake and the shell for each job, beside those it records


class Job(NamedTuple):
    """What a job takes: seconds on so many cores, once the jobs that it needs are done."""

    seconds: float
    threads: int
    needs: tuple[str, ...]


Jobs = Mapping[str, Job]


def recorded_jobs(root: Path) -> dict[str, Job]:
    """Return the jobs of a finished run by rule and wildcards."""
    manifest = json.loads((root / MANIFEST).read_text(encoding="utf-8"))
    products = [list(job["products"]) for job in manifest["jobs"]] + [[str(MANIFEST)]]
    records = [read_record(record_path(root, names[0])) for names in products]
    maker = {
        product: name_of(record)
        for names, record in zip(products, records, strict=True)
        for product in names
    }
    return {name_of(record): recorded_job(record, maker) for record in records}


def name_of(record: Mapping[str, Any]) -> str:
    """Return rule and wildcards of the job that wrote a record."""
    return " ".join([record["stable"]["rule"], *record["stable"]["wildcards"].values()])


def recorded_job(record: Mapping[str, Any], maker: Mapping[str, str]) -> Job:
    """Return the job that wrote a record; jobs at paper scale have one thread."""
    needs = {maker[product] for product in record["stable"]["inputs"]}
    return Job(record["volatile"]["cpu_seconds"] + OVERHEAD, 1, tuple(sorted(needs)))


def predicted_jobs(path: Path) -> dict[str, Job]:
    """Return the simulations of a config at their predicted costs."""
    costs = cost.job_costs(config.build_experiment(config.load(path)))
    return {
        " ".join(key): Job(one.cpu_seconds / one.threads, one.threads, ())
        for key, one in costs.items()
    }


def tails(jobs: Jobs) -> dict[str, float]:
    """Return how long each job and the longest chain of jobs that wait for it take."""
    waiting: dict[str, list[str]] = {name: [] for name in jobs}
    for name, job in jobs.items():
        for needed in job.needs:
            waiting[needed].append(name)

    @cache
    def tail(name: str) -> float:
        return jobs[name].seconds + max(map(tail, waiting[name]), default=0.0)

    return {name: tail(name) for name in jobs}


def critical_path(jobs: Jobs) -> list[str]:
    """Return the chain of jobs that no number of cores makes shorter."""
    length = tails(jobs)
    path, choice = [], list(jobs)
    while choice:
        path.append(max(choice, key=length.__getitem__))
        choice = [name for name, job in jobs.items() if path[-1] in job.needs]
    return path


def wall_time(jobs: Jobs, cores: int) -> float:
    """Return the time of all jobs on so many cores, the job with the longest tail first.

    >>> pair = {"a": Job(3, 1, ()), "b": Job(2, 1, ()), "c": Job(1, 2, ("a", "b"))}
    >>> wall_time(pair, 1), wall_time(pair, 2)
    (7.0, 4.0)

    A job that asks for more cores than there are takes as much longer.
    """
    length = tails(jobs)
    order = sorted(jobs, key=lambda name: (-length[name], name))
    running: list[tuple[float, str, int]] = []  # end, job, cores
    done: set[str] = set()
    now, free = 0.0, cores
    while order or running:
        for name in [name for name in order if done.issuperset(jobs[name].needs)]:
            job, width = jobs[name], min(jobs[name].threads, cores)
            if width <= free:
                heapq.heappush(running, (now + job.seconds * job.threads / width, name, width))
                order.remove(name)
                free -= width
        now, finished, width = heapq.heappop(running)
        done.add(finished)
        free += width
    return now


def markdown(jobs: Jobs, large: Jobs) -> str:
    """Return the table of the manual, and the critical path of the run."""
    hours = sum(job.seconds * job.threads for job in large.values()) / 3600
    lines = [
        ["cores", *map(str, CORES)],
        ["---", *["---:"] * len(CORES)],
        ["paper scale, s", *(f"{wall_time(jobs, cores):.0f}" for cores in CORES)],
        ["`config/large.yaml`, h", *(f"{wall_time(large, cores) / 3600:.1f}" for cores in CORES)],
    ]
    path = critical_path(jobs)
    links = ", ".join(f"`{name}` {jobs[name].seconds:.0f}" for name in path)
    longest = sum(jobs[name].seconds for name in path)
    notes = (
        f"Predicted by list scheduling of {len(jobs)} recorded jobs, "
        f"{sum(job.seconds for job in jobs.values()):.0f} CPU seconds, without building the "
        "environment, the start of Snakemake and the audit (together about 25 s). "
        f"`config/large.yaml` has {len(large)} simulations of {hours:.0f} CPU hours as predicted, "
        "within a factor of three.",
        f"Critical path in seconds: {links}; together {longest:.0f}.",
    )
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return "\n\n".join((table, *notes)) + "\n"


def main() -> None:
    """Print the table and write it for the manual."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(), help="of a finished run")
    text = markdown(recorded_jobs(parser.parse_args().root), predicted_jobs(LARGE))
    print(text)
    (HERE / "cores.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
