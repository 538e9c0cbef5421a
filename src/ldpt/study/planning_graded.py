"""Plan graded answers: PrivBern on the whole scale, or cuts left out beforehand."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ldpt.instances import Instance
from ldpt.radii import DEFAULT_RADIUS, Radius, drift_pulls
from ldpt.study.planning import Request, pulls_needed
from ldpt.study.scale import Scale
from ldpt.text import rounded, table, wrapped

LEAST_GAIN = 0.1  # of the answers; below, nothing is recommended
FINALISTS = 4  # choices of cuts whose exact cost is computed
SHARES_TOLERANCE = 1e-3  # of the sum of rounded shares


def graded_plan(
    scores: Sequence[float], scale: Scale, threshold: float, delta: float, epsilons: Sequence[float]
) -> pd.DataFrame:
    """Return the answers that PrivBern and the best choice of cuts need, by privacy level.

    ``scores`` has the expected share of people for every score, the lowest first.
    """
    steps = len(scale.cuts)
    total = math.fsum(scores)
    if len(scores) != steps + 1 or abs(total - 1) > SHARES_TOLERANCE:
        raise ValueError(
            f"--scores must be {steps + 1} shares with sum 1 on this scale, got {len(scores)} with "
            f"sum {total:g}"
        )
    at_least = 1 - np.cumsum(scores)[:-1] / total  # P(score >= cut)
    rows = []
    for epsilon in epsilons:
        costs = {
            choice: _cost(at_least, choice, threshold, delta, epsilon)
            for choice in _choices(at_least, scale, threshold, delta, epsilon)
        }
        whole = costs[scale]
        best = min(costs, key=costs.__getitem__)
        rows.append(
            (epsilon, whole, costs[best], best.skip_low, best.skip_high, costs[best] / whole)
        )
    columns = ["epsilon", "privbern", "cuts", "skip_low", "skip_high", "ratio"]
    return pd.DataFrame(rows, columns=columns)


def _problem(at_least: np.ndarray, scale: Scale, threshold: float) -> Instance:
    """Return the problem of the truth at the cuts in use."""
    cut_shares = at_least[scale.skip_low : at_least.size - scale.skip_high]
    return Instance("graded", [float(cut_shares.mean())], scale.threshold(threshold))


def _choices(
    at_least: np.ndarray, scale: Scale, threshold: float, delta: float, epsilon: float
) -> list[Scale]:
    """Return the whole scale, and the few choices of cuts that the drift finds cheapest."""
    mean = float(at_least.mean())
    tau = scale.threshold(threshold)
    if math.isclose(mean, tau, rel_tol=1e-12):
        raise ValueError(f"the mean of these scores is the threshold {threshold:g}")
    side = "skip_low" if mean < tau else "skip_high"
    costs = {}
    for skipped in range(at_least.size):
        choice = replace(scale, **{side: skipped})
        if not choice.at(0.0) < threshold < choice.at(1.0):
            break
        problem = _problem(at_least, choice, threshold)
        gap = problem.private_means(epsilon)[0] - problem.private_threshold(epsilon)
        if (gap < 0) == (mean < tau) and gap != 0:
            edge = Radius(DEFAULT_RADIUS).at(1, delta, problem.threshold, epsilon)
            costs[choice] = drift_pulls(edge, [gap], [1])[0]
    return [scale, *sorted(costs, key=costs.__getitem__)[:FINALISTS]]


def _cost(
    at_least: np.ndarray, scale: Scale, threshold: float, delta: float, epsilon: float
) -> float:
    problem = _problem(at_least, scale, threshold)
    request = Request(problem, [epsilon], delta, methods=[DEFAULT_RADIUS])
    return pulls_needed(request, problem, epsilon, DEFAULT_RADIUS).pulls


def _left_out(skip_low: int, skip_high: int) -> str:
    """Return how many cuts are left out, at which end."""
    if not skip_low and not skip_high:
        return "none"
    return f"{skip_low} low" if skip_low else f"{skip_high} high"


def render(plan: pd.DataFrame, width: int = 80) -> str:
    """Return the recommendation and its table."""
    rows = [
        {
            "epsilon": f"{row.epsilon:g}",
            "people, all cuts": rounded(row.privbern),
            "people, some left out": rounded(row.cuts),
            "left out": _left_out(row.skip_low, row.skip_high),
            "ratio": f"{row.ratio:.2f}",
        }
        for row in plan.itertuples()
    ]
    middle = plan.iloc[len(plan) // 2]
    count = int(max(middle.skip_low, middle.skip_high))
    side = "low" if middle.skip_low else "high"
    if 1 - middle.ratio < LEAST_GAIN:
        advice = (
            "Ask about all cuts, or send scores through PrivBern: leaving cuts out gains little."
        )
    else:
        verdict = "below" if middle.skip_low else "above"
        advice = (
            f"Leave out the {'' if count == 1 else f'{count} '}{side}est "
            f"{'cut' if count == 1 else 'cuts'} (--skip-{side} {count}): at epsilon "
            f"{middle.epsilon:g} {rounded(middle.cuts)} people on average instead of "
            f"{rounded(middle.privbern)}. Only the verdict {verdict!r} is then possible, so choose "
            "it before the study, and only if few people sit at the far end of the scale."
        )
    return f"{wrapped(advice, width)}\n\n{table(rows, width)}"
