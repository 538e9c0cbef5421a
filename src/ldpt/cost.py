"""What a config costs a machine: CPU time, memory, jobs and disk, from two rates per method.

The fast engines jump over most of an arm's pulls, so a run takes about ``arm`` seconds for each arm
and ``root`` seconds for each square root of an arm's pulls. The estimate is meant to be within a
factor of three, which is what requests to a cluster allow for; ``benchmarks/cost.py`` measures the
rates again.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ldpt.config import Study
from ldpt.grid import BudgetRun, ConfidenceRun, epsilon_name
from ldpt.instances import MAX_LISTED_ARMS, Instance
from ldpt.limits import confidence_pulls, gaps_of
from ldpt.radii import Radius

# Seconds per arm of a run, and per square root of its pulls (laplace: per pull and arm).
RATES = {
    "apt": (0.5e-6, 0.28e-6),
    "lsa": (0.8e-6, 0.29e-6),
    "apt-clipped": (0.5e-6, 0.6e-6),
    "lsa-clipped": (0.8e-6, 0.8e-6),
    "uniform": (2e-6, 0.0),
    "laplace": (3e-6, 3e-9),
    "printed": (2.6e-6, 0.10e-6),
    "hoeffding": (2.6e-6, 0.15e-6),
    "mixture": (1.6e-6, 0.045e-6),
    "onesided": (2.0e-6, 0.035e-6),
    "coin": (2.0e-6, 0.035e-6),
}
UNKNOWN = (2.6e-6, 0.8e-6)  # a method that no benchmark has seen
START = 1.3  # CPU seconds until a job computes
BASE_MB, ROW_MB = 290.0, 1e-4  # memory of a job, and of one row of its table
ROW_BYTES, VALUE_BYTES = 1.2, 1.5  # of a file of runs, per row and per listed arm

# What a job requests from a cluster.
SHORT_JOB = 600  # CPU seconds up to which jobs share a submission
TOGETHER = 30  # short jobs to a submission, one after the other, as in the profile
SECONDS_PER_CORE = 7200  # CPU seconds for which one more core is requested
MAX_THREADS = 32
TIME_MARGIN, MEMORY_MARGIN = 3, 1.5  # slower nodes; what the measurement did not see
SPARE_MINUTES, SPARE_MB = 10, 800  # Snakemake itself runs twice beside the script


@dataclass(frozen=True)
class JobCost:
    """One simulation: pulls in all its runs, CPU time, peak memory and the size of its file."""

    pulls: float
    cpu_seconds: float
    memory_mb: float
    disk_bytes: float

    @property
    def threads(self) -> int:
        """Cores to request."""
        return min(max(math.ceil(self.cpu_seconds / SECONDS_PER_CORE), 1), MAX_THREADS)

    @property
    def runtime(self) -> int:
        """Minutes to request."""
        return math.ceil(TIME_MARGIN * self.cpu_seconds / self.threads / 60) + SPARE_MINUTES

    @property
    def mem_mb(self) -> int:
        """Megabytes to request."""
        return math.ceil(MEMORY_MARGIN * self.memory_mb) + SPARE_MB

    @property
    def group(self) -> str | None:
        """The submission that a short job may share; none for a long one."""
        return "short" if self.cpu_seconds <= SHORT_JOB else None


Pulls = Sequence[tuple[float, int]]  # expected pulls of an arm, and how many arms have them


def _seconds(method: str, pulls: Pulls) -> float:
    """Return the CPU time of one run."""
    arm, root = RATES.get(method, UNKNOWN)
    n_arms = sum(arms for _, arms in pulls)
    if method == "laplace":  # every arm is looked at for every pull
        return arm * n_arms + root * n_arms * sum(n * arms for n, arms in pulls)
    return sum(arms * (arm + root * math.sqrt(n)) for n, arms in pulls)


def budget_cost(run: BudgetRun, instance: Instance) -> JobCost:
    """Return the cost of one simulation at a fixed budget; shares are Delta_i^-2 / H."""
    budgets = run.grid(instance)
    last, complexity = max(budgets, default=0), instance.complexity()
    pulls = [(max(last * gap**-2 / complexity, 1.0), arms) for gap, arms in gaps_of(instance)]
    rows = float(run.replicates * len(budgets))
    seconds = run.replicates * _seconds(run.policy, pulls)
    return JobCost(run.replicates * last, seconds, BASE_MB + ROW_MB * rows, ROW_BYTES * rows)


def confidence_cost(run: ConfidenceRun, instance: Instance, radius: Radius) -> JobCost:
    """Return the cost of one simulation of Algorithm 2 at all its error levels."""
    expected = [confidence_pulls(instance, run.epsilon, delta, radius) for delta in run.deltas]
    listed = instance.n_arms if instance.n_arms <= MAX_LISTED_ARMS else 0
    rows = float(run.replicates * len(run.deltas))
    return JobCost(
        run.replicates * sum(n * arms for pulls in expected for n, arms in pulls),
        run.replicates * sum(_seconds(run.radius, pulls) for pulls in expected),
        BASE_MB + ROW_MB * rows * (1 + listed / 4),
        rows * (ROW_BYTES + VALUE_BYTES * listed),
    )


def budget_job(runs: Sequence[BudgetRun], instance: Instance) -> JobCost:
    """Return the cost of one job: all policies on an instance at all their privacy levels."""
    return together([budget_cost(run, instance) for run in runs])


def confidence_job(
    runs: Sequence[ConfidenceRun], instance: Instance, constants: Mapping[str, float]
) -> JobCost:
    """Return the cost of one job: all radii on an instance at all their privacy levels."""
    costs = [confidence_cost(run, instance, Radius(run.radius, **constants)) for run in runs]
    return together(costs)


def together(costs: Sequence[JobCost]) -> JobCost:
    """Return the cost of a job that makes several simulations one after the other."""
    return JobCost(
        sum(cost.pulls for cost in costs),
        START + sum(cost.cpu_seconds for cost in costs),
        max(cost.memory_mb for cost in costs),
        sum(cost.disk_bytes for cost in costs),
    )


def summary(study: Study) -> dict[str, Any]:
    """Return the cost of a whole study, its longest job, and the cost by privacy level."""
    rows: list[tuple[str, float, JobCost]] = []
    for run in study.fixed_budget:
        cost = budget_cost(run, study.instances[run.instance])
        rows.append((f"fixed_budget {run.instance}", run.epsilon, cost))
    for one in study.fixed_confidence:
        radius = Radius(one.radius, **study.constants)
        cost = confidence_cost(one, study.instances[one.instance], radius)
        rows.append((f"fixed_confidence {one.instance}", one.epsilon, cost))
    names = dict.fromkeys(name for name, _, _ in rows)
    jobs = {job: together([cost for name, _, cost in rows if name == job]) for job in names}
    longest = max(jobs, key=lambda name: jobs[name].cpu_seconds)
    largest = max(jobs, key=lambda name: jobs[name].memory_mb)
    short = sum(cost.group is not None for cost in jobs.values())
    return {
        "simulations": len(rows),
        "jobs": len(jobs),
        "instances": len(study.instances),
        **_totals(list(jobs.values())),
        "memory_gb": jobs[largest].memory_mb / 1e3,
        "largest_job": largest,
        "longest_job": longest,
        "longest_hours": jobs[longest].cpu_seconds / 3600,
        "longest_cores": jobs[longest].threads,
        "submissions": len(jobs) - short + math.ceil(short / TOGETHER),
        "short": short,
        "by_epsilon": [
            {"epsilon": epsilon_name(level), **_totals([c for _, e, c in rows if e == level])}
            for level in sorted({epsilon for _, epsilon, _ in rows})
        ],
    }


def _totals(costs: list[JobCost]) -> dict[str, float]:
    return {
        "pulls": sum(cost.pulls for cost in costs),
        "cpu_hours": sum(cost.cpu_seconds for cost in costs) / 3600,
        "disk_gb": sum(cost.disk_bytes for cost in costs) / 1e9,
    }


def render(total: dict[str, Any]) -> str:
    """Return a summary as text."""
    lines = [
        f"{total['simulations']} simulations in {total['jobs']} jobs on {total['instances']} "
        f"problems, {total['pulls']:.2g} pulls; within a factor of three:",
        f"CPU          {total['cpu_hours']:.2g} hours; the longest job {total['longest_hours']:.2g}"
        f" ({total['longest_job']}, on {total['longest_cores']} cores)",
        f"memory       {total['memory_gb']:.2g} GB at most ({total['largest_job']})",
        f"disk         {total['disk_gb']:.2g} GB",
        f"submissions  {total['submissions']} on a cluster; {total['short']} short jobs go up to "
        f"{TOGETHER} together",
        "",
        f"{'epsilon':>8}  {'pulls':>8}  {'CPU hours':>9}  {'GB':>8}",
    ]
    lines += [
        f"{row['epsilon']:>8}  {row['pulls']:>8.2g}  {row['cpu_hours']:>9.2g}  "
        f"{row['disk_gb']:>8.2g}"
        for row in total["by_epsilon"]
    ]
    rest = "Summaries, figures, tables and checks are extra: seconds each, minutes for the checks."
    return "\n".join([*lines, "", rest]) + "\n"
