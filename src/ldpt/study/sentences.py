"""Sentences that the reports of studies, of answers and of plans share."""

import math

from ldpt import __version__
from ldpt.study.designs import Design
from ldpt.study.scale import Scale
from ldpt.util.messages import counted

ALMOST_CERTAIN = 0.99


def privacy_level(design: Design) -> str:
    """Return the privacy level in words.

    >>> from ldpt.study.designs import as_design
    >>> privacy_level(as_design(0.5)), privacy_level(as_design(math.inf))
    ('epsilon 0.5', 'no privacy')
    """
    return "no privacy" if math.isinf(design.epsilon) else f"epsilon {design.epsilon:.4g}"


def odds(design: Design, answers: int = 1) -> str:
    """Return what the answers of one person reveal at most, in plain words.

    >>> from ldpt.study.designs import as_design
    >>> odds(as_design(1.0)).partition(", by ")[2]
    'at most 2.7: a guess of 50 % becomes at most 73 %.'
    """
    if math.isinf(design.epsilon):
        return "Some recorded answers show the true one: the design gives no privacy."
    total = design.epsilon * answers
    certainty = 1 / (1 + math.exp(-total))
    share = f"{certainty:.0%}".replace("%", " %")
    share = "more than 99 %" if certainty > ALMOST_CERTAIN else f"at most {share}"
    factor = f"{math.exp(total):.2g}" if total < math.log(1000) else "a thousand or more"
    data = "one recorded answer" if answers == 1 else f"the {answers} recorded answers of a person"
    return (
        f"Whoever sees {data}, whatever else they know, can multiply the odds that this person's "
        f"true answer is yes, or that it is no, by at most {factor}: a guess of 50 % becomes "
        f"{share}."
    )


def guarantees(delta: float, threshold: str, radius: str, when: str = "at any time") -> str:
    """Return what the verdicts promise."""
    return (
        f"Each arm was compared with the threshold {threshold} {when} by the radius {radius!r} "
        f"(ldpt {__version__}), so that all verdicts are right with probability at "
        f"least {1 - delta:g} and the one-sided bounds with probability at least "
        f"{max(1 - 2 * delta, 0):g}"
    )


def joint_intervals(level: float) -> str:
    """Return what the intervals promise."""
    return f"all intervals contain their means, at all times, with probability at least {level:g}"


def graded(scale: Scale) -> str:
    """Return how graded answers were asked."""
    cuts = counted(len(scale.cuts), "cut")
    verdicts = {
        "both": "",
        "below": " The lowest cuts were left out, so only the verdict 'below' is possible.",
        "above": " The highest cuts were left out, so only the verdict 'above' is possible.",
    }[scale.valid]
    return (
        f"Answers lie on a scale from {scale.low:g} to {scale.high:g} in steps of {scale.step:g}; "
        f"each person was asked whether the answer is at least k, with k drawn uniformly from "
        f"{cuts} ({scale.cuts[0]:g} to {scale.cuts[-1]:g}).{verdicts}"
    )


def missing(count: int, one: str, many: str) -> str:
    """Return what missing answers mean for the guarantee."""
    return (
        f"{counted(count, one, many)}: the guarantee assumes that whether a person answers does "
        "not depend on the answer."
    )
