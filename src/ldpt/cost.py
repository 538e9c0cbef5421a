"""What a config costs a machine: CPU time, memory and jobs, from two rates per method.

The fast engines jump over most of an arm's pulls, so a run takes about ``arm`` seconds for each arm
and ``root`` seconds for each square root of an arm's pulls. The estimate is meant to be within a
factor of three, which is what requests to a cluster allow for; ``benchmarks/cost.py`` measures the
rates again.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from ldpt.config import Study
from ldpt.grid import BudgetRun, ConfidenceRun
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

# What a job requests from a cluster.
SHORT_JOB = 600  # CPU seconds up to which jobs share a submission
TOGETHER = 30  # short jobs to a submission, one after the other, as in the profile
SECONDS_PER_CORE = 7200  # CPU seconds for which one more core is requested
MAX_THREADS = 32
TIME_MARGIN, MEMORY_MARGIN = 3, 1.5  # safety factors for slower nodes and unmeasured memory
SPARE_MINUTES, SPARE_MB = 10, 800  # Snakemake itself runs twice beside the script


@dataclass(frozen=True)
class Cost:
    """Simulations of one job: pulls of all runs, CPU time and peak memory."""

    pulls: float = 0.0
    cpu_seconds: float = 0.0
    memory_mb: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        """Return the cost of both, one after the other."""
        return Cost(
            self.pulls + other.pulls,
            self.cpu_seconds + other.cpu_seconds,
            max(self.memory_mb, other.memory_mb),
        )

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
Run = BudgetRun | ConfidenceRun


def _seconds(method: str, pulls: Pulls) -> float:
    """Return the CPU time of one run."""
    arm, root = RATES.get(method, UNKNOWN)
    n_arms = sum(arms for _, arms in pulls)
    if method == "laplace":  # every arm is looked at for every pull
        return arm * n_arms + root * n_arms * sum(n * arms for n, arms in pulls)
    return sum(arms * (arm + root * math.sqrt(n)) for n, arms in pulls)


def budget_cost(run: BudgetRun, instance: Instance) -> Cost:
    """Return the cost of one simulation at a fixed budget; shares are Delta_i^-2 / H."""
    budgets = run.grid(instance)
    last, complexity = max(budgets, default=0), instance.complexity()
    pulls = [(max(last * gap**-2 / complexity, 1.0), arms) for gap, arms in gaps_of(instance)]
    rows = float(run.replicates * len(budgets))
    seconds = run.replicates * _seconds(run.policy, pulls)
    return Cost(run.replicates * last, seconds, BASE_MB + ROW_MB * rows)


def confidence_cost(run: ConfidenceRun, instance: Instance, radius: Radius) -> Cost:
    """Return the cost of one simulation of Algorithm 2 at all its error levels."""
    expected = [confidence_pulls(instance, run.epsilon, delta, radius) for delta in run.deltas]
    listed = instance.n_arms if instance.n_arms <= MAX_LISTED_ARMS else 0
    rows = float(run.replicates * len(run.deltas))
    return Cost(
        run.replicates * sum(n * arms for pulls in expected for n, arms in pulls),
        run.replicates * sum(_seconds(run.radius, pulls) for pulls in expected),
        BASE_MB + ROW_MB * rows * (1 + listed / 4),
    )


def run_cost(study: Study, run: Run) -> Cost:
    """Return the cost of one simulation of a study."""
    instance = study.instance(run.instance)
    if isinstance(run, BudgetRun):
        return budget_cost(run, instance)
    # The tables of coin need compiled code; onesided takes a few per cent more pulls.
    name = "onesided" if run.radius == "coin" else run.radius
    return confidence_cost(run, instance, Radius(name, **study.constants))


def job_cost(study: Study, runs: Iterable[Run]) -> Cost:
    """Return the cost of a job that makes several simulations one after the other."""
    return total(run_cost(study, run) for run in runs) + Cost(cpu_seconds=START)


def total(costs: Iterable[Cost]) -> Cost:
    """Return the cost of all."""
    return reduce(Cost.__add__, costs, Cost())


def summary(study: Study) -> dict[str, Any]:
    """Return the cost of all simulations of a study, and its longest job."""
    jobs: dict[str, list[Run]] = {}
    runs: list[Run] = [*study.fixed_budget, *study.fixed_confidence]
    for run in runs:
        algorithm = "fixed_budget" if isinstance(run, BudgetRun) else "fixed_confidence"
        jobs.setdefault(f"{algorithm} {run.instance}", []).append(run)
    costs = {name: job_cost(study, parts) for name, parts in jobs.items()}
    longest = max(costs, key=lambda name: costs[name].cpu_seconds)
    short = sum(cost.group is not None for cost in costs.values())
    whole = total(costs.values())
    return {
        "simulations": len(runs),
        "jobs": len(jobs),
        "instances": len(study.instances),
        "pulls": whole.pulls,
        "cpu_hours": whole.cpu_seconds / 3600,
        "memory_gb": whole.memory_mb / 1e3,
        "longest_job": longest,
        "longest_hours": costs[longest].cpu_seconds / 3600,
        "longest_cores": costs[longest].threads,
        "submissions": len(jobs) - short + math.ceil(short / TOGETHER),
        "short": short,
    }


def render(found: dict[str, Any]) -> str:
    """Return a summary as text."""
    lines = [
        f"{found['simulations']} simulations in {found['jobs']} jobs on {found['instances']} "
        f"problems, {found['pulls']:.2g} pulls; within a factor of three:",
        f"CPU          {found['cpu_hours']:.2g} hours; the longest job {found['longest_hours']:.2g}"
        f" ({found['longest_job']}, on {found['longest_cores']} cores)",
        f"memory       {found['memory_gb']:.2g} GB at most",
        f"submissions  {found['submissions']} on a cluster; {found['short']} short jobs go up to "
        f"{TOGETHER} together",
        "",
        "Summaries, figures, tables and checks are extra: seconds each, minutes for the checks.",
    ]
    return "\n".join(lines) + "\n"
