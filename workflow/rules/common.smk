# Needs: the config. Makes: the checked study, the names of all products, and `code`, the hash by
# which an edit to a script or to a module it imports re-runs exactly the rules that run it.

import sys

from ldpt.config import epsilon_name, study
from ldpt.provenance import code_hash

try:
    STUDY = study(config)
except ValueError as error:
    sys.exit(f"config: {error}")


def under(folder):
    """A folder of products below the config's root."""
    return str(STUDY.root / folder)


pathvars:
    results=under("results"),
    figures=under("figures"),
    paper=under("paper"),


def code(script):
    """What a rule runs, as a parameter: the hash of a script and of all modules it reaches."""
    return code_hash(script)


def simulations(algorithm):
    """The simulation files of one algorithm, in the order of the config."""
    if algorithm == "fixed_budget":
        keys = [(run.instance, run.policy, run.epsilon) for run in STUDY.fixed_budget]
    else:
        keys = [(run.instance, run.radius, run.epsilon) for run in STUDY.fixed_confidence]
    return [
        f"<results>/simulations/{algorithm}/{instance}/{how}/{epsilon_name(epsilon)}.parquet"
        for instance, how, epsilon in keys
    ]


FIGURES = [
    "privacy_cost",
    "fixed_budget_error",
    "fixed_confidence_cost",
]
TABLES = ["instances"]
SUMMARIES = ["fixed_budget", "fixed_confidence", "mechanism"]
PRODUCTS = [
    expand("<results>/instances/{name}.json", name=STUDY.instances),
    simulations("fixed_budget"),
    simulations("fixed_confidence"),
    "<results>/simulations/mechanism.parquet",
    expand("<results>/summaries/{name}.csv", name=SUMMARIES),
    expand("<figures>/{name}.{ext}", name=FIGURES, ext=["pdf", "png"]),
    expand("<results>/tables/{name}.{ext}", name=TABLES, ext=["csv", "md", "tex"]),
]
MANIFEST = "<results>/manifest.json"
