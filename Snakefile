# From a config to figures, tables, a verdict on every claim, an article and a manifest.
# `snakemake --cores 8` runs it all; `--configfile config/smoke.yaml` runs the same graph in minutes.
# All steps share one environment, that of requirements.lock: no step deploys its own.
# Configs lie over config/config.yaml: `--configfile FILE` or `--config KEY=VALUE`.


include: "workflow/rules/common.smk"
include: "workflow/rules/instances.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/rare.smk"
include: "workflow/rules/summarise.smk"
include: "workflow/rules/world.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/publish.smk"


# Seconds of work: on a cluster they run where Snakemake runs.
localrules:
    instances,
    gather_numbers,
    manifest,


rule all:
    """Request every product by name, so that whatever is missing is made again."""
    default_target: True
    input:
        PRODUCTS,
        rules.manifest.output,
