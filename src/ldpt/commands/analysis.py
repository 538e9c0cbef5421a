"""What private answers say: the numbers and words of ``ldpt analyse``."""

import csv
import io
import json
import math
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ldpt import __version__
from ldpt.answers import Answers
from ldpt.designs import Design
from ldpt.inference import Estimate, Verdict, decide, estimate, tolerated_share
from ldpt.io.json_values import plain
from ldpt.io.messages import counted, printable, short

__all__ = ["Analysis", "Terms", "analyse"]

WIDTH = 80
NAME_WIDTH = 16  # characters of an arm's name, so that the table fits 80 columns
LARGE_EPSILON = 10.0  # above, an answer is hardly private


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
    conduct : str
        What these people do (:func:`ldpt.inference.response_range`).
    in_order : bool
        Whether the rows of the file are in order of arrival.
    design_name : str
        The design in words.
    """

    design: Design
    threshold: float
    delta: float
    noncompliance: float = 0.0
    conduct: str = "any"
    in_order: bool = True
    design_name: str = "randomised response"


@dataclass(frozen=True)
class Analysis:
    """Verdicts and intervals of every arm."""

    answers: Answers
    terms: Terms
    verdicts: tuple[Verdict, ...]
    estimates: tuple[Estimate, ...]
    tolerated: tuple[float, ...]
    in_order: bool
    notes: tuple[str, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the numbers of every arm."""
        groups = zip(self.verdicts, self.estimates, self.tolerated, strict=True)
        for verdict, interval, share in groups:
            yield {
                "arm": verdict.arm,
                "answers": verdict.answers,
                "ones": verdict.ones,
                "estimate": interval.mean,
                "low": interval.low,
                "high": interval.high,
                "verdict": verdict.verdict,
                "bound": verdict.bound,
                "decided_at": verdict.decided_at,
                "tolerated_noncompliance": share,
            }


def analyse(answers: Answers, terms: Terms) -> Analysis:
    """Judge every arm, with all of its answers.

    Parameters
    ----------
    answers : Answers
        From :func:`ldpt.answers.read_answers`.
    terms : Terms
        Design, threshold, error level and assumptions.

    Returns
    -------
    Analysis
        Ready to be printed by :func:`as_text`, :func:`as_json` or :func:`as_csv`.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    bits = answers.flipped() if terms.design.flipped else answers
    suspicious = bits.sorted_arms()
    in_order = terms.in_order and bits.bits is not None and not suspicious
    counts = bits if in_order else _counts(bits)
    assumption = (terms.noncompliance, terms.conduct)
    verdicts = decide(counts, terms.threshold, terms.design, terms.delta, noncompliance=assumption)
    if terms.noncompliance:
        full = decide(counts, terms.threshold, terms.design, terms.delta)
    else:
        full = verdicts
    return Analysis(
        bits,
        terms,
        tuple(verdicts),
        tuple(estimate(counts, terms.design, 1 - terms.delta, noncompliance=assumption)),
        tuple(
            tolerated_share(verdict, terms.threshold, terms.design, terms.conduct)
            for verdict in full
        ),
        in_order,
        tuple(_notes(bits, terms, suspicious)),
    )


def _counts(answers: Answers) -> dict[str, tuple[int, int]]:
    numbers = zip(answers.answers, answers.ones, strict=True)
    return dict(zip(answers.arms, numbers, strict=True))


def _notes(answers: Answers, terms: Terms, suspicious: list[str]) -> Iterator[str]:
    """Yield what a reader should know about the data."""
    if answers.missing:
        yield (
            f"{counted(answers.missing, 'row')} without a response: not counted as answers, which "
            "is safe only if staying silent does not depend on the answer."
        )
    if terms.in_order and suspicious:
        yield (
            f"The rows of {_listed(suspicious)} look sorted by response, not by arrival: their "
            "order is ignored and the verdicts use the totals."
        )
    if terms.design.epsilon > LARGE_EPSILON and math.isfinite(terms.design.epsilon):
        yield (
            f"epsilon is {terms.design.epsilon:.3g}: such answers are hardly private "
            f"(above {LARGE_EPSILON:g})."
        )


def _listed(arms: list[str]) -> str:
    return short(printable(", ".join(map(str, arms))), 60)


# --- text


def as_text(analysis: Analysis, width: int = WIDTH) -> str:
    """Return the analysis as text for a terminal."""
    return "\n".join(_paragraphs(analysis, width))


def _paragraphs(analysis: Analysis, width: int) -> Iterator[str]:
    terms, answers = analysis.terms, analysis.answers
    yield _wrapped(
        f"{sum(answers.answers):,} answers on {counted(len(answers.arms), 'arm')}, "
        f"{_design(terms)}; threshold {terms.threshold:g}, error probability at most "
        f"{terms.delta:g}.",
        width,
    )
    yield ""
    yield from _table(analysis)
    yield ""
    for note in (*analysis.notes, *_straddling(analysis)):
        yield _wrapped(f"Note: {note}", width)
    if terms.noncompliance:
        yield _wrapped(
            f"Verdicts and intervals allow for up to {terms.noncompliance:.0%} of people who do "
            f"not follow the instruction ({terms.conduct} answers).",
            width,
        )
    yield _wrapped(f"For a methods section: {methods_sentence(analysis)}", width)


def _straddling(analysis: Analysis) -> Iterator[str]:
    """Yield why the interval of a decided arm may contain the threshold."""
    threshold = analysis.terms.threshold
    rows = [row for row in analysis.rows() if row["bound"] is not None]
    arms = [row["arm"] for row in rows if row["low"] <= threshold <= row["high"]]
    if arms:
        yield (
            f"The interval of {_listed(arms)} contains the threshold although the arm is decided: "
            "an interval guards both sides, a verdict one "
            "(--json has the one-sided bounds)."
        )


def _design(terms: Terms) -> str:
    epsilon = terms.design.epsilon
    level = "no privacy" if math.isinf(epsilon) else f"epsilon {epsilon:.4g}"
    return f"{terms.design_name} ({level})"


def _table(analysis: Analysis) -> Iterator[str]:
    """Yield the table, in at most 80 columns."""
    percent = f"{100 * (1 - analysis.terms.delta):g} %"
    names = [short(printable(str(row["arm"])), NAME_WIDTH) for row in analysis.rows()]
    first = max(len("arm"), *map(len, names))
    head = (
        f"{'arm':<{first}} {'answers':>10}  {'estimate':>8}  {percent + ' interval':<14}  verdict"
    )
    yield head + (f"{'':5}decided after" if analysis.in_order else "")
    for name, row in zip(names, analysis.rows(), strict=True):
        interval = f"{row['low']:.3f} .. {row['high']:.3f}"
        line = (
            f"{name:<{first}} {row['answers']:>10,}  {_number(row['estimate']):>8}  "
            f"{interval:<14}  {row['verdict']}"
        )
        if analysis.in_order and row["decided_at"] is not None:
            line = f"{line:<{first + 48}}{row['decided_at']:>12,}"
        yield line.rstrip()


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def methods_sentence(analysis: Analysis) -> str:
    """Return a sentence for a methods section."""
    terms = analysis.terms
    arms = counted(len(analysis.answers.arms), "arm")
    when = "at any time" if analysis.in_order else "at the end of data collection"
    assumption = (
        f", if at most {terms.noncompliance:.0%} of respondents do not follow the instruction"
        if terms.noncompliance
        else ""
    )
    return (
        f"Responses were randomised ({_design(terms)}) and each of {arms} was compared with the "
        f"threshold {terms.threshold:g} {when} by a mixture of exact likelihood ratios (ldpt "
        f"{__version__}, radius coin), so that the probability of any wrong verdict is at most "
        f"{terms.delta:g}{assumption}; the intervals hold for all arms and at all times together "
        f"with probability {1 - terms.delta:g}."
    )


# --- for machines


def as_json(analysis: Analysis) -> str:
    """Return the analysis as JSON; infinity is written "inf" and what is not known null."""
    terms, answers = analysis.terms, analysis.answers
    content = {
        "file": answers.source,
        "epsilon": terms.design.epsilon,
        "design": {"one": terms.design.one, "zero": terms.design.zero},
        "flipped": terms.design.flipped,
        "threshold": terms.threshold,
        "delta": terms.delta,
        "noncompliance": terms.noncompliance,
        "conduct": terms.conduct,
        "answers": sum(answers.answers),
        "rows_without_response": answers.missing,
        "in_order": analysis.in_order,
        "notes": list(analysis.notes),
        "methods": methods_sentence(analysis),
        "arms": [
            {key: None if value != value else value for key, value in row.items()}
            for row in analysis.rows()
        ],
    }
    return json.dumps(plain(content), indent=1, allow_nan=False, ensure_ascii=False)


def as_csv(analysis: Analysis) -> str:
    """Return one line per arm, with a header."""
    text = io.StringIO()
    rows = list(analysis.rows())
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().rstrip("\n")
