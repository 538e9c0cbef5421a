# Needs: the config. Makes: the checked study, the names of all products, and `code`, the hash by
# which an edit to a script or to a module it imports re-runs exactly the rules that run it.

import os
import shutil
import subprocess
import sys
import threading

from ldpt.config import epsilon_name, study
from ldpt.provenance import code_hash, require_writable
from snakemake_logger_plugin_ldpt import STRAY

if not os.access(".snakemake" if os.path.isdir(".snakemake") else ".", os.W_OK):
    sys.exit(f"cannot write to {os.getcwd()}: copy the project to a folder of yours")

try:
    STUDY = study(config)
except ValueError as error:
    sys.exit(f"config: {error}")


def under(folder):
    """A folder of products below the config's root."""
    return str(STUDY.root / folder)


onstart:
    try:
        require_writable(under("results"))
    except ValueError as error:
        sys.exit(str(error))
    if os.path.exists(STRAY):
        os.remove(STRAY)
    if (
        workflow.executor_plugin.name == "slurm"
    ):  # without SLURM the plugin would wait forever
        if shutil.which("sbatch") is None:
            sys.exit(
                "no SLURM here (sbatch is not found): run without its profile, or on a login node"
            )
        if subprocess.run(["scontrol", "ping"], capture_output=True).returncode:
            sys.exit(
                "SLURM does not answer (scontrol ping fails): run without its profile, or later"
            )


def end_timers():
    """Cancel what Snakemake's scheduler leaves behind: Python would wait a timespan for it."""
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()


onerror:
    end_timers()


onsuccess:
    end_timers()
    made = {
        "article": under("paper/report.pdf"),
        "figures": under("figures"),
        "claims": under("results/claims.html"),
    }
    if os.path.exists(under("results/manifest.json")):
        for what, path in made.items():
            logger.info(f"{what:8} {path}")


# A job may print before it has opened its log (an import that fails or is interrupted), and that
# would tear the bars of a terminal.
if sys.stderr.isatty():
    shell.prefix(f"set -euo pipefail; exec 2>> {STRAY}; ")


pathvars:
    results=under("results"),
    figures=under("figures"),
    paper=under("paper"),


wildcard_constraints:
    instance="|".join(map(re.escape, STUDY.instances)),
    policy="[^/]+",
    radius="[^/]+",


def code(script):
    """What a rule runs, as a parameter: the hash of a script and of all modules it reaches.

    Taken only for the rules of a plan: on a cluster every job reads these files again.
    """
    return lambda wildcards: code_hash(script)


# Long jobs, and the claims that the article waits for, have priority, so that none is left running
# alone at the end; jobs of minutes get a quarter of the cores.
LONG = 1
AWAITED = 2  # by all of them
QUARTER = min(4, max(1, workflow.cores // 4))


def jobs_of(algorithm):
    """Instance and policy or radius of every simulation job, in the order of the config."""
    if algorithm == "fixed_budget":
        keys = [(run.instance, run.policy) for run in STUDY.fixed_budget]
    else:
        keys = [(run.instance, run.radius) for run in STUDY.fixed_confidence]
    return list(dict.fromkeys(keys))


def simulations(algorithm):
    """The simulation files of one algorithm, in the order of the config."""
    return [
        f"<results>/simulations/{algorithm}/{instance}/{how}.parquet"
        for instance, how in jobs_of(algorithm)
    ]


def allocated(pattern):
    """The files of this pattern for the runs of Algorithm 2 whose pulls per arm are counted."""
    found = [
        expand(pattern, instance=run.instance, radius=run.radius)[0]
        for run in STUDY.allocation_runs()
    ]
    return list(dict.fromkeys(found))


TABLES = ["instances", "claims"]
SUMMARIES = [
    "fixed_budget",
    "budget_bounds",
    "fixed_confidence",
    "bounds",
    "allocation",
    "mechanism",
]
PRODUCTS = [
    expand("<results>/instances/{name}.json", name=STUDY.instances),
    simulations("fixed_budget"),
    simulations("fixed_confidence"),
    expand("<results>/simulations/{name}.parquet", name=["mechanism", "allocation"]),
    expand(
        "<results>/rare/{name}.csv",
        name=["fixed_budget", "exponents", "fixed_confidence", "environments"],
    ),
    "<results>/exact/fixed_budget.csv",
    "<results>/error_map.csv",
    expand("<results>/summaries/{name}.csv", name=SUMMARIES),
    expand("<results>/tables/{name}.{ext}", name=TABLES, ext=["csv", "md", "tex"]),
    expand("<results>/evidence/{name}.json", name=["displays", "chains", "measured"]),
    "<results>/claims.json",
]
MANIFEST = "<results>/manifest.json"
