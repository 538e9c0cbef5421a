"""What a config costs a machine: CPU time, memory and jobs, from two rates per method.

The fast engines jump over most of an arm's pulls, so a run takes about ``arm`` seconds for each arm
and ``root`` seconds for each square root of an arm's pulls. The estimate is meant to be within a
factor of three, which is what requests to a cluster allow for; ``benchmarks/cost.py`` measures the
rates again.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ldpt.config.experiment import Experiment
from ldpt.config.grid import BudgetRun, ConfidenceRun
from ldpt.instances import MAX_LISTED_ARMS
from ldpt.limits import confidence_pulls, gaps_of

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
# CPU seconds of a job of other rules, and of each of its runs or chains.
RULE_RATES = {
    "compile_kernels": (21.0, 0.0),
    "rare_fixed_budget": (1.5, 1.4e-4),
    "rare_environments": (1.5, 2.4e-4),
    "rare_fixed_confidence": (1.5, 0.9e-4),
    "error_map": (12.0, 0.0),
    "evidence_tapes": (3.3, 0.17),
    "evidence_chains": (9.0, 0.0),
    "count_pulls": (3.3, 1e-4),
    "evidence_measured": (1.4, 3.1e-6),
    "summarise_bounds": (2.1, 2.1e-6),
    "summarise_fixed_budget": (0.5, 2.2e-6),
    "optimal_loss": (4.0, 0.0),
    "notebook": (4.0, 0.0),
}
UNKNOWN = (2.6e-6, 0.8e-6)  # a method that no benchmark has seen
BASE_MB, ROW_MB = 290.0, 1e-4  # memory of a job, and of one row of its table

# What a job requests from a cluster.
SHORT_JOB = 600  # CPU seconds up to which jobs share a submission
JOBS_PER_SUBMISSION = 30  # short jobs to a submission, one after the other, as in the profile
SECONDS_PER_CORE = 7200  # CPU seconds for which one more core is requested
MAX_THREADS = 32
TIME_MARGIN, MEMORY_MARGIN = 3, 1.5  # safety factors for slower nodes and unmeasured memory
SPARE_MINUTES, SPARE_MB = 10, 800  # Snakemake itself runs twice beside the script


@dataclass(frozen=True)
class Cost:
    """Simulations of one job: pulls of all runs, CPU time and peak memory."""

    pulls: float
    cpu_seconds: float
    memory_mb: float

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


Simulation = BudgetRun | ConfidenceRun
JOB_OVERHEAD = Cost(0.0, 1.3, 0.0)  # a job before it computes


def _seconds(method: str, pulls: Sequence[tuple[float, int]]) -> float:
    """Return the CPU time of one run from an arm's pulls, and how many arms have them."""
    arm, root = RATES.get(method, UNKNOWN)
    n_arms = sum(arms for _, arms in pulls)
    if method == "laplace":  # every arm is looked at for every pull
        return arm * n_arms + root * n_arms * math.fsum(n * arms for n, arms in pulls)
    return math.fsum(arms * (arm + root * math.sqrt(n)) for n, arms in pulls)


def run_cost(experiment: Experiment, run: Simulation) -> Cost:
    """Return the cost of one simulation: a sweep over all budgets, or a sweep per error level.

    At a fixed budget, an arm's share of the pulls is about Delta_i^-2 / H.
    """
    instance = experiment.instance(run.instance)
    if isinstance(run, BudgetRun):
        budgets = run.grid(instance)
        scaled = max(budgets, default=0) / instance.complexity()
        sweeps = [[(max(scaled / (gap * gap), 1.0), arms) for gap, arms in gaps_of(instance)]]
        columns = float(len(budgets))
    else:
        radius = experiment.proxy_radius(run.method)
        sweeps = [confidence_pulls(instance, run.epsilon, delta, radius) for delta in run.deltas]
        listed = instance.n_arms if instance.n_arms <= MAX_LISTED_ARMS else 0
        columns = len(run.deltas) * (1 + listed / 4)
    return Cost(
        run.replicates * math.fsum(n * arms for pulls in sweeps for n, arms in pulls),
        run.replicates * math.fsum(_seconds(run.method, pulls) for pulls in sweeps),
        BASE_MB + ROW_MB * run.replicates * columns,
    )


def job_cost(experiment: Experiment, algorithm: str, family: str) -> Cost:
    """Return the cost of the job that makes all simulations of a family one after the other."""
    runs = experiment.family_runs(algorithm, family)
    return total([*(run_cost(experiment, run) for run in runs), JOB_OVERHEAD])


def total(costs: Sequence[Cost]) -> Cost:
    """Return the cost of all, one after the other."""
    return Cost(
        math.fsum(cost.pulls for cost in costs),
        math.fsum(cost.cpu_seconds for cost in costs),
        max(cost.memory_mb for cost in costs),
    )


Costs = dict[tuple[str, str], Cost]  # of simulation jobs by algorithm and family


def job_costs(experiment: Experiment) -> Costs:
    """Return the cost of every simulation job."""
    return {
        (algorithm, family): job_cost(experiment, algorithm, family)
        for algorithm in ("fixed_budget", "fixed_confidence")
        for family in {experiment.family(run.instance) for run in getattr(experiment, algorithm)}
    }


def rule_seconds(experiment: Experiment, costs: Costs) -> dict[str, float]:
    """Return the mean CPU time of one job by rule; rules that are not in it take seconds."""
    times: dict[str, list[float]] = {}
    for (algorithm, _), cost in costs.items():
        times.setdefault(f"simulate_{algorithm}", []).append(cost.cpu_seconds)
    seconds = {rule: math.fsum(values) / len(values) for rule, values in times.items()}
    sizes = rule_sizes(experiment)
    return seconds | {
        rule: fixed + rate * sizes.get(rule, 0) for rule, (fixed, rate) in RULE_RATES.items()
    }


def rule_sizes(experiment: Experiment) -> dict[str, float]:
    """Return the number of runs or chains behind rules other than simulations."""
    settings = experiment.settings
    runs = {
        section: sum(
            grid.get("replicates") or getattr(settings, section).replicates
            for _, _, grid in experiment.cells(section)
        )
        for section in ("rare_fixed_budget", "environments", "rare_fixed_confidence")
    }
    allocation = settings.allocation
    simulated = sum(run.replicates for run in experiment.fixed_budget)
    return {
        "rare_fixed_budget": runs["rare_fixed_budget"],
        "rare_environments": runs["environments"],
        "rare_fixed_confidence": runs["rare_fixed_confidence"],
        "evidence_tapes": settings.proof_checks.chains,
        "count_pulls": len(allocation.instances) * len(allocation.epsilons) * allocation.replicates,
        "summarise_fixed_budget": simulated,
        "evidence_measured": simulated,
        "summarise_bounds": simulated,
    }
