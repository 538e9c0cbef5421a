"""What a config asks for: checked before any job, then unrolled into the grid of simulations.

A config file holds what differs from ``config/config.yaml``, as with Snakemake's ``--configfile``.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path
from typing import Any

from ldpt.checks import MAX_SEED, MIN_DELTA, MIN_EPSILON
from ldpt.instances import Instance, check_instance, equal_gap, new_instance, random_instance
from ldpt.io.files import read_whole
from ldpt.io.messages import short, shown, unknown
from ldpt.io.schemas import skip_address_grammar
from ldpt.limits import (
    MAX_PULLS,
    budget_replicates,
    confidence_replicates,
    require_affordable,
    require_short_budget,
    require_short_chain,
)
from ldpt.policies import INDEX_POLICIES, POLICIES
from ldpt.radii import RADII, Radius

PROJECT = Path(__file__).resolve().parents[2]
DEFAULT = PROJECT / "config" / "config.yaml"
SCHEMA = PROJECT / "workflow" / "schemas" / "config.schema.yaml"

BUDGET_KEYS = ("error", "log_half_width", "least", "most")  # of a precision
CONFIDENCE_KEYS = ("relative_half_width", "least", "most")
DEFAULT_RADIUS = "onesided"  # what a practitioner gets without choosing
MAX_EXACT_ARMS = 2  # of an exact chain for a fixed budget
CONFIG_HINT = "; larger epsilons, deltas or gaps cost less"
MAX_FILE = 10**7  # bytes of a config
MAX_DEPTH = 12  # nesting of a config; deeper means that an anchor contains itself


@dataclass
class BudgetRun:
    """Algorithm 1 or a baseline at one privacy level: all budgets in one sweep."""

    instance: str
    policy: str
    epsilon: float
    replicates: int
    multiples: set[float] = field(default_factory=set)
    budgets: set[int] = field(default_factory=set)

    def grid(self, instance: Instance) -> list[int]:
        """Every budget asked for, in whole pulls.

        Parameters
        ----------
        instance : Instance
            The problem.

        Returns
        -------
        list of int
            In increasing order.
        """
        return sorted(self.budgets | scaled_budgets(instance, self.epsilon, self.multiples))


@dataclass
class ConfidenceRun:
    """Algorithm 2 at one privacy level: all error levels."""

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

    @property
    def constants(self) -> dict[str, float]:
        """What may be tuned of the radii."""
        return _constants(self.config)

    def budget_runs(self, instance: str) -> list[BudgetRun]:
        """Return the runs of fixed budget on an instance, by policy in the config's order."""
        return _pick(self.fixed_budget, instance)

    def confidence_runs(self, instance: str) -> list[ConfidenceRun]:
        """Return the runs of fixed confidence on an instance, by radius in the config's order."""
        return _pick(self.fixed_confidence, instance)

    def cells(self, section: str) -> list[tuple[str, float, Mapping[str, Any]]]:
        """Instance, privacy level and settings of every cell of a section made of studies.

        Parameters
        ----------
        section : str
            Name of the section.

        Returns
        -------
        list of tuple
            In the order of the config.
        """
        parts = _studies(section, self.config[section], self.instances)
        return [(name, e, grid) for where, grid, name in parts for e in _epsilons(where, grid)]

    def allocation_runs(self) -> list[ConfidenceRun]:
        """The jobs of Algorithm 2 whose pulls per arm are counted, whatever their radius.

        Returns
        -------
        list of ConfidenceRun
            By instance, radius and privacy level.
        """
        section, delta = self.config["allocation"], self.config["figures"]["delta"]
        levels = _epsilons("allocation", section)
        runs = {_key(run): run for run in self.fixed_confidence if delta in run.deltas}
        keys = itertools.product(section["instances"], RADII, levels)
        return [runs[key] for key in keys if key in runs]

    def instance(self, name: str) -> Instance:
        """The instance of this name, or the list of those that exist.

        Parameters
        ----------
        name : str
            Name of an instance.

        Returns
        -------
        Instance

        Raises
        ------
        ValueError
            If there is none of this name; the names are listed.
        """
        if name not in self.instances:
            raise ValueError(unknown("instance", name, self.instances))
        return self.instances[name]


def load(path: Path | str = DEFAULT) -> dict[str, Any]:
    """The config in this file laid over the default one, unchecked.

    Parameters
    ----------
    path : path-like
        A YAML file; by default the paper-scale config.

    Returns
    -------
    dict
        Keys and values.

    Raises
    ------
    ValueError
        If the file is not a regular one, not YAML, or holds no keys and values.
    """
    from snakemake.utils import update_config

    config = _read_yaml(DEFAULT)
    if Path(path).resolve() != DEFAULT:
        try:
            update_config(config, _read_yaml(Path(path)))
        except RecursionError:
            raise ValueError(f"{path}: an anchor contains itself") from None
    return config


def _read_yaml(path: Path) -> dict[str, Any]:
    """The keys and values of a YAML file."""
    import yaml

    try:
        content = yaml.safe_load(read_whole(path, MAX_FILE).decode("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path} is not YAML: {short(error)}") from None
    if not isinstance(content, dict | None):
        raise ValueError(f"{path} must hold keys and values, got {short(repr(content))}")
    return content or {}


def study(config: Mapping[str, Any]) -> Study:
    """Check a config and unroll it; a ValueError names the key and the value that is wrong.

    Parameters
    ----------
    config : mapping
        Keys and values, as :func:`load` returns them.

    Returns
    -------
    Study
        Instances and simulations.

    Raises
    ------
    ValueError
        If a key or a value is wrong; both are named, in one line.
    """
    _check_numbers(config)
    _check_schema(config)
    _check_root(config["root"])
    instances = _instances(config)
    budget_runs = _budget_runs(config["fixed_budget"], instances)
    constants = _constants(config)
    confidence_runs = _confidence_runs(config["fixed_confidence"], instances, constants)
    checked = Study(config, instances, budget_runs, confidence_runs)
    _check_levels("mechanism", config["mechanism"])
    _check_rare_and_exact(checked)
    _check_error_map(config["error_map"], constants)
    _check_allocation(checked)
    _check_panels(checked)
    return checked


def _check_rare_and_exact(study: Study) -> None:
    """Importance sampling and exact chains: what they ask for can be computed."""
    for section in ("rare_fixed_budget", "environments", "exact_curves"):
        for where, grid, name in _studies(section, study.config[section], study.instances):
            instance = study.instances[name]
            if section == "exact_curves" and instance.n_arms > MAX_EXACT_ARMS:
                raise ValueError(
                    f"{where}.instances: {name!r} has {instance.n_arms} arms, "
                    f"exact chains take at most {MAX_EXACT_ARMS}"
                )
            for epsilon in _epsilons(where, grid):
                _check_budgets(where, instance, epsilon, grid["multiples"])
                if section == "exact_curves":
                    budget = math.ceil(max(grid["multiples"]) * instance.complexity(epsilon))
                    with _at(f"{where}.multiples"):
                        require_short_budget(instance, epsilon, budget, adaptive=True)
    section = "rare_fixed_confidence"
    for where, grid, name in _studies(section, study.config[section], study.instances):
        _check_levels(where, grid)
        with _at(where):
            _check_costs(study.instances[name], grid, study.constants, require_affordable)


def _check_error_map(section: Mapping[str, Any], constants: Mapping[str, float]) -> None:
    """The cells of the error map are problems with means in [0, 1]; one arm has an exact chain."""
    for part, grids in section.items():
        for position, grid in enumerate(grids):
            where = f"error_map.{part}[{position}]"
            _check_levels(where, grid)
            highest = max(grid["thresholds"]) + max(grid["gaps"])
            if highest > 1:
                raise ValueError(f"{where}: threshold + gap = {highest:g} must be at most 1")
            check = require_short_chain if part == "one_arm" else require_affordable
            for threshold in grid["thresholds"]:
                cell = Instance("cell", [threshold + min(grid["gaps"])], threshold)
                with _at(f"{where}.gaps"):
                    _check_costs(cell, grid, constants, check)


def _check_allocation(study: Study) -> None:
    """The count of pulls needs Algorithm 2's runs at the figures' delta."""
    section, delta = study.config["allocation"], study.config["figures"]["delta"]
    for name in section["instances"]:
        instance = _known("allocation.instances", name, study.instances)
        for epsilon in _epsilons("allocation", section):
            _check_budgets("allocation", instance, epsilon, [section["multiple"]], "multiple")
            runs = study.allocation_runs()
            if not any((run.instance, run.epsilon) == (name, epsilon) for run in runs):
                raise ValueError(
                    f"allocation: no study of fixed_confidence runs {name!r} "
                    f"at epsilon {epsilon:g} and figures.delta = {delta:g}"
                )


def _check_panels(study: Study) -> None:
    """Figures can only show what some study simulates."""
    figures = study.config["figures"]
    delta, epsilon = figures["delta"], float(figures["epsilon"])
    _check_levels("figures", {"deltas": [delta], "epsilons": [epsilon]}, plural="")
    for key, names in figures.items():
        for name in names if isinstance(names, list) else []:
            _known(f"figures.{key}", name, study.instances)
            if key == "fixed_confidence":
                runs = [r for r in study.fixed_confidence if r.instance == name]
                if not any(delta in run.deltas for run in runs):
                    raise ValueError(
                        f"figures.{key}: no study of fixed_confidence runs {name!r} "
                        f"at figures.delta = {delta:g}"
                    )
                continue
            levels = {run.epsilon for run in study.fixed_budget if run.instance == name}
            at_one = key in ("bounds", "baselines")
            if not levels or (at_one and epsilon not in levels):
                raise ValueError(
                    f"figures.{key}: no study of fixed_budget runs {name!r}"
                    + f" at figures.epsilon = {epsilon:g}" * at_one
                )


def scaled_budgets(instance: Instance, epsilon: float, multiples: Iterable[float]) -> set[int]:
    """Budgets at multiples of H_eps; those below the theorem's 2K are left out.

    Parameters
    ----------
    instance : Instance
        The problem.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    multiples : iterable of float
        Multiples of H_eps.

    Returns
    -------
    set of int
        Whole numbers of pulls.
    """
    complexity = check_instance(instance).complexity(epsilon)
    scaled = {math.ceil(multiple * complexity) for multiple in multiples}
    return {budget for budget in scaled if budget >= 2 * instance.n_arms}


def epsilon_name(epsilon: float) -> str:
    """How a privacy level is written in file names and tables.

    Parameters
    ----------
    epsilon : float
        Privacy level; ``math.inf`` means none.

    Returns
    -------
    str
        ``inf`` without privacy, else at most six digits.
    """
    return "inf" if math.isinf(epsilon) else f"{epsilon:g}"


def _leaves(value: Any, key: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Every value of a config that is neither a list nor a mapping, with its key."""
    if depth > MAX_DEPTH:
        raise ValueError(f"{key[:60]}...: nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _leaves(item, f"{key}.{name}".removeprefix("."), depth + 1)
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            yield from _leaves(item, f"{key}[{position}]", depth + 1)
    else:
        yield key, value


def _check_numbers(config: Mapping[str, Any]) -> None:
    """What a schema cannot say: no NaN, infinity for epsilon only, nothing too large."""
    for key, value in _leaves(config):
        name = key.rsplit(".", 1)[-1]
        if isinstance(value, float) and math.isnan(value):
            raise ValueError(f"{key}: {value} is not a number")
        if isinstance(value, float) and math.isinf(value) and not name.startswith("epsilon"):
            raise ValueError(f"{key}: {value} is not finite")
        most = MAX_SEED if key == "seed" else MAX_PULLS
        if isinstance(value, int) and abs(value) > most:
            raise ValueError(f"{key}: {shown(value)} is more than {most:.3g}")


def _check_root(root: str) -> None:
    """The root becomes part of file names, in which Snakemake gives some characters a meaning."""
    odd = [one for one in root if one in '{}<>*?[]|"' or not one.isprintable()]
    odd += [end for end in (root[:1], root[-1:]) if end.isspace()] + [root[:1]] * (root[:1] == "~")
    if odd:
        raise ValueError(f"root: {shown(root)} must be the name of a folder without {odd[0]!r}")
    if any(len(part.encode()) > 200 for part in root.split("/")):
        raise ValueError(f"root: {short(root, 40)!r} must be a name of at most 200 bytes")


def _check_schema(config: Mapping[str, Any]) -> None:
    validator = _validator()
    from jsonschema.exceptions import best_match

    error = best_match(validator.iter_errors(config))
    if error is None:
        return
    key = error.json_path.removeprefix("$").removeprefix(".") or "config"
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        extra = sorted(set(error.instance) - set(known), key=str)
        raise ValueError(f"{key}: {unknown('key', extra[0], known)}")
    value = repr(error.instance)
    raise ValueError(f"{key}: {short(error.message.replace(value, short(value, 60)))}")


@cache
def _validator() -> Any:
    """A validator that does not take 3.0 for an integer: seeds and counts are Python integers."""
    skip_address_grammar()
    from jsonschema import Draft202012Validator, validators

    types = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    strict = validators.extend(Draft202012Validator, type_checker=types)
    return strict(schema())


def schema() -> dict[str, Any]:
    """The schema of a config; an ``enum`` that names a table holds the names of its rows.

    Returns
    -------
    dict
        The JSON schema.
    """
    import yaml

    tables = {"radii": RADII, "policies": tuple(POLICIES), "index policies": INDEX_POLICIES}
    return _with_names(yaml.safe_load(SCHEMA.read_text(encoding="utf-8")), tables)


def _with_names(node: Any, tables: Mapping[str, tuple[str, ...]]) -> Any:
    if isinstance(node, list):
        return [_with_names(item, tables) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: list(tables[value])
        if key == "enum" and isinstance(value, str)
        else _with_names(value, tables)
        for key, value in node.items()
    }


def _instances(config: Mapping[str, Any]) -> dict[str, Instance]:
    found: dict[str, Instance] = {}
    for position, entry in enumerate(config["instances"]):
        with _at(f"instances[{position}]"):
            unfolded = list(_unfold(entry, config["seed"]))
        for instance in unfolded:
            if instance.name.lower() in {name.lower() for name in found}:  # as file names are
                raise ValueError(
                    f"instances[{position}].name: duplicate instance name {instance.name!r}"
                )
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
    elif family == "new":
        for law, n_arms in itertools.product(entry["laws"], entry["arms"]):
            for index in range(1, entry["count"] + 1):
                yield new_instance(law, index, n_arms, seed, threshold, entry["min_gap"])
    else:
        yield Instance(entry["name"], entry["means"], threshold, entry.get("tolerance", 0.0))


def _budget_runs(section: Mapping[str, Any], instances: dict[str, Instance]) -> list[BudgetRun]:
    runs: dict[tuple, BudgetRun] = {}
    for where, grid, name in _studies("fixed_budget", section, instances):
        budgets, multiples = grid.get("budgets", []), grid.get("multiples", [])
        _require_finite_complexity(where, instances[name])
        least = 2 * instances[name].n_arms
        for budget in budgets:
            if budget < least:
                raise ValueError(f"{where}.budgets: {budget} is below 2K = {least} of {name!r}")
        for policy in grid["policies"]:
            for epsilon in _epsilons(where, grid):
                if multiples:
                    _check_budgets(where, instances[name], epsilon, multiples)
                replicates = _replicates(where, grid, section, BUDGET_KEYS, budget_replicates)
                new = BudgetRun(name, policy, epsilon, replicates)
                run = runs.setdefault((name, policy, epsilon), new)
                run.replicates = max(run.replicates, replicates)
                run.multiples |= set(multiples)
                run.budgets |= set(budgets)
    return list(runs.values())


def _constants(config: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(config[name]) for name in ("rho", "prior_gap")}


def _replicates(
    where: str,
    grid: Mapping[str, Any],
    section: Mapping[str, Any],
    keys: Sequence[str],
    needed: Callable[[Mapping[str, float]], int],
) -> int:
    """Runs of a cell: a number, or what a precision needs; a study's own setting comes first."""
    if "replicates" in grid:
        return int(grid["replicates"])
    if "replicates" in section and "precision" not in grid:
        return int(section["replicates"])
    precision = {**section.get("precision", {}), **grid.get("precision", {})}
    for key in (*keys, *(["log_half_width"] if "error" in precision else [])):
        if key not in precision:
            raise ValueError(f"{where}.precision: {key!r} is missing")
    return needed(precision)


def _needed(cell: tuple, precision: Mapping[str, float]) -> int:
    return confidence_replicates(precision, *cell)


def _confidence_runs(
    section: Mapping[str, Any], instances: dict[str, Instance], constants: Mapping[str, float]
) -> list[ConfidenceRun]:
    runs: dict[tuple, ConfidenceRun] = {}
    for where, grid, name in _studies("fixed_confidence", section, instances):
        _check_levels(where, grid)
        with _at(f"{where}.instances"):
            _check_costs(instances[name], grid, constants, require_affordable)
        for radius in grid.get("radii", RADII):
            for epsilon in _epsilons(where, grid):
                cell = (instances[name], epsilon, grid["deltas"], Radius(radius, **constants))
                needed = partial(_needed, cell)
                replicates = _replicates(where, grid, section, CONFIDENCE_KEYS, needed)
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
                raise ValueError(f"{where}.instances: {unknown('instance', pattern, instances)}")
            for name in names:
                yield where, grid, name


def _check_levels(where: str, grid: Mapping[str, Any], plural: str = "s") -> None:
    _epsilons(where, grid, plural)
    _check_deltas(where, grid, plural)


def _epsilons(where: str, grid: Mapping[str, Any], plural: str = "s") -> list[float]:
    """The privacy levels of a grid, each of which has a file name of its own."""
    for epsilon in grid["epsilons"]:
        if not epsilon >= MIN_EPSILON:
            raise ValueError(
                f"{where}.epsilon{plural}: {epsilon} is not a number >= {MIN_EPSILON:g} "
                "(.inf means no privacy)"
            )
        if float(epsilon_name(epsilon)) != epsilon:
            raise ValueError(
                f"{where}.epsilon{plural}: {epsilon} has more than six digits, "
                f"its files would be named {epsilon_name(epsilon)}"
            )
    return [float(epsilon) for epsilon in grid["epsilons"]]


def _check_deltas(where: str, grid: Mapping[str, Any], plural: str = "s") -> None:
    for delta in grid.get("deltas", []):
        if not MIN_DELTA <= delta < 1:
            raise ValueError(
                f"{where}.delta{plural}: {delta} is not a number >= {MIN_DELTA:g} and below 1"
            )


def _check_budgets(
    where: str,
    instance: Instance,
    epsilon: float,
    multiples: Iterable[float],
    key: str = "multiples",
) -> None:
    """Budgets at multiples of H_eps: at least one is large enough, none is too large."""
    _require_finite_complexity(where, instance)
    most = max(multiples) * instance.complexity(epsilon)
    at = f"times H_eps of {instance.name!r} at epsilon {epsilon:g}"
    if most > MAX_PULLS:
        raise ValueError(
            f"{where}.{key}: {max(multiples)} {at} is {most:.3g} pulls, more than {MAX_PULLS:.0e}"
            f"; larger epsilons or smaller {key} cost less"
        )
    if math.ceil(most) < 2 * instance.n_arms:
        raise ValueError(
            f"{where}.{key}: {max(multiples)} {at} is below 2K = {2 * instance.n_arms} pulls"
        )


def _require_finite_complexity(where: str, instance: Instance) -> None:
    if math.isinf(instance.complexity()):
        raise ValueError(
            f"{where}.instances: {instance.name!r} has an arm at the threshold and tolerance 0, "
            "so its complexity is infinite"
        )


@contextmanager
def _at(where: str) -> Iterator[None]:
    """Put the key before what is wrong with its value."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _check_costs(
    instance: Instance,
    grid: Mapping[str, Any],
    constants: Mapping[str, float],
    check: Callable[[Instance, float, float, Radius, str], None],
) -> None:
    """Check the most expensive setting of a grid under each of its radii."""
    for radius in grid.get("radii", RADII):
        epsilon, delta = float(min(grid["epsilons"])), min(grid["deltas"])
        check(instance, epsilon, delta, Radius(radius, **constants), CONFIG_HINT)


def _known(where: str, name: str, instances: dict[str, Instance]) -> Instance:
    if name not in instances:
        raise ValueError(f"{where}: {unknown('instance', name, instances)}")
    return instances[name]


def _key(run: BudgetRun | ConfidenceRun) -> tuple[str, str, float]:
    """Instance, policy or radius, and privacy level of a run."""
    return run.instance, run.policy if isinstance(run, BudgetRun) else run.radius, run.epsilon


def _pick(runs: list, instance: str) -> list:
    """Return the runs of an instance: methods in the order of the config, epsilons increasing."""
    found = [run for run in runs if run.instance == instance]
    if not found:
        raise ValueError(f"the config asks for no run of {instance!r}")
    order = list(dict.fromkeys(_key(run)[1] for run in found))
    return sorted(found, key=lambda run: (order.index(_key(run)[1]), run.epsilon))
