"""``ldpt analyse``: what a file of private answers says."""

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ldpt import __version__
from ldpt.checks import LARGE_EPSILON
from ldpt.commands.options import epsilon_level, error_level, flags, number, option, unit
from ldpt.util.messages import counted, printable, short

if TYPE_CHECKING:
    from ldpt.study.answers import Answers
    from ldpt.study.designs import Design
    from ldpt.study.verdict_table import Report


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ldpt analyse``."""
    parser.add_argument("file", type=Path, help="the answers, a CSV or Parquet file")
    epsilon = "PrivBern (randomised response); inf for none (default: the file's column epsilon)"
    warner = "the sensitive question is asked with probability P, else its negation"
    crosswise = "crosswise model; P is the share of yes to the other question, 1: both agree"
    delta = "largest probability of any wrong verdict (default: 0.05)"
    noncompliance = "largest share of people who do not follow the instruction (default: 0)"
    forced = "probabilities of a forced yes and a forced no"
    group = parser.add_argument_group("how the answers were randomised, in one of four ways")
    design = group.add_mutually_exclusive_group()
    option(design, "--epsilon E", epsilon_level, epsilon, nargs=1)
    option(design, "--warner P", unit, warner, nargs=1)
    option(design, "--crosswise P", unit, crosswise, nargs=1)
    option(design, "--forced", unit, forced, nargs=2, metavar=("YES", "NO"))
    judged = parser.add_argument_group("how they are judged")
    option(judged, "--threshold/--tau", unit, "share of yes to compare with", required=True)
    option(judged, "--delta", error_level, delta, default=0.05)
    option(judged, "--noncompliance SHARE", number(0, 0.5), noncompliance, default=0.0)
    flags(judged, unordered="rows are not in order of arrival: judge the totals only")
    form = parser.add_mutually_exclusive_group()
    flags(form, json="everything, machine-readable", csv="one line per arm, machine-readable")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    from ldpt.study.answers import read_answers

    answers = read_answers(arguments.file)
    report = analyse(answers, _design(arguments, answers.epsilon), arguments)
    forms = {"json": report.as_json, "csv": report.as_csv}
    print(next((form() for name, form in forms.items() if getattr(arguments, name)), report))
    return 0


def _design(arguments: argparse.Namespace, stated: float | None) -> "Design":
    """Return the design that the options or the file's column state."""
    from ldpt.study import designs

    ways: dict[str, Callable[..., Design]] = {
        "epsilon": designs.as_design,
        "warner": designs.warner,
        "crosswise": designs.crosswise,
        "forced": designs.forced,
    }
    for name, make in ways.items():
        if (values := getattr(arguments, name)) is not None:
            design = make(*values)
            if stated is None or math.isclose(stated, design.epsilon, rel_tol=1e-6):
                return design
            raise ValueError(
                f"{arguments.file}: its column epsilon is {stated:g}, the options say "
                f"{design.epsilon:g}"
            )
    if stated is None:
        raise ValueError(
            "say how the answers were randomised: --epsilon, --warner, --crosswise, --forced, or "
            "a column epsilon"
        )
    return designs.as_design(stated)


def analyse(answers: "Answers", design: "Design", terms: argparse.Namespace) -> "Report":
    """Judge every arm, with all of its answers, by the options of the command."""
    from ldpt.study.inference import decide, estimate
    from ldpt.study.verdict_table import Report, Row

    samples, share = answers.samples, terms.noncompliance
    if design.flipped:
        samples = tuple(sample.flipped() for sample in samples)
    unusable = [str(sample.arm) for sample in samples if sample.looks_sorted()]
    in_order = not (terms.unordered or unusable or answers.places is None)
    if not in_order:
        samples = tuple(replace(sample, bits=None) for sample in samples)
    judged = replace(answers, samples=samples)
    verdicts = decide(judged, terms.threshold, design, terms.delta, noncompliance=share)
    estimates = estimate(judged, design, 1 - terms.delta, share)
    rows = [Row.of(*both) for both in zip(verdicts, estimates, strict=True)]
    total = sum(row.answers for row in rows)
    level = "no privacy" if math.isinf(design.epsilon) else f"epsilon {design.epsilon:.4g}"
    title = (
        f"{total:,} answers on {counted(len(rows), 'arm')}, {design.name} ({level}); threshold "
        f"{terms.threshold:g}, error probability at most {terms.delta:g}."
    )
    when = "at any time" if in_order else "at the end of data collection"
    compliance = f", if at most {share:.0%} of respondents do not follow the instruction"
    methods = (
        f"Responses were randomised ({design.name}, {level}) and each of "
        f"{counted(len(rows), 'arm')} was compared with the threshold {terms.threshold:g} {when} "
        f"by a mixture of exact likelihood ratios (ldpt {__version__}, radius coin), so that the "
        f"probability of any wrong verdict is at most {terms.delta:g}{compliance if share else ''};"
        " the intervals hold for all arms and at all times together with probability "
        f"{1 - terms.delta:g}."
    )
    names = ("threshold", "delta", "noncompliance")
    facts = {
        "file": answers.source,
        "design": design.name,
        "epsilon": design.epsilon,
        **{name: getattr(terms, name) for name in names},
        "in_order": in_order,
        "answers": total,
        "rows_without_response": answers.missing,
    }
    return Report(title, rows, methods, [*_notes(answers, design, unusable)], facts)


def _notes(answers: "Answers", design: "Design", unusable: list[str]) -> Iterator[str]:
    """Yield what a reader should know about the data."""
    if answers.missing:
        yield (
            f"{counted(answers.missing, 'row')} without a response: not counted as answers, which "
            "is safe only if staying silent does not depend on the answer."
        )
    if LARGE_EPSILON < design.epsilon < math.inf:
        yield f"epsilon is {design.epsilon:.3g}: such answers are hardly private."
    if unusable:
        yield (
            f"The rows of {short(printable(', '.join(unusable)), 60)} look sorted by response, not "
            "by arrival: their order is ignored and the verdicts use the totals."
        )
