"""``ldpt plan``: what a private study will cost."""

import argparse
import json
import shutil
from pathlib import Path

from ldpt.commands.options import (
    add_problem,
    epsilon_level,
    epsilon_warnings,
    error_level,
    flags,
    number,
    one_of,
    option,
    output_file,
    pulls,
    read_problem,
    refuse_unused,
    replicates,
    seed,
    warn,
    whole,
)
from ldpt.io.files import staged_file
from ldpt.policies import DEFAULT_POLICY, INDEX_POLICIES
from ldpt.radii import DEFAULT_RADIUS, RADII, VALID_RADII

FIXED_BUDGET = f"a fixed number of answers: {', '.join(INDEX_POLICIES)}"
STOPPING = f"stop when certain: {', '.join(VALID_RADII)}, and printed (the paper's, not valid)"


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ldpt plan``."""
    add_problem(parser)
    rate = number("a number in [0, 0.99]", lambda value: 0 <= value <= 0.99)
    methods = one_of("method", (*INDEX_POLICIES, *RADII))
    defaults = f"(default: {DEFAULT_RADIUS} {DEFAULT_POLICY})"
    levels = "privacy of one person (default: 0.25 0.5 1 2 4; inf, no privacy, is always shown)"
    share = "answers of each person, who shares epsilon among them (default: 1)"
    study = parser.add_argument_group("the study; at least one of --delta and --budget")
    option(study, "--delta", error_level, "largest error probability allowed")
    option(study, "--budget", pulls, "number of answers that can be collected")
    option(study, "--epsilon EPSILON+", epsilon_level, levels)
    option(study, "--method METHOD+", methods, f"{FIXED_BUDGET}; or {STOPPING} {defaults}")
    option(study, "--drop-out RATE", rate, "share of those invited who never answer (default: 0)")
    option(study, "--batch N", pulls, "people asked at the same time (default: 1)")
    option(study, "--answers-per-person M", whole(1, 10**6), share)
    runs = parser.add_argument_group("the simulations behind the plan, and what is printed")
    option(runs, "--replicates", replicates, "least number of runs per setting (default: 400)")
    option(runs, "--seed", seed, "root seed (default: 0)")
    option(runs, "--plot FILE", output_file(".pdf", ".png", ".svg"), "draw it")
    flags(runs, explain="also say what every column means", json="machine-readable output")
    text = "instead: CPU hours, memory, jobs and disk of the simulations a config asks for"
    option(parser, "--config FILE", Path, text)
    parser.set_defaults(handler=run)


PLAN_OPTIONS = (
    "instance", "means", "arms", "gap", "threshold", "tolerance", "delta", "budget", "epsilon",
    "method", "drop_out", "batch", "answers_per_person", "replicates", "seed", "explain", "plot",
)  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    if arguments.config is not None:
        return _plan_config(arguments)
    from tqdm import tqdm

    from ldpt.study import plan, plan_text

    request = plan.Request(
        read_problem(arguments),
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
        refuse_unused(arguments, ["tolerance"], f"with --method {' '.join(request.methods)}")
    warn("plan", epsilon_warnings(request.epsilons))
    with tqdm(disable=None, unit=" settings", leave=False) as bar:

        def progress(task: str) -> None:
            bar.set_description_str(task)
            bar.update()

        made = plan.make_plan(request, progress)
    width = shutil.get_terminal_size((100, 24)).columns
    if arguments.json:
        print(plan_text.as_json(made))
    else:
        print(plan_text.render(made, width, arguments.explain))
    if arguments.plot:
        from ldpt.study import plan_plot

        with staged_file(arguments.plot) as staged:
            plan_plot.draw(made).savefig(staged)
    return 0


def _plan_config(arguments: argparse.Namespace) -> int:
    from ldpt import config, cost

    refuse_unused(arguments, PLAN_OPTIONS, "with --config, which plans a whole config")
    total = cost.summary(config.study(config.load(arguments.config)))
    print(json.dumps(total, indent=1) if arguments.json else cost.render(total))
    return 0
