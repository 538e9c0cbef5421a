# Needs: results/instances. Makes: results/simulations, tidy runs in Parquet.
# What a simulation asks a cluster for comes from measured rates; on one machine only threads count.

from functools import cache

from ldpt.planning import run_cost
from ldpt.radii import Radius


@cache
def budget_cost(*job):
    """What a job of Algorithm 1 or a baseline is expected to take."""
    run = STUDY.budget_run(*job)
    return run_cost.budget_cost(run, STUDY.instance(run.instance))


@cache
def confidence_cost(*job):
    """What a job of Algorithm 2 is expected to take."""
    run = STUDY.confidence_run(*job)
    radius = Radius(run.radius, **STUDY.constants)
    return run_cost.confidence_cost(run, STUDY.instance(run.instance), radius)


rule compile_kernels:
    """Compile the engines once, so that no simulation job does it again."""
    output:
        "<results>/kernels.json",
    log:
        "<results>/logs/compile_kernels.log",
    benchmark:
        "<results>/benchmarks/compile_kernels.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/compile_kernels.py"),
    script:
        "../../scripts/compile_kernels.py"


rule simulate_fixed_budget:
    """Run Algorithm 1 or a baseline on one instance at one privacy level, all budgets at once."""
    input:
        instance="<results>/instances/{instance}.json",
        kernels="<results>/kernels.json",
    output:
        "<results>/simulations/fixed_budget/{instance}/{policy}/{epsilon}.parquet",
    log:
        "<results>/logs/simulate_fixed_budget/{instance}/{policy}/{epsilon}.log",
    benchmark:
        "<results>/benchmarks/simulate_fixed_budget/{instance}/{policy}/{epsilon}.tsv"
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
        replicates=lambda w: STUDY.budget_run(*w).replicates,
        budgets=lambda w: STUDY.budget_run(*w).grid(STUDY.instance(w.instance)),
    script:
        "../../scripts/simulate_fixed_budget.py"


rule simulate_fixed_confidence:
    """Run Algorithm 2 to its stopping time on one instance at one privacy level."""
    input:
        instance="<results>/instances/{instance}.json",
        kernels="<results>/kernels.json",
    output:
        "<results>/simulations/fixed_confidence/{instance}/{radius}/{epsilon}.parquet",
    log:
        "<results>/logs/simulate_fixed_confidence/{instance}/{radius}/{epsilon}.log",
    benchmark:
        "<results>/benchmarks/simulate_fixed_confidence/{instance}/{radius}/{epsilon}.tsv"
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
        replicates=lambda w: STUDY.confidence_run(*w).replicates,
        deltas=lambda w: sorted(STUDY.confidence_run(*w).deltas),
    script:
        "../../scripts/simulate_fixed_confidence.py"


rule simulate_mechanism:
    """Send several laws of rewards with one mean through the real mechanism."""
    output:
        "<results>/simulations/mechanism.parquet",
    log:
        "<results>/logs/simulate_mechanism.log",
    benchmark:
        "<results>/benchmarks/simulate_mechanism.tsv"
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
    benchmark:
        "<results>/benchmarks/simulate_allocation.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/simulate_allocation.py"),
        seed=config["seed"],
        allocation=config["allocation"],
    script:
        "../../scripts/simulate_allocation.py"
