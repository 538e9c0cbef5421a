"""``ldpt analyse``: what a file of private answers says."""

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ldpt.commands.options import (
    epsilon_level,
    error_level,
    flags,
    number,
    one_of,
    option,
    refuse_unused,
    unit,
)

if TYPE_CHECKING:
    from ldpt.designs import Design


CONDUCTS = ("any", "coin", "random", "opposite")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ldpt analyse``."""
    parser.add_argument("file", type=Path, help="the answers, CSV or Parquet")
    share = number("a number in [0, 0.5)", lambda value: 0 <= value < 0.5)
    epsilon = "PrivBern (randomised response); inf for none (default: the file's column epsilon)"
    crosswise = "crosswise model; P is the share of yes to the other question, 1: both agree"
    delta = "largest probability of any wrong verdict (default: 0.05)"
    noncompliance = "largest share of people who do not follow the instruction (default: 0)"
    conduct = (
        "what these people do: any (anything), coin (toss a coin, maybe a loaded one), random "
        "(toss a fair coin), opposite (say the opposite) (default: any)"
    )
    forced = "probabilities of a forced yes and a forced no"
    design = parser.add_argument_group("how the answers were randomised, in one of four ways")
    option(design, "--epsilon", epsilon_level, epsilon)
    option(design, "--warner P", unit, "the sensitive question is asked with probability P")
    option(design, "--crosswise P", unit, crosswise)
    option(design, "--forced", unit, forced, nargs=2, metavar=("YES", "NO"))
    judged = parser.add_argument_group("how they are judged")
    option(judged, "--threshold/--tau", unit, "share of yes to compare with", required=True)
    option(judged, "--delta", error_level, delta, default=0.05)
    option(judged, "--noncompliance SHARE", share, noncompliance)
    option(judged, "--conduct", one_of("conduct", CONDUCTS), conduct)
    flags(judged, unordered="rows are not in order of arrival: judge the totals only")
    form = parser.add_mutually_exclusive_group()
    flags(form, json="everything, machine-readable", csv="one line per arm, machine-readable")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    from ldpt.answers import read_answers
    from ldpt.commands import analysis

    if not arguments.noncompliance:
        refuse_unused(arguments, ["conduct"], "without --noncompliance")
    answers = read_answers(arguments.file)
    design, name = _design(arguments, answers.epsilon)
    terms = analysis.Terms(
        design,
        arguments.threshold,
        arguments.delta,
        arguments.noncompliance or 0.0,
        arguments.conduct or "any",
        not arguments.unordered,
        name,
    )
    found = analysis.analyse(answers, terms)
    forms = {"json": analysis.as_json, "csv": analysis.as_csv}
    form = next((forms[key] for key in forms if getattr(arguments, key)), analysis.as_text)
    print(form(found))
    return 0


def _design(arguments: argparse.Namespace, stated: float | None) -> "tuple[Design, str]":
    """Return the design that the options or the file's column state, and its name."""
    from ldpt import designs

    ways: dict[str, tuple[Callable[..., Design], str]] = {
        "epsilon": (designs.as_design, "randomised response"),
        "warner": (designs.warner, "Warner's design, p = {:g}"),
        "crosswise": (designs.crosswise, "crosswise model, p = {:g}"),
        "forced": (designs.forced, "forced response, yes {:g}, no {:g}"),
    }
    used = [way for way in ways if getattr(arguments, way) is not None]
    if not used and stated is not None:
        return designs.as_design(stated), "randomised response"
    if len(used) != 1:
        raise ValueError(
            "say how the answers were randomised by exactly one of --epsilon, --warner, "
            "--crosswise, --forced, or by a column epsilon"
        )
    make, name = ways[used[0]]
    values = getattr(arguments, used[0])
    values = values if isinstance(values, list) else [values]
    design = make(*values)
    if stated is not None and not math.isclose(stated, design.epsilon, rel_tol=1e-6):
        raise ValueError(
            f"{arguments.file}: its column epsilon is {stated:g}, the options say "
            f"{design.epsilon:g}"
        )
    return design, name.format(*values)
