# Needs: results/instances. Makes: results/tables, each as CSV, Markdown and LaTeX.


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
    params:
        code=code("scripts/instances.py"),
    conda:
        "../../environment.yml"
    script:
        "../../scripts/instances.py"
