"""``ldpt simulate``: runs of one setting."""

import argparse
import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldpt.commands import options
from ldpt.commands.options import flags, option
from ldpt.policies import DEFAULT_POLICY, POLICIES
from ldpt.radii import DEFAULT_RADIUS, RADII
from ldpt.text import json_text, table, wrapped
from ldpt.util.files import staged_file
from ldpt.util.messages import counted, short

if TYPE_CHECKING:
    import pandas as pd

    from ldpt.instances import Instance


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ldpt simulate``."""
    options.add_problem(parser)
    epsilon = "privacy level; inf for none"
    policies = f"with --budget: {', '.join(POLICIES)} (default: {DEFAULT_POLICY}; apt: the paper's)"
    radii = f"with --delta: {', '.join(RADII)} (default: {DEFAULT_RADIUS}; printed: the paper's, "
    engine = "fast, or literal: one pull at a time, to check the fast one (default: fast)"
    engines = options.one_of("engine", ("fast", "literal"))
    file = options.output_file(".csv", ".json", ".parquet")
    setting = parser.add_argument_group("the setting; either --budget or --delta")
    option(setting, "--epsilon", options.epsilon_level, epsilon, required=True)
    either = setting.add_mutually_exclusive_group(required=True)
    option(either, "--budget BUDGET+", options.pulls, "Algorithm 1: answers at which to judge")
    option(either, "--delta", options.error_level, "Algorithm 2: error probability allowed")
    option(setting, "--policy", options.one_of("policy", POLICIES), policies)
    option(setting, "--radius", options.one_of("radius", RADII), radii + "not valid)")
    option(setting, "--max-pulls N", options.pulls, "with --delta: give up a run after N pulls")
    runs = parser.add_argument_group("the runs, and what is printed")
    option(runs, "--replicates", options.replicates, "runs (default: 1000)", default=1000)
    option(runs, "--seed", options.seed, "root seed (default: 0)", default=0)
    option(runs, "--engine", engines, engine, default="fast")
    option(runs, "--output FILE", file, "write every run: .csv, .json or .parquet")
    flags(runs, json="print the summary as JSON")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.delta is None:
        options.refuse_unused(arguments, ["radius", "max_pulls"], "with --budget")
        method = arguments.policy or DEFAULT_POLICY
    else:
        options.refuse_unused(arguments, ["policy", "tolerance"], "with --delta")
        method = arguments.radius or DEFAULT_RADIUS
    instance = options.read_problem(arguments)
    instance = instance if arguments.delta is None else instance.strict
    options.warn([arguments.epsilon], [method])
    runs = _runs(instance, method, arguments)
    if arguments.output:
        with staged_file(arguments.output) as staged:
            _write_runs(runs, staged)
    setting = {
        "problem": instance.name,
        "means": instance.means,
        "threshold": instance.threshold,
        "tolerance": instance.tolerance,
        **{name: getattr(arguments, name) for name in ("epsilon", "delta", "replicates", "seed")},
        "method": method,
        "summary": _summary(runs, instance, arguments),
    }
    print(json_text(setting) if arguments.json else "\n".join(_lines(setting)))
    return 0


def _runs(instance: "Instance", method: str, arguments: argparse.Namespace) -> "pd.DataFrame":
    from tqdm import tqdm

    from ldpt import simulate

    names = ("epsilon", "replicates", "seed", "engine")
    terms: dict[str, Any] = {name: getattr(arguments, name) for name in names}
    with tqdm(total=arguments.replicates, disable=None, unit=" runs", leave=False) as bar:
        terms["progress"] = lambda done: bar.update(done - bar.n)
        if arguments.delta is None:
            return simulate.fixed_budget(instance, budgets=arguments.budget, policy=method, **terms)
        terms |= {"delta": arguments.delta, "max_pulls": arguments.max_pulls}
        return simulate.fixed_confidence(instance, radius=method, **terms)


def _write_runs(runs: "pd.DataFrame", path: Path) -> None:
    if path.suffix == ".parquet":
        runs.to_parquet(path, index=False)
    elif path.suffix == ".csv":
        runs.to_csv(path, index=False)
    else:
        runs.to_json(path, orient="records", indent=1)


def _summary(
    runs: "pd.DataFrame", instance: "Instance", arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """Return estimates with intervals: one row, or one per budget."""
    from ldpt import summarise

    reduce = summarise.fixed_budget if arguments.delta is None else summarise.fixed_confidence
    return reduce(runs, instance).to_dict("records")


def _lines(setting: dict[str, Any]) -> Iterator[str]:
    """Yield the problem, the setting, and the summary with labels."""
    width = shutil.get_terminal_size().columns
    means = short(", ".join(f"{mean:g}" for mean in setting["means"]), 40)
    yield wrapped(
        f"{setting['problem']}: {counted(len(setting['means']), 'arm')} ({means}), threshold "
        f"{setting['threshold']:g}, tolerance {setting['tolerance']:g}",
        width,
    )
    delta, rows = setting["delta"], setting["summary"]
    kind = "policy" if delta is None else f"delta {delta:g}, radius"
    level = "no privacy" if math.isinf(setting["epsilon"]) else f"epsilon {setting['epsilon']:g}"
    runs = f"{setting['replicates']:,} runs, seed {setting['seed']}"
    yield wrapped(f"{kind} {setting['method']}, {level}: {runs}\n", width)
    yield ""
    if delta is None:
        cells = [
            {
                "answers": f"{row['budget']:,}",
                "error probability": f"{row['estimate']:.3g}",
                "95 % interval": f"{row['low']:.3g} .. {row['high']:.3g}",
            }
            for row in rows
        ]
        yield table(cells, width)
        return
    row = rows[0]
    interval = f"95 % interval {row['low']:.3g} .. {row['high']:.3g}"
    yield f"{'error probability':<24}{row['estimate']:.3g}  ({interval}), promised {delta:g}"
    if not math.isnan(row["mean_pulls"]):
        interval = f"95 % interval {row['mean_pulls_low']:,.0f} .. {row['mean_pulls_high']:,.0f}"
        yield f"{'answers on average':<24}{row['mean_pulls']:,.0f}  ({interval})"
    last = row["quantile_pulls"]
    label = f"{100 * (1 - delta):g} % of runs stop by"
    by = f"{last:,.0f} answers" if math.isfinite(last) else "more answers than --max-pulls"
    yield f"{label:<24}{by}"
    if row["undecided"]:
        yield f"{'runs given up':<24}{row['undecided']:,}"
