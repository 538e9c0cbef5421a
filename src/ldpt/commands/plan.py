"""``ldpt plan``: the cost of a private study."""

import argparse
import shutil
from functools import partial

from ldpt.commands import options
from ldpt.commands.options import flags, option
from ldpt.policies import DEFAULT_POLICY, INDEX_POLICIES
from ldpt.radii import DEFAULT_RADIUS, RADII, VALID_RADII
from ldpt.util.files import staged_file

FIXED_BUDGET = f"a fixed number of answers: {', '.join(INDEX_POLICIES)}"
STOPPING = f"stop when certain: {', '.join(VALID_RADII)}, and printed (the paper's, not valid)"
TERMS = ("epsilons", "delta", "budget", "methods", "replicates", "seed", "drop_out", "batch")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ldpt plan``."""
    options.add_problem(parser)
    methods = options.one_of("method", (*INDEX_POLICIES, *RADII))
    defaults = f"(default: {DEFAULT_RADIUS} {DEFAULT_POLICY})"
    levels = "privacy of one person (default: 0.25 0.5 1 2 4; inf, no privacy, is always shown)"
    rate, share = options.number(0, 0.99), "answers of each person, who shares epsilon among them"
    plot = options.output_file(".pdf", ".png", ".svg")
    study = parser.add_argument_group("the study; at least one of --delta and --budget")
    option(study, "--delta", options.error_level, "largest error probability allowed")
    option(study, "--budget", options.pulls, "number of answers that can be collected")
    option(study, "--epsilon EPSILON+", options.epsilon_level, levels, dest="epsilons")
    text = f"{FIXED_BUDGET}; or {STOPPING} {defaults}"
    option(study, "--method METHOD+", methods, text, dest="methods")
    option(study, "--drop-out RATE", rate, "share of those invited who never answer (default: 0)")
    option(study, "--batch N", options.pulls, "people asked at the same time (default: 1)")
    option(study, "--answers-per-person M", options.whole(1, 10**6), f"{share} (default: 1)")
    runs = parser.add_argument_group("the simulations behind the plan, and what is printed")
    option(runs, "--replicates", options.replicates, "least runs per setting (default: 400)")
    option(runs, "--seed", options.seed, "root seed (default: 0)")
    option(runs, "--plot FILE", plot, "draw the plan")
    flags(runs, explain="also explain every column", json="machine-readable output")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    from tqdm import tqdm

    from ldpt.study import planning as plan
    from ldpt.study import planning_text as plan_text

    values = {name: getattr(arguments, name) for name in (*TERMS, "answers_per_person")}
    terms = {name: value for name, value in values.items() if value is not None}
    request = plan.Request(options.read_problem(arguments), **terms)
    options.warn(request.epsilons, request.methods)
    result = plan.make_plan(request, partial(tqdm, disable=None, unit=" settings", leave=False))
    if arguments.json:
        print(plan_text.as_json(result))
    else:
        print(plan_text.render(result, shutil.get_terminal_size().columns, arguments.explain))
    if arguments.plot:
        from ldpt.study import planning_plot as plan_plot

        with staged_file(arguments.plot) as staged:
            plan_plot.draw(result).savefig(staged)
    return 0
