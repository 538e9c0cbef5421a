# Needs: results/instances.json. Makes: results/rare and, without randomness, results/exact.


rule rare_fixed_budget:
    """Estimate small errors at a fixed budget by importance sampling."""
    input:
        instances="<results>/instances.json",
        kernels=kernels("fixed_budget"),
    output:
        "<results>/rare/fixed_budget.csv",
    log:
        "<results>/logs/rare_fixed_budget.log",
    params:
        code=code("rare_fixed_budget"),
        seed=config["seed"],
        studies=from_experiment("sampled_cells", "rare_fixed_budget"),
        mirrored=False,
    script:
        "../../scripts/rare_fixed_budget.py"


use rule rare_fixed_budget as rare_environments with:
    output:
        "<results>/rare/environments.csv",
    log:
        "<results>/logs/rare_environments.log",
    params:
        studies=from_experiment("sampled_cells", "environments"),
        mirrored=True,


rule rare_fixed_confidence:
    """Estimate small errors of Algorithm 2 by importance sampling, beside its delta."""
    input:
        instances="<results>/instances.json",
        kernels=kernels("fixed_confidence"),
    output:
        "<results>/rare/fixed_confidence.csv",
    log:
        "<results>/logs/rare_fixed_confidence.log",
    params:
        code=code("rare_fixed_confidence"),
        seed=config["seed"],
        constants=CONSTANTS,
        studies=from_experiment("sampled_cells", "rare_fixed_confidence"),
    script:
        "../../scripts/rare_fixed_confidence.py"


rule exact_curves:
    """Compute the error at a fixed budget on one or two arms exactly, deep below the bounds."""
    input:
        instances="<results>/instances.json",
        kernels=kernels("fixed_budget"),
    output:
        "<results>/exact/fixed_budget.csv",
    log:
        "<results>/logs/exact_curves.log",
    params:
        code=code("exact_curves"),
        cells=from_experiment("cells", "exact_curves"),
    script:
        "../../scripts/exact_curves.py"


rule optimal_loss:
    """Compare policies on two arms with the exact optimum of any locally private algorithm."""
    input:
        kernels=kernels("fixed_budget"),
    output:
        "<results>/exact/optimal_loss.csv",
    log:
        "<results>/logs/optimal_loss.log",
    params:
        code=code("optimal_loss"),
    script:
        "../../scripts/optimal_loss.py"
