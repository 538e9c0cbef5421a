"""What a config asks for: checked before any job, then unrolled into the grid of simulations.

A config file holds what differs from ``config/config.yaml``, as with Snakemake's ``--configfile``.
"""

import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ldpt.instances import Instance, equal_gap, random_instance
from ldpt.radii import RADII, Radius, check_delta

PROJECT = Path(__file__).resolve().parents[2]
DEFAULT = PROJECT / "config" / "config.yaml"
SCHEMA = PROJECT / "workflow" / "schemas" / "config.schema.yaml"


@dataclass
class BudgetRun:
    """One job of Algorithm 1 or a baseline: all budgets in one sweep."""

    instance: str
    policy: str
    epsilon: float
    replicates: int
    multiples: set[float] = field(default_factory=set)
    budgets: set[int] = field(default_factory=set)

    def grid(self, instance: Instance) -> list[int]:
        """Every budget asked for, in whole pulls."""
        return sorted(self.budgets | scaled_budgets(instance, self.epsilon, self.multiples))


@dataclass
class ConfidenceRun:
    """One job of Algorithm 2: all error levels at one privacy level."""

    instance: str
    radius: str
    epsilon: float
    replicates: int
    deltas: set[float] = field(default_factory=set)


@dataclass(frozen=True)
class Study:
    """A checked config: its instances by name and its simulations in order."""

    config: Mapping[str, Any]
    instances: dict[str, Instance]
    fixed_budget: list[BudgetRun]
    fixed_confidence: list[ConfidenceRun]

    @property
    def root(self) -> Path:
        return Path(self.config["root"])

    def budget_run(self, instance: str, policy: str, epsilon: str) -> BudgetRun:
        """The job behind a file name."""
        return _pick(self.fixed_budget, instance, "policy", policy, epsilon)

    def confidence_run(self, instance: str, radius: str, epsilon: str) -> ConfidenceRun:
        """The job behind a file name."""
        return _pick(self.fixed_confidence, instance, "radius", radius, epsilon)

    def cells(self, section: str) -> list[tuple[str, float, Mapping[str, Any]]]:
        """Instance, privacy level and settings of every cell of a section made of studies."""
        parts = _studies(section, self.config[section], self.instances)
        return [(name, e, grid) for where, grid, name in parts for e in _epsilons(where, grid)]

    def instance(self, name: str) -> Instance:
        """The instance of this name, or the list of those that exist."""
        if name not in self.instances:
            raise ValueError(
                f"no instance {name!r} in the config; there are {_listed(self.instances)}"
            )
        return self.instances[name]


def load(path: Path | str = DEFAULT) -> dict[str, Any]:
    """The config in this file laid over the default one, unchecked."""
    import yaml
    from snakemake.utils import update_config

    config = yaml.safe_load(DEFAULT.read_text())
    if Path(path).resolve() != DEFAULT:
        try:
            changes = yaml.safe_load(Path(path).read_text()) or {}
        except yaml.YAMLError as error:
            raise ValueError(f"{path} is not YAML: {error}") from None
        if not isinstance(changes, dict):
            raise ValueError(f"{path} must hold keys and values, got {changes!r}")
        update_config(config, changes)
    return config


def study(config: Mapping[str, Any]) -> Study:
    """Check a config and unroll it; a ValueError names the key and the value that is wrong."""
    _check_schema(config)
    instances = _instances(config)
    budget_runs = _budget_runs(config["fixed_budget"], instances)
    confidence_runs = _confidence_runs(config["fixed_confidence"], instances)
    Radius("mixture", config["rho"])
    checked = Study(config, instances, budget_runs, confidence_runs)
    for section in ("rare_fixed_budget", "rare_fixed_confidence", "exact_curves"):
        checked.cells(section)
    _check_panels(config, instances)
    return checked


def _check_panels(config: Mapping[str, Any], instances: dict[str, Instance]) -> None:
    """Figures and the count of pulls can only show instances that there are."""
    shown = {f"figures.{key}": names for key, names in config["figures"].items()}
    shown["allocation.instances"] = config["allocation"]["instances"]
    for key, names in shown.items():
        for name in names if isinstance(names, list) else []:
            if name not in instances:
                raise ValueError(f"{key}: no instance {name!r}; there are {_listed(instances)}")


def scaled_budgets(instance: Instance, epsilon: float, multiples: Iterable[float]) -> set[int]:
    """Budgets at multiples of H_eps; those below the theorem's 2K are left out."""
    complexity = instance.complexity(epsilon)
    scaled = {math.ceil(multiple * complexity) for multiple in multiples}
    return {budget for budget in scaled if budget >= 2 * instance.n_arms}


def epsilon_name(epsilon: float) -> str:
    """How a privacy level is written in file names and tables."""
    return "inf" if math.isinf(epsilon) else f"{epsilon:g}"


def _check_schema(config: Mapping[str, Any]) -> None:
    # jsonschema builds a grammar of addresses on import where this package is installed: a second
    # that every job on a cluster would pay, for formats that our schemas do not use.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    import jsonschema
    import yaml

    schema = yaml.safe_load(SCHEMA.read_text())
    validator = jsonschema.Draft202012Validator(schema)
    error = jsonschema.exceptions.best_match(validator.iter_errors(config))
    if error is None:
        return
    key = error.json_path.removeprefix("$").removeprefix(".") or "config"
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        unknown = sorted(set(error.instance) - set(known))
        raise ValueError(f"{key}: unknown key {unknown[0]!r}; known are {_listed(known)}")
    raise ValueError(f"{key}: {error.message}")


def _instances(config: Mapping[str, Any]) -> dict[str, Instance]:
    found: dict[str, Instance] = {}
    for position, entry in enumerate(config["instances"]):
        for instance in _unfold(entry, config["seed"]):
            if instance.name in found:
                raise ValueError(f"instances[{position}].name: {instance.name!r} is there twice")
            found[instance.name] = instance
    return found


def _unfold(entry: Mapping[str, Any], seed: int) -> Iterator[Instance]:
    """The instances of one entry: itself, or the members of a family."""
    family = entry.get("family")
    threshold = entry["threshold"]
    if family == "equal-gap":
        for n_arms in entry["arms"]:
            yield equal_gap(n_arms, entry["gap"], threshold)
    elif family == "random":
        for index in range(1, entry["count"] + 1):
            yield random_instance(index, entry["arms"], seed, threshold, entry["min_gap"])
    else:
        yield Instance(entry["name"], entry["means"], threshold, entry.get("tolerance", 0.0))


def _budget_runs(section: Mapping[str, Any], instances: dict[str, Instance]) -> list[BudgetRun]:
    runs: dict[tuple, BudgetRun] = {}
    for where, grid, name in _studies("fixed_budget", section, instances):
        budgets = grid.get("budgets", [])
        least = 2 * instances[name].n_arms
        for budget in budgets:
            if budget < least:
                raise ValueError(f"{where}.budgets: {budget} is below 2K = {least} of {name!r}")
        if instances[name].complexity() == math.inf:
            raise ValueError(
                f"{where}.instances: {name!r} has an arm at the threshold and tolerance 0, "
                "so its complexity is infinite"
            )
        for policy in grid["policies"]:
            for epsilon in _epsilons(where, grid):
                replicates = grid.get("replicates", section["replicates"])
                new = BudgetRun(name, policy, epsilon, replicates)
                run = runs.setdefault((name, policy, epsilon), new)
                run.replicates = max(run.replicates, replicates)
                run.multiples |= set(grid.get("multiples", []))
                run.budgets |= set(budgets)
    return list(runs.values())


def _confidence_runs(
    section: Mapping[str, Any], instances: dict[str, Instance]
) -> list[ConfidenceRun]:
    runs: dict[tuple, ConfidenceRun] = {}
    for where, grid, name in _studies("fixed_confidence", section, instances):
        try:
            instances[name].require_resolvable()
        except ValueError as error:
            raise ValueError(f"{where}.instances: {error}") from None
        for delta in grid["deltas"]:
            try:
                check_delta(delta)
            except ValueError as error:
                raise ValueError(f"{where}.deltas: {error}") from None
        for radius in grid.get("radii", RADII):
            for epsilon in _epsilons(where, grid):
                replicates = grid.get("replicates", section["replicates"])
                new = ConfidenceRun(name, radius, epsilon, replicates)
                run = runs.setdefault((name, radius, epsilon), new)
                run.replicates = max(run.replicates, replicates)
                run.deltas |= set(grid["deltas"])
    return list(runs.values())


def _studies(
    title: str, section: Mapping[str, Any], instances: dict[str, Instance]
) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """Each study with each instance its patterns match."""
    for position, grid in enumerate(section["studies"]):
        where = f"{title}.studies[{position}]"
        for pattern in grid["instances"]:
            names = [name for name in instances if fnmatchcase(name, pattern)]
            if not names:
                raise ValueError(
                    f"{where}.instances: no instance {pattern!r}; there are {_listed(instances)}"
                )
            for name in names:
                yield where, grid, name


def _epsilons(where: str, grid: Mapping[str, Any]) -> list[float]:
    for epsilon in grid["epsilons"]:
        if not epsilon > 0:
            raise ValueError(f"{where}.epsilons: {epsilon} is not a positive number")
    return [float(epsilon) for epsilon in grid["epsilons"]]


def _pick(runs: list, instance: str, attribute: str, value: str, epsilon: str) -> Any:
    for run in runs:
        key = (run.instance, getattr(run, attribute), epsilon_name(run.epsilon))
        if key == (instance, value, epsilon):
            return run
    raise ValueError(
        f"the config asks for no run of {instance!r} with {attribute} {value!r} "
        f"at epsilon {epsilon}"
    )


def _listed(names: Any) -> str:
    return ", ".join(str(name) for name in names)
