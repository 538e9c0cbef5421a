"""The ``ldpt`` command: each subcommand is one ``_add_NAME`` and a handler that imports lazily."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import pandas as pd

    from ldpt.instances import Instance


EXAMPLES = {
    "plan": "ldpt plan --instance dose-finding --delta 0.05 --epsilon 1 2",
    "simulate": "ldpt simulate --means 0.2 0.6 --epsilon 1 --delta 0.1",
    "trace": "ldpt trace figures/privacy_cost.pdf",
    "audit": "ldpt audit --replay 5",
    "crate": "ldpt crate run.zip",
}


class OneLineParser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong, without repeating the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; 0 all well, 1 something found, 2 bad input, told in one line."""
    parser: argparse.ArgumentParser = OneLineParser(
        prog="ldpt",
        description="Private thresholding bandits: plan, simulate, trace, audit.",
        epilog=f"example: {EXAMPLES['plan']}",
    )
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in SUBCOMMANDS:
        add(subparsers)
    for name, subparser in subparsers.choices.items():
        subparser.epilog = f"example: {EXAMPLES[name]}"
    arguments = parser.parse_args(argv)
    try:
        return int(arguments.handler(arguments))
    except BrokenPipeError:  # the reader of a pipe, such as head, has seen enough
        sys.stderr.close()
        return 0
    except (ValueError, OSError) as error:
        print(f"ldpt {arguments.command}: {one_line(error)}", file=sys.stderr)
        return 2


def one_line(error: BaseException) -> str:
    """The message of an error without line breaks."""
    return " ".join(str(error).split()) or type(error).__name__


def _add_root(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(),
        help="the tree that a config writes (default: the paper-scale tree, this folder)",
    )


def _add_trace(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("trace", help="what a product was made from, down to the config")
    parser.add_argument("file", type=Path, help="a figure, table or any other product")
    _add_root(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="for machines")
    form.add_argument("--dot", action="store_true", help="for drawing with Graphviz")
    parser.set_defaults(handler=_trace)


def _trace(arguments: argparse.Namespace) -> int:
    from ldpt.provenance.trace import render_trace, trace

    form = "json" if arguments.json else "dot" if arguments.dot else "text"
    print(render_trace(trace(arguments.file, arguments.root), form))
    return 0


def _add_audit(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("audit", help="whether every product still is what was made")
    _add_root(parser)
    parser.add_argument(
        "--replay", type=int, default=0, metavar="N", help="also re-simulate N random chunks"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the choice of chunks (default: 0)")
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.set_defaults(handler=_audit)


def _audit(arguments: argparse.Namespace) -> int:
    from ldpt.provenance import audit

    report = audit.audit(arguments.root, replay=arguments.replay, seed=arguments.seed)
    print(audit.render_audit(report, "json" if arguments.json else "text"))
    return 0 if report.intact else 1


def _add_crate(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("crate", help="pack a finished run as a Workflow Run RO-Crate")
    parser.add_argument("out", type=Path, help="the zip file to write")
    _add_root(parser)
    parser.set_defaults(handler=_crate)


def _crate(arguments: argparse.Namespace) -> int:
    from ldpt.provenance import rocrate

    rocrate.write(arguments.out, arguments.root)
    print(arguments.out)
    return 0


def _add_problem(parser: argparse.ArgumentParser) -> None:
    """Options that name a problem: from the config, by its means, or by a number and a gap."""
    problem = parser.add_argument_group("the problem, in one of three ways")
    problem.add_argument("--instance", metavar="NAME", help="an instance of the config")
    problem.add_argument("--means", type=float, nargs="+", metavar="MEAN", help="the mean rewards")
    problem.add_argument("--arms", type=int, metavar="K", help="as many arms, with --gap")
    problem.add_argument("--gap", type=float, help="half of the arms so far below, half above")
    parser.add_argument("--threshold", "--tau", type=float, help="with --means or --arms (0.5)")
    parser.add_argument("--tolerance", type=float, help="with --means or --arms (0)")


def _problem(arguments: argparse.Namespace) -> "Instance":
    from ldpt.instances import Instance, equal_gap, replace_tolerance

    ways = [arguments.instance, arguments.means, arguments.arms]
    if sum(way is not None for way in ways) != 1:
        raise ValueError(
            "name the problem by exactly one of --instance, --means, --arms with --gap"
        )
    if (arguments.arms is None) != (arguments.gap is None):
        raise ValueError("--arms and --gap belong together")
    if arguments.instance is not None:
        if arguments.threshold is not None or arguments.tolerance is not None:
            raise ValueError("--threshold and --tolerance are the instance's own with --instance")
        from ldpt import config

        return config.study(config.load()).instance(arguments.instance)
    threshold = 0.5 if arguments.threshold is None else arguments.threshold
    tolerance = 0.0 if arguments.tolerance is None else arguments.tolerance
    if arguments.means is not None:
        return Instance("command-line", arguments.means, threshold, tolerance)
    if not arguments.gap > 0:
        raise ValueError(f"--gap must be positive, got {arguments.gap}")
    return replace_tolerance(equal_gap(arguments.arms, arguments.gap, threshold), tolerance)


def _check_target(path: Path | None, suffixes: tuple[str, ...]) -> None:
    """Complain about a file that cannot be written before the work, not after it."""
    if path is None:
        return
    if path.suffix not in suffixes:
        raise ValueError(f"{path}: the name must end in {' or '.join(suffixes)}")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}")


def _add_plan(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "plan",
        help="what a private study will cost: pulls, error, price, smallest epsilon",
        description="With --delta: pulls needed. With --budget: error by budget. With both: also "
        "the smallest epsilon that the budget affords. Epsilon inf, no privacy, is always shown.",
    )
    _add_problem(parser)
    parser.add_argument("--epsilon", type=float, nargs="+", help="(0.25 0.5 1 2 4)")
    parser.add_argument("--delta", type=float, help="error probability to be kept")
    parser.add_argument("--budget", type=int, help="pulls that can be afforded")
    parser.add_argument("--method", nargs="+", help="of apt, printed, hoeffding, mixture (all)")
    parser.add_argument("--replicates", type=int, default=400, help="runs each (400)")
    parser.add_argument("--seed", type=int, default=0, help="(0)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw it: .pdf, .png or .svg")
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="instead: cpu hours, memory, jobs and disk of the simulations a config asks for",
    )
    parser.set_defaults(handler=_plan)


def _plan(arguments: argparse.Namespace) -> int:
    if arguments.config:
        return _plan_config(arguments)
    from tqdm import tqdm

    from ldpt.planning import study

    _check_target(arguments.plot, (".pdf", ".png", ".svg"))
    with tqdm(disable=None, unit=" settings", leave=False) as bar:

        def progress(task: str) -> None:
            bar.set_description(task)
            bar.update()

        plan = study.make_plan(
            _problem(arguments),
            arguments.epsilon or study.DEFAULT_EPSILONS,
            arguments.delta,
            arguments.budget,
            arguments.method or study.METHODS,
            arguments.replicates,
            arguments.seed,
            progress,
        )
    print(study.as_json(plan) if arguments.json else study.render(plan))
    if arguments.plot:
        study.draw(plan).savefig(arguments.plot)
    return 0


def _plan_config(arguments: argparse.Namespace) -> int:
    import json

    from ldpt import config
    from ldpt.planning import run_cost

    for option in ("instance", "means", "arms", "delta", "budget", "plot"):
        if getattr(arguments, option) is not None:
            raise ValueError(f"--config plans a whole config, without --{option}")
    total = run_cost.summary(config.study(config.load(arguments.config)))
    print(json.dumps(total, indent=1) if arguments.json else run_cost.render(total))
    return 0


def _add_simulate(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "simulate",
        help="run one setting, to the screen or to a Parquet file",
        description="With --budget: Algorithm 1 or a baseline. With --delta: Algorithm 2.",
    )
    _add_problem(parser)
    parser.add_argument("--epsilon", type=float, required=True, help="privacy level; inf for none")
    parser.add_argument("--budget", type=int, nargs="+", help="budgets at which to judge")
    parser.add_argument("--delta", type=float, help="error probability to be kept")
    parser.add_argument("--policy", default="apt", help="apt, uniform or laplace (apt)")
    parser.add_argument("--radius", default="printed", help="printed, hoeffding or mixture")
    parser.add_argument("--max-pulls", type=int, help="give a run up after so many pulls")
    parser.add_argument("--engine", default="fast", help="fast or literal (fast)")
    parser.add_argument("--replicates", type=int, default=1000, help="runs (1000)")
    parser.add_argument("--seed", type=int, default=0, help="(0)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="every run: .parquet")
    parser.set_defaults(handler=_simulate)


def _simulate(arguments: argparse.Namespace) -> int:
    if (arguments.budget is None) == (arguments.delta is None):
        raise ValueError("give either --budget (Algorithm 1) or --delta (Algorithm 2)")
    _check_target(arguments.output, (".parquet",))
    runs, summary = _runs(arguments)
    if arguments.output:
        _write_parquet(runs, arguments.output)
    else:
        print(runs.head(10).to_string(index=False), end="\n\n")
    print(summary.map(lambda value: f"{value:.6g}").T.to_string(header=False))
    return 0


def _runs(arguments: argparse.Namespace) -> "tuple[pd.DataFrame, pd.DataFrame]":
    """The runs of one setting and their summary."""
    from tqdm import tqdm

    from ldpt import simulate, summarise

    instance, epsilon = _problem(arguments), arguments.epsilon
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


def _write_parquet(runs: "pd.DataFrame", path: Path) -> None:
    """A crash leaves the old file or the new one, never a part."""
    staged = path.with_name(f".{path.name}.partial")
    try:
        runs.to_parquet(staged, index=False)
        staged.replace(path)
    finally:
        staged.unlink(missing_ok=True)


SUBCOMMANDS = (_add_plan, _add_simulate, _add_trace, _add_audit, _add_crate)

if __name__ == "__main__":
    sys.exit(main())
