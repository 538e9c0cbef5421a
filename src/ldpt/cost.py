"""What a config will cost before it runs: CPU time, memory, jobs and disk, from measured rates.

The fast engines jump over most of the n pulls of an arm, so the time of a run is close to

    run + arm K + look C sum_i n_i^(1/4)
      + sum_i [log log(n_i) + (root + crowd log2(1 + K) + wake log(T / t_i)) sqrt(n_i) + step m_i]

with pulls n_i that the boundary (Algorithm 2) or the budget's share Delta_i^-2 / H (Algorithm 1)
predicts, and C budgets to report at, of which near ones count less. A threshold tau away from 1/2
keeps jumps short: about m_i = min(n_i, 1250 |1 - 2 tau| / Delta_i) pulls are made one by one. An
arm decided at time t_i wakes again and again until the end, T, where the boundary grows with time.
``benchmarks/cost_growth.py`` measures the rates, which ``data/rates.json`` keeps. The same
numbers tell a cluster what each simulation asks for.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from ldpt.config import Study
from ldpt.grid import BudgetRun, ConfidenceRun, epsilon_name
from ldpt.instances import MAX_LISTED_ARMS, Instance
from ldpt.limits import confidence_pulls, gaps_of
from ldpt.privacy import shrinkage
from ldpt.radii import Radius

SHORT_WAY = 200  # pulls per arm to a budget up to which looking there costs less
STEPPED = 1250  # pulls made one by one where |1 - 2 tau| is the gap; measured
RATES = Path(__file__).with_name("data") / "rates.json"

Features = dict[str, float]
Rates = Mapping[str, Mapping[str, Features]]

# What a job asks a cluster for.
SHORT_JOB = 600  # CPU seconds up to which jobs share a submission
TOGETHER = 30  # short jobs to a submission, one after the other, as in the profile
SECONDS_PER_CORE = 7200  # CPU seconds for which one more core is asked
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
        """Cores worth asking for."""
        return min(max(math.ceil(self.cpu_seconds / SECONDS_PER_CORE), 1), MAX_THREADS)

    @property
    def runtime(self) -> int:
        """Minutes to ask for."""
        seconds = TIME_MARGIN * self.cpu_seconds / self.threads
        return math.ceil(seconds / 60) + SPARE_MINUTES

    @property
    def mem_mb(self) -> int:
        """Megabytes to ask for."""
        return math.ceil(MEMORY_MARGIN * self.memory_mb) + SPARE_MB

    @property
    def group(self) -> str | None:
        """The submission that a short job may share; none for a long one."""
        return "short" if self.cpu_seconds <= SHORT_JOB else None


@cache
def measured() -> Rates:
    """The rates in the benchmark's file."""
    return json.loads(RATES.read_text())


# --- pulls ----------------------------------------------------------------------------------------


def budget_pulls(instance: Instance, budget: float) -> list[tuple[float, int]]:
    """Pulls of Algorithm 1 at its end and how many arms have them: shares Delta_i^-2 / H."""
    complexity = instance.complexity()
    return [(max(budget * gap**-2 / complexity, 1.0), arms) for gap, arms in gaps_of(instance)]


# --- what enters the rates ------------------------------------------------------------------------


def budget_features(
    instance: Instance, epsilon: float, budgets: list[int], policy: str
) -> Features:
    """What the time of one run to the largest budget depends on."""
    n_arms, last = instance.n_arms, max(budgets, default=0)
    if policy == "uniform":
        return {"run": 1.0, "look": float(n_arms * len(budgets))}
    if policy == "laplace":  # literal: every arm is looked at for every pull
        return {"run": 1.0, "pull": float(last), "scan": float(last) * n_arms}
    pulls = budget_pulls(instance, last)
    ways = (after - before for before, after in pairwise([0, *sorted(budgets)]))
    looks = sum(min(1.0, way / (SHORT_WAY * n_arms)) for way in ways)
    look = looks * sum(arms * n**0.25 for n, arms in pulls)
    return {**_walks(instance, epsilon, pulls), "look": look}


def confidence_features(
    instance: Instance, epsilon: float, delta: float, radius: Radius
) -> Features:
    """What the time of one run to the stopping time depends on."""
    pulls = confidence_pulls(instance, epsilon, delta, radius)
    return {**_walks(instance.strict, epsilon, pulls), "wake": _wakes(pulls)}


def _walks(instance: Instance, epsilon: float, pulls: list[tuple[float, int]]) -> Features:
    """What the walks of all arms take; pulls in the order of their gaps."""
    tilt = abs(1 - 2 * float(instance.private_threshold(epsilon))) / shrinkage(epsilon)
    root = sum(arms * math.sqrt(n) for n, arms in pulls)
    groups = zip(pulls, gaps_of(instance), strict=True)
    return {
        "run": 1.0,
        "arm": float(instance.n_arms),
        "log": sum(arms * math.log(n) for n, arms in pulls),
        "root": root,
        "crowd": root * math.log2(1 + instance.n_arms),
        "step": sum(arms * min(n, STEPPED * tilt / abs(gap)) for (n, arms), (gap, _) in groups),
    }


def _wakes(pulls: list[tuple[float, int]]) -> float:
    """Arms are served in turn, so when one has n pulls, the others have as many or are decided."""
    end = sum(n * arms for n, arms in pulls)
    times = [sum(min(other, n) * arms for other, arms in pulls) for n, _ in pulls]
    return sum(
        arms * math.sqrt(n) * math.log(end / time)
        for (n, arms), time in zip(pulls, times, strict=True)
    )


def budget_sizes(replicates: int, budgets: list[int]) -> Features:
    """What memory and file of a fixed-budget job depend on."""
    return {"job": 1.0, "row": float(replicates * len(budgets))}


def confidence_sizes(
    instance: Instance, epsilon: float, deltas: list[float], replicates: int, radius: Radius
) -> Features:
    """What memory and file of a fixed-confidence job depend on; wide counts take more bits."""
    kept = instance.n_arms if instance.n_arms <= MAX_LISTED_ARMS else 0
    bits = 0.0
    for delta in deltas:
        pulls = confidence_pulls(instance, epsilon, delta, radius)
        bits += _bits(sum(n * arms for n, arms in pulls))
        bits += sum(arms * _bits(n) for n, arms in pulls) if kept else 0.0
    rows = float(replicates * len(deltas))
    return {
        "job": 1.0,
        "row": rows,
        "value": rows * kept,
        "work": float(replicates * instance.n_arms),
        "bit": replicates * bits,
    }


def _bits(pulls: float) -> float:
    """Bits that tell a count which spreads like the root of its mean."""
    return math.log2(1 + math.sqrt(pulls))


def policy_rates(rates: Rates, policy: str) -> Features:
    """The CPU rates of a policy; an index policy that no benchmark has seen costs like another."""
    known = rates["cpu"]
    return known.get(policy) or known["apt"]


def radius_rates(rates: Rates, radius: Radius) -> Features:
    """The CPU rates of a radius; one that no benchmark has seen is taken for the nearest known."""
    known = rates["cpu"]
    return known.get(radius.name) or known["hoeffding" if radius.kind.timed else "mixture"]


def dot(rates: Features, features: Features) -> float:
    """Sum of rate times feature; what has no rate costs nothing."""
    return sum(rate * features.get(name, 0.0) for name, rate in rates.items())


# --- jobs and studies -----------------------------------------------------------------------------


def budget_cost(run: BudgetRun, instance: Instance, rates: Rates | None = None) -> JobCost:
    """The cost of one simulation of Algorithm 1 or a baseline."""
    rates = rates or measured()
    budgets = run.grid(instance)
    seconds = dot(
        policy_rates(rates, run.policy), budget_features(instance, run.epsilon, budgets, run.policy)
    )
    sizes = budget_sizes(run.replicates, budgets)
    return JobCost(
        float(run.replicates) * max(budgets, default=0),
        rates["cpu"]["job"]["job"] + run.replicates * seconds,
        dot(rates["memory"]["fixed_budget"], sizes),
        dot(rates["disk"]["fixed_budget"], sizes),
    )


def confidence_cost(
    run: ConfidenceRun, instance: Instance, radius: Radius, rates: Rates | None = None
) -> JobCost:
    """The cost of one simulation of Algorithm 2 at all its error levels."""
    rates = rates or measured()
    deltas = sorted(run.deltas)
    seconds, pulls = 0.0, 0.0
    for delta in deltas:
        features = confidence_features(instance, run.epsilon, delta, radius)
        seconds += dot(radius_rates(rates, radius), features)
        expected = confidence_pulls(instance, run.epsilon, delta, radius)
        pulls += sum(n * arms for n, arms in expected)
    sizes = confidence_sizes(instance, run.epsilon, deltas, run.replicates, radius)
    return JobCost(
        run.replicates * pulls,
        rates["cpu"]["job"]["job"] + run.replicates * seconds,
        dot(rates["memory"]["fixed_confidence"], sizes),
        dot(rates["disk"]["fixed_confidence"], sizes),
    )


def budget_job(runs: Sequence[BudgetRun], instance: Instance) -> JobCost:
    """Return the cost of one job: all policies on an instance at all their privacy levels."""
    return together([budget_cost(run, instance) for run in runs])


def confidence_job(
    runs: Sequence[ConfidenceRun], instance: Instance, constants: Mapping[str, float]
) -> JobCost:
    """Return the cost of one job: all radii on an instance at all their privacy levels."""
    return together(
        [confidence_cost(run, instance, Radius(run.radius, **constants)) for run in runs]
    )


def together(costs: Sequence[JobCost], rates: Rates | None = None) -> JobCost:
    """Several simulations in one job, one after the other: it starts once."""
    start = (rates or measured())["cpu"]["job"]["job"]
    return JobCost(
        sum(cost.pulls for cost in costs),
        sum(cost.cpu_seconds for cost in costs) - start * (len(costs) - 1),
        max(cost.memory_mb for cost in costs),
        sum(cost.disk_bytes for cost in costs),
    )


def study_costs(study: Study, rates: Rates | None = None) -> list[dict[str, Any]]:
    """One row per simulation of a study: what it is and what it costs."""
    rows: list[dict[str, Any]] = []
    for budget_run in study.fixed_budget:
        cost = budget_cost(budget_run, study.instances[budget_run.instance], rates)
        rows.append(_row("fixed_budget", budget_run.policy, budget_run, cost))
    for run in study.fixed_confidence:
        radius = Radius(run.radius, **study.constants)
        cost = confidence_cost(run, study.instances[run.instance], radius, rates)
        rows.append(_row("fixed_confidence", run.radius, run, cost))
    return rows


def _row(algorithm: str, how: str, run: BudgetRun | ConfidenceRun, cost: JobCost) -> dict[str, Any]:
    return {
        "algorithm": algorithm,
        "instance": run.instance,
        "how": how,
        "epsilon": run.epsilon,
        "replicates": run.replicates,
        "cost": cost,
    }


# --- what a reader sees ---------------------------------------------------------------------------


def summary(study: Study, rates: Rates | None = None) -> dict[str, Any]:
    """The cost of a whole study, with its most expensive simulation, and by privacy level."""
    rows = study_costs(study, rates)
    jobs = job_costs(rows, rates)
    longest = max(jobs, key=lambda name: jobs[name].cpu_seconds)
    largest = max(jobs, key=lambda name: jobs[name].memory_mb)
    short = sum(cost.group is not None for cost in jobs.values())
    return {
        "simulations": len(rows),
        "jobs": len(jobs),
        "instances": len(study.instances),
        "replicates": max(row["replicates"] for row in rows),
        **_totals([row["cost"] for row in rows]),
        "memory_gb": jobs[largest].memory_mb / 1e3,
        "largest_job": largest,
        "longest_job": {
            "name": longest,
            "cpu_hours": jobs[longest].cpu_seconds / 3600,
            "cores": jobs[longest].threads,
        },
        "submissions": len(jobs) - short + math.ceil(short / TOGETHER),
        "short": short,
        "by_epsilon": [
            {"epsilon": epsilon_name(epsilon), **_at_level(rows, epsilon)}
            for epsilon in sorted({row["epsilon"] for row in rows})
        ],
    }


def _totals(costs: list[JobCost]) -> dict[str, float]:
    return {
        "pulls": sum(cost.pulls for cost in costs),
        "cpu_hours": sum(cost.cpu_seconds for cost in costs) / 3600,
        "disk_gb": sum(cost.disk_bytes for cost in costs) / 1e9,
    }


def _at_level(rows: list[dict[str, Any]], epsilon: float) -> dict[str, float]:
    costs = [row["cost"] for row in rows if row["epsilon"] == epsilon]
    return {"simulations": len(costs), **_totals(costs)}


def job_costs(rows: list[dict[str, Any]], rates: Rates | None = None) -> dict[str, JobCost]:
    """Return the jobs that these simulations go to, one per algorithm and instance."""
    parts: dict[tuple[str, ...], list[JobCost]] = {}
    for row in rows:
        parts.setdefault((row["algorithm"], row["instance"]), []).append(row["cost"])
    return {" ".join(job): together(costs, rates) for job, costs in parts.items()}


def render(total: dict[str, Any]) -> str:
    """A summary as text."""
    longest = total["longest_job"]
    hours = longest["cpu_hours"] / longest["cores"]
    lines = [
        f"{total['simulations']} simulations in {total['jobs']} jobs on {total['instances']} "
        f"instances, up to {total['replicates']} replicates, {total['pulls']:.2g} pulls",
        f"CPU          {total['cpu_hours']:.3g} hours; the longest {longest['cpu_hours']:.3g}: "
        f"{longest['name']}, {hours:.2g} hours on {longest['cores']} cores",
        f"memory       {total['memory_gb']:.2g} GB at most: {total['largest_job']}",
        f"disk         {total['disk_gb']:.3g} GB",
        f"submissions  {total['submissions']}; {total['short']} short jobs go up to {TOGETHER} "
        "together",
        "",
        f"{'epsilon':>8}  {'simulations':>11}  {'pulls':>8}  {'CPU hours':>9}  {'GB':>8}",
    ]
    lines += [
        f"{row['epsilon']:>8}  {row['simulations']:>11}  {row['pulls']:>8.2g}  "
        f"{row['cpu_hours']:>9.3g}  {row['disk_gb']:>8.2g}"
        for row in total["by_epsilon"]
    ]
    rest = "Summaries, figures, tables and checks are extra: one job per rule, about a minute each."
    lines += ["", rest]
    return "\n".join(lines) + "\n"
