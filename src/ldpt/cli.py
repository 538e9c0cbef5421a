"""The ``ldpt`` command."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from errno import ENOSPC
from typing import NamedTuple

from ldpt import __version__
from ldpt.commands import analyse, plan, products, simulate
from ldpt.commands.options import INVALID, OneLineParser, completion_script
from ldpt.util.messages import printable, short, unknown

INTERRUPTED = 130  # exit status
# What to install for a package that is missing; the workflow's for all others.
PROVIDERS = {
    "numba": "numba",
    "matplotlib": "'ldpt[plots]'",
    "seaborn": "'ldpt[plots]'",
    "opendp": "'ldpt[device]'",
}
DESCRIPTION = """\
Locally private thresholding bandits: which arms have a mean above the threshold?"""
EPILOG = """\
before a study:           ldpt plan --means 0.1 0.4 --threshold 0.3 --delta 0.05 --epsilon 1
after a study:            ldpt analyse answers.csv --threshold 0.3 --epsilon 1
with a copy of a run:     ldpt audit, then ldpt trace figures/hero.pdf or ldpt compare A B
with a problem of yours:  ldpt simulate --means 0.2 0.6 --epsilon 1 --delta 0.1

Exit status: 0 success, 1 faults or differences found, 2 invalid input, 130 interrupted."""


class Command(NamedTuple):
    """A subcommand: its line in the help, its description, an example, and its options."""

    summary: str
    description: str
    example: str
    add: Callable[[argparse.ArgumentParser], None]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    for name in ("stdin", "stdout", "stderr"):  # None if closed, as some daemons close them
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115
    try:
        status = _run(words)
        sys.stdout.flush()
    except SystemExit as end:  # argparse has printed the help or one line
        status = int(end.code or 0)
    except BrokenPipeError:  # stdout was closed, for example by head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except KeyboardInterrupt:
        print("ldpt: interrupted", file=sys.stderr)
        status = INTERRUPTED
    except ModuleNotFoundError as error:  # plots and the workflow need more than the library
        hint = "pip install " + PROVIDERS.get(error.name or "", "'ldpt[workflow]'")
        print(f"ldpt {words[0]}: the package {error.name} is missing: {hint}", file=sys.stderr)
        status = INVALID
    except OSError as error:
        print(f"ldpt {words[0]}: {printable(_file_problem(error))}", file=sys.stderr)
        status = INVALID
    except (ValueError, MemoryError) as error:
        print(f"ldpt {words[0]}: {printable(short(error, 600))}", file=sys.stderr)
        status = INVALID
    return status


def _file_problem(error: OSError) -> str:
    """Return one line about a file, without the number of the error."""
    if error.errno == ENOSPC:
        return "no space left on the disk: free some and run again"
    if error.filename is None or error.strerror is None:
        return short(error, 600)
    if isinstance(error, FileNotFoundError):
        return short(f"there is no file {str(error.filename)!r}", 600)
    return short(f"{str(error.filename)!r}: {error.strerror.lower()}", 600)


def _run(words: list[str]) -> int:
    parser, commands = parsers()
    if not words:
        parser.print_help()
        return 0
    if not words[0].startswith("-") and words[0] not in commands:
        parser.error(unknown("command", words[0], commands))
    arguments, others = parser.parse_known_args(words)
    commands[arguments.command].refuse_unknown(others)
    return int(arguments.handler(arguments))


def parsers() -> tuple[OneLineParser, dict[str, OneLineParser]]:
    """Return the parser of the command and those of its subcommands."""
    parser = OneLineParser(
        prog="ldpt",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"ldpt {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands = {}
    for name, command in COMMANDS.items():
        commands[name] = subparsers.add_parser(
            name,
            help=command.summary,
            description=command.description,
            epilog=f"example: {command.example}",
        )
        command.add(commands[name])
    return parser, commands


def _add_completion(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(handler=_print_completion)


def _print_completion(arguments: argparse.Namespace) -> int:
    print(completion_script(parsers()[1]), end="")
    return 0


COMMANDS = {
    "plan": Command(
        "before a study: people needed, error, price of privacy",
        "Plan a private study. An arm is a question or a group, its mean the share of people whose "
        "answer is yes. With --delta: people needed. With --budget: error probability by number "
        "of answers. With both: also the smallest epsilon that the budget affords.",
        "ldpt plan --instance dose-finding --delta 0.05 --epsilon 1 2",
        plan.add,
    ),
    "analyse": Command(
        "after a study: verdicts and intervals from a file of private answers",
        "Read answers with columns arm and response (0 or 1, one row per answer), or arm, "
        "responses and ones (counts). Say of every arm whether its share of yes is above the "
        "threshold, with an interval that is valid at any time, and when it was decided.",
        "ldpt analyse answers.csv --epsilon 1 --threshold 0.3 --delta 0.05",
        analyse.add,
    ),
    "simulate": Command(
        "runs of either algorithm on one problem",
        "Simulate Algorithm 1 or a variant of it (--budget, --policy), or Algorithm 2 (--delta, "
        "--radius), and summarise the runs.",
        "ldpt simulate --means 0.2 0.6 --epsilon 1 --delta 0.1",
        simulate.add,
    ),
    "trace": Command(
        "what a product of a run was made from, down to the config",
        "Show what a product was made from: a summary of one screen, or everything.",
        "ldpt trace figures/hero.pdf",
        products.add_trace,
    ),
    "audit": Command(
        "verify every product of a run",
        "Compare every product with its record, the records with code and config as they are now, "
        "and both with what the workflow would make. Takes seconds; --replay also runs jobs "
        "again. Exit status 1 if there are faults.",
        "ldpt audit --replay 5",
        products.add_audit,
    ),
    "compare": Command(
        "how two runs differ, by how much, and why",
        "Compare two runs: which products differ, how far in standard errors, which settings, "
        "functions, versions and verdicts. Exit status 0 if all products are equal, 1 if not.",
        "ldpt compare HEAD results/smoke",
        products.add_compare,
    ),
    "completion": Command(
        "print a script for shell completion (bash, zsh)",
        "Print a script that completes commands, options and files; the example's line belongs "
        "into ~/.bashrc.",
        'eval "$(ldpt completion)"',
        _add_completion,
    ),
}

if __name__ == "__main__":
    sys.exit(main())
