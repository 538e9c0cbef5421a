# Needs: the config. Makes: results/simulations, tidy runs in Parquet, one file per algorithm and
# problem. Measured rates say what a simulation requests from a cluster; on one machine only threads
# count.


rule compile_kernels:
    """Compile the engines once, so that no simulation job does it again.

    Without a code hash: Numba compiles again what has changed, and no number depends on this file.
    """
    output:
        "<results>/kernels.json",
    log:
        "<results>/logs/compile_kernels.log",
    priority: AWAITED
    group:
        "prepare"
    script:
        "../../scripts/compile_kernels.py"


rule simulate_fixed_budget:
    """Run all policies of one problem: all privacy levels, all budgets in one sweep."""
    input:
        kernels="<results>/kernels.json",
    output:
        "<results>/simulations/fixed_budget/{instance}.parquet",
    log:
        "<results>/logs/simulate_fixed_budget/{instance}.log",
    priority: LONGEST
    group:
        predicted("fixed_budget", "group")
    threads: predicted("fixed_budget", "threads")
    resources:
        mem_mb=predicted_by_attempt("fixed_budget", "mem_mb"),
        runtime=predicted_by_attempt("fixed_budget", "runtime"),
    params:
        code=code("simulate_fixed_budget", budget_rows),
        rows=budget_rows,
        seed=lookup(dpath="seed", within=config),
        problem=problem,
        methods=budget_methods,
    script:
        "../../scripts/simulate_fixed_budget.py"


rule simulate_fixed_confidence:
    """Run Algorithm 2 to its stopping time on one problem: all radii, privacy and error levels."""
    input:
        kernels="<results>/kernels.json",
    output:
        "<results>/simulations/fixed_confidence/{instance}.parquet",
    log:
        "<results>/logs/simulate_fixed_confidence/{instance}.log",
    priority: LONG
    group:
        predicted("fixed_confidence", "group")
    threads: predicted("fixed_confidence", "threads")
    resources:
        mem_mb=predicted_by_attempt("fixed_confidence", "mem_mb"),
        runtime=predicted_by_attempt("fixed_confidence", "runtime"),
    params:
        code=code("simulate_fixed_confidence", confidence_rows),
        rows=confidence_rows,
        seed=lookup(dpath="seed", within=config),
        constants=EXPERIMENT.constants,
        problem=problem,
        methods=confidence_methods,
    script:
        "../../scripts/simulate_fixed_confidence.py"


rule simulate_mechanism:
    """Send several laws of rewards with one mean through the real mechanism, and summarise."""
    output:
        runs="<results>/simulations/mechanism.parquet",
        summary="<results>/summaries/mechanism.csv",
    log:
        "<results>/logs/simulate_mechanism.log",
    priority: LONG
    group:
        "prepare"
    params:
        code=code("simulate_mechanism"),
        seed=lookup(dpath="seed", within=config),
        mechanism=lookup(dpath="mechanism", within=config),
    script:
        "../../scripts/simulate_mechanism.py"


rule count_pulls:
    """Count the pulls of each arm under both algorithms, and summarise their shares."""
    input:
        instances="<results>/instances.json",
        kernels="<results>/kernels.json",
        runs=expand(
            "<results>/simulations/fixed_confidence/{name}.parquet",
            name=lookup(dpath="allocation/instances", within=config),
        ),
    output:
        runs="<results>/simulations/allocation.parquet",
        summary="<results>/summaries/allocation.csv",
    log:
        "<results>/logs/count_pulls.log",
    priority: LONG
    group:
        "summarise"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        code=code("count_pulls"),
        seed=lookup(dpath="seed", within=config),
        allocation=allocation_settings,
        delta=lookup(dpath="figures/delta", within=config),
    script:
        "../../scripts/count_pulls.py"
