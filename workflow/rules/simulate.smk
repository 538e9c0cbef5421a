# Needs: the config. Makes: the table of problems, and results/simulations: tidy runs in Parquet, one
# file per algorithm and family. Measured rates predict what a simulation requests from a cluster.

CONSTANTS = {"rho": config["rho"], "prior_gap": config["prior_gap"]}  # of the radii


rule instances:
    """Write the problems of the config to one file, and tabulate them with their complexities."""
    output:
        **table_files("instances"),
        json="<results>/instances.json",
    log:
        "<results>/logs/instances.log",
    params:
        code=code("instances"),
        definitions=from_experiment("definitions"),
    script:
        "../../scripts/instances.py"


rule compile_kernels:
    """Compile the engines of an algorithm once, so that no simulation job does it again.

    Without a code hash: Numba compiles again what has changed, and no number depends on this file.
    """
    output:
        "<results>/kernels/{algorithm}.json",
    log:
        "<results>/logs/compile_kernels/{algorithm}.log",
    script:
        "../../scripts/compile_kernels.py"


rule simulate_fixed_budget:
    """Run all policies of a family: all privacy levels, all budgets in one sweep."""
    input:
        kernels=kernels("fixed_budget"),
    output:
        "<results>/simulations/fixed_budget/{family}.parquet",
    log:
        "<results>/logs/simulate_fixed_budget/{family}.log",
    group:
        predicted("fixed_budget", "group")
    threads: predicted("fixed_budget", "threads")
    resources:
        mem_mb=predicted("fixed_budget", "mem_mb"),
        runtime=predicted("fixed_budget", "runtime"),
    params:
        code=code("simulate_fixed_budget", from_experiment("policies")),
        rows=from_experiment("policies"),
        seed=config["seed"],
        problems=from_experiment("definitions", "fixed_budget"),
        settings=from_experiment("budget_settings"),
    script:
        "../../scripts/simulate_fixed_budget.py"


rule simulate_fixed_confidence:
    """Run Algorithm 2 to its stopping time on a family: all radii, privacy and error levels."""
    input:
        kernels=kernels("fixed_confidence"),
    output:
        "<results>/simulations/fixed_confidence/{family}.parquet",
    log:
        "<results>/logs/simulate_fixed_confidence/{family}.log",
    group:
        predicted("fixed_confidence", "group")
    threads: predicted("fixed_confidence", "threads")
    resources:
        mem_mb=predicted("fixed_confidence", "mem_mb"),
        runtime=predicted("fixed_confidence", "runtime"),
    params:
        code=code("simulate_fixed_confidence", from_experiment("radii")),
        rows=from_experiment("radii"),
        seed=config["seed"],
        constants=CONSTANTS,
        problems=from_experiment("definitions", "fixed_confidence"),
        settings=from_experiment("confidence_settings"),
    script:
        "../../scripts/simulate_fixed_confidence.py"


rule simulate_mechanism:
    """Send several laws of rewards with one mean through the real mechanism, and summarise."""
    output:
        runs="<results>/simulations/mechanism.parquet",
        summary="<results>/summaries/mechanism.csv",
    log:
        "<results>/logs/simulate_mechanism.log",
    params:
        code=code("simulate_mechanism"),
        seed=config["seed"],
        mechanism=config["mechanism"],
    script:
        "../../scripts/simulate_mechanism.py"


rule count_pulls:
    """Count the pulls of each arm under both algorithms, and summarise their shares."""
    input:
        instances="<results>/instances.json",
        kernels=kernels(),
        runs=simulations("fixed_confidence", config["allocation"]["instances"]),
    output:
        runs="<results>/simulations/allocation.parquet",
        summary="<results>/summaries/allocation.csv",
    log:
        "<results>/logs/count_pulls.log",
    params:
        code=code("count_pulls"),
        seed=config["seed"],
        allocation=from_experiment("allocation"),
        delta=config["figures"]["delta"],
    script:
        "../../scripts/count_pulls.py"
