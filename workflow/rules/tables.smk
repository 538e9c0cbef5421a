# Needs: results/instances, results/summaries. Makes: results/tables, each as CSV, Markdown and LaTeX.


def tabled(name):
    """What every table's rule makes."""
    return {ext: f"<results>/tables/{name}.{ext}" for ext in ["csv", "md", "tex"]}


rule instances:
    """Tabulate the instances and their complexities."""
    input:
        expand("<results>/instances/{name}.json", name=STUDY.instances),
    output:
        **tabled("instances"),
    log:
        "<results>/logs/instances.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/instances.py"),
    script:
        "../../scripts/instances.py"


def expected_seconds():
    """Core seconds by policy and radius, from the measured rates."""
    seconds = {}
    for instance, policy in jobs_of("fixed_budget"):
        cost = budget_cost(instance, policy)
        seconds[policy] = seconds.get(policy, 0) + cost.cpu_seconds
    for instance, radius in jobs_of("fixed_confidence"):
        cost = confidence_cost(instance, radius)
        seconds[radius] = seconds.get(radius, 0) + cost.cpu_seconds
    return {name: float(f"{value:.3g}") for name, value in seconds.items()}


rule runtime:
    """Tabulate what was simulated, and the core time predicted from measured rates."""
    input:
        budget="<results>/summaries/fixed_budget.csv",
        confidence="<results>/summaries/fixed_confidence.csv",
    output:
        **tabled("runtime"),
    log:
        "<results>/logs/runtime.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/runtime.py"),
        expected=lambda wildcards: expected_seconds(),
    script:
        "../../scripts/runtime.py"


rule growth_exponents:
    """Tabulate how the cost of simulations grows, from measurements kept with the code."""
    input:
        "benchmarks/cost_growth.csv",
    output:
        **tabled("growth_exponents"),
    log:
        "<results>/logs/growth_exponents.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/growth_exponents.py"),
    script:
        "../../scripts/growth_exponents.py"
