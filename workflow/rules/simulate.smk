# Needs: results/instances. Makes: results/simulations, tidy runs in Parquet.
# What a simulation asks a cluster for comes from measured rates; on one machine only threads count.

from functools import cache

from ldpt import cost as run_cost
from ldpt.radii import Radius


@cache
def budget_cost(*job):
    """What a job of Algorithm 1 or a baseline is expected to take."""
    runs = STUDY.budget_runs(*job)
    return run_cost.budget_job(runs, STUDY.instance(job[0]))


@cache
def confidence_cost(*job):
    """What a job of Algorithm 2 is expected to take."""
    radius = Radius(job[1], **STUDY.constants)
    runs = STUDY.confidence_runs(*job)
    return run_cost.confidence_job(runs, STUDY.instance(job[0]), radius)


def budget_levels(*job):
    """Runs and budgets of such a job at each privacy level."""
    instance = STUDY.instance(job[0])
    return {
        epsilon_name(run.epsilon): {
            "replicates": run.replicates,
            "budgets": run.grid(instance),
        }
        for run in STUDY.budget_runs(*job)
    }


def confidence_levels(*job):
    """Runs and error levels of such a job at each privacy level."""
    return {
        epsilon_name(run.epsilon): {
            "replicates": run.replicates,
            "deltas": sorted(run.deltas),
        }
        for run in STUDY.confidence_runs(*job)
    }


rule compile_kernels:
    """Compile the engines once, so that no simulation job does it again."""
    output:
        "<results>/kernels.json",
    log:
        "<results>/logs/compile_kernels.log",
    priority: AWAITED
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/compile_kernels.py"),
    script:
        "../../scripts/compile_kernels.py"


rule simulate_fixed_budget:
    """Run Algorithm 1 or a baseline on one instance: all privacy levels, all budgets at once."""
    input:
        instance="<results>/instances/{instance}.json",
        kernels="<results>/kernels.json",
    output:
        "<results>/simulations/fixed_budget/{instance}/{policy}.parquet",
    log:
        "<results>/logs/simulate_fixed_budget/{instance}/{policy}.log",
    priority: LONG
    group:
        lambda w: budget_cost(*w).group
    conda:
        "../../environment.yml"
    threads: lambda w: budget_cost(*w).threads
    resources:
        mem_mb=lambda w, attempt: attempt * budget_cost(*w).mem_mb,
        runtime=lambda w, attempt: attempt * budget_cost(*w).runtime,
    params:
        code=code("scripts/simulate_fixed_budget.py"),
        seed=config["seed"],
        levels=lambda w: budget_levels(*w),
    script:
        "../../scripts/simulate_fixed_budget.py"


rule simulate_fixed_confidence:
    """Run Algorithm 2 to its stopping time on one instance: all privacy and error levels."""
    input:
        instance="<results>/instances/{instance}.json",
        kernels="<results>/kernels.json",
    output:
        "<results>/simulations/fixed_confidence/{instance}/{radius}.parquet",
    log:
        "<results>/logs/simulate_fixed_confidence/{instance}/{radius}.log",
    group:
        lambda w: confidence_cost(*w).group
    conda:
        "../../environment.yml"
    threads: lambda w: confidence_cost(*w).threads
    resources:
        mem_mb=lambda w, attempt: attempt * confidence_cost(*w).mem_mb,
        runtime=lambda w, attempt: attempt * confidence_cost(*w).runtime,
    params:
        code=code("scripts/simulate_fixed_confidence.py"),
        seed=config["seed"],
        constants=STUDY.constants,
        levels=lambda w: confidence_levels(*w),
    script:
        "../../scripts/simulate_fixed_confidence.py"


rule simulate_mechanism:
    """Send several laws of rewards with one mean through the real mechanism."""
    output:
        "<results>/simulations/mechanism.parquet",
    log:
        "<results>/logs/simulate_mechanism.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/simulate_mechanism.py"),
        seed=config["seed"],
        mechanism=config["mechanism"],
    script:
        "../../scripts/simulate_mechanism.py"


rule simulate_allocation:
    """Count the pulls that Algorithm 1 gives to each arm within a multiple of the complexity."""
    input:
        instances=allocated("<results>/instances/{instance}.json"),
        kernels="<results>/kernels.json",
    output:
        "<results>/simulations/allocation.parquet",
    log:
        "<results>/logs/simulate_allocation.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/simulate_allocation.py"),
        seed=config["seed"],
        allocation=config["allocation"],
    script:
        "../../scripts/simulate_allocation.py"
