# Needs: results/simulations. Makes: results/summaries, estimates with intervals.


rule summarise_fixed_budget:
    """Estimate the error probability of every policy at every budget, with exact intervals."""
    input:
        instances="<results>/instances.json",
        runs=simulations("fixed_budget"),
    output:
        "<results>/summaries/fixed_budget.csv",
    log:
        "<results>/logs/summarise_fixed_budget.log",
    params:
        code=code("summarise_fixed_budget"),
    script:
        "../../scripts/summarise_fixed_budget.py"


rule summarise_fixed_confidence:
    """Estimate stopping time and error probability of every radius, with intervals."""
    input:
        instances="<results>/instances.json",
        runs=simulations("fixed_confidence"),
    output:
        "<results>/summaries/fixed_confidence.csv",
    log:
        "<results>/logs/summarise_fixed_confidence.log",
    params:
        code=code("summarise_fixed_confidence"),
    script:
        "../../scripts/summarise_fixed_confidence.py"


rule summarise_bounds:
    """Evaluate the bounds of both algorithms beside the measurements and as curves."""
    input:
        instances="<results>/instances.json",
        fixed_confidence="<results>/summaries/fixed_confidence.csv",
        rare=RARE_ESTIMATES,
    output:
        fixed_confidence="<results>/summaries/bounds.csv",
        fixed_budget="<results>/summaries/budget_bounds.csv",
    log:
        "<results>/logs/summarise_bounds.log",
    params:
        code=code("summarise_bounds"),
        confidence_panels=from_experiment("panels", "confidence_bounds"),
        delta=config["figures"]["delta"],
        budget_panels=from_experiment("panels", "budget_bounds"),
        epsilon=config["figures"]["epsilon"],
    script:
        "../../scripts/summarise_bounds.py"
