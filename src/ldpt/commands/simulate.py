"""``ldpt simulate``: runs of one setting."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldpt.commands.options import (
    add_problem,
    epsilon_level,
    epsilon_warnings,
    error_level,
    flags,
    one_of,
    option,
    output_file,
    pulls,
    read_problem,
    refuse_unused,
    replicates,
    seed,
    warn,
)
from ldpt.io.files import staged_file
from ldpt.policies import DEFAULT_POLICY, POLICIES
from ldpt.radii import DEFAULT_RADIUS, KINDS, RADII

if TYPE_CHECKING:
    import pandas as pd

    from ldpt.instances import Instance


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ldpt simulate``."""
    add_problem(parser)
    policies = f"with --budget: {', '.join(POLICIES)} (default: {DEFAULT_POLICY}; apt: the paper's)"
    radii = f"with --delta: {', '.join(RADII)} (default: {DEFAULT_RADIUS}; printed: the paper's, "
    engine = "fast, or literal: one pull at a time, to check the fast one (default: fast)"
    file = output_file(".csv", ".json", ".parquet")
    setting = parser.add_argument_group("the setting; either --budget or --delta")
    option(setting, "--epsilon", epsilon_level, "privacy level; inf for none", required=True)
    option(setting, "--budget BUDGET+", pulls, "Algorithm 1: answers at which to judge")
    option(setting, "--delta", error_level, "Algorithm 2: error probability allowed")
    option(setting, "--policy", one_of("policy", POLICIES), policies)
    option(setting, "--radius", one_of("radius", RADII), radii + "not valid)")
    option(setting, "--max-pulls N", pulls, "with --delta: give up a run after N pulls")
    runs = parser.add_argument_group("the runs, and what is printed")
    option(runs, "--replicates", replicates, "runs (default: 1000)", default=1000)
    option(runs, "--seed", seed, "root seed (default: 0)", default=0)
    option(runs, "--engine", one_of("engine", ("fast", "literal")), engine)
    option(runs, "--output FILE", file, "write every run: .csv, .json or .parquet")
    flags(runs, json="print the summary machine-readable")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    from ldpt.commands import simulation_text

    if (arguments.budget is None) == (arguments.delta is None):
        raise ValueError("give either --budget (Algorithm 1) or --delta (Algorithm 2)")
    instance = read_problem(arguments)
    warnings = epsilon_warnings([arguments.epsilon]) + _choose_method(arguments)
    if arguments.delta is not None and arguments.max_pulls is None:
        _check_cost(instance, arguments)
    warn("simulate", warnings)
    runs, summary = _runs(instance, arguments)
    if arguments.output:
        with staged_file(arguments.output) as staged:
            _write_runs(runs, staged)
    setting = simulation_text.Setting.of(instance, arguments)
    form = simulation_text.as_json if arguments.json else simulation_text.as_text
    print(form(setting, summary))
    return 0


def _write_runs(runs: "pd.DataFrame", path: Path) -> None:
    if path.suffix == ".parquet":
        runs.to_parquet(path, index=False)
    elif path.suffix == ".csv":
        runs.to_csv(path, index=False)
    else:
        runs.to_json(path, orient="records", indent=1)


def _check_cost(instance: "Instance", arguments: argparse.Namespace) -> None:
    from ldpt.limits import require_affordable
    from ldpt.radii import Radius

    hint = "; --max-pulls N stops a run after N pulls"
    radius = Radius(arguments.radius)
    require_affordable(instance, arguments.epsilon, arguments.delta, radius, hint)


def _choose_method(arguments: argparse.Namespace) -> list[str]:
    """Fill in policy, radius and engine, refuse unused options, and return warnings."""
    if arguments.delta is None:
        refuse_unused(arguments, ["radius", "max_pulls"], "with --budget")
        arguments.policy = arguments.policy or DEFAULT_POLICY
        if not POLICIES[arguments.policy].has_engines:
            refuse_unused(arguments, ["engine"], f"with --policy {arguments.policy}")
    else:
        refuse_unused(arguments, ["policy"], "with --delta")
        refuse_unused(arguments, ["tolerance"], "with --delta: fixed confidence has no tolerance")
        arguments.radius = arguments.radius or DEFAULT_RADIUS
    arguments.engine = arguments.engine or "fast"
    if arguments.radius and not KINDS[arguments.radius].valid:
        return [
            f"warning: the error probability of radius {arguments.radius} can exceed delta; that "
            f"of {DEFAULT_RADIUS} cannot"
        ]
    return []


def _runs(
    instance: "Instance", arguments: argparse.Namespace
) -> "tuple[pd.DataFrame, pd.DataFrame]":
    """Return the runs of one setting and their summary."""
    from tqdm import tqdm

    from ldpt import simulate, summarise

    epsilon = arguments.epsilon
    common: dict[str, Any] = {
        key: getattr(arguments, key) for key in ("engine", "replicates", "seed")
    }
    with tqdm(total=arguments.replicates, disable=None, unit=" runs", leave=False) as bar:
        common["progress"] = lambda done: bar.update(done - bar.n)
        if arguments.delta is None:
            runs = simulate.fixed_budget(
                instance, epsilon, arguments.budget, policy=arguments.policy, **common
            )
            return runs, summarise.fixed_budget(runs, {}, instance.complexity(epsilon))
        terms = {"radius": arguments.radius, "max_pulls": arguments.max_pulls}
        runs = simulate.fixed_confidence(instance, epsilon, arguments.delta, **terms, **common)
    labelled = runs.assign(delta=arguments.delta)
    complexity = instance.strict.complexity(epsilon)
    return runs, summarise.fixed_confidence(labelled, {}, complexity)
