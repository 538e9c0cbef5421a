"""What private answers say: the numbers and words of ``ldpt analyse``."""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from ldpt import __version__
from ldpt.answers import Answers
from ldpt.checks import LARGE_EPSILON
from ldpt.designs import Design
from ldpt.inference import decide, estimate
from ldpt.io.messages import counted, printable, short
from ldpt.reports import Report, Row


@dataclass(frozen=True)
class Terms:
    """How answers are judged.

    Attributes
    ----------
    design : Design
        How answers were randomised; its ``flipped`` says that the recorded response is 1 - bit.
    threshold : float
        The share of yes with which every arm is compared.
    delta : float
        Error probability of all verdicts together.
    noncompliance : float
        Largest share of people who do not follow the instruction.
    in_order : bool
        Whether the rows of the file are in order of arrival.
    """

    design: Design
    threshold: float
    delta: float
    noncompliance: float = 0.0
    in_order: bool = True

    def __str__(self) -> str:
        epsilon = self.design.epsilon
        level = "no privacy" if math.isinf(epsilon) else f"epsilon {epsilon:.4g}"
        return f"{self.design.name} ({level})"


def analyse(answers: Answers, terms: Terms) -> Report:
    """Judge every arm, with all of its answers.

    Parameters
    ----------
    answers : Answers
        From :func:`ldpt.answers.read_answers`.
    terms : Terms
        Design, threshold, error level and assumptions.

    Returns
    -------
    Report
        Ready to be printed.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    samples, design, share = answers.samples, terms.design, terms.noncompliance
    if design.flipped:
        samples = tuple(sample.flipped() for sample in samples)
    unusable = [sample.arm for sample in samples if sample.looks_sorted()]
    notes = [*_notes(answers, terms)]
    if terms.in_order and unusable:
        notes.append(
            f"The rows of {_listed(unusable)} look sorted by response, not by arrival: their order "
            "is ignored and the verdicts use the totals."
        )
    in_order = terms.in_order and not unusable and answers.places is not None
    terms = replace(terms, in_order=in_order)
    if not in_order:
        samples = tuple(replace(sample, bits=None) for sample in samples)
    bits = Answers(samples)
    verdicts = decide(bits, terms.threshold, design, terms.delta, noncompliance=share)
    intervals = estimate(bits, design, 1 - terms.delta, share)
    rows = [
        Row(
            verdict.arm, verdict.answers, verdict.ones, interval.mean, interval.low, interval.high,
            verdict.verdict, verdict.bound, verdict.decided_at,
        )
        for verdict, interval in zip(verdicts, intervals, strict=True)
    ]  # fmt: skip
    total = sum(row.answers for row in rows)
    title = (
        f"{total:,} answers on {counted(len(rows), 'arm')}, {terms}; threshold "
        f"{terms.threshold:g}, error probability at most {terms.delta:g}."
    )
    facts = {
        "file": answers.source,
        **asdict(terms),
        "epsilon": design.epsilon,
        "answers": total,
        "rows_without_response": answers.missing,
    }
    return Report(
        title, rows, _methods(len(rows), terms), [*notes, *_straddling(rows, terms)], facts
    )


def _methods(n_arms: int, terms: Terms) -> str:
    when = "at any time" if terms.in_order else "at the end of data collection"
    assumption = ""
    if terms.noncompliance:
        assumption = (
            f", if at most {terms.noncompliance:.0%} of respondents do not follow the instruction"
        )
    return (
        f"Responses were randomised ({terms}) and each of {counted(n_arms, 'arm')} was compared "
        f"with the threshold {terms.threshold:g} {when} by a mixture of exact likelihood ratios "
        f"(ldpt {__version__}, radius coin), so that the probability of any wrong verdict is at "
        f"most {terms.delta:g}{assumption}; the intervals hold for all arms and at all times "
        f"together with probability {1 - terms.delta:g}."
    )


def _notes(answers: Answers, terms: Terms) -> Iterator[str]:
    """Yield what a reader should know about the data."""
    if answers.missing:
        yield (
            f"{counted(answers.missing, 'row')} without a response: not counted as answers, which "
            "is safe only if staying silent does not depend on the answer."
        )
    if LARGE_EPSILON < terms.design.epsilon < math.inf:
        yield (
            f"epsilon is {terms.design.epsilon:.3g}: such answers are hardly private "
            f"(above {LARGE_EPSILON:g})."
        )


def _straddling(rows: list[Row], terms: Terms) -> Iterator[str]:
    """Yield why the interval of a decided arm may contain the threshold."""
    decided = [row for row in rows if row.bound is not None]
    if arms := [row.arm for row in decided if row.low <= terms.threshold <= row.high]:
        yield (
            f"The interval of {_listed(arms)} contains the threshold although the arm is decided: "
            "an interval guards both sides, a verdict and its bound one."
        )


def _listed(arms: list[str | int]) -> str:
    return short(printable(", ".join(map(str, arms))), 60)
