"""``ldpt plan``: the cost of a private study."""

import argparse
import shutil
import sys
from functools import partial

from ldpt.checks import supporting
from ldpt.commands import options
from ldpt.commands.options import flags, option
from ldpt.policies import DEFAULT_POLICY, POLICIES
from ldpt.radii import DEFAULT_RADIUS, KINDS, VALID_RADII
from ldpt.text import bold_terminal, check_source_date, json_text
from ldpt.util.files import staged_file

BUDGET_METHODS = supporting(POLICIES, "planner")
METHODS = (*BUDGET_METHODS, *supporting(KINDS, "planner"))
FIXED_BUDGET = f"a fixed number of answers: {', '.join(BUDGET_METHODS)}"
STOPPING = f"stop when certain: {', '.join(VALID_RADII)}, and printed (the paper's, not valid)"
TERMS = ("epsilons", "delta", "budget", "methods", "replicates", "seed", "drop_out", "batch")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ldpt plan``."""
    ways = options.add_problem(parser, options.real)
    scores = "instead: expected share of every score of --scale, from the lowest to the highest"
    option(ways, "--scores SHARE+", options.unit, scores)
    methods = options.one_of("method", METHODS)
    defaults = f"(default: {DEFAULT_RADIUS} {DEFAULT_POLICY})"
    levels = "privacy of one person (default: 0.25 0.5 1 2 4; inf, no privacy, is always shown)"
    rate = options.number(0, 0.99)
    share = "answers of each person, who shares epsilon among them"
    plot = options.output_file(".pdf", ".png", ".svg")
    study = parser.add_argument_group("the study; at least one of --delta and --budget")
    option(study, "--delta", options.error_level, "largest error probability allowed")
    option(study, "--budget", options.pulls, "number of answers that can be collected")
    text = f"{FIXED_BUDGET}; or {STOPPING} {defaults}"
    option(study, "--method METHOD+", methods, text, dest="methods")
    option(study, "--drop-out RATE", rate, "share of those invited who never answer (default: 0)")
    option(study, "--batch N", options.pulls, "people asked at the same time (default: 1)")
    option(study, "--answers-per-person M", options.whole(1, 10**6), f"{share} (default: 1)")
    options.add_designs(parser, "how answers are randomised; several designs are compared", levels)
    options.add_scale(parser, "with --scores", skips=False)
    runs = parser.add_argument_group("the simulations behind the plan, and what is printed")
    option(runs, "--replicates", options.replicates, "least runs per setting (default: 400)")
    option(runs, "--seed", options.seed, "root seed (default: 0)")
    option(runs, "--plot FILE", plot, "draw the plan")
    flags(
        runs,
        explain="also wrong guesses, assumptions, and what the columns mean",
        text="two paragraphs for a protocol: methods, and what one answer reveals",
        json="machine-readable output",
    )
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    if sys.stderr.isatty():  # imports and the first compilation take seconds
        print("ldpt plan: starting; the first plan compiles for some seconds", file=sys.stderr)
    if arguments.plot:
        check_source_date()
    from tqdm import tqdm

    from ldpt.study import planning as plan
    from ldpt.study import planning_text as plan_text

    if arguments.scores is not None:
        return _run_graded(arguments)
    options.refuse_unused(arguments, ["scale", "step"], "without --scores")
    designs = [design for design in options.read_designs(arguments) if design.level is None]
    values = {name: getattr(arguments, name) for name in (*TERMS, "answers_per_person")}
    terms = {name: value for name, value in values.items() if value is not None}
    if arguments.budget is None:
        terms.setdefault("methods", [DEFAULT_RADIUS])
    if designs:
        terms.setdefault("epsilons", [])
        if arguments.plot and not terms["epsilons"]:
            raise ValueError("--plot draws people by privacy level: add --epsilon")
    request = plan.Request(options.read_problem(arguments), designs=designs, **terms)
    options.warn([design.epsilon for design in request.settings], request.methods)
    track = partial(tqdm, disable=None, unit=" settings", leave=False)
    result = plan.make_plan(request, track, arguments.explain or arguments.json)
    width = shutil.get_terminal_size().columns
    bold = bold_terminal(sys.stdout)
    if arguments.json:
        print(plan_text.as_json(result))
    elif arguments.text:
        print(plan_text.paragraphs(result, min(width, 80)))
    else:
        print(plan_text.render(result, width, arguments.explain, bold))
    if arguments.plot:
        from ldpt.plots import style
        from ldpt.study import planning_plot as plan_plot

        with staged_file(arguments.plot) as staged, style.context():  # of the labels of axes too
            plan_plot.draw(result).savefig(staged, dpi=200)
    return 0


def _run_graded(arguments: argparse.Namespace) -> int:
    from ldpt.study.planning_graded import graded_plan, render

    unused = ["budget", "methods", "tolerance", "plot", "text", "explain"]
    unused += ["warner", "crosswise", "forced", "unrelated"]
    options.refuse_unused(arguments, unused, "with --scores")
    scale = options.read_scale(arguments)
    if scale is None or arguments.threshold is None or arguments.delta is None:
        raise ValueError("--scores needs --scale LOW HIGH, --threshold and --delta")
    terms = arguments.threshold, arguments.delta, arguments.epsilons or (0.5, 1.0, 2.0)
    table = graded_plan(arguments.scores, scale, *terms)
    print(json_text({"rows": table.to_dict("records")}) if arguments.json else render(table))
    return 0
