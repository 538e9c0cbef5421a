# Needs: the config. Makes: results/instances, one file per instance.


rule instance:
    """Write one instance of the config to its own file."""
    output:
        "<results>/instances/{instance}.json",
    log:
        "<results>/logs/instance/{instance}.log",
    conda:
        "../../environment.yml"
    params:
        code=code("scripts/instance.py"),
        definition=lambda wildcards: vars(STUDY.instance(wildcards.instance)),
    script:
        "../../scripts/instance.py"
