"""The ``ldpt`` command: each subcommand is one ``_add_NAME`` and a handler that imports lazily."""

import argparse
import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ldpt.io.files import staged_file
from ldpt.io.interrupt import end_on_interrupt

if TYPE_CHECKING:
    import pandas as pd

    from ldpt.designs import Design
    from ldpt.instances import Instance

Subparsers = Any  # argparse does not name the type of its subparsers

INVALID = 2  # exit status
EXAMPLES = {
    "analyse": "ldpt analyse answers.csv --epsilon 1 --threshold 0.3 --delta 0.05",
    "plan": "ldpt plan --instance dose-finding --delta 0.05 --epsilon 1 2",
    "simulate": "ldpt simulate --means 0.2 0.6 --epsilon 1 --delta 0.1",
    "trace": "ldpt trace figures/privacy_cost.pdf",
    "audit": "ldpt audit --replay 5",
    "crate": "ldpt crate run.zip",
}
MAX_ARMS = 100_000
WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?(inf|nan)", re.IGNORECASE)


class Once(argparse.Action):
    """Store a value, remember that the option was given, and refuse to overwrite it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        given = namespace.__dict__.setdefault("given", {})
        if option_string and self.dest in given:
            parser.error(f"{option_string} must be given at most once")
        given[self.dest] = option_string
        setattr(namespace, self.dest, values)


class OneLineParser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong, without repeating the usage."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)
        self.register("action", None, Once)

    def error(self, message: str) -> NoReturn:
        from ldpt.io.messages import short

        self.exit(INVALID, f"{self.prog}: {short(message, 600)}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Exit status: 0 success, 1 audit found faults, 2 invalid input, 130 interrupted by Ctrl-C.
    """
    if argv is None:
        end_on_interrupt()
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as end:  # argparse has printed the help or one line
        return int(end.code or 0)
    try:
        status = int(arguments.handler(arguments))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError, MemoryError) as error:
        from ldpt.io.messages import short

        print(f"ldpt {arguments.command}: {short(error, 600)}", file=sys.stderr)
        return INVALID
    return status


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="ldpt",
        description="Private thresholding bandits: plan, simulate, trace, audit. "
        "Exit status: 0 success, 1 audit found faults, 2 invalid input, 130 interrupted.",
        epilog=f"example: {EXAMPLES['plan']}",
    )
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in SUBCOMMANDS:
        add(subparsers)
    for name, subparser in subparsers.choices.items():
        subparser.epilog = f"example: {EXAMPLES[name]}"
        subparser.set_defaults(given={})
    return parser


# --- values of options


def whole(least: int, most: int) -> Callable[[str], int]:
    """A parser of whole numbers in a range."""

    def parse(text: str) -> int:
        value = int(text) if WHOLE.fullmatch(text) and len(text) < 40 else None
        if value is None or not least <= value <= most:
            allowed = f"a whole number from {least} to {most}"
            raise argparse.ArgumentTypeError(f"must be {allowed}, got {text!r}")
        return value

    return parse


def number(allowed: str, test: Callable[[float], bool]) -> Callable[[str], float]:
    """A parser of decimal numbers that pass a test."""

    def parse(text: str) -> float:
        value = float(text) if NUMBER.fullmatch(text) else math.nan
        overflows = math.isinf(value) and "inf" not in text.lower()
        if math.isnan(value) or overflows or not test(value):
            raise argparse.ArgumentTypeError(f"must be {allowed}, got {text!r}")
        return value

    return parse


def epsilon_level(text: str) -> float:
    """A privacy level that floats resolve."""
    from ldpt.checks import MIN_EPSILON

    allowed = f"a number of at least {MIN_EPSILON:g}, or inf for no privacy"
    return number(allowed, lambda value: value >= MIN_EPSILON)(text)


def error_level(text: str) -> float:
    """An error probability that floats resolve."""
    from ldpt.checks import MIN_DELTA

    allowed = f"a number of at least {MIN_DELTA:g} and below 1"
    return number(allowed, lambda value: MIN_DELTA <= value < 1)(text)


def pulls(text: str) -> int:
    """A number of pulls that a run can finish."""
    from ldpt.limits import MAX_PULLS

    return whole(1, MAX_PULLS)(text)


def replicates(text: str) -> int:
    """A number of runs whose table fits into memory."""
    from ldpt.limits import MAX_REPLICATES

    return whole(1, MAX_REPLICATES)(text)


def seed(text: str) -> int:
    """A root seed."""
    from ldpt.checks import MAX_SEED

    return whole(0, MAX_SEED)(text)


UNIT = number("a number in [0, 1]", lambda value: 0 <= value <= 1)
GAP = number("a number above 0 and at most 1", lambda value: 0 < value <= 1)
RATE = number("a number in [0, 0.99]", lambda value: 0 <= value <= 0.99)


def refuse_unused(arguments: argparse.Namespace, names: Sequence[str], because: str) -> None:
    """Refuse options that would be accepted and do nothing."""
    for name in names:
        if arguments.given.get(name):
            raise ValueError(f"{arguments.given[name]} has no effect {because}")


def _check_target(path: Path | None, suffixes: tuple[str, ...]) -> None:
    """Refuse a file that cannot be written before the work, not after it."""
    if path is None:
        return
    if path.suffix not in suffixes:
        raise ValueError(f"{path}: the name must end in {' or '.join(suffixes)}")
    if len(os.fsencode(path.name)) > 200:
        raise ValueError(f"{path.name[:40]}...: the name must have at most 200 bytes")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}")
    if path.is_dir():
        raise ValueError(f"{path} is a folder")
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} exists and is not a regular file")
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"{path}: cannot write to {path.parent}")


# --- trace, audit, crate


def _add_root(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--root",
        type=Path,
        help="root of the run's output (default: the nearest folder upwards that holds a run)",
    )


def _add_trace(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "trace",
        help="show what a product was made from, down to the config",
        description="Show what a product was made from: a summary of one screen, or everything.",
    )
    parser.add_argument(
        "product",
        help="a figure, table or other product, a copy of one, or the first 8 or more digits of "
        "its hash or of its record's hash, as printed in captions",
    )
    _add_root(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--full", action="store_true", help="every file and every setting")
    form.add_argument("--json", action="store_true", help="everything, machine-readable")
    form.add_argument("--dot", action="store_true", help="everything, as a graph for Graphviz")
    parser.set_defaults(handler=_trace)


def _trace(arguments: argparse.Namespace) -> int:
    from ldpt.provenance.records import find_root
    from ldpt.provenance.trace import render_trace, trace

    forms = ("full", "json", "dot")
    form = next((name for name in forms if getattr(arguments, name)), "summary")
    root = find_root(arguments.root, near=arguments.product)
    print(render_trace(trace(arguments.product, root), form))
    return 0


def _add_audit(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "audit", help="verify every product against its record, the code and the config"
    )
    _add_root(parser)
    parser.add_argument(
        "--replay",
        type=whole(0, 10**6),
        default=0,
        metavar="N",
        help="also run N random jobs again and compare what they write bit for bit",
    )
    parser.add_argument(
        "--seed",
        type=seed,
        default=0,
        help="seed for choosing the jobs (default: %(default)s)",
    )
    parser.add_argument(
        "--trust",
        action="store_true",
        help="run the code of the audited project if it is another one than this package's own: "
        "for --replay and for the comparison with the DAG",
    )
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.set_defaults(handler=_audit)


def _audit(arguments: argparse.Namespace) -> int:
    from ldpt.provenance import audit
    from ldpt.provenance.records import find_root

    if not arguments.replay:
        refuse_unused(arguments, ["seed"], "without --replay")
    root = find_root(arguments.root)
    report = audit.audit(root, arguments.replay, arguments.seed, arguments.trust)
    print(audit.render_audit(report, "json" if arguments.json else "text"))
    return 0 if report.intact else 1


def _add_crate(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("crate", help="pack a finished run as a Workflow Run RO-Crate")
    parser.add_argument("out", type=Path, help="the zip file to write")
    _add_root(parser)
    parser.set_defaults(handler=_crate)


def _crate(arguments: argparse.Namespace) -> int:
    from ldpt.provenance import rocrate
    from ldpt.provenance.records import find_root

    _check_target(arguments.out, (".zip",))
    rocrate.write(arguments.out, find_root(arguments.root))
    print(arguments.out)
    return 0


# --- the problem


def _add_problem(parser: argparse.ArgumentParser) -> None:
    """Options that name a problem: from the config, by its means, or by a number and a gap."""
    problem = parser.add_argument_group("the problem, in one of three ways")
    problem.add_argument("--instance", metavar="NAME", help="an instance of config/config.yaml")
    problem.add_argument("--means", type=UNIT, nargs="+", metavar="MEAN", help="the mean rewards")
    problem.add_argument(
        "--arms", type=whole(1, MAX_ARMS), metavar="K", help="number of arms (requires --gap)"
    )
    problem.add_argument(
        "--gap", type=GAP, help="distance of every arm from the threshold, half below, half above"
    )
    parser.add_argument(
        "--threshold", "--tau", type=UNIT, help="with --means or --arms (default: 0.5)"
    )
    parser.add_argument("--tolerance", type=UNIT, help="with --means or --arms (default: 0)")


def _problem(arguments: argparse.Namespace) -> "Instance":
    from ldpt.instances import Instance, equal_gap, replace_tolerance

    ways = [arguments.instance, arguments.means, arguments.arms]
    if (arguments.arms is None) != (arguments.gap is None):
        raise ValueError("--arms and --gap must be given together")
    if sum(way is not None for way in ways) != 1:
        raise ValueError(
            "name the problem by exactly one of --instance, --means, --arms with --gap"
        )
    if arguments.instance is not None:
        from ldpt import config

        refuse_unused(arguments, ["threshold", "tolerance"], "with --instance, which has its own")
        return config.study(config.load()).instance(arguments.instance)
    threshold = 0.5 if arguments.threshold is None else arguments.threshold
    tolerance = 0.0 if arguments.tolerance is None else arguments.tolerance
    if arguments.means is not None:
        return Instance("command-line", arguments.means, threshold, tolerance)
    if not arguments.gap <= min(threshold, 1 - threshold):
        raise ValueError(
            f"--gap must be at most {min(threshold, 1 - threshold):g}, so that means lie in "
            f"[0, 1] around the threshold {threshold:g}, got {arguments.gap}"
        )
    return replace_tolerance(equal_gap(arguments.arms, arguments.gap, threshold), tolerance)


# --- plan


def _add_plan(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "plan",
        help="plan a private study: people needed, error, price of privacy, smallest epsilon",
        description="With --delta: people needed. With --budget: error by budget. With both: also "
        "the smallest epsilon that the budget affords. Epsilon inf, no privacy, is always shown.",
    )
    _add_problem(parser)
    parser.add_argument(
        "--epsilon",
        type=epsilon_level,
        nargs="+",
        help="privacy of one person (default: 0.25 0.5 1 2 4)",
    )
    parser.add_argument("--delta", type=error_level, help="largest error probability allowed")
    parser.add_argument("--budget", type=pulls, help="number of answers that can be collected")
    parser.add_argument(
        "--method",
        nargs="+",
        help="policies, such as lsa and apt (fixed number of answers), and radii, such as "
        "onesided, mixture and printed (stop when certain) (default: onesided lsa)",
    )
    parser.add_argument(
        "--drop-out",
        type=RATE,
        metavar="RATE",
        help="share of the invited people who never answer (default: 0)",
    )
    parser.add_argument(
        "--batch",
        type=pulls,
        metavar="N",
        help="people who are asked at the same time (default: 1)",
    )
    parser.add_argument(
        "--answers-per-person",
        type=whole(1, 10**6),
        metavar="M",
        help="answers of each person, who shares epsilon among them (default: 1)",
    )
    parser.add_argument(
        "--replicates",
        type=replicates,
        default=400,
        help="least number of simulated runs per setting (default: %(default)s)",
    )
    parser.add_argument("--seed", type=seed, default=0, help="root seed (default: %(default)s)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw it: .pdf, .png or .svg")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="instead: CPU hours, memory, jobs and disk of the simulations a config asks for",
    )
    parser.set_defaults(handler=_plan)


def _plan(arguments: argparse.Namespace) -> int:
    if arguments.config is not None:
        return _plan_config(arguments)
    from tqdm import tqdm

    from ldpt.study import plan as study
    from ldpt.study import plan_text as render

    _check_target(arguments.plot, (".pdf", ".png", ".svg"))
    asked = study.Request(
        _problem(arguments),
        tuple(arguments.epsilon or study.DEFAULT_EPSILONS),
        arguments.delta,
        arguments.budget,
        tuple(arguments.method or study.DEFAULT_METHODS),
        arguments.replicates,
        arguments.seed,
        arguments.drop_out or 0.0,
        arguments.batch or 1,
        arguments.answers_per_person or 1,
    )
    if not set(asked.methods) & set(study.BUDGET_METHODS):
        refuse_unused(arguments, ["tolerance"], f"with --method {' '.join(asked.methods)}")
    with tqdm(disable=None, unit=" settings", leave=False) as bar:

        def progress(task: str) -> None:
            bar.set_description(task)
            bar.update()

        plan = study.make_plan(asked, progress)
    print(render.as_json(plan) if arguments.json else render.render(plan))
    if arguments.plot:
        from ldpt.study import plan_plot as plot

        with staged_file(arguments.plot) as staged:
            plot.draw(plan).savefig(staged)
    return 0


def _plan_config(arguments: argparse.Namespace) -> int:
    import json

    from ldpt import config
    from ldpt import cost as run_cost

    others = [name for name in arguments.given if name != "config"]
    refuse_unused(arguments, others, "with --config, which plans a whole config")
    total = run_cost.summary(config.study(config.load(arguments.config)))
    print(json.dumps(total, indent=1) if arguments.json else run_cost.render(total))
    return 0


# --- simulate


def _add_simulate(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "simulate",
        help="simulate one setting, to the screen or to a Parquet file",
        description="With --budget: Algorithm 1, its repair or a baseline (--policy). "
        "With --delta: Algorithm 2 (--radius).",
    )
    _add_problem(parser)
    parser.add_argument(
        "--epsilon", type=epsilon_level, required=True, help="privacy level; inf for none"
    )
    parser.add_argument("--budget", type=pulls, nargs="+", help="budgets at which to judge")
    parser.add_argument("--delta", type=error_level, help="largest error probability allowed")
    parser.add_argument(
        "--policy",
        help="with --budget: a policy, such as lsa, apt (Algorithm 1) or uniform (default: lsa)",
    )
    parser.add_argument(
        "--radius",
        help="with --delta: a radius, such as onesided, mixture or printed (the paper's, not "
        "valid) (default: onesided)",
    )
    parser.add_argument(
        "--max-pulls", type=pulls, help="with --delta: stop a run after this many pulls"
    )
    parser.add_argument("--engine", help="fast or literal (default: fast)")
    parser.add_argument(
        "--replicates", type=replicates, default=1000, help="number of runs (default: %(default)s)"
    )
    parser.add_argument("--seed", type=seed, default=0, help="root seed (default: %(default)s)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write every run to a .parquet")
    parser.set_defaults(handler=_simulate)


def _simulate(arguments: argparse.Namespace) -> int:
    if (arguments.budget is None) == (arguments.delta is None):
        raise ValueError("give either --budget (Algorithm 1) or --delta (Algorithm 2)")
    _check_target(arguments.output, (".parquet",))
    instance = _problem(arguments)
    notes = _choose_method(arguments)
    if arguments.delta is not None and arguments.max_pulls is None:
        _check_cost(instance, arguments)
    runs, summary = _runs(instance, arguments)
    for note in notes:
        print(f"ldpt simulate: {note}", file=sys.stderr)
    if arguments.output:
        with staged_file(arguments.output) as staged:
            runs.to_parquet(staged, index=False)
    else:
        print(runs.head(10).to_string(index=False), end="\n\n")
    print(summary.map(lambda value: f"{value:.6g}").T.to_string(header=False))
    return 0


def _check_cost(instance: "Instance", arguments: argparse.Namespace) -> None:
    from ldpt.limits import require_affordable
    from ldpt.radii import Radius

    radius, hint = Radius(arguments.radius), "; --max-pulls N stops a run after N pulls"
    require_affordable(instance, arguments.epsilon, arguments.delta, radius, hint)


def _choose_method(arguments: argparse.Namespace) -> list[str]:
    """Fill in policy, radius and engine, refuse what has no effect; what is to be said of it."""
    from ldpt.policies import DEFAULT_POLICY, POLICIES, check_policy
    from ldpt.radii import DEFAULT_RADIUS, KINDS, as_radius

    notes: list[str] = []
    if arguments.engine is None:
        arguments.engine = "fast"
    if arguments.delta is None:
        refuse_unused(arguments, ["radius", "max_pulls"], "with --budget")
        if arguments.policy is None:
            notes.append(f"policy {DEFAULT_POLICY} (--policy chooses)")
            arguments.policy = DEFAULT_POLICY
        check_policy(arguments.policy)
        if not POLICIES[arguments.policy].has_engines:
            refuse_unused(arguments, ["engine"], f"with --policy {arguments.policy}")
        return notes
    refuse_unused(arguments, ["policy"], "with --delta")
    refuse_unused(arguments, ["tolerance"], "with --delta: fixed confidence has no tolerance")
    if arguments.radius is None:
        notes.append(f"radius {DEFAULT_RADIUS} (--radius chooses)")
        arguments.radius = DEFAULT_RADIUS
    as_radius(arguments.radius)
    if not KINDS[arguments.radius].valid:
        notes.append(
            f"warning: the error of radius {arguments.radius} can exceed delta; "
            f"{DEFAULT_RADIUS} keeps it"
        )
    return notes


def _runs(
    instance: "Instance", arguments: argparse.Namespace
) -> "tuple[pd.DataFrame, pd.DataFrame]":
    """The runs of one setting and their summary."""
    from tqdm import tqdm

    from ldpt import simulate, summarise

    epsilon = arguments.epsilon
    common = {"engine": arguments.engine, "replicates": arguments.replicates}
    with tqdm(total=arguments.replicates, disable=None, unit=" runs") as bar:

        def progress(done: int) -> None:
            bar.update(done - bar.n)

        common |= {"seed": arguments.seed, "progress": progress}
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


# --- analyse


def _add_analyse(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "analyse",
        help="verdicts and intervals from a file of private answers",
        description="Read a CSV or Parquet file with columns arm and response (0 or 1, one row per "
        "answer), or arm, responses and ones (counts). Say of every arm whether its share of yes "
        "is above the threshold, with an interval that is valid at any time.",
    )
    parser.add_argument("file", type=Path, help="the answers; a column epsilon is used if present")
    design = parser.add_argument_group("how the answers were randomised, in one of four ways")
    design.add_argument(
        "--epsilon", type=epsilon_level, help="PrivBern, randomised response; inf for none"
    )
    design.add_argument(
        "--warner",
        type=UNIT,
        metavar="P",
        help="the sensitive question is asked with probability P",
    )
    design.add_argument(
        "--crosswise",
        type=UNIT,
        metavar="P",
        help="crosswise model; P is the share of yes to the other question, response 1: both agree",
    )
    design.add_argument(
        "--forced",
        type=UNIT,
        nargs=2,
        metavar=("YES", "NO"),
        help="probabilities of a forced yes and a forced no",
    )
    parser.add_argument(
        "--threshold", "--tau", type=UNIT, required=True, help="share of yes to compare with"
    )
    parser.add_argument(
        "--delta",
        type=error_level,
        default=0.05,
        help="largest probability of any wrong verdict (default: %(default)s)",
    )
    parser.add_argument(
        "--noncompliance",
        type=number("a number in [0, 0.5)", lambda value: 0 <= value < 0.5),
        default=0.0,
        metavar="SHARE",
        help="largest share of people who do not follow the instruction (default: 0)",
    )
    parser.add_argument(
        "--conduct",
        choices=("any", "coin", "random", "opposite"),
        default="any",
        help="what these people do: anything, a coin of theirs, a fair coin, the opposite "
        "(default: any)",
    )
    parser.add_argument(
        "--unordered",
        action="store_true",
        help="rows are not in order of arrival: judge the totals only",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="everything, machine-readable")
    form.add_argument("--csv", action="store_true", help="one line per arm, machine-readable")
    parser.set_defaults(handler=_analyse)


def _analyse(arguments: argparse.Namespace) -> int:
    from ldpt import analysis
    from ldpt.answers import read_answers

    if not arguments.noncompliance:
        refuse_unused(arguments, ["conduct"], "without --noncompliance")
    answers = read_answers(arguments.file)
    design, name = _design(arguments, answers.epsilon)
    found = analysis.analyse(
        answers,
        analysis.Terms(
            design,
            arguments.threshold,
            arguments.delta,
            arguments.noncompliance,
            arguments.conduct,
            not arguments.unordered,
            name,
        ),
    )
    forms = {"json": analysis.as_json, "csv": analysis.as_csv}
    form = next((forms[key] for key in forms if getattr(arguments, key)), analysis.as_text)
    print(form(found))
    return 0


def _design(arguments: argparse.Namespace, stated: float | None) -> "tuple[Design, str]":
    """Return the design that the options or the file's column state, and its name."""
    from ldpt import designs

    made: list[tuple[Design, str]] = []
    if arguments.epsilon is not None:
        made.append((designs.as_design(arguments.epsilon), "randomised response"))
    if arguments.warner is not None:
        made.append(
            (designs.warner(arguments.warner), f"Warner's design, p = {arguments.warner:g}")
        )
    if arguments.crosswise is not None:
        name = f"crosswise model, p = {arguments.crosswise:g}"
        made.append((designs.crosswise(arguments.crosswise), name))
    if arguments.forced is not None:
        yes, no = arguments.forced
        made.append((designs.forced(yes, no), f"forced response, yes {yes:g}, no {no:g}"))
    if not made and stated is not None:
        made.append((designs.as_design(stated), "randomised response"))
    if len(made) != 1:
        raise ValueError(
            "say how the answers were randomised by exactly one of --epsilon, --warner, "
            "--crosswise, --forced, or by a column epsilon"
        )
    epsilon = made[0][0].epsilon
    if stated is not None and not math.isclose(stated, epsilon, rel_tol=1e-6):
        raise ValueError(
            f"{arguments.file}: its column epsilon is {stated:g}, the options say {epsilon:g}"
        )
    return made[0]


SUBCOMMANDS = (_add_plan, _add_analyse, _add_simulate, _add_trace, _add_audit, _add_crate)

if __name__ == "__main__":
    sys.exit(main())
