# Needs: results/instances. Makes: results/rare, error probabilities far below the Monte-Carlo floor
# with their exponents, and results/exact/fixed_budget.csv, the same without randomness.

RARE = ["fixed_budget", "fixed_confidence", "environments"]


def section_of(name):
    """The section of the config behind a table of rare events."""
    return name if name == "environments" else f"rare_{name}"


def cells_of(section, instance=None):
    """The cells of a section of the config, all or of one instance, as parameters."""
    return [
        [name, epsilon, dict(grid)]
        for name, epsilon, grid in STUDY.cells(section)
        if instance in (None, name)
    ]


def instances_of(section, pattern="<results>/instances/{name}.json"):
    """The files of this pattern for the instances that a section of the config names."""
    names = dict.fromkeys(name for name, *_ in STUDY.cells(section))
    return expand(pattern, name=names)


rule rare_fixed_budget:
    """Error of Algorithm 1 and of `lsa` on one instance, by importance sampling."""
    input:
        instance="<results>/instances/{instance}.json",
        kernels="<results>/kernels.json",
    output:
        "<results>/rare/fixed_budget/{instance}.csv",
    log:
        "<results>/logs/rare_fixed_budget/{instance}.log",
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
        cells=lambda w: cells_of("rare_fixed_budget", w.instance),
    script:
        "../../scripts/rare_fixed_budget.py"


rule rare_environments:
    """Error of Algorithm 1 on B^0, ..., B^K of Theorem 3.2, by importance sampling."""
    input:
        instance="<results>/instances/{instance}.json",
        kernels="<results>/kernels.json",
    output:
        "<results>/rare/environments/{instance}.csv",
    log:
        "<results>/logs/rare_environments/{instance}.log",
    priority: LONG
    conda:
        "../../environment.yml"
    threads: QUARTER
    resources:
        runtime=30,
    params:
        code=code("scripts/rare_environments.py"),
        seed=config["seed"],
        replicates=config["environments"]["replicates"],
        cells=lambda w: cells_of("environments", w.instance),
    script:
        "../../scripts/rare_environments.py"


rule rare_fixed_confidence:
    """Error of Algorithm 2 on one instance, by importance sampling, beside its delta."""
    input:
        instance="<results>/instances/{instance}.json",
        kernels="<results>/kernels.json",
    output:
        "<results>/rare/fixed_confidence/{instance}.csv",
    log:
        "<results>/logs/rare_fixed_confidence/{instance}.log",
    priority: LONG
    conda:
        "../../environment.yml"
    threads: QUARTER
    resources:
        runtime=30,
    params:
        code=code("scripts/rare_fixed_confidence.py"),
        seed=config["seed"],
        constants=STUDY.constants,
        replicates=config["rare_fixed_confidence"]["replicates"],
        cells=lambda w: cells_of("rare_fixed_confidence", w.instance),
    script:
        "../../scripts/rare_fixed_confidence.py"


rule gather_rare:
    """Put the estimates of rare events of all instances into one table."""
    input:
        parts=lambda w: instances_of(
            section_of(w.table), f"<results>/rare/{w.table}/{{name}}.csv"
        ),
    output:
        "<results>/rare/{table}.csv",
    log:
        "<results>/logs/gather_rare/{table}.log",
    wildcard_constraints:
        table="|".join(RARE),
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/gather_rare.py"),
    script:
        "../../scripts/gather_rare.py"


rule rare_exponents:
    """How fast errors fall with the budget: measured, in the limit, and by the bounds."""
    input:
        instances=instances_of("rare_fixed_budget"),
        estimates="<results>/rare/fixed_budget.csv",
    output:
        "<results>/rare/exponents.csv",
    log:
        "<results>/logs/rare_exponents.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/rare_exponents.py"),
    script:
        "../../scripts/rare_exponents.py"


rule exact_curves:
    """Exact error of Algorithm 1 and of `lsa` on one or two arms, deep into the region of the bounds."""
    input:
        instances=instances_of("exact_curves"),
        kernels="<results>/kernels.json",
    output:
        "<results>/exact/fixed_budget.csv",
    log:
        "<results>/logs/exact_curves.log",
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
