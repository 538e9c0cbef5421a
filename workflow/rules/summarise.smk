# Needs: results/simulations. Makes: results/summaries, estimates with intervals.


rule summarise_fixed_budget:
    """Error probability of every policy at every budget, with exact intervals."""
    input:
        instances=expand("<results>/instances/{name}.json", name=STUDY.instances),
        runs=simulations("fixed_budget"),
    output:
        "<results>/summaries/fixed_budget.csv",
    log:
        "<results>/logs/summarise_fixed_budget.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/summarise_fixed_budget.py"),
    script:
        "../../scripts/summarise_fixed_budget.py"


rule summarise_fixed_confidence:
    """Stopping time and error probability of every radius, with intervals."""
    input:
        instances=expand("<results>/instances/{name}.json", name=STUDY.instances),
        runs=simulations("fixed_confidence"),
    output:
        "<results>/summaries/fixed_confidence.csv",
    log:
        "<results>/logs/summarise_fixed_confidence.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/summarise_fixed_confidence.py"),
    script:
        "../../scripts/summarise_fixed_confidence.py"


rule summarise_mechanism:
    """Mean response of each reward law, with exact intervals."""
    input:
        "<results>/simulations/mechanism.parquet",
    output:
        "<results>/summaries/mechanism.csv",
    log:
        "<results>/logs/summarise_mechanism.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/summarise_mechanism.py"),
    script:
        "../../scripts/summarise_mechanism.py"


rule summarise_bounds:
    """Bounds on the cost of fixed confidence, beside the measurements and as curves."""
    input:
        summary="<results>/summaries/fixed_confidence.csv",
        instances=expand("<results>/instances/{name}.json", name=STUDY.instances),
    output:
        "<results>/summaries/bounds.csv",
    log:
        "<results>/logs/summarise_bounds.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/summarise_bounds.py"),
        panels=config["figures"]["fixed_confidence"],
        delta=config["figures"]["delta"],
    script:
        "../../scripts/summarise_bounds.py"


rule summarise_budget_bounds:
    """Bounds on the error of fixed budget, as curves over the scaled budgets that were reached."""
    input:
        rare="<results>/rare/fixed_budget.csv",
        instances=expand("<results>/instances/{name}.json", name=STUDY.instances),
    output:
        "<results>/summaries/budget_bounds.csv",
    log:
        "<results>/logs/summarise_budget_bounds.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/summarise_budget_bounds.py"),
        panels=config["figures"]["bounds"],
        epsilon=config["figures"]["epsilon"],
    script:
        "../../scripts/summarise_budget_bounds.py"


rule summarise_allocation:
    """Share of the pulls that each arm gets under both algorithms, with intervals."""
    input:
        instances=allocated("<results>/instances/{instance}.json"),
        pulls="<results>/simulations/allocation.parquet",
        runs=allocated(
            "<results>/simulations/fixed_confidence/{instance}/{radius}.parquet"
        ),
    output:
        "<results>/summaries/allocation.csv",
    log:
        "<results>/logs/summarise_allocation.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/summarise_allocation.py"),
        epsilons=[float(epsilon) for epsilon in config["allocation"]["epsilons"]],
        delta=config["figures"]["delta"],
    script:
        "../../scripts/summarise_allocation.py"
