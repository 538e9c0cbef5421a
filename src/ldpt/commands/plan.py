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
    number,
    one_of,
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
    add_problem(parser)
    study = parser.add_argument_group("the study; at least one of --delta and --budget")
    study.add_argument("--delta", type=error_level, help="largest error probability allowed")
    study.add_argument("--budget", type=pulls, help="number of answers that can be collected")
    study.add_argument(
        "--epsilon",
        type=epsilon_level,
        nargs="+",
        help="privacy of one person (default: 0.25 0.5 1 2 4; inf, no privacy, is always shown)",
    )
    study.add_argument(
        "--method",
        type=one_of("method", (*INDEX_POLICIES, *RADII)),
        nargs="+",
        help=f"{FIXED_BUDGET}; or {STOPPING} (default: {DEFAULT_RADIUS} {DEFAULT_POLICY})",
    )
    study.add_argument(
        "--drop-out",
        type=number("a number in [0, 0.99]", lambda value: 0 <= value <= 0.99),
        metavar="RATE",
        help="share of the invited people who never answer (default: 0)",
    )
    study.add_argument(
        "--batch", type=pulls, metavar="N", help="people asked at the same time (default: 1)"
    )
    study.add_argument(
        "--answers-per-person",
        type=whole(1, 10**6),
        metavar="M",
        help="answers of each person, who shares epsilon among them (default: 1)",
    )
    runs = parser.add_argument_group("the simulations behind the plan, and what is printed")
    runs.add_argument(
        "--replicates", type=replicates, help="least number of runs per setting (default: 400)"
    )
    runs.add_argument("--seed", type=seed, help="root seed (default: 0)")
    runs.add_argument("--explain", action="store_true", help="also say what every column means")
    runs.add_argument(
        "--plot", type=output_file(".pdf", ".png", ".svg"), metavar="FILE", help="draw it"
    )
    runs.add_argument("--json", action="store_true", help="machine-readable output")
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="instead: CPU hours, memory, jobs and disk of the simulations a config asks for",
    )
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
