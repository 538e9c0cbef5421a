# From a config to figures, tables, a verdict on every claim, an article and a manifest.
# `snakemake --cores 8` runs it all; `--configfile config/smoke.yaml` runs the same graph in minutes.
# All steps share one environment, that of requirements.lock: no step deploys its own.
# Configs lie over config/config.yaml: `--configfile FILE` or `--config KEY=VALUE`.

from importlib.util import find_spec
from shutil import which


include: "workflow/rules/common.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/rare.smk"
include: "workflow/rules/summarise.smk"
include: "workflow/rules/world.smk"
include: "workflow/rules/figure_files.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/publish.smk"


onstart:
    if EXPERIMENT is None or not find_spec("numba"):
        raise WorkflowError(
            "the packages of the workflow are missing: run `make .venv/ready` and "
            "`. .venv/bin/activate`, or `pip install -e '.[workflow]'`"
        )
    if workflow.executor_plugin.name == "slurm" and not which("sbatch"):
        raise WorkflowError("no SLURM here: sbatch is not found")  # else it waits


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
