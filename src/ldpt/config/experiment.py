"""Configs: read, merged over the paper-scale config, checked, and unrolled into simulations.

A config file holds what differs from ``config/config.yaml``: mappings are merged key by key, lists
replace the list of that key. :mod:`ldpt.config.schema` describes the keys.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any

from ldpt.config.grid import BudgetRun, ConfidenceRun
from ldpt.config.schema import BudgetStudy, ConfidenceGrid, Config, Curves, ExactCells, check_keys
from ldpt.instances import Instance
from ldpt.limits import (
    MAX_PULLS,
    checked_pulls,
    confidence_replicates,
    require_affordable,
    require_short_budget,
    require_short_chain,
    require_short_runs,
    single_pulls,
)
from ldpt.policies import INDEX_POLICIES
from ldpt.radii import Radius
from ldpt.util.files import read_whole
from ldpt.util.messages import short, unknown

__all__ = ["Experiment", "build_experiment", "load", "merge"]

DEFAULT = Path(__file__).with_name("data") / "config.yaml"  # config/config.yaml of the project
MAX_FILE = 10**7  # bytes of a config
MAX_VALUES = 10**5  # of a config once its YAML aliases are written out
SECTIONS = (  # of studies
    "fixed_budget",
    "fixed_confidence",
    "rare_fixed_budget",
    "environments",
    "rare_fixed_confidence",
    "exact_curves",
)
CONFIG_HINT = "; larger epsilons, deltas or gaps cost less"


@dataclass(frozen=True)
class Experiment:
    """A checked config: its values, its problems by name and its simulations in order."""

    config: dict[str, Any]
    settings: Config
    instances: dict[str, Instance]

    @property
    def root(self) -> Path:
        return Path(self.settings.root)

    @property
    def constants(self) -> dict[str, float]:
        """Return the tuning constants of the radii."""
        return {"rho": self.settings.rho, "prior_gap": self.settings.prior_gap}

    @property
    def is_extra(self) -> bool:
        """Return whether the problems are those of ``extra_instances``."""
        return bool(self.settings.extra_instances)

    @cached_property
    def fixed_budget(self) -> list[BudgetRun]:
        """Return the simulations of a fixed budget."""
        runs: dict[tuple[str, str, float], BudgetRun] = {}
        for _, grid, problem in self.grids("fixed_budget"):
            for policy, epsilon in product(grid.policies, grid.epsilons):
                key = problem.name, policy, epsilon
                run = runs.setdefault(key, BudgetRun(*key))
                size = grid.replicates or self.settings.fixed_budget.replicates
                run.replicates = max(run.replicates, size)
                run.multiples |= set(grid.multiples)
                run.budgets |= set(grid.budgets)
        return list(runs.values())

    @cached_property
    def fixed_confidence(self) -> list[ConfidenceRun]:
        """Return the simulations of Algorithm 2."""
        section = self.settings.fixed_confidence
        runs: dict[tuple[str, str, float], ConfidenceRun] = {}
        for _, grid, problem in self.grids("fixed_confidence"):
            precision = section.precision.model_dump()
            precision["least"] = grid.least or precision["least"]
            for radius, epsilon in product(grid.radii, grid.epsilons):
                key = problem.name, radius, epsilon
                run = runs.setdefault(key, ConfidenceRun(*key))
                cell = problem, epsilon, grid.deltas, Radius(radius, **self.constants)
                size = grid.replicates or section.replicates
                run.sizes.append(size or partial(confidence_replicates, *cell, precision))
                run.deltas |= set(grid.deltas)
        return list(runs.values())

    def grids(self, section: str) -> Iterator[tuple[str, Any, Instance]]:
        """Yield place and grid of every study of a section, with each problem that it names."""
        for position, grid in enumerate(getattr(self.settings, section).studies):
            where = f"{section}.studies[{position}]"
            for pattern in grid.instances:
                names = [name for name in self.instances if fnmatchcase(name, pattern)]
                if not names:
                    raise ValueError(
                        f"{where}.instances: {unknown('instance', pattern, self.instances)}"
                    )
                for name in names:
                    yield where, grid, self.instances[name]

    def runs(self, algorithm: str, instance: str) -> list[Any]:
        """Return the runs on an instance: methods in the config's order, epsilons increasing."""
        runs = [run for run in getattr(self, algorithm) if run.instance == instance]
        if not runs:
            raise ValueError(f"no study of {algorithm} runs {instance!r}")
        order = [run.method for run in runs]
        return sorted(runs, key=lambda run: (order.index(run.method), run.epsilon))

    def family(self, instance: str) -> str:
        """Return the family of a problem; a single problem is a family of one."""
        return self.instance(instance).family or instance

    def members(self, algorithm: str, family: str) -> list[str]:
        """Return the problems of a family on which an algorithm runs, in the config's order."""
        names = dict.fromkeys(run.instance for run in getattr(self, algorithm))
        return [name for name in names if self.family(name) == family]

    def family_runs(self, algorithm: str, family: str) -> list[Any]:
        """Return the runs on all members of a family."""
        names = self.members(algorithm, family)
        return [run for name in names for run in self.runs(algorithm, name)]

    def budget_settings(self, family: str) -> list[dict[str, Any]]:
        """Return the simulations of a fixed budget on a family, as arguments."""
        return [
            {
                "instance": run.instance,
                "policy": run.method,
                "epsilon": run.epsilon,
                "budgets": run.grid(self.instance(run.instance)),
                "replicates": run.replicates,
            }
            for run in self.family_runs("fixed_budget", family)
        ]

    def confidence_settings(self, family: str) -> list[dict[str, Any]]:
        """Return the simulations of Algorithm 2 on a family, as arguments."""
        return [
            {
                "instance": run.instance,
                "radius": run.method,
                "epsilon": run.epsilon,
                "delta": delta,
                "replicates": run.replicates,
            }
            for run in self.family_runs("fixed_confidence", family)
            for delta in sorted(run.deltas)
        ]

    def proxy_radius(self, name: str) -> Radius:
        """Return a radius of nearly the same cost: the tables of ``coin`` need compiled code."""
        return Radius("onesided" if name == "coin" else name, **self.constants)

    def policies(self, family: str) -> list[str]:
        """Return the policies that run on a family."""
        return sorted({run.method for run in self.family_runs("fixed_budget", family)})

    def radii(self, family: str) -> list[str]:
        """Return the radii that run on a family."""
        return sorted({run.method for run in self.family_runs("fixed_confidence", family)})

    def cells(self, section: str) -> list[list[Any]]:
        """Return instance, privacy level and other settings of every cell of a section."""
        return [
            [
                problem.name,
                epsilon,
                grid.model_dump(exclude={"instances", "epsilons"}, exclude_none=True),
            ]
            for _, grid, problem in self.grids(section)
            for epsilon in grid.epsilons
        ]

    def sampled_cells(self, section: str) -> dict[str, Any]:
        """Return the cells of a section, how many runs they have at most, and when runs end."""
        settings = getattr(self.settings, section)
        shared = {"replicates": settings.replicates, "effective_size": settings.effective_size}
        return shared | {"cells": self.cells(section)}

    def definitions(self, algorithm: str = "", family: str = "") -> list[dict[str, Any]]:
        """Return the fields of all problems, or of those of a family that an algorithm runs on."""
        names = self.members(algorithm, family) if algorithm else self.instances
        return [vars(self.instance(name)) for name in names]

    def instance(self, name: str) -> Instance:
        """Return the instance of this name; a ValueError suggests those that exist."""
        if name not in self.instances:
            raise ValueError(unknown("instance", name, self.instances))
        return self.instances[name]

    def panels(self, key: str) -> list[str]:
        """Return the panels of a figure; a ValueError names one that no study simulates."""
        figures = self.settings.figures
        confidence = key in ("fixed_confidence", "confidence_bounds")
        section = "fixed_confidence" if confidence else "fixed_budget"
        names: list[str] = getattr(figures, key)
        with _at(f"figures.{key}"):
            for name in names:
                runs = self.runs(section, self.instance(name).name)
                if confidence and all(figures.delta not in x.deltas for x in runs):
                    raise ValueError(f"no run of {name!r} at figures.delta = {figures.delta:g}")
                one_level = key in ("budget_bounds", "baselines")
                if one_level and all(figures.epsilon != run.epsilon for run in runs):
                    raise ValueError(f"no run of {name!r} at figures.epsilon = {figures.epsilon:g}")
        return names

    def allocation(self) -> dict[str, Any]:
        """Return the section ``allocation``; a study must make its runs of Algorithm 2."""
        section, delta = self.settings.allocation, self.settings.figures.delta
        runs = [run for run in self.fixed_confidence if delta in run.deltas]
        simulated = {(run.instance, run.epsilon) for run in runs}
        for name, epsilon in product(section.instances, section.epsilons):
            if (name, epsilon) not in simulated:
                raise ValueError(
                    f"allocation: no study of fixed_confidence runs {name!r} "
                    f"at epsilon {epsilon:g} and figures.delta = {delta:g}"
                )
        return section.model_dump()


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
    return content or {}


# --- checking -------------------------------------------------------------------------------------


def build_experiment(config: Mapping[str, Any]) -> Experiment:
    """Check a config and unroll it.

    Parameters
    ----------
    config : mapping
        Keys and values, as :func:`load` returns them.

    Returns
    -------
    Experiment
        Instances and simulations.

    Raises
    ------
    ValueError
        If a key or a value is wrong: one line with the key, the value and what is allowed.
    """
    _require_few_values(config)
    settings = check_keys(config)
    if settings.extra_instances:
        config = merge(config, _extra_only(settings))
        settings = check_keys(config)
    elif not settings.fixed_confidence.studies:
        raise ValueError("fixed_confidence.studies: there must be at least one grid")
    checked = Experiment(dict(config), settings, _unfold_instances(settings))
    for section in SECTIONS:
        for where, grid, problem in checked.grids(section):
            with _at("extra_study" if checked.is_extra else where):
                if isinstance(grid, ConfidenceGrid):
                    _check_cost(checked, problem, grid, require_affordable)
                    _check_blocks(checked, problem, grid, section)
                elif section == "exact_curves":
                    _check_budgets(problem, grid, None)
                else:
                    replicates = grid.replicates or getattr(settings, section).replicates
                    _check_budgets(problem, grid, replicates)
    for part, check in (("one_arm", require_short_chain), ("two_arms", require_affordable)):
        for position, cells in enumerate(getattr(settings.error_map, part)):
            with _at(f"error_map.{part}[{position}]"):
                for tau, gap in product(cells.thresholds, cells.gaps):
                    problem = Instance(f"{part}-{tau:g}-{gap:g}", [tau + gap], tau)
                    _check_cost(checked, problem, cells, check)
    return checked


def _require_few_values(config: Mapping[str, Any]) -> None:
    """Limit the number of values after the expansion of YAML aliases."""
    count = 0
    parts: list[object] = [config]
    while parts:
        part = parts.pop()
        if isinstance(part, (Mapping, list)):
            parts.extend(part.values() if isinstance(part, Mapping) else part)
        count += 1
        if count > MAX_VALUES:
            raise ValueError(f"more than {MAX_VALUES} values once YAML aliases are written out")


def _extra_only(settings: Config) -> dict[str, Any]:
    """Return the changes after which a config runs ``extra_study`` on ``extra_instances`` alone.

    Algorithm 2 has no tolerance, so problems with a mean at the threshold have a fixed budget only.
    """
    grid = settings.extra_study
    at_threshold = [one for one in settings.extra_instances if one.threshold in one.means]
    for problem in at_threshold:
        if problem.tolerance == 0:
            arm = problem.means.index(problem.threshold)
            raise ValueError(
                f"extra_instances: means[{arm}] of {problem.name!r} equals the threshold "
                f"{problem.threshold:g}: set its tolerance above 0, or another mean"
            )
    decidable = [one.name for one in settings.extra_instances if one not in at_threshold]
    names = [problem.name for problem in settings.extra_instances]
    shared = {"instances": names, "epsilons": grid.epsilons, "replicates": grid.replicates}
    budget = shared | {"policies": grid.policies, "multiples": grid.multiples}
    confidence = shared | {"instances": decidable, "radii": grid.radii, "deltas": grid.deltas}
    panels = dict.fromkeys(("fixed_budget", "collapse", "budget_bounds"), names)
    panels |= dict.fromkeys(("confidence_bounds", "fixed_confidence"), decidable)
    delta = min(grid.deltas, key=lambda delta: abs(delta - settings.figures.delta))
    epsilon = min(grid.epsilons, key=lambda level: abs(1 / level - 1 / settings.figures.epsilon))
    settings_of_figures = {
        "policies": grid.policies,
        "radii": grid.radii,
        "epsilon": epsilon,
        "delta": delta,
    }
    return {section: {"studies": []} for section in SECTIONS} | {
        "root": f"results/{names[0]}" if settings.root == "." else settings.root,
        "instances": [problem.model_dump() for problem in settings.extra_instances],
        "fixed_budget": {"studies": [budget]},
        "fixed_confidence": {"studies": [confidence] if decidable else []},
        "allocation": {"instances": []},
        "error_map": {"one_arm": [], "two_arms": []},
        "figures": panels | {"baselines": []} | settings_of_figures,
    }


def _unfold_instances(settings: Config) -> dict[str, Instance]:
    """Return every problem by name, the members of families included."""
    unfolded: dict[str, Instance] = {}
    key = "extra_instances" if settings.extra_instances else "instances"
    for position, entry in enumerate(settings.instances):
        with _at(f"{key}[{position}]"):
            for instance in entry.instances(settings.seed):
                if instance.name.lower() in map(str.lower, unfolded):  # as file names may be
                    raise ValueError(f"duplicate instance name {instance.name!r}")
                if instance.name in {other.family for other in unfolded.values()}:
                    raise ValueError(f"instance {instance.name!r} has the name of a family")
                if instance.stream in {other.stream for other in unfolded.values()}:
                    raise ValueError(f"duplicate stream {instance.stream!r} of {instance.name!r}")
                unfolded[instance.name] = instance
    return unfolded


def _check_budgets(problem: Instance, grid: BudgetStudy | Curves, replicates: int | None) -> None:
    """Refuse budgets below 2K or beyond what can be simulated, or computed without replicates."""
    if replicates is None and problem.n_arms > 2:
        raise ValueError(f"{problem.name!r} has {problem.n_arms} arms, exact curves take 1 or 2")
    least = 2 * problem.n_arms
    budgets = getattr(grid, "budgets", [])
    if min(budgets, default=least) < least:
        raise ValueError(f"budgets: {min(budgets)} is below 2K = {least} of {problem.name!r}")
    for epsilon in grid.epsilons:
        complexity = problem.complexity(epsilon)
        # Without multiples, only an infinite complexity is refused.
        pulls = max(grid.multiples, default=least / complexity) * complexity
        if not least - 1 < pulls <= MAX_PULLS:
            raise ValueError(
                f"the largest multiple of H_eps = {complexity:.3g} of {problem.name!r} at epsilon "
                f"{epsilon:g} is {pulls:.3g} pulls; it must be from 2K = {least} to {MAX_PULLS:.0e}"
            )
        if replicates is None:
            require_short_budget(problem, epsilon, math.ceil(pulls), problem.n_arms > 1)
        else:
            has_index = not set(INDEX_POLICIES).isdisjoint(grid.policies)
            single = single_pulls(problem, epsilon) if has_index else ""
            require_short_runs(replicates, max(pulls, *budgets, 0), 1, single)


def _check_blocks(
    experiment: Experiment, problem: Instance, grid: ConfidenceGrid, section: str
) -> None:
    """Refuse runs of Algorithm 2 that take hours: at the ends of the privacy levels."""
    settings = getattr(experiment.settings, section)
    replicates = grid.replicates or settings.replicates or settings.precision.most
    for radius in map(experiment.proxy_radius, grid.radii):
        for epsilon in sorted({min(grid.epsilons), max(grid.epsilons)}):
            checked_pulls(problem, epsilon, min(grid.deltas), radius, replicates)


def _check_cost(
    experiment: Experiment,
    problem: Instance,
    grid: ConfidenceGrid | ExactCells,
    check: Callable[[Instance, float, float, Radius, str], None],
) -> None:
    """Check the most expensive setting of a grid under each of its radii."""
    for radius in map(experiment.proxy_radius, grid.radii):
        check(problem, min(grid.epsilons), min(grid.deltas), radius, CONFIG_HINT)


@contextmanager
def _at(where: str) -> Iterator[None]:
    """Put the key before the error message about its value."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
