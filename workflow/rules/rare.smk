# Needs: results/instances. Makes: results/rare, error probabilities far below the Monte-Carlo floor
# with their exponents, and results/exact/fixed_budget.csv, the same without randomness.


def cells_of(section):
    """The cells of a section of the config, as parameters."""
    return [[name, epsilon, dict(grid)] for name, epsilon, grid in STUDY.cells(section)]


def instances_of(section):
    """The files of the instances that a section of the config names."""
    names = dict.fromkeys(name for name, *_ in STUDY.cells(section))
    return expand("<results>/instances/{name}.json", name=names)


rule rare_fixed_budget:
    """Error of Algorithm 1 by importance sampling, and its exponents beside the bounds'."""
    input:
        instances=instances_of("rare_fixed_budget"),
        kernels="<results>/kernels.json",
    output:
        estimates="<results>/rare/fixed_budget.csv",
        exponents="<results>/rare/exponents.csv",
    log:
        "<results>/logs/rare_fixed_budget.log",
    benchmark:
        "<results>/benchmarks/rare_fixed_budget.tsv"
    priority: LONG
    conda:
        "../../environment.yml"
    threads: QUARTER
    resources:
        runtime=30,
    params:
        code=code("scripts/rare_fixed_budget.py"),
        seed=config["seed"],
        replicates=config["rare_fixed_budget"]["replicates"],
        cells=cells_of("rare_fixed_budget"),
    script:
        "../../scripts/rare_fixed_budget.py"


rule rare_fixed_confidence:
    """Error of Algorithm 2 by importance sampling, beside its delta."""
    input:
        instances=instances_of("rare_fixed_confidence"),
        kernels="<results>/kernels.json",
    output:
        "<results>/rare/fixed_confidence.csv",
    log:
        "<results>/logs/rare_fixed_confidence.log",
    benchmark:
        "<results>/benchmarks/rare_fixed_confidence.tsv"
    priority: LONG
    conda:
        "../../environment.yml"
    threads: QUARTER
    resources:
        runtime=30,
    params:
        code=code("scripts/rare_fixed_confidence.py"),
        seed=config["seed"],
        rho=config["rho"],
        replicates=config["rare_fixed_confidence"]["replicates"],
        cells=cells_of("rare_fixed_confidence"),
    script:
        "../../scripts/rare_fixed_confidence.py"


rule exact_curves:
    """Exact error of Algorithm 1 on one or two arms, deep into the region of the bounds."""
    input:
        instances=instances_of("exact_curves"),
        kernels="<results>/kernels.json",
    output:
        "<results>/exact/fixed_budget.csv",
    log:
        "<results>/logs/exact_curves.log",
    benchmark:
        "<results>/benchmarks/exact_curves.tsv"
    priority: LONG
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=15,
    params:
        code=code("scripts/exact_curves.py"),
        cells=cells_of("exact_curves"),
    script:
        "../../scripts/exact_curves.py"
