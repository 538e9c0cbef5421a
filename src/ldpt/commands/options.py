"""Options that the subcommands share: values, the problem, one-line errors, shell completion."""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ldpt import checks
from ldpt.limits import MAX_PULLS, MAX_REPLICATES
from ldpt.radii import RADII, Radius
from ldpt.util.messages import printable, short, unknown

if TYPE_CHECKING:
    from ldpt.instances import Instance
    from ldpt.study.designs import Design
    from ldpt.study.scale import Scale

Group = Any  # argparse does not name the type of its groups
Parse = Callable[[str], Any]

INVALID = 2  # exit status


class OneLineParser(argparse.ArgumentParser):
    """A parser that reports an error in one line, without repeating the usage."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        self.exit(INVALID, f"{self.prog}: {printable(short(message, 600))}\n")

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


def parser_of(check: Callable[[Any], Any], kind: Callable[[str], Any] = float) -> Parse:
    """Return a parser of numbers that pass a check of :mod:`ldpt.checks`."""

    def parse(text: str) -> Any:
        try:
            value = kind(text) if text.isascii() and "_" not in text else text
        except ValueError:
            value = text  # the check refuses it and names what is allowed
        try:
            return check(value)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse


def whole(least: int, most: int) -> Parse:
    """Return a parser of whole numbers in a range."""
    return parser_of(lambda value: checks.check_whole("the value", value, least, most), int)


def number(low: float, high: float) -> Parse:
    """Return a parser of numbers in a closed interval."""
    return parser_of(lambda value: checks.check_number("the value", value, low, high))


def one_of(kind: str, names: Iterable[str]) -> Parse:
    """Return a parser of names, with a suggestion for an unknown one."""
    choices = tuple(names)

    def parse(text: str) -> str:
        if text not in choices:
            raise argparse.ArgumentTypeError(unknown(kind, text, choices))
        return text

    return parse


def output_file(*suffixes: str) -> Parse:
    """Return a parser of files that can be written, so that no simulation is lost."""

    def parse(text: str) -> Path:
        path = Path(text)
        if path.suffix not in suffixes:
            problem = f"the name must end in {' or '.join(suffixes)}"
        elif not path.parent.is_dir():
            problem = f"there is no folder {path.parent} to write to"
        elif not os.access(path.parent, os.W_OK):
            problem = f"the folder {path.parent} cannot be written"
        else:
            return path
        raise argparse.ArgumentTypeError(f"{short(text, 60)}: {problem}")

    return parse


pulls = whole(1, MAX_PULLS)
replicates = whole(1, MAX_REPLICATES)
seed = parser_of(checks.check_seed, int)
unit = number(0, 1)
real = number(-1e12, 1e12)
epsilon_level = parser_of(checks.check_epsilon)
error_level = parser_of(checks.check_delta)


def refuse_unused(arguments: argparse.Namespace, names: Iterable[str], because: str) -> None:
    """Refuse options that would be accepted and have no effect."""
    for name in names:
        if getattr(arguments, name) not in (None, False):
            raise ValueError(f"--{name.replace('_', '-')} has no effect {because}")


def warn(epsilons: Iterable[float], methods: Iterable[str]) -> None:
    """Warn of privacy levels that protect nobody, and of radii whose guarantee is false."""
    lines = [checks.privacy_warning(epsilon) for epsilon in epsilons]
    lines += [Radius(radius).warning for radius in methods if radius in RADII]
    for line in filter(None, lines):
        print(f"ldpt: warning: {line}", file=sys.stderr)


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


def add_problem(parser: argparse.ArgumentParser, threshold: Parse = unit) -> Group:
    """Add options that state a problem by its name or its means; return these two."""
    group = parser.add_argument_group("the problem, by name or by its means")
    ways = group.add_mutually_exclusive_group(required=True)
    option(ways, "--instance NAME", str, "a problem of the default config, such as dose-finding")
    option(ways, "--means MEAN+", unit, "guessed share of yes of every arm")
    option(group, "--threshold/--tau", threshold, "with --means (default: 0.5)")
    text = "with --means: within it either verdict is right (default: 0)"
    option(group, "--tolerance", unit, text)
    return ways


def read_problem(arguments: argparse.Namespace) -> "Instance":
    """Return the problem that the options state."""
    from ldpt.config import experiment as config
    from ldpt.instances import Instance

    if arguments.instance is not None:
        refuse_unused(arguments, ["threshold", "tolerance"], "with --instance, which has its own")
        return config.build_experiment(config.load()).instance(arguments.instance)
    threshold = 0.5 if arguments.threshold is None else arguments.threshold
    return Instance("command-line", arguments.means, threshold, arguments.tolerance or 0.0)


def add_designs(parser: argparse.ArgumentParser, title: str, levels: str = "") -> None:
    """Add the options that say how answers are randomised."""
    group = parser.add_argument_group(title)
    epsilon = levels or "PrivBern; inf for none (default: the file's column epsilon)"
    warner = "the sensitive question is asked with probability P, else its negation"
    crosswise = "crosswise model; P: share of yes to the other question; 1: same answer to both"
    forced = "probabilities of a forced yes and a forced no"
    unrelated = "the sensitive question with probability P, else one to which a share Q says yes"
    option(group, "--epsilon EPSILON+", epsilon_level, epsilon, dest="epsilons")
    option(group, "--warner P", unit, warner)
    option(group, "--crosswise P", unit, crosswise)
    option(group, "--forced", unit, forced, nargs=2, metavar=("YES", "NO"))
    option(group, "--unrelated", unit, unrelated, nargs=2, metavar=("P", "Q"))


def read_designs(arguments: argparse.Namespace) -> "list[Design]":
    """Return the designs that the options state, levels of PrivBern first."""
    from ldpt.study import designs

    choices = [designs.as_design(epsilon) for epsilon in arguments.epsilons or ()]
    for name in ("warner", "crosswise", "forced", "unrelated"):
        value = getattr(arguments, name)
        if value is not None:
            make = getattr(designs, name)
            choices.append(make(*value) if isinstance(value, list) else make(value))
    return choices


def add_scale(parser: argparse.ArgumentParser, text: str, skips: bool = True) -> None:
    """Add the options that state the scale of graded answers."""
    group = parser.add_argument_group("graded answers, such as stars or scores")
    option(group, "--scale", real, f"ends of the scale, {text}", nargs=2, metavar=("LOW", "HIGH"))
    option(group, "--step", real, "distance of neighbouring answers (default: 1)")
    if not skips:
        return
    either = group.add_mutually_exclusive_group()
    cuts = whole(0, 1000)
    option(either, "--skip-low N", cuts, "the N lowest cuts were left out")
    option(either, "--skip-high N", cuts, "the N highest cuts were left out")


def read_scale(arguments: argparse.Namespace) -> "Scale | None":
    """Return the scale that the options state."""
    from ldpt.study.scale import Scale

    if arguments.scale is None:
        unused = [name for name in ("step", "skip_low", "skip_high") if hasattr(arguments, name)]
        refuse_unused(arguments, unused, "without --scale")
        return None
    step = 1 if arguments.step is None else arguments.step
    low, high = arguments.scale
    skips = (getattr(arguments, name, None) or 0 for name in ("skip_low", "skip_high"))
    return Scale(low, high, step, *skips)


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
