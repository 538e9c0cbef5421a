"""The report of a study: verdicts, estimates, a paragraph on methods, warnings."""

import importlib.metadata
import math
from dataclasses import dataclass

from ldpt.inference import Sample, Test
from ldpt.io.messages import counted
from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.study.ledger import Departure, Ledger


@dataclass(frozen=True)
class Row:
    """What a report says about one arm.

    Attributes
    ----------
    arm : str or int
        Name or number of the arm.
    verdict : str
        ``"above"``, ``"below"`` or ``"undecided"``.
    certain : bool
        Whether the verdict has the study's guarantee.
    bound : float or None
        The mean reward is at least (above) or at most (below) this; None without a guarantee.
    answers : int
        The number of answers that have entered.
    mean, low, high : float
        The estimated mean reward and its interval.
    note : str
        Why the verdict has no guarantee.
    """

    arm: str | int
    verdict: str
    certain: bool
    bound: float | None
    answers: int
    mean: float
    low: float
    high: float
    note: str = ""


@dataclass(frozen=True)
class Report:
    """The report of a study; ``str`` gives it as text.

    Attributes
    ----------
    title : str
        The study and its terms.
    rows : list of Row
        One per arm.
    methods : str
        A paragraph for a methods section.
    warnings : list of str
        What a reader must know before using the verdicts.
    """

    title: str
    rows: list[Row]
    methods: str
    warnings: list[str]

    def __str__(self) -> str:
        head = ("arm", "verdict", "bound", "answers", "mean", "interval")
        cells = [head, *map(_cells, self.rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
        table = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in cells
        ]
        parts = ["\n".join([self.title, "", *table]), f"Methods. {self.methods}"]
        if self.warnings:
            parts.append("\n".join(f"Warning: {warning}" for warning in self.warnings))
        return "\n\n".join(parts)


def _cells(row: Row) -> tuple[str, ...]:
    sign = "at least" if row.verdict == "above" else "at most"
    verdict = row.verdict if row.certain or row.verdict == "undecided" else f"({row.verdict})"
    return (
        str(row.arm),
        verdict,
        "" if row.bound is None else f"{sign} {row.bound:.3g}",
        f"{row.answers:,}",
        "" if math.isnan(row.mean) else f"{row.mean:.3f}",
        f"[{row.low:.3f}, {row.high:.3f}]",
    )


def make_report(ledger: Ledger, level: float) -> Report:
    """Return the report of a study, with intervals of this joint level."""
    learner, counts = ledger.learner, ledger.counts
    name = f"Study {ledger.name!r}" if ledger.name else "Study"
    setting = f"threshold {learner.threshold:g}, epsilon {learner.epsilon:g}"
    if isinstance(learner, FixedConfidence):
        terms = f"fixed confidence, delta {learner.delta:g}, radius {learner.radius.name}"
    else:
        terms = f"fixed budget of {learner.budget:,} responses, policy {learner.policy.name}"
    state = (
        "finished"
        if ledger.learner.finished
        else f"not finished ({counts['outstanding']} outstanding)"
    )
    return Report(
        f"{name}: {terms}; {setting}; {state}.",
        _rows(ledger, level),
        _methods(ledger, level),
        _warnings(ledger),
    )


def _rows(ledger: Ledger, level: float) -> list[Row]:
    sides, reason = ledger.sides(), ledger.no_guarantee
    rows = []
    for arm, one in enumerate(ledger.estimates(level)):
        verdict = sides.get(one.arm, "undecided")
        hand = [d for d in ledger.departures_of(one.arm) if d.before_decision]
        note = reason or _departure_note(hand)
        certain = verdict != "undecided" and not note
        bound = _bound(ledger, arm, verdict) if certain else None
        rows.append(
            Row(one.arm, verdict, certain, bound, one.answers, one.mean, one.low, one.high, note)
        )
    return rows


def _departure_note(departures: list[Departure]) -> str:
    if not departures:
        return ""
    reasons = "; ".join(dict.fromkeys(departure.reason for departure in departures))
    return f"{counted(len(departures), 'request')} given up by hand: {reasons}"


def _bound(ledger: Ledger, arm: int, verdict: str) -> float:
    learner = ledger.learner
    assert isinstance(learner, FixedConfidence)
    test = Test(
        learner.radius, learner.n_arms, learner.delta, learner.threshold, learner.epsilon, 0.0
    )
    bits = ledger.entered[arm]
    return test.bound(Sample(arm, len(bits), sum(bits)), verdict)


def _methods(ledger: Ledger, level: float) -> str:
    learner, counts = ledger.learner, ledger.counts
    version = importlib.metadata.version("ldpt")
    privacy = (
        f"each answer was randomised on the respondent's device (PrivBern, local differential "
        f"privacy with epsilon = {learner.epsilon:g} per answer)"
        if math.isfinite(learner.epsilon)
        else "answers were not randomised"
    )
    text = [
        f"{counts['asked']:,} answers about {counted(learner.n_arms, 'arm')} were requested and "
        f"{counts['entered']:,} used; {privacy}."
    ]
    if isinstance(learner, FixedConfidence):
        text.append(
            "Arms were chosen by Algorithm 2 of the thresholding bandit with the radius "
            f"{learner.radius.name!r}, which stops when every arm is decided."
        )
    else:
        text.append(
            f"Arms were chosen by the index policy {learner.policy.name!r} within a fixed budget "
            f"of {learner.budget:,} responses."
        )
    text.append("An arm's answers entered in the order of their requests.")
    by_hand = len(ledger.departures)
    if ledger.deadline is not None:
        overdue = counts["given up"] - by_hand
        text.append(
            f"Requests without an answer after {counted(ledger.deadline, 'round')} were given up, "
            f"all alike ({overdue:,}, {overdue / max(counts['asked'], 1):.1%})."
        )
    if by_hand:
        text.append(f"{counted(by_hand, 'request')} given up by hand.")
    text += [_guarantee(ledger, level), f"Computed with ldpt {version}."]
    return " ".join(text)


def _guarantee(ledger: Ledger, level: float) -> str:
    learner = ledger.learner
    intervals = (
        f"all intervals contain their means, at all times, with probability at least {level:g}"
    )
    if isinstance(learner, FixedBudget) or not learner.radius.kind.valid:
        return (
            f"The sides of the threshold {learner.threshold:g} are estimates without a guarantee; "
            f"{intervals}."
        )
    bounds = max(1 - 2 * learner.delta, 0)
    return (
        f"All verdicts about the threshold {learner.threshold:g} are right with probability at "
        f"least {1 - learner.delta:g}, at whatever time the study ends; {intervals}; the one-sided "
        f"bounds of decided arms are right with probability at least {bounds:g}."
    )


def _warnings(ledger: Ledger) -> list[str]:
    counts, found = ledger.counts, []
    if ledger.no_guarantee:
        found.append(f"{ledger.no_guarantee}.")
    for arm in ledger.arms:
        hand = ledger.departures_of(arm)
        if any(d.before_decision for d in hand):
            found.append(
                f"arm {arm}: verdict and interval without guarantee, because "
                f"{_departure_note(hand)}."
            )
        elif hand:
            found.append(
                f"arm {arm}: interval without guarantee, because "
                f"{_departure_note(hand)}; its verdict came before."
            )
    if counts["given up"]:
        found.append(
            f"{counted(counts['given up'], 'request')} without an answer: the guarantee assumes "
            "that whether a person answers in time does not depend on the answer."
        )
    if counts["waiting"]:
        found.append(
            f"{counted(counts['waiting'], 'answer')} not used yet: earlier requests are open"
            + (", and there is no deadline." if ledger.deadline is None else ".")
        )
    if counts["refused"]:
        found.append(f"{counted(counts['refused'], 'answer')} refused.")
    if math.isfinite(ledger.learner.epsilon) and ledger.learner.epsilon > 10:
        found.append(f"epsilon = {ledger.learner.epsilon:g} protects nobody.")
    return found
