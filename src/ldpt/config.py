"""Configs: read, merged over the paper-scale config, checked, and unrolled into simulations.

A config file holds what differs from ``config/config.yaml``: mappings are merged key by key, lists
replace the list of that key. :mod:`ldpt.settings` describes the keys.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from ldpt.grid import BudgetRun, ConfidenceRun
from ldpt.instances import (
    Instance,
    equal_gap,
    new_instance,
    random_instance,
    skewed_instance,
)
from ldpt.io.files import read_whole
from ldpt.io.messages import short, unknown
from ldpt.limits import (
    MAX_PULLS,
    budget_replicates,
    confidence_replicates,
    require_affordable,
    require_short_budget,
    require_short_chain,
)
from ldpt.radii import RADII, Radius

DEFAULT = Path(__file__).with_name("data") / "config.yaml"  # config/config.yaml of the project
BUDGET_KEYS = ("error", "log_half_width", "least", "most")  # of a precision
CONFIDENCE_KEYS = ("relative_half_width", "least", "most")
MAX_EXACT_ARMS = 2  # of an exact chain for a fixed budget
CONFIG_HINT = "; larger epsilons, deltas or gaps cost less"
MAX_FILE = 10**7  # bytes of a config
MAX_VALUES = 10**5  # of a config once its YAML aliases are written out
PROXIES = {"coin": "onesided"}
ONE_EPSILON = ("bounds", "baselines")  # figures that show a single privacy level


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
        """Return the tuning constants of the radii."""
        return _constants(self.config)

    @property
    def is_extra(self) -> bool:
        """Return whether the problems are those of ``extra_instances``."""
        return bool(self.config.get("extra_instances"))

    def budget_runs(self, instance: str) -> list[BudgetRun]:
        """Return the runs of fixed budget on an instance, by policy in the config's order."""
        return _pick(self.fixed_budget, instance)

    def confidence_runs(self, instance: str) -> list[ConfidenceRun]:
        """Return the runs of fixed confidence on an instance, by radius in the config's order."""
        return _pick(self.fixed_confidence, instance)

    def cells(self, section: str) -> list[tuple[str, float, Mapping[str, Any]]]:
        """Return instance, privacy level and settings of everything a section of studies names."""
        parts = _studies(section, self.config[section], self.instances)
        return [(name, float(e), grid) for _, grid, name in parts for e in grid["epsilons"]]

    def instance(self, name: str) -> Instance:
        """Return the instance of this name; a ValueError suggests those that exist."""
        if name not in self.instances:
            raise ValueError(unknown("instance", name, self.instances))
        return self.instances[name]

    def panels(self, key: str) -> list[str]:
        """Return the panels of a figure; a ValueError names one that no study simulates."""
        figures = self.config["figures"]
        for name in figures[key]:
            with _at(f"figures.{key}"):
                self.instance(name)
            if key == "fixed_confidence":
                where = f" at figures.delta = {figures['delta']:g}"
                runs = [r for r in self.fixed_confidence if r.instance == name]
                found = any(figures["delta"] in run.deltas for run in runs)
            else:
                levels = {run.epsilon for run in self.fixed_budget if run.instance == name}
                single = key in ONE_EPSILON
                where = f" at figures.epsilon = {figures['epsilon']:g}" if single else ""
                found = float(figures["epsilon"]) in levels if single else bool(levels)
            if not found:
                section = "fixed_confidence" if key == "fixed_confidence" else "fixed_budget"
                raise ValueError(
                    f"figures.{key}: no study of {section} runs {name!r}{where}; add one, "
                    f"or take it out of figures.{key}"
                )
        return list(figures[key])

    def allocation(self) -> Mapping[str, Any]:
        """Return the section ``allocation``, whose runs of Algorithm 2 some study must make."""
        section, delta = self.config["allocation"], self.config["figures"]["delta"]
        runs = [run for run in self.fixed_confidence if delta in run.deltas]
        made = {(run.instance, run.epsilon) for run in runs}
        for name, epsilon in itertools.product(section["instances"], section["epsilons"]):
            with _at("allocation.instances"):
                instance = self.instance(name)
            _check_budgets("allocation", instance, epsilon, [section["multiple"]], "multiple")
            if (name, float(epsilon)) not in made:
                raise ValueError(
                    f"allocation: no study of fixed_confidence runs {name!r} "
                    f"at epsilon {epsilon:g} and figures.delta = {delta:g}"
                )
        return section


# --- reading and merging --------------------------------------------------------------------------


def load(path: Path | str = DEFAULT) -> dict[str, Any]:
    """Return the config in this YAML file laid over the paper-scale one, unchecked.

    Raises
    ------
    ValueError
        If the file is not a regular one, not YAML, or holds no keys and values.
    """
    config = _read_yaml(DEFAULT)
    return config if Path(path).resolve() == DEFAULT.resolve() else merge(config, _read_yaml(path))


def merge(base: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``base`` with the values of ``other``: mappings are merged, all else is replaced.

    >>> merge({"a": {"b": 1, "c": [1, 2]}}, {"a": {"c": [3]}})
    {'a': {'b': 1, 'c': [3]}}
    """
    merged = dict(base)
    for key, value in other.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge(merged[key], value) if both else value
    return merged


def _read_yaml(path: Path | str) -> dict[str, Any]:
    """Return the keys and values of a YAML file."""
    import yaml

    try:
        content = yaml.safe_load(read_whole(path, MAX_FILE).decode("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path} is not YAML: {short(error)}") from None
    if not isinstance(content, dict | None):
        raise ValueError(f"{path} must hold keys and values, got {short(repr(content))}")
    with _at(str(path)):
        _count_values(content, {})
    return content or {}


def _count_values(value: Any, known: dict[int, int]) -> int:
    """Count the values of a config with its aliases written out, each container once."""
    if not isinstance(value, (Mapping, list)):
        return 1
    if id(value) in known:
        if not known[id(value)]:
            raise ValueError("an alias contains itself")
        return known[id(value)]
    known[id(value)] = 0
    parts = value.values() if isinstance(value, Mapping) else value
    count = 1 + sum(_count_values(part, known) for part in parts)
    if count > MAX_VALUES:
        raise ValueError(f"more than {MAX_VALUES} values once its aliases are written out")
    known[id(value)] = count
    return count


# --- checking -------------------------------------------------------------------------------------


def study(config: Mapping[str, Any]) -> Study:
    """Check a config and unroll it.

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
        If a key or a value is wrong: one line with the key, the value and what is allowed.
    """
    from ldpt.settings import check_keys

    _count_values(config, {})
    check_keys(config)
    config = _with_extra(config)
    instances = _instances(config)
    budget_runs = _budget_runs(config["fixed_budget"], instances)
    constants = _constants(config)
    confidence_runs = _confidence_runs(config["fixed_confidence"], instances, constants)
    checked = Study(config, instances, budget_runs, confidence_runs)
    _check_rare_and_exact(checked)
    _check_error_map(config["error_map"], constants)
    return checked


def _filled(value: Any) -> Any:
    """Return a copy without the keys that say nothing (``key: null``)."""
    if isinstance(value, Mapping):
        return {key: _filled(part) for key, part in value.items() if part is not None}
    return [_filled(part) for part in value] if isinstance(value, list) else value


def _with_extra(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the config that runs ``extra_study`` on ``extra_instances`` alone, if any."""
    changed = _filled(config)
    extra = changed.get("extra_instances")
    if not extra:
        return changed
    names, grid = [entry["name"] for entry in extra], changed["extra_study"]
    changed["instances"] = extra
    if changed["root"] == ".":
        changed["root"] = f"results/{names[0]}"
    shared = {"instances": names, "epsilons": grid["epsilons"]}
    budget = {key: grid[key] for key in ("policies", "multiples", "replicates")}
    confidence = {key: grid[key] for key in ("radii", "deltas", "replicates")}
    changed["fixed_budget"]["studies"] = [shared | budget]
    changed["fixed_confidence"]["studies"] = [shared | confidence]
    for section in ("rare_fixed_budget", "environments", "rare_fixed_confidence", "exact_curves"):
        changed[section]["studies"] = []
    changed["error_map"] = {"one_arm": [], "two_arms": []}
    changed["allocation"]["instances"] = []
    panels = {"fixed_budget": names, "collapse": names, "fixed_confidence": names}
    delta = min(grid["deltas"], key=lambda delta: abs(delta - changed["figures"]["delta"]))
    changed["figures"] |= panels | {"bounds": [], "baselines": [], "delta": delta}
    return changed


# --- unrolling ----------------------------------------------------------------------------------


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
    threshold = entry.get("threshold", 0.5)
    if family == "equal-gap":
        for n_arms in entry["arms"]:
            yield equal_gap(n_arms, entry["gap"], threshold)
    elif family == "random":
        for index in range(1, entry["count"] + 1):
            yield random_instance(index, entry["arms"], seed, threshold, entry["min_gap"])
    elif family == "skewed":
        for index in range(1, entry["count"] + 1):
            yield skewed_instance(index, entry["arms"], seed, entry["min_gap"])
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
            for epsilon in map(float, grid["epsilons"]):
                if multiples:
                    _check_budgets(where, instances[name], epsilon, multiples)
                size = _size(where, grid, section, BUDGET_KEYS)
                replicates = size if isinstance(size, int) else budget_replicates(size)
                new = BudgetRun(name, policy, epsilon, replicates)
                run = runs.setdefault((name, policy, epsilon), new)
                run.replicates = max(run.replicates, replicates)
                run.multiples |= set(multiples)
                run.budgets |= set(budgets)
    return list(runs.values())


def _confidence_runs(
    section: Mapping[str, Any], instances: dict[str, Instance], constants: Mapping[str, float]
) -> list[ConfidenceRun]:
    runs: dict[tuple, ConfidenceRun] = {}
    for where, grid, name in _studies("fixed_confidence", section, instances):
        with _at(f"{where}.instances"):
            _check_costs(instances[name], grid, constants, require_affordable)
        for radius in grid.get("radii", RADII):
            for epsilon in map(float, grid["epsilons"]):
                cell = (instances[name], epsilon, grid["deltas"], Radius(radius, **constants))
                size = _size(where, grid, section, CONFIDENCE_KEYS)
                new = ConfidenceRun(name, radius, epsilon, [])
                run = runs.setdefault((name, radius, epsilon), new)
                run.sizes.append(
                    size if isinstance(size, int) else partial(confidence_replicates, size, *cell)
                )
                run.deltas |= set(grid["deltas"])
    return list(runs.values())


def _constants(config: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(config[name]) for name in ("rho", "prior_gap")}


def _size(
    where: str, grid: Mapping[str, Any], section: Mapping[str, Any], keys: Sequence[str]
) -> int | dict[str, float]:
    """Return the number of runs or the precision of a setting; that of its study comes first."""
    if "replicates" in grid:
        return int(grid["replicates"])
    if "replicates" in section and "precision" not in grid:
        return int(section["replicates"])
    precision = {**section.get("precision", {}), **grid.get("precision", {})}
    for key in (*keys, *(["log_half_width"] if "error" in precision else [])):
        if key not in precision:
            raise ValueError(f"{where}.precision: {key!r} is missing")
    return precision


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
            for epsilon in map(float, grid["epsilons"]):
                _check_budgets(where, instance, epsilon, grid["multiples"])
                if section == "exact_curves":
                    budget = math.ceil(max(grid["multiples"]) * instance.complexity(epsilon))
                    with _at(f"{where}.multiples"):
                        require_short_budget(instance, epsilon, budget, adaptive=True)
    section = "rare_fixed_confidence"
    for where, grid, name in _studies(section, study.config[section], study.instances):
        with _at(where):
            _check_costs(study.instances[name], grid, study.constants, require_affordable)


def _check_error_map(section: Mapping[str, Any], constants: Mapping[str, float]) -> None:
    """The cells of the error map are problems with means in [0, 1]; one arm has an exact chain."""
    for part, grids in section.items():
        for position, grid in enumerate(grids):
            where = f"error_map.{part}[{position}]"
            highest = max(grid["thresholds"]) + max(grid["gaps"])
            if highest > 1:
                raise ValueError(f"{where}: threshold + gap = {highest:g} must be at most 1")
            check = require_short_chain if part == "one_arm" else require_affordable
            for threshold in grid["thresholds"]:
                cell = Instance("cell", [threshold + min(grid["gaps"])], threshold)
                with _at(f"{where}.gaps"):
                    _check_costs(cell, grid, constants, check)


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


def _check_costs(
    instance: Instance,
    grid: Mapping[str, Any],
    constants: Mapping[str, float],
    check: Callable[[Instance, float, float, Radius, str], None],
) -> None:
    """Check the most expensive setting of a grid under each of its radii.

    The tables of ``coin`` take a moment each, and it stops before ``onesided``.
    """
    names = (PROXIES.get(name, name) for name in grid.get("radii", RADII))
    for radius in dict.fromkeys(names):
        epsilon, delta = float(min(grid["epsilons"])), min(grid["deltas"])
        check(instance, epsilon, delta, Radius(radius, **constants), CONFIG_HINT)


@contextmanager
def _at(where: str) -> Iterator[None]:
    """Put the key before what is wrong with its value."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


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
