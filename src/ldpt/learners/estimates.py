"""Estimates of mean rewards from private responses, with intervals that are valid at any time."""

import math
from dataclasses import dataclass

from ldpt.privacy import shrinkage
from ldpt.radii import DEFAULT_PRIOR_GAP, Boundary, Radius, upper

ESTIMATE_ERROR = 0.05  # one minus the joint level of the intervals where no delta says otherwise


@dataclass(frozen=True)
class Estimate:
    """An arm's mean reward, from its private responses.

    Attributes
    ----------
    arm : int
        The arm.
    answers : int
        How many answers the estimate uses.
    mean : float
        The estimated mean reward, in [0, 1]; NaN without answers.
    low, high : float
        The ends of its interval.
    """

    arm: int
    answers: int
    mean: float
    low: float
    high: float


def interval_boundary(n_arms: int, error: float, threshold: float, epsilon: float) -> Boundary:
    """The two-sided normal mixture behind the intervals, at the joint error level of all arms."""
    rho = (0.25 / (shrinkage(epsilon) * DEFAULT_PRIOR_GAP)) ** 2
    return Radius("mixture", rho=rho).at(n_arms, error, threshold, epsilon)


def estimate_mean(
    arm: int, answers: int, positives: int, edge: Boundary, epsilon: float
) -> Estimate:
    """An arm's mean reward from its answers and how many of them are 1."""
    if answers == 0:
        return Estimate(arm, 0, math.nan, 0.0, 1.0)
    shrink = shrinkage(epsilon)
    response = positives / answers
    half = upper(edge, answers, answers) / answers
    centre = 0.5 + (response - 0.5) / shrink
    low, high = centre - half / shrink, centre + half / shrink
    mean, low, high = (min(max(value, 0.0), 1.0) for value in (centre, low, high))
    return Estimate(arm, answers, mean, low, high)
