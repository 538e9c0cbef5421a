"""The report of a study: verdicts, estimates, a paragraph on methods, warnings."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ldpt import __version__
from ldpt.answers import Sample
from ldpt.checks import LARGE_EPSILON
from ldpt.inference import Estimate, Test
from ldpt.io.messages import counted
from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.reports import Report, Row

if TYPE_CHECKING:
    from ldpt.study.study import Departure, Study


def no_guarantee(learner: FixedBudget | FixedConfidence) -> str:
    """Return why no verdict of this learner is certain; empty if verdicts can be."""
    if isinstance(learner, FixedBudget):
        return "a fixed budget gives no certainty: the sides are the likelier ones, no more"
    if not learner.radius.kind.valid:
        return f"nothing is certain with the radius {learner.radius.name!r} (use 'coin')"
    return ""


def make_report(
    study: "Study",
    sides: dict[str | int, str],
    samples: list[Sample],
    estimates: list[Estimate],
    level: float,
) -> Report:
    """Return the report of a study, with intervals of this joint level."""
    learner = study.learner
    if isinstance(learner, FixedConfidence):
        terms = f"fixed confidence, delta {learner.delta:g}, radius {learner.radius.name}"
        numbers = learner.delta, learner.threshold, learner.epsilon
        test: Test | None = Test(learner.radius, learner.n_arms, *numbers)
    else:
        test = None
        terms = f"fixed budget of {learner.budget:,} responses, policy {learner.policy.name}"
    end = "finished" if study.finished else f"{study.counts['outstanding']} outstanding"
    title = (
        f"{f'Study {study.name!r}' if study.name else 'Study'}: {terms}; threshold "
        f"{learner.threshold:g}, epsilon {learner.epsilon:g}; {end}."
    )
    rows = []
    for sample, one in zip(samples, estimates, strict=True):
        side, departures = sides.get(one.arm, "undecided"), _departures(study, one.arm)
        note = no_guarantee(learner) or _reasons([d for d in departures if d.before_decision])
        certain = side != "undecided" and not note
        bound = test.bound(sample, side) if test and certain and not departures else None
        found = one.arm, one.answers, sample.ones, one.mean, one.low, one.high
        rows.append(Row(*found, side, bound, None, certain, note))
    return Report(title, rows, " ".join(_methods(study, level)), [*_warnings(study)])


def _departures(study: "Study", arm: str | int) -> "list[Departure]":
    return [departure for departure in study.departures if departure.arm == arm]


def _reasons(departures: "list[Departure]") -> str:
    if not departures:
        return ""
    reasons = "; ".join(dict.fromkeys(departure.reason for departure in departures))
    return f"{counted(len(departures), 'request')} given up by hand: {reasons}"


def _methods(study: "Study", level: float) -> Iterator[str]:
    learner, counts, by_hand = study.learner, study.counts, len(study.departures)
    privacy = "answers were not randomised"
    if math.isfinite(learner.epsilon):
        privacy = (
            "each answer was randomised on the respondent's device (PrivBern, local differential "
            f"privacy with epsilon = {learner.epsilon:g} per answer)"
        )
    yield (
        f"{counts['asked']:,} answers about {counted(learner.n_arms, 'arm')} were requested and "
        f"{counts['entered']:,} used; {privacy}."
    )
    if isinstance(learner, FixedConfidence):
        yield (
            "Arms were chosen by Algorithm 2 of the thresholding bandit with the radius "
            f"{learner.radius.name!r}, which stops when every arm is decided."
        )
    else:
        yield (
            f"Arms were chosen by the index policy {learner.policy.name!r} within a fixed budget "
            f"of {learner.budget:,} responses."
        )
    yield "An arm's answers entered in the order of their requests."
    if study.deadline is not None:
        overdue = counts["given up"] - by_hand
        yield (
            f"Requests without an answer after {counted(study.deadline, 'round')} were given up, "
            f"all alike ({overdue:,}, {overdue / max(counts['asked'], 1):.1%})."
        )
    if by_hand:
        yield f"{counted(by_hand, 'request')} given up by hand."
    intervals = (
        f"all intervals contain their means, at all times, with probability at least {level:g}"
    )
    if isinstance(learner, FixedBudget) or no_guarantee(learner):
        yield (
            f"The sides of the threshold {learner.threshold:g} are estimates without a guarantee; "
            f"{intervals}."
        )
    else:
        yield (
            f"All verdicts about the threshold {learner.threshold:g} are right with probability at "
            f"least {1 - learner.delta:g}, at whatever time the study ends; {intervals}; the "
            "one-sided bounds of decided arms are right with probability at least "
            f"{max(1 - 2 * learner.delta, 0):g}."
        )
    yield f"Computed with ldpt {__version__}."


def _warnings(study: "Study") -> Iterator[str]:
    learner, counts = study.learner, study.counts
    if reason := no_guarantee(learner):
        yield f"{reason}."
    for arm in study.arms:
        departures = _departures(study, arm)
        reason = _reasons(departures)
        if any(departure.before_decision for departure in departures):
            yield f"arm {arm}: verdict and interval without guarantee, because {reason}."
        elif departures:
            yield (
                f"arm {arm}: interval without guarantee, because {reason}; its verdict came before."
            )
    if counts["given up"]:
        yield (
            f"{counted(counts['given up'], 'request')} without an answer: the guarantee assumes "
            "that whether a person answers in time does not depend on the answer."
        )
    if counts["waiting"]:
        end = ", and there is no deadline" if study.deadline is None else ""
        yield (
            f"{counted(counts['waiting'], 'answer')} not used yet: earlier requests are open{end}."
        )
    if counts["refused"]:
        yield f"{counted(counts['refused'], 'answer')} refused."
    if LARGE_EPSILON < learner.epsilon < math.inf:
        yield f"epsilon = {learner.epsilon:g} protects nobody."
