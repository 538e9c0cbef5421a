"""``ldpt plan``: the cost of a private study."""

import argparse
import shutil
from pathlib import Path

from ldpt.commands import options
from ldpt.commands.options import flags, option
from ldpt.io.files import staged_file
from ldpt.policies import DEFAULT_POLICY, INDEX_POLICIES
from ldpt.radii import DEFAULT_RADIUS, RADII, VALID_RADII
from ldpt.text import json_text

FIXED_BUDGET = f"a fixed number of answers: {', '.join(INDEX_POLICIES)}"
STOPPING = f"stop when certain: {', '.join(VALID_RADII)}, and printed (the paper's, not valid)"
WITH_CONFIG = {"command", "handler", "config", "json"}


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ldpt plan``."""
    options.add_problem(parser)
    rate = options.number("a number in [0, 0.99]", lambda value: 0 <= value <= 0.99)
    methods = options.one_of("method", (*INDEX_POLICIES, *RADII))
    defaults = f"(default: {DEFAULT_RADIUS} {DEFAULT_POLICY})"
    levels = "privacy of one person (default: 0.25 0.5 1 2 4; inf, no privacy, is always shown)"
    share = "answers of each person, who shares epsilon among them (default: 1)"
    study = parser.add_argument_group("the study; at least one of --delta and --budget")
    option(study, "--delta", options.error_level, "largest error probability allowed")
    option(study, "--budget", options.pulls, "number of answers that can be collected")
    option(study, "--epsilon EPSILON+", options.epsilon_level, levels)
    option(study, "--method METHOD+", methods, f"{FIXED_BUDGET}; or {STOPPING} {defaults}")
    option(study, "--drop-out RATE", rate, "share of those invited who never answer (default: 0)")
    option(study, "--batch N", options.pulls, "people asked at the same time (default: 1)")
    option(study, "--answers-per-person M", options.whole(1, 10**6), share)
    runs = parser.add_argument_group("the simulations behind the plan, and what is printed")
    option(
        runs, "--replicates", options.replicates, "least number of runs per setting (default: 400)"
    )
    option(runs, "--seed", options.seed, "root seed (default: 0)")
    option(runs, "--plot FILE", options.output_file(".pdf", ".png", ".svg"), "draw the plan")
    flags(runs, explain="also explain every column", json="machine-readable output")
    text = "instead: CPU hours, memory and jobs of the simulations of a config"
    option(parser, "--config FILE", Path, text)
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.config is not None:
        return _plan_config(arguments)
    from tqdm import tqdm

    from ldpt.study import plan, plan_text

    request = plan.Request(
        options.read_problem(arguments),
        tuple(arguments.epsilon or plan.DEFAULT_EPSILONS),
        arguments.delta,
        arguments.budget,
        tuple(arguments.method or plan.DEFAULT_METHODS),
        arguments.replicates or plan.DEFAULT_REPLICATES,
        arguments.seed or 0,
        plan.People(
            arguments.drop_out or 0.0, arguments.batch or 1, arguments.answers_per_person or 1
        ),
    )
    if not request.budget_methods:
        options.refuse_unused(
            arguments, ["tolerance"], f"with --method {' '.join(request.methods)}"
        )
    options.warn(request.epsilons, request.methods)
    with tqdm(disable=None, unit=" settings", leave=False) as bar:

        def progress(task: str) -> None:
            bar.set_description_str(task)
            bar.update()

        result = plan.make_plan(request, progress)
    if arguments.json:
        print(plan_text.as_json(result))
    else:
        print(plan_text.render(result, shutil.get_terminal_size().columns, arguments.explain))
    if arguments.plot:
        from ldpt.study import plan_plot

        with staged_file(arguments.plot) as staged:
            plan_plot.draw(result).savefig(staged)
    return 0


def _plan_config(arguments: argparse.Namespace) -> int:
    from ldpt import config, cost

    others = set(vars(arguments)) - WITH_CONFIG
    options.refuse_unused(arguments, sorted(others), "with --config, which plans a whole config")
    total = cost.summary(config.study(config.load(arguments.config)))
    print(json_text(total) if arguments.json else cost.render(total))
    return 0
