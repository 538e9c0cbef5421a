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
    benchmark:
        "<results>/benchmarks/instances.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/instances.py"),
    script:
        "../../scripts/instances.py"


def expected_seconds():
    """Core seconds by policy and radius, from the measured rates."""
    seconds = {}
    for run in STUDY.fixed_budget:
        cost = budget_cost(run.instance, run.policy, epsilon_name(run.epsilon))
        seconds[run.policy] = seconds.get(run.policy, 0) + cost.cpu_seconds
    for run in STUDY.fixed_confidence:
        cost = confidence_cost(run.instance, run.radius, epsilon_name(run.epsilon))
        seconds[run.radius] = seconds.get(run.radius, 0) + cost.cpu_seconds
    return {name: float(f"{value:.3g}") for name, value in seconds.items()}


rule runtime:
    """Tabulate what was simulated, and the core time that measured rates foretell for it."""
    input:
        budget="<results>/summaries/fixed_budget.csv",
        confidence="<results>/summaries/fixed_confidence.csv",
    output:
        **tabled("runtime"),
    log:
        "<results>/logs/runtime.log",
    benchmark:
        "<results>/benchmarks/runtime.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/runtime.py"),
        expected=lambda wildcards: expected_seconds(),
    script:
        "../../scripts/runtime.py"


rule cost_growth:
    """Draw and tabulate how the cost of simulations grows, from measurements kept with the code."""
    input:
        measurements="benchmarks/cost_growth.csv",
        caption="workflow/report/cost_growth.rst",
    output:
        **drawn("cost_growth", "Cost"),
        **tabled("cost_growth"),
    log:
        "<results>/logs/cost_growth.log",
    benchmark:
        "<results>/benchmarks/cost_growth.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/cost_growth.py"),
    script:
        "../../scripts/cost_growth.py"
