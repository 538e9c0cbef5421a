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
