# Needs: the config. Makes: the checked experiment, the names of all products, and the functions that the
# other files share. `code` makes an edit to a script, or to a module that it imports, re-run exactly
# the steps that run it.

import os
import shutil
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

from snakemake.utils import min_version

min_version("9.27")

from ldpt import cost
from ldpt.config.experiment import build_experiment, load, merge
from ldpt.config.grid import epsilon_name
from ldpt.provenance import code_hash, config_origin, stable_hash
from snakemake_logger_plugin_ldpt import SECONDS

# --- the project and its config -------------------------------------------------------------------

HOME = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]


def source(name):
    """Return a file of the project; relative if Snakemake runs in the project's folder."""
    return name if Path.cwd() == HOME else str(HOME / name)


def sources(folder, *names):
    """Return files of one folder of the project."""
    return [source(f"{folder}/{name}") for name in names]


if not os.access(".snakemake" if os.path.isdir(".snakemake") else ".", os.W_OK):
    sys.exit(f"cannot write to {os.getcwd()}: copy the project to a writable folder")

# What --configfile, --config or a `module:` gives lies over the paper-scale config.
try:
    EXPERIMENT = build_experiment(merge(load(HOME / "config" / "config.yaml"), config))
except ValueError as error:
    sys.exit(f"config: {error}")
config.update(EXPERIMENT.config)


def checked(section):
    """Return a part of the config, or end with one line: only what is drawn has to be there."""
    try:
        return section()
    except ValueError as error:
        raise SystemExit(f"config: {error}") from None


def panels(key):
    """Return the panels of a figure as a parameter."""

    def names(wildcards):
        return checked(lambda: EXPERIMENT.panels(key))

    return names


def allocation_settings(wildcards):
    """Return the section `allocation` of the config."""
    return checked(EXPERIMENT.allocation)


def under(folder):
    """Return a folder of products below the config's root."""
    return str(EXPERIMENT.root / folder)


def code(name, methods=None):
    """Return the hash of scripts/NAME.py and of all code it reaches, as a parameter.

    It is a function because every cluster job parses these files and needs one hash of them all.
    With `methods`, only the rows of tables that a job uses count; the rule lists them as `rows`.
    """

    def digest(wildcards):
        rows = sorted(methods(wildcards)) if methods else None
        return code_hash(HOME / "scripts" / f"{name}.py", rows)

    return digest


def budget_rows(wildcards):
    """Return the names of the policies of a simulation."""
    return sorted(budget_methods(wildcards))


def confidence_rows(wildcards):
    """Return the names of the radii of a simulation."""
    return sorted(confidence_methods(wildcards))


pathvars:
    results=under("results"),
    figures=under("figures"),
    paper=under("paper"),


wildcard_constraints:
    instance="[^/]+",


# --- before and after a run -----------------------------------------------------------------------


def require_slurm():
    """End with one line where SLURM is missing: its plugin would wait forever."""
    if shutil.which("sbatch") is None:
        sys.exit(
            "no SLURM here (sbatch is not found): run without its profile, or on a login node"
        )
    if subprocess.run(["scontrol", "ping"], capture_output=True).returncode:
        sys.exit(
            "SLURM does not answer (scontrol ping fails): run without the SLURM profile, or retry later"
        )


INTERRUPTS = []  # signals of Ctrl-C


def note_interrupt(number, frame):
    """Remember Ctrl-C: Snakemake alone would end with status 1, as after a failed job."""
    INTERRUPTS.append(number)
    raise KeyboardInterrupt


if workflow.is_main_process:
    signal.signal(signal.SIGINT, note_interrupt)


onerror:
    if INTERRUPTS:
        sys.exit(130)


onstart:
    if INTERRUPTS:  # Python lost the exception of a Ctrl-C during start-up
        sys.exit(130)
    try:
        os.makedirs(under("results/logs"), exist_ok=True)
    except OSError as error:
        sys.exit(f"cannot write to {under('results')}: {error.strerror}")
    if workflow.executor_plugin.name == "slurm":
        require_slurm()


# --- simulations ----------------------------------------------------------------------------------

# Long jobs, and the claims that the article waits for, have priority, so that none is left running
# alone at the end; jobs of minutes get a quarter of the cores.
LONG = 1
LONGEST = 2
AWAITED = 3  # by most of them
QUARTER = min(4, max(1, workflow.cores // 4))


def problem(wildcards):
    """Return the definition of a simulation's problem."""
    return vars(EXPERIMENT.instance(wildcards.instance))


def budget_methods(wildcards):
    """Return runs and budgets of a simulation by policy and privacy level."""
    instance = EXPERIMENT.instance(wildcards.instance)
    methods = {}
    for run in EXPERIMENT.runs("fixed_budget", wildcards.instance):
        level = {"replicates": run.replicates, "budgets": run.grid(instance)}
        methods.setdefault(run.method, {})[epsilon_name(run.epsilon)] = level
    return methods


def confidence_methods(wildcards):
    """Return runs and error levels of a simulation by radius and privacy level."""
    methods = {}
    for run in EXPERIMENT.runs("fixed_confidence", wildcards.instance):
        level = {"replicates": run.replicates, "deltas": sorted(run.deltas)}
        methods.setdefault(run.method, {})[epsilon_name(run.epsilon)] = level
    return methods


@cache
def simulation_cost(algorithm, instance):
    """Return the predicted cost of a simulation job."""
    return cost.job_cost(EXPERIMENT, algorithm, instance)


def predicted(algorithm, quantity):
    """Return what a simulation job requests: `group` or `threads`."""

    def request(wildcards):
        return getattr(simulation_cost(algorithm, wildcards.instance), quantity)

    return request


def predicted_by_attempt(algorithm, quantity):
    """Return what a simulation job requests, more at each attempt: `mem_mb` or `runtime`."""

    def request(wildcards, attempt):
        return attempt * predicted(algorithm, quantity)(wildcards)

    return request


def predicted_seconds():
    """Return the mean time of a simulation job by rule, by which progress is weighted."""
    found = {}
    for algorithm in ("fixed_budget", "fixed_confidence"):
        names = {run.instance for run in getattr(EXPERIMENT, algorithm)}
        seconds = [simulation_cost(algorithm, name).cpu_seconds for name in names]
        found[f"simulate_{algorithm}"] = sum(seconds) / max(len(seconds), 1)
    return found


if workflow.is_main_process:
    SECONDS.update(predicted_seconds())


def simulations(algorithm):
    """Return the files of runs of one algorithm, in the order of the config."""
    names = dict.fromkeys(run.instance for run in getattr(EXPERIMENT, algorithm))
    return expand(f"<results>/simulations/{algorithm}/{{name}}.parquet", name=names)


def cells_of(section):
    """Return instance, privacy level and grid of every cell of a section of the config."""
    return [
        [name, epsilon, dict(grid)] for name, epsilon, grid in EXPERIMENT.cells(section)
    ]


def sampled(section):
    """Return the cells of a section and the runs of those that name none."""
    return {"replicates": config[section]["replicates"], "cells": cells_of(section)}


# --- products -------------------------------------------------------------------------------------


def tabled(name):
    """Return the outputs of a table."""
    return {ext: f"<results>/tables/{name}.{ext}" for ext in ["csv", "md", "tex"]}


def drawn(name, category, title):
    """Return the outputs of a figure; the filled caption goes to Snakemake's report."""
    caption = str(Path(under(f"results/captions/{name}.rst")).resolve())
    return {
        "pdf": f"<figures>/{name}.pdf",
        "png": report(
            f"<figures>/{name}.png",
            caption=caption,
            category=category,
            labels={"figure": title},
        ),
        "caption": f"<results>/captions/{name}.rst",
        "typst": f"<results>/captions/{name}.typ",
        "facts": f"<results>/captions/{name}.json",
    }


def notebook_code(wildcards):
    """Return the hash of the notebook's code and of all modules it reaches."""
    return code_hash(HOME / NOTEBOOK)


NOTEBOOK = "workflow/notebooks/explore.ipynb"
TABLES = ["instances", "claims"]
SUMMARIES = [
    "fixed_budget",
    "budget_bounds",
    "fixed_confidence",
    "bounds",
    "allocation",
    "mechanism",
]
MEASURED_TABLES = {
    "budget": "<results>/summaries/fixed_budget.csv",
    "confidence": "<results>/summaries/fixed_confidence.csv",
    "mechanism": "<results>/summaries/mechanism.csv",
    "error_map": "<results>/error_map.csv",
    "rare_budget": "<results>/rare/fixed_budget.csv",
    "rare_confidence": "<results>/rare/fixed_confidence.csv",
    "tapes": "<results>/evidence/tapes.csv",
    "surveys": "<results>/tables/surveys.csv",
    "optimum": "<results>/exact/optimal_loss.csv",
}
EVIDENCE = ["displays", "chains", "measured"]
PRODUCTS = [
    "<results>/instances.json",
    simulations("fixed_budget"),
    simulations("fixed_confidence"),
    expand("<results>/simulations/{name}.parquet", name=["mechanism", "allocation"]),
    expand(
        "<results>/rare/{name}.csv",
        name=["fixed_budget", "fixed_confidence", "environments"],
    ),
    "<results>/exact/fixed_budget.csv",
    "<results>/exact/optimal_loss.csv",
    "<results>/error_map.csv",
    expand("<results>/summaries/{name}.csv", name=SUMMARIES),
    expand("<results>/tables/{name}.{ext}", name=TABLES, ext=["csv", "md", "tex"]),
    expand("<results>/evidence/{name}.json", name=EVIDENCE),
    "<results>/claims.json",
]
MANIFEST = "<paper>/run.json"  # all jobs of the run with their hashes, for git
# With extra_instances: what one study on a problem of the user's gives.
EXTRA_PRODUCTS = [
    "<results>/instances.json",
    simulations("fixed_budget"),
    simulations("fixed_confidence"),
    expand(
        "<results>/summaries/{name}.csv",
        name=["fixed_budget", "fixed_confidence", "bounds"],
    ),
    expand(
        "<figures>/{name}.{ext}",
        name=["fixed_budget_error", "fixed_budget_collapse", "fixed_confidence_cost"],
        ext=["pdf", "png"],
    ),
]
