"""``ldpt simulate``: runs of one setting."""

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldpt.commands import options
from ldpt.commands.options import flags, option
from ldpt.io.files import staged_file
from ldpt.io.messages import counted, short
from ldpt.policies import DEFAULT_POLICY, POLICIES
from ldpt.radii import DEFAULT_RADIUS, RADII
from ldpt.text import json_text, table

if TYPE_CHECKING:
    import pandas as pd

    from ldpt.instances import Instance

WIDTH = 80


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ldpt simulate``."""
    options.add_problem(parser)
    policies = f"with --budget: {', '.join(POLICIES)} (default: {DEFAULT_POLICY}; apt: the paper's)"
    radii = f"with --delta: {', '.join(RADII)} (default: {DEFAULT_RADIUS}; printed: the paper's, "
    engine = "fast, or literal: one pull at a time, to check the fast one (default: fast)"
    file = options.output_file(".csv", ".json", ".parquet")
    setting = parser.add_argument_group("the setting; either --budget or --delta")
    option(
        setting, "--epsilon", options.epsilon_level, "privacy level; inf for none", required=True
    )
    option(setting, "--budget BUDGET+", options.pulls, "Algorithm 1: answers at which to judge")
    option(setting, "--delta", options.error_level, "Algorithm 2: error probability allowed")
    option(setting, "--policy", options.one_of("policy", POLICIES), policies)
    option(setting, "--radius", options.one_of("radius", RADII), radii + "not valid)")
    option(setting, "--max-pulls N", options.pulls, "with --delta: give up a run after N pulls")
    runs = parser.add_argument_group("the runs, and what is printed")
    option(runs, "--replicates", options.replicates, "runs (default: 1000)", default=1000)
    option(runs, "--seed", options.seed, "root seed (default: 0)", default=0)
    option(runs, "--engine", options.one_of("engine", ("fast", "literal")), engine)
    option(runs, "--output FILE", file, "write every run: .csv, .json or .parquet")
    flags(runs, json="print the summary as JSON")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    if (arguments.budget is None) == (arguments.delta is None):
        raise ValueError("give either --budget (Algorithm 1) or --delta (Algorithm 2)")
    instance = options.read_problem(arguments)
    _choose_method(arguments)
    options.warn([arguments.epsilon], [arguments.policy or arguments.radius])
    runs = _runs(instance, arguments)
    if arguments.output:
        with staged_file(arguments.output) as staged:
            _write_runs(runs, staged)
    summary = _summary(runs, instance, arguments)
    setting = _setting(instance, arguments)
    if arguments.json:
        print(json_text(setting | {"summary": summary}))
    else:
        print("\n".join([*_head(setting), "", *_body(setting, summary)]))
    return 0


def _choose_method(arguments: argparse.Namespace) -> None:
    """Fill in policy or radius and engine, and refuse unused options."""
    if arguments.delta is None:
        options.refuse_unused(arguments, ["radius", "max_pulls"], "with --budget")
        arguments.policy = arguments.policy or DEFAULT_POLICY
        if not POLICIES[arguments.policy].has_engines:
            options.refuse_unused(arguments, ["engine"], f"with --policy {arguments.policy}")
    else:
        options.refuse_unused(arguments, ["policy", "tolerance"], "with --delta")
        arguments.radius = arguments.radius or DEFAULT_RADIUS
    arguments.engine = arguments.engine or "fast"


def _runs(instance: "Instance", arguments: argparse.Namespace) -> "pd.DataFrame":
    from tqdm import tqdm

    from ldpt import simulate

    names = ("epsilon", "replicates", "seed", "engine")
    terms: dict[str, Any] = {name: getattr(arguments, name) for name in names}
    with tqdm(total=arguments.replicates, disable=None, unit=" runs", leave=False) as bar:
        terms["progress"] = lambda done: bar.update(done - bar.n)
        if arguments.delta is None:
            budgets = arguments.budget
            return simulate.fixed_budget(
                instance, budgets=budgets, policy=arguments.policy, **terms
            )
        terms |= {name: getattr(arguments, name) for name in ("delta", "radius", "max_pulls")}
        return simulate.fixed_confidence(instance, **terms)


def _write_runs(runs: "pd.DataFrame", path: Path) -> None:
    if path.suffix == ".parquet":
        runs.to_parquet(path, index=False)
    elif path.suffix == ".csv":
        runs.to_csv(path, index=False)
    else:
        runs.to_json(path, orient="records", indent=1)


# --- the summary


def _summary(
    runs: "pd.DataFrame", instance: "Instance", arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """Return estimates with intervals: one row, or one per budget."""
    from ldpt import summarise

    if arguments.delta is None:
        summary = summarise.fixed_budget(runs, {}, instance.complexity(arguments.epsilon))
    else:
        complexity = instance.strict.complexity(arguments.epsilon)
        labelled = runs.assign(delta=arguments.delta)
        summary = summarise.fixed_confidence(labelled, {}, complexity)
    return summary.to_dict("records")


def _setting(instance: "Instance", arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "problem": instance.name,
        "means": instance.means,
        "threshold": instance.threshold,
        "tolerance": instance.tolerance if arguments.delta is None else 0.0,
        "epsilon": arguments.epsilon,
        "delta": arguments.delta,
        "method": arguments.policy or arguments.radius,
        "replicates": arguments.replicates,
        "seed": arguments.seed,
    }


def _head(setting: dict[str, Any]) -> Iterator[str]:
    """Yield the problem and the setting."""
    tolerance = f", tolerance {setting['tolerance']:g}" if setting["tolerance"] else ""
    means = short(", ".join(f"{mean:g}" for mean in setting["means"]), 40)
    yield (
        f"{setting['problem']}: {counted(len(setting['means']), 'arm')} ({means}), threshold "
        f"{setting['threshold']:g}{tolerance}"
    )
    level = "no privacy" if math.isinf(setting["epsilon"]) else f"epsilon {setting['epsilon']:g}"
    method = f"policy {setting['method']}"
    if setting["delta"] is not None:
        method = f"radius {setting['method']}, delta {setting['delta']:g}"
    yield f"{method}, {level}: {setting['replicates']:,} runs, seed {setting['seed']}"


def _body(setting: dict[str, Any], summary: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the summary as labelled lines, or as a table with one line per budget."""
    if setting["delta"] is None:
        rows = [
            {
                "answers": f"{row['budget']:,}",
                "error probability": f"{row['estimate']:.3g}",
                "95 % interval": f"{row['low']:.3g} .. {row['high']:.3g}",
            }
            for row in summary
        ]
        yield table(rows, WIDTH)
        return
    (row,) = summary
    limits = f"95 % interval {row['low']:.3g} .. {row['high']:.3g}"
    lines = {"error probability": f"{row['estimate']:.3g}  ({limits}), promised {row['delta']:g}"}
    if not math.isnan(row["mean_pulls"]):
        limits = f"95 % interval {row['mean_pulls_low']:,.0f} .. {row['mean_pulls_high']:,.0f}"
        lines["answers on average"] = f"{row['mean_pulls']:,.0f}  ({limits})"
    last = row["quantile_pulls"]
    by = f"{last:,.0f} answers" if math.isfinite(last) else "more answers than --max-pulls"
    lines[f"{100 * (1 - row['delta']):g} % of runs stop by"] = by
    if row["undecided"]:
        lines["runs given up"] = f"{row['undecided']:,}"
    for label, value in lines.items():
        yield f"{label:<24}{value}"
