"""The report of a study: verdicts, estimates, a paragraph on methods, warnings."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ldpt.checks import privacy_warning
from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.study import sentences
from ldpt.study.analysis import shares_by_cut
from ldpt.study.answers import Sample
from ldpt.study.designs import as_design
from ldpt.study.inference import Estimate, ThresholdTest, Verdict
from ldpt.study.verdict_table import Report, Row
from ldpt.util.messages import counted

if TYPE_CHECKING:
    from ldpt.study.session import Study


def no_guarantee(learner: FixedBudget | FixedConfidence) -> str:
    """Return why no verdict of this learner is certain; empty if verdicts can be."""
    if isinstance(learner, FixedBudget):
        return "a fixed budget gives no certainty: the sides are the likelier ones, no more"
    return learner.radius.warning


def make_report(
    study: "Study",
    sides: dict[str | int, str],
    samples: list[Sample],
    estimates: list[Estimate],
    level: float,
) -> Report:
    """Return the report of a study, with intervals of this joint level."""
    learner, scale, test = study.learner, study.scale, None
    threshold = scale.at(learner.threshold) if scale else learner.threshold
    design = as_design(learner.epsilon)
    terms = f"{threshold:g}, epsilon {learner.epsilon:g}"
    if isinstance(learner, FixedConfidence):
        rule = f"fixed confidence, delta {learner.delta:g}, radius {learner.radius.name}"
        numbers = learner.delta, learner.threshold, learner.epsilon
        test = ThresholdTest(learner.radius, learner.n_arms, *numbers)
    else:
        rule = f"fixed budget of {learner.budget:,} responses, policy {learner.policy.name}"
    end = "finished" if study.finished else f"{study.counts['outstanding']} outstanding"
    title = (
        f"{f'Study {study.name!r}' if study.name else 'Study'}: {rule}; threshold {terms}; {end}."
    )
    rows, shares = [], []
    for arm, (sample, one) in enumerate(zip(samples, estimates, strict=True)):
        side = sides.get(one.arm, "undecided")
        reason = _departure_reason(study, one.arm)
        lost = reason and one.arm in study.without_guarantee
        note = no_guarantee(learner) or (reason if lost else "")
        bound = None
        if test and side != "undecided" and not (note or reason):
            bound = test.bound(sample, side)
        more = test.more_answers(sample) if test and learner.wanted(arm) else None
        verdict = Verdict(one.arm, one.answers, sample.ones, side, bound=bound)
        rows.append(Row.of(verdict, one, threshold, more, scale, note))
        shares += shares_by_cut(sample, design)
    methods = " ".join(_methods(study, threshold, level))
    notes = [*_warnings(study)]
    return Report(title, rows, methods, notes, {}, shares, sentences.odds(design))


def _departure_reason(study: "Study", arm: str | int) -> str:
    """Return why requests for an arm were given up by hand; empty if none was."""
    reasons = [departure.reason for departure in study.departures if departure.arm == arm]
    if not reasons:
        return ""
    requests = counted(len(reasons), "request")
    return f"{requests} given up by hand: {'; '.join(dict.fromkeys(reasons))}"


def _methods(study: "Study", threshold: float, level: float) -> Iterator[str]:
    learner, counts = study.learner, study.counts
    privacy = "not randomised"
    if math.isfinite(learner.epsilon):
        privacy = (
            "each randomised on the respondent's device (PrivBern, local differential privacy with "
            f"epsilon = {learner.epsilon:g} per answer)"
        )
    yield (
        f"{counts['asked']:,} answers about {counted(learner.n_arms, 'arm')} were requested and "
        f"{counts['entered']:,} used, {privacy}."
    )
    if study.scale:
        yield sentences.graded(study.scale)
    rule = "Algorithm 2 of the thresholding bandit, which stops when every arm is decided"
    if isinstance(learner, FixedBudget):
        rule = f"the index policy {learner.policy.name!r} within {learner.budget:,} responses"
    yield f"Arms were chosen by {rule}; an arm's answers entered in the order of their requests."
    by_hand = len(study.departures)
    if study.deadline is not None:
        overdue = counts["given up"] - by_hand
        yield (
            f"Requests without an answer after {counted(study.deadline, 'round')} were given up, "
            f"all alike ({overdue:,}, {overdue / max(counts['asked'], 1):.1%})."
        )
    if by_hand:
        yield f"{counted(by_hand, 'request')} given up by hand."
    verdicts = f"The sides of the threshold {threshold:g} are estimates without a guarantee"
    if isinstance(learner, FixedConfidence) and not no_guarantee(learner):
        verdicts = sentences.guarantees(learner.delta, f"{threshold:g}", learner.radius.name)
    yield f"{verdicts}; {sentences.joint_intervals(level)}."


def _warnings(study: "Study") -> Iterator[str]:
    learner, counts = study.learner, study.counts
    if reason := no_guarantee(learner):
        yield f"{reason}."
    for arm in study.arms:
        if reason := _departure_reason(study, arm):
            what = "verdict and interval" if arm in study.without_guarantee else "interval"
            yield f"arm {arm}: {what} without guarantee, because {reason}."
    if counts["given up"]:
        requests = "request without an answer", "requests without an answer"
        yield sentences.missing(counts["given up"], *requests)
    if counts["waiting"]:
        yield f"{counted(counts['waiting'], 'answer')} not used yet: earlier requests are open."
    if counts["refused"]:
        yield f"{counted(counts['refused'], 'answer')} refused."
    if warning := privacy_warning(learner.epsilon):
        yield f"{warning}."
