"""Sentences that the reports of studies, of answers and of plans share."""

import math

from ldpt import __version__
from ldpt.study.designs import Design
from ldpt.study.scale import Scale
from ldpt.util.messages import counted

MAX_EXPONENT = math.log(1e9)  # of the factors of odds that are printed


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
    >>> odds(as_design(8.0)).partition(", by ")[2]
    'at most 3,000: a guess of 50 % becomes at most 99.97 %.'
    """
    if math.isinf(design.epsilon):
        return "Some recorded answers show the true one: the design gives no privacy."
    total = design.epsilon * answers
    factor = "a billion or more"
    share = "almost certain"
    if total < MAX_EXPONENT:
        factor = f"at most {float(f'{math.exp(total):.2g}'):,.10g}"
        doubt = 1 / (1 + math.exp(total))
        digits = max(-math.floor(math.log10(doubt)) - 2, 0)
        share = f"at most {100 * (1 - doubt):.{digits}f} %"
    data = "one recorded answer" if answers == 1 else f"the {answers} recorded answers of a person"
    return (
        f"Whoever sees {data}, whatever else they know, can multiply the odds that this person's "
        f"true answer is yes, or that it is no, by {factor}: a guess of 50 % becomes {share}."
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
