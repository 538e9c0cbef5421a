# Needs: the config. Makes: results/instances.json and the table of instances.


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
