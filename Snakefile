# From a config to figures, tables, a verdict on every claim, a report and an audit.
# `snakemake --cores 8` runs it all; config/smoke.yaml runs the same graph in about a minute.


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/instances.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/rare.smk"
include: "workflow/rules/summarise.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/unknown.smk"


rule all:
    """Everything, named file by file, so that whatever is missing is made again."""
    default_target: True
    input:
        PRODUCTS,
        MANIFEST,
