"""What the subcommands share: option values, the problem, one-line errors, shell completion."""

import argparse
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ldpt.checks import MAX_SEED, MIN_DELTA, MIN_EPSILON
from ldpt.io.messages import short, shown, unknown

if TYPE_CHECKING:
    from ldpt.instances import Instance

Group = Any  # argparse does not name the type of its groups
Kind = Callable[[str], Any]

INVALID = 2  # exit status
MAX_ARMS = 100_000
LARGE_EPSILON = 10.0  # above, an answer is hardly private


class OneLineParser(argparse.ArgumentParser):
    """A parser that reports an error in one line, without repeating the usage."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        self.exit(INVALID, f"{self.prog}: {short(message, 600)}\n")

    def refuse_unknown(self, words: Sequence[str]) -> None:
        """Exit with the words that no option takes, and the most similar option."""
        if words:
            similar = get_close_matches(words[0], self.option_names(), 1)
            hint = f" (did you mean {similar[0]}?)" if similar else ""
            self.error(f"unrecognized arguments: {' '.join(words)}{hint}")

    def option_names(self) -> list[str]:
        """Return the long options."""
        return sorted(set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", self.format_help())))


# --- values


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return a parser of whole numbers in a range."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(
                f"must be a whole number from {least} to {most}, got {shown(text)}"
            )
        return value

    return parse


def number(allowed: str, test: Callable[[float], bool]) -> Callable[[str], float]:
    """Return a parser of numbers that pass a test."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        overflow = math.isinf(value) and "inf" not in text.lower()  # 1e400 is not "no privacy"
        if math.isnan(value) or overflow or not test(value):
            raise argparse.ArgumentTypeError(f"must be {allowed}, got {shown(text)}")
        return value

    return parse


def one_of(kind: str, names: Iterable[str]) -> Callable[[str], str]:
    """Return a parser of names, with a suggestion for an unknown one."""
    known = tuple(names)

    def parse(text: str) -> str:
        if text not in known:
            raise argparse.ArgumentTypeError(unknown(kind, text, known))
        return text

    return parse


def pulls(text: str) -> int:
    """Parse a number of answers that a run can finish."""
    from ldpt.limits import MAX_PULLS

    return whole(1, MAX_PULLS)(text)


def replicates(text: str) -> int:
    """Parse a number of runs whose table fits into memory."""
    from ldpt.limits import MAX_REPLICATES

    return whole(1, MAX_REPLICATES)(text)


def output_file(*suffixes: str) -> Callable[[str], Path]:
    """Return a parser of files that can be written, so that no work is done in vain."""

    def parse(text: str) -> Path:
        path = Path(text)
        problem = _unwritable(path, suffixes)
        if problem:
            raise argparse.ArgumentTypeError(f"{short(text, 60)}: {problem}")
        return path

    return parse


def _unwritable(path: Path, suffixes: tuple[str, ...]) -> str | None:
    """Return why a file cannot be written."""
    if path.suffix not in suffixes:
        return f"the name must end in {' or '.join(suffixes)}"
    if len(os.fsencode(path.name)) > 200:
        return "the name must have at most 200 bytes"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    if path.exists() and not path.is_file():
        return "exists and is not a regular file"
    if not os.access(path.parent, os.W_OK):
        return f"cannot write to {path.parent}"
    return None


seed = whole(0, MAX_SEED)
unit = number("a number in [0, 1]", lambda value: 0 <= value <= 1)
epsilon_level = number(
    f"a number of at least {MIN_EPSILON:g}, or inf for no privacy",
    lambda value: value >= MIN_EPSILON,
)
error_level = number(
    f"a number of at least {MIN_DELTA:g} and below 1", lambda value: MIN_DELTA <= value < 1
)


def refuse_unused(arguments: argparse.Namespace, names: Iterable[str], because: str) -> None:
    """Refuse options that would be accepted and have no effect."""
    for name in names:
        if getattr(arguments, name) not in (None, False):
            raise ValueError(f"--{name.replace('_', '-')} has no effect {because}")


def epsilon_warnings(epsilons: Iterable[float]) -> list[str]:
    """Return a warning if a privacy level protects nobody."""
    large = [epsilon for epsilon in epsilons if LARGE_EPSILON < epsilon < math.inf]
    if not large:
        return []
    return [f"warning: epsilon {large[0]:g} hardly protects anyone (above {LARGE_EPSILON:g})"]


def warn(command: str, warnings: Iterable[str]) -> None:
    """Print warnings to stderr."""
    for warning in warnings:
        print(f"ldpt {command}: {warning}", file=sys.stderr)


# --- options


def option(parser: Group, spec: str, kind: Kind, text: str, **more: Any) -> None:
    """Add an option: "--name", "--name/--alias", "--name METAVAR" or, for a list, "--name X+"."""
    names, _, metavar = spec.partition(" ")
    if metavar.endswith("+"):
        more |= {"nargs": "+"}
    if metavar:
        more |= {"metavar": metavar.rstrip("+")}
    parser.add_argument(*names.split("/"), type=kind, help=text, **more)


def flags(parser: Group, **texts: str) -> None:
    """Add options without a value."""
    for name, text in texts.items():
        parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", help=text)


def add_problem(parser: argparse.ArgumentParser) -> None:
    """Add options that state a problem: by name, by its means, or by a number and a gap."""
    group = parser.add_argument_group("the problem, in one of three ways")
    gap = number("a number above 0 and at most 1", lambda value: 0 < value <= 1)
    option(group, "--instance NAME", str, "a problem of the default config, such as dose-finding")
    option(group, "--means MEAN+", unit, "guessed share of yes of every arm")
    option(group, "--arms K", whole(1, MAX_ARMS), "number of arms (requires --gap)")
    option(group, "--gap", gap, "distance of every arm from the threshold, half below, half above")
    option(group, "--threshold/--tau", unit, "with --means or --arms (default: 0.5)")
    text = "with --means or --arms: within it either verdict is right (default: 0)"
    option(group, "--tolerance", unit, text)


def read_problem(arguments: argparse.Namespace) -> "Instance":
    """Return the problem that the options state."""
    from ldpt.instances import Instance, equal_gap, replace_tolerance

    ways = [arguments.instance, arguments.means, arguments.arms]
    if (arguments.arms is None) != (arguments.gap is None):
        raise ValueError("--arms and --gap must be given together")
    if sum(way is not None for way in ways) != 1:
        raise ValueError(
            "state the problem by exactly one of --instance, --means, --arms with --gap"
        )
    if arguments.instance is not None:
        refuse_unused(arguments, ["threshold", "tolerance"], "with --instance, which has its own")
        return _named_problem(arguments.instance)
    threshold = 0.5 if arguments.threshold is None else arguments.threshold
    tolerance = arguments.tolerance or 0.0
    if arguments.means is not None:
        return Instance("command-line", arguments.means, threshold, tolerance)
    if not arguments.gap <= min(threshold, 1 - threshold):
        raise ValueError(
            f"--gap must be at most {min(threshold, 1 - threshold):g}, so that means lie in "
            f"[0, 1] around the threshold {threshold:g}, got {arguments.gap}"
        )
    return replace_tolerance(equal_gap(arguments.arms, arguments.gap, threshold), tolerance)


def _named_problem(name: str) -> "Instance":
    from ldpt import config

    return config.study(config.load()).instance(name)


# --- completion

BASH = """\
# bash: eval "$(ldpt completion)"; zsh: first autoload -U bashcompinit && bashcompinit
_ldpt() {{
    local words
    case "${{COMP_WORDS[1]}}" in
{cases}
        *) words="{commands} --help --version" ;;
    esac
    [ "$COMP_CWORD" -eq 1 ] && words="{commands} --help --version"
    case "${{COMP_WORDS[COMP_CWORD]}}" in
        -*) COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}")) ;;
        *) [ "$COMP_CWORD" -eq 1 ] && COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[1]}}")) ;;
    esac
}}
complete -o default -F _ldpt ldpt
"""


def completion_script(parsers: dict[str, OneLineParser]) -> str:
    """Return a script that completes commands, options and file names in bash and zsh."""
    cases = "\n".join(
        f'        {name}) words="{" ".join(parser.option_names())}" ;;'
        for name, parser in parsers.items()
    )
    return BASH.format(cases=cases, commands=" ".join(parsers))
