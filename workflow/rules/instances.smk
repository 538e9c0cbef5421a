# Needs: the config. Makes: results/instances.json and the table of instances.


rule instances:
    """Write the problems of the config to one file, and tabulate them with their complexities."""
    output:
        **tabled("instances"),
        json="<results>/instances.json",
    log:
        "<results>/logs/instances.log",
    priority: AWAITED
    params:
        code=code("instances"),
        definitions=[vars(instance) for instance in EXPERIMENT.instances.values()],
    script:
        "../../scripts/instances.py"
