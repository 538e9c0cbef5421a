# Needs: the config. Makes: the checked experiment, and the functions that several files share.

import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

min_version("9.27")

HOME = Path(str(workflow.current_basedir)).parents[1]

# These files and all jobs use the package of this folder.
sys.path.insert(0, str(HOME / "src"))
os.environ.update(PYTHONPATH=f"{HOME / 'src'}:{os.getenv('PYTHONPATH', '')}")

from ldpt.config.graph import families, read_experiment, simulated_families
from ldpt.provenance import code_hash, config_origin, stable_hash
from snakemake_logger_plugin_ldpt import SECONDS


configfile: str(HOME / "config/config.yaml")


if Path.cwd() != HOME and Path("config/config.yaml").is_file():  # of the user's folder

    configfile: "config/config.yaml"


try:
    EXPERIMENT = read_experiment(config)
except ValueError as error:
    raise WorkflowError(f"config: {error}") from None
if EXPERIMENT:
    from ldpt import cost

    config.update(EXPERIMENT.config)
    COSTS = cost.job_costs(EXPERIMENT)
    SECONDS.update(cost.rule_seconds(EXPERIMENT, COSTS))


# The environment as a file, for --software-deployment-method apptainer.
container: "ldpt.sif"


pathvars:
    results=str(Path(config["root"], "results")),
    figures=str(Path(config["root"], "figures")),
    paper=str(Path(config["root"], "paper")),


wildcard_constraints:
    family="[^/]+",


def source(name):
    """Return a file of the project; relative if Snakemake runs in the project's folder."""
    return name if Path.cwd() == HOME else str(HOME / name)


def sources(folder, *names):
    """Return files of one folder of the project."""
    return [source(f"{folder}/{name}") for name in names]


def code(file, rows=None):
    """Return the hash of a script or notebook and of all code it reaches, as a parameter.

    A change in a script, or in a module that it imports, runs exactly the steps again that use it.
    With `rows`, a function of the wildcards, only these rows of tables count. The hash is computed
    when the job needs it: every cluster job parses these files and needs one hash of them all.
    """
    path = HOME / (file if Path(file).suffix else f"scripts/{file}.py")

    def digest(wildcards):
        return code_hash(path, rows and rows(wildcards))

    return digest


def from_experiment(method, *arguments):
    """Return a value of the experiment as a parameter, computed when the job needs it.

    Wildcards of the rule are the last arguments.
    """

    def value(wildcards):
        return EXPERIMENT and getattr(EXPERIMENT, method)(*arguments, *wildcards)

    return value


def simulations(algorithm, instances=None):
    """Return the files of runs of one algorithm, in the order of the config.

    With `instances`, only the files that hold these problems.
    """
    names = simulated_families(config, algorithm)
    if instances is not None:
        names = dict.fromkeys(families(config)[name] for name in instances)
    return expand(f"<results>/simulations/{algorithm}/{{name}}.parquet", name=names)


def kernels(*algorithms):
    """Return the files that say that the engines of some algorithms, or of both, are compiled."""
    names = algorithms or ("fixed_budget", "fixed_confidence")
    return expand("<results>/kernels/{algorithm}.json", algorithm=names)


def table_files(name):
    """Return the outputs of a table."""
    return {kind: f"<results>/tables/{name}.{kind}" for kind in ("csv", "md", "tex")}


def predicted(algorithm, quantity):
    """Return what a simulation requests: `group`, `threads`, `mem_mb` or `runtime`.

    Each attempt gets more memory and time.
    """

    def request(wildcards, attempt=1):
        if EXPERIMENT is None:
            return 1
        value = getattr(COSTS[algorithm, wildcards.family], quantity)
        return attempt * value if quantity in ("mem_mb", "runtime") else value

    return request


# A problem of the user's has no estimates by importance sampling.
RARE_ESTIMATES = [] if config["extra_instances"] else "<results>/rare/fixed_budget.csv"
