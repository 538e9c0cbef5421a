"""Options that the subcommands share: values, the problem, one-line errors, shell completion."""

import argparse
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ldpt.checks import LARGE_EPSILON, MAX_SEED, MIN_DELTA, MIN_EPSILON
from ldpt.io.messages import short, shown, unknown
from ldpt.limits import MAX_PULLS, MAX_REPLICATES
from ldpt.radii import DEFAULT_RADIUS, RADII, VALID_RADII

if TYPE_CHECKING:
    from ldpt.instances import Instance

Group = Any  # argparse does not name the type of its groups
Parse = Callable[[str], Any]

INVALID = 2  # exit status
MAX_ARMS = 100_000


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


def parser_of(kind: Parse, allowed: str, test: Callable[[Any], bool]) -> Parse:
    """Return a parser of values that pass a test, which names the allowed ones otherwise."""

    def parse(text: str) -> Any:
        try:
            parsed = kind(text)
            if test(parsed):
                return parsed
        except (ValueError, OverflowError):
            pass
        raise argparse.ArgumentTypeError(f"must be {allowed}, got {shown(text)}")

    return parse


def whole(least: int, most: int) -> Parse:
    """Return a parser of whole numbers in a range."""
    allowed = f"a whole number from {least} to {most}"
    return parser_of(int, allowed, lambda number: least <= number <= most)


def number(allowed: str, test: Callable[[float], bool]) -> Parse:
    """Return a parser of numbers that pass a test; NaN never does."""
    return parser_of(_finite_or_inf, allowed, test)


def _finite_or_inf(text: str) -> float:
    parsed = float(text)
    if math.isinf(parsed) and "inf" not in text.lower():
        raise OverflowError  # 1e400 is not "no privacy"
    return parsed


def one_of(kind: str, names: Iterable[str]) -> Parse:
    """Return a parser of names, with a suggestion for an unknown one."""
    known = tuple(names)

    def parse(text: str) -> str:
        if text not in known:
            raise argparse.ArgumentTypeError(unknown(kind, text, known))
        return text

    return parse


def output_file(*suffixes: str) -> Parse:
    """Return a parser of files that can be written, so that no simulation is lost."""

    def parse(text: str) -> Path:
        path = Path(text)
        if path.suffix not in suffixes:
            problem = f"the name must end in {' or '.join(suffixes)}"
        elif not os.access(path.parent, os.W_OK):
            problem = f"there is no folder {path.parent} to write to"
        elif path.exists() and not path.is_file():
            problem = "exists and is not a regular file"
        else:
            return path
        raise argparse.ArgumentTypeError(f"{short(text, 60)}: {problem}")

    return parse


pulls = whole(1, MAX_PULLS)
replicates = whole(1, MAX_REPLICATES)
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


def warn(epsilons: Iterable[float], methods: Iterable[str]) -> None:
    """Warn of privacy levels that protect nobody, and of radii whose guarantee is false."""
    warnings = [
        f"epsilon {epsilon:g} hardly protects anyone (above {LARGE_EPSILON:g})"
        for epsilon in epsilons
        if LARGE_EPSILON < epsilon < math.inf
    ]
    warnings += [
        f"the error probability of radius {radius} can exceed delta; that of {DEFAULT_RADIUS} "
        "cannot"
        for radius in methods
        if radius in RADII and radius not in VALID_RADII
    ]
    for warning in warnings:
        print(f"ldpt: warning: {warning}", file=sys.stderr)


# --- options


def option(parser: Group, spec: str, kind: Parse, text: str, **more: Any) -> None:
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
        from ldpt import config

        refuse_unused(arguments, ["threshold", "tolerance"], "with --instance, which has its own")
        return config.study(config.load()).instance(arguments.instance)
    threshold = 0.5 if arguments.threshold is None else arguments.threshold
    tolerance = arguments.tolerance or 0.0
    if arguments.means is not None:
        return Instance("command-line", arguments.means, threshold, tolerance)
    room = min(threshold, 1 - threshold)
    if arguments.gap > room:
        raise ValueError(
            f"--gap must be at most {room:g}, so that means lie in [0, 1] around the threshold "
            f"{threshold:g}, got {arguments.gap}"
        )
    return replace_tolerance(equal_gap(arguments.arms, arguments.gap, threshold), tolerance)


# --- completion

BASH = """\
# bash: eval "$(ldpt completion)"; zsh: first autoload -U bashcompinit && bashcompinit
_ldpt() {{
    local words="{commands} --help --version"
    [ "$COMP_CWORD" -gt 1 ] && case "${{COMP_WORDS[1]}}" in
{cases}
    esac
    case "$COMP_CWORD ${{COMP_WORDS[COMP_CWORD]}}" in
        "1 "*|*" -"*) COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}")) ;;
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
