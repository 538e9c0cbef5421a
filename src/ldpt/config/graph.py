"""What Snakemake reads of a config: the checked values, and the names of problems.

Snakemake also lints and draws its graph where nothing else is installed. Names are all that this
takes, so they come from the keys of the config alone.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from importlib.util import find_spec
from itertools import product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ldpt.config.experiment import Experiment


def read_experiment(config: Mapping[str, Any]) -> "Experiment | None":
    """Return the checked experiment; None without NumPy, where the graph is all there can be."""
    if find_spec("numpy") is None:
        return None
    from ldpt.config.experiment import build_experiment

    return build_experiment(config)


def member_names(entry: Mapping[str, Any]) -> list[str]:
    """Return the names of an entry of ``instances``: one problem, or the members of a family.

    >>> member_names({"family": "equal-gap", "arms": [2, 10], "gap": 0.1})
    ['equal-gap-2', 'equal-gap-10']
    """
    family = entry.get("family")
    if family == "equal-gap":
        return [f"equal-gap-{n_arms}" for n_arms in entry["arms"]]
    if family in ("random", "skewed"):
        return [f"{family}-{index}" for index in range(1, entry["count"] + 1)]
    if family == "new":
        members = product(entry["laws"], entry["arms"], range(1, entry["count"] + 1))
        return [f"new-{law}-{n_arms}-{index}" for law, n_arms, index in members]
    return [entry["name"]]


def families(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the family of every problem by name; a single problem is a family of one.

    >>> families({"instances": [{"name": "a"}, {"family": "random", "count": 2}]})
    {'a': 'a', 'random-1': 'random', 'random-2': 'random'}
    """
    entries = config["instances"]
    return {name: entry.get("family", name) for entry in entries for name in member_names(entry)}


def simulated_families(config: Mapping[str, Any], section: str) -> list[str]:
    """Return the families that the studies of a section simulate, in the order of the config.

    >>> studies = {"studies": [{"instances": ["b", "a*"]}]}
    >>> simulated_families({"instances": [{"name": "a1"}, {"name": "b"}], "part": studies}, "part")
    ['b', 'a1']
    """
    family_of = families(config)
    patterns = [pattern for study in config[section]["studies"] for pattern in study["instances"]]
    names = [name for pattern in patterns for name in family_of if fnmatchcase(name, pattern)]
    return list(dict.fromkeys(family_of[name] for name in names))
