"""``ldpt analyse``: what a file of private answers says."""

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ldpt.commands.options import epsilon_level, error_level, flags, number, option, unit

if TYPE_CHECKING:
    from ldpt.designs import Design


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ldpt analyse``."""
    parser.add_argument("file", type=Path, help="the answers, CSV or Parquet")
    share = number("a number in [0, 0.5)", lambda value: 0 <= value < 0.5)
    epsilon = "PrivBern (randomised response); inf for none (default: the file's column epsilon)"
    warner = "the sensitive question is asked with probability P, else its negation"
    crosswise = "crosswise model; P is the share of yes to the other question, 1: both agree"
    delta = "largest probability of any wrong verdict (default: 0.05)"
    noncompliance = "largest share of people who do not follow the instruction (default: 0)"
    forced = "probabilities of a forced yes and a forced no"
    design = parser.add_argument_group("how the answers were randomised, in one of four ways")
    option(design, "--epsilon", epsilon_level, epsilon, nargs=1)
    option(design, "--warner P", unit, warner, nargs=1)
    option(design, "--crosswise P", unit, crosswise, nargs=1)
    option(design, "--forced", unit, forced, nargs=2, metavar=("YES", "NO"))
    judged = parser.add_argument_group("how they are judged")
    option(judged, "--threshold/--tau", unit, "share of yes to compare with", required=True)
    option(judged, "--delta", error_level, delta, default=0.05)
    option(judged, "--noncompliance SHARE", share, noncompliance, default=0.0)
    flags(judged, unordered="rows are not in order of arrival: judge the totals only")
    form = parser.add_mutually_exclusive_group()
    flags(form, json="everything, machine-readable", csv="one line per arm, machine-readable")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    from ldpt.answers import read_answers
    from ldpt.commands import analysis

    answers = read_answers(arguments.file)
    design = _design(arguments, answers.epsilon)
    levels = arguments.threshold, arguments.delta, arguments.noncompliance
    terms = analysis.Terms(design, *levels, in_order=not arguments.unordered)
    report = analysis.analyse(answers, terms)
    forms = {"json": report.as_json, "csv": report.as_csv}
    print(next((form() for name, form in forms.items() if getattr(arguments, name)), report))
    return 0


def _design(arguments: argparse.Namespace, stated: float | None) -> "Design":
    """Return the design that the options or the file's column state."""
    from ldpt import designs

    ways: dict[str, Callable[..., Design]] = {
        "epsilon": designs.as_design,
        "warner": designs.warner,
        "crosswise": designs.crosswise,
        "forced": designs.forced,
    }
    used = [way for way in ways if getattr(arguments, way) is not None]
    if not used and stated is not None:
        return designs.as_design(stated)
    if len(used) != 1:
        raise ValueError(
            "say how the answers were randomised by exactly one of --epsilon, --warner, "
            "--crosswise, --forced, or by a column epsilon"
        )
    design = ways[used[0]](*getattr(arguments, used[0]))
    if stated is not None and not math.isclose(stated, design.epsilon, rel_tol=1e-6):
        raise ValueError(
            f"{arguments.file}: its column epsilon is {stated:g}, the options say "
            f"{design.epsilon:g}"
        )
    return design
