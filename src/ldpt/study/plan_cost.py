"""What a method costs on a problem: simulated answers, smallest epsilon.

A method with a fixed number of answers costs the smallest budget at which its error probability has
come down to delta. A radius of Algorithm 2 costs its expected stopping time. Costs are simulated on
the fast engine and have 95 % intervals.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ldpt import simulate, summarise
from ldpt.checks import MAX_SEED
from ldpt.instances import Instance
from ldpt.limits import MAX_PULLS
from ldpt.policies import INDEX_POLICIES

BUDGET_METHODS = INDEX_POLICIES
MIN_ERRORS = 100  # expected at error delta, so that the crossing of delta can be seen
MAX_RUNS = 100_000  # of one error curve
GRID = 24  # budgets of a simulated error curve
FINE_GRID = 48  # of the one around the crossing, in steps of 3 %
NEAR = 1.7  # factor around the crossing over which a line is fitted
SPAN = 2.0  # of the fine grid, below and above the coarse estimate
MAX_DOUBLINGS = 8
MAX_SEARCH_STEPS = 12


@dataclass(frozen=True)
class Simulation:
    """How a cost is simulated: problem, error level, runs per setting, seed."""

    instance: Instance
    delta: float
    replicates: int
    seed: int


@dataclass(frozen=True)
class Cost:
    """Answers that a method needs: estimate with a 95 % interval, and quantiles over runs.

    The quantiles are of Algorithm 2's stopping times; methods with a fixed number of answers
    have none. ``error`` is the simulated error probability there, from ``runs`` runs.
    """

    pulls: float
    low: float
    high: float
    pulls_05: float
    pulls_50: float
    pulls_95: float
    error: float
    error_low: float
    error_high: float
    runs: int


def pulls_needed(problem: Simulation, epsilon: float, method: str) -> Cost:
    """Return the simulated cost of one method when one answer is epsilon private."""
    if method in BUDGET_METHODS:
        return budget_needed(problem, epsilon, method)
    runs = simulate.fixed_confidence(
        problem.instance, epsilon, problem.delta, problem.replicates, problem.seed, radius=method
    )
    times = runs["stopping_time"].to_numpy()
    mean, _, low, high = summarise.mean_interval(times)
    early, middle, late = (float(np.quantile(times, q)) for q in (0.05, 0.5, 0.95))
    errors = int((~runs["correct"]).sum())
    limits = summarise.clopper_pearson(errors, problem.replicates)
    fewest, most = (float(limit) for limit in limits)
    error = errors / problem.replicates
    return Cost(mean, low, high, early, middle, late, error, fewest, most, problem.replicates)


def budget_needed(problem: Simulation, epsilon: float, method: str) -> Cost:
    """Return the smallest budget at which a method errs with probability at most delta.

    One run to the largest budget gives the error at all smaller ones. A coarse curve finds the
    place; a fine one around it, from independent runs, gives the interval and the estimate: the
    first budget, from where a fitted line passes delta, at which at most that share of runs errs.
    """
    instance, delta, seed = problem.instance, problem.delta, problem.seed
    require_finite_complexity(instance)
    replicates = max(problem.replicates, math.ceil(MIN_ERRORS / delta))
    largest = instance.complexity(epsilon) * math.log(2 * instance.n_arms / delta) / 2
    for _ in range(MAX_DOUBLINGS):
        largest = min(largest, float(MAX_PULLS))
        grid = budgets_between(instance, largest / 60, largest)
        coarse = error_curve(problem, epsilon, grid, method, replicates, seed)
        if coarse["high"].iloc[-1] <= delta:
            break
        largest *= 2
    middle = fitted_crossing(coarse, delta)
    grid = budgets_between(instance, middle / SPAN, min(middle * SPAN, MAX_PULLS), FINE_GRID)
    other_seed = (seed + 1) % (MAX_SEED + 1)
    curve = error_curve(problem, epsilon, grid, method, replicates, other_seed)
    low, high = crossing_limits(curve, delta)
    fitted = min(max(fitted_crossing(curve, delta), low), high)
    enough = (curve["budget"] >= fitted) & (curve["estimate"] <= delta)
    at = curve[enough].iloc[0] if enough.any() else curve.iloc[-1]
    pulls, error = float(at["budget"]), float(at["estimate"])
    limits = float(at["low"]), float(at["high"])
    return Cost(pulls, low, high, pulls, pulls, pulls, error, *limits, replicates)


def budgets_between(instance: Instance, least: float, most: float, count: int = GRID) -> list[int]:
    """Return 2K, and this many budgets in equal ratios between two."""
    floor = 2 * instance.n_arms
    steps = np.geomspace(max(least, 1.0), max(most, 2.0), count)
    return sorted({floor} | {math.ceil(step) for step in steps if step > floor})


def error_curve(
    problem: Simulation,
    epsilon: float,
    budgets: Sequence[int],
    method: str,
    replicates: int,
    seed: int,
) -> pd.DataFrame:
    """Return the simulated error probability of a method at each budget, with its interval."""
    instance = problem.instance
    runs = simulate.fixed_budget(instance, epsilon, budgets, replicates, seed, policy=method)
    return summarise.fixed_budget(runs, {"epsilon": epsilon}, instance.complexity(epsilon))


def crossing_limits(curve: pd.DataFrame, delta: float) -> tuple[float, float]:
    """Return a 95 % interval for the budget at which a falling error passes delta.

    The lower limit is the last budget of the unbroken row from the left whose error is certainly
    above delta, the upper one the first of the unbroken row to the right whose error is certainly
    at most delta. An interval misses only if the first budget on the wrong side of the truth is
    judged wrongly: 2.5 % a side, whatever the other budgets show. Limits read off noisy curves
    between two budgets would have no guaranteed coverage.
    """
    budgets = curve["budget"].to_numpy(float)
    above = curve["low"].to_numpy() > delta
    below = curve["high"].to_numpy() <= delta
    first = int(np.argmin(above)) if not above.all() else len(above)
    last = _row_to_the_right(below)
    low = budgets[first - 1] if first else budgets[0]
    high = budgets[last] if last < len(budgets) else math.inf
    return float(low), float(high)


def _row_to_the_right(true: np.ndarray) -> int:
    """Return where the unbroken row of true values that reaches the end begins."""
    return 0 if true.all() else len(true) - int(np.argmin(true[::-1]))


def fitted_crossing(curve: pd.DataFrame, delta: float) -> float:
    """Return where a straight line through log(error) against log(budget) passes delta.

    Fitted to the budgets within a factor :data:`NEAR` of the last one whose error is above delta,
    weighted by the errors seen.
    """
    budgets, errors = curve["budget"].to_numpy(float), curve["errors"].to_numpy(float)
    above = np.flatnonzero(curve["estimate"] > delta)
    if above.size in (0, len(budgets)) or above[-1] + 1 == len(budgets):
        return float(budgets[-1] if above.size else budgets[0])
    middle = math.sqrt(budgets[above[-1]] * budgets[above[-1] + 1])
    near = (errors > 0) & (budgets > middle / NEAR) & (budgets < middle * NEAR)
    if near.sum() > 1:
        x, y = np.log(budgets[near]), np.log(curve["estimate"].to_numpy()[near] / delta)
        slope, level = np.polyfit(x, y, 1, w=np.sqrt(errors[near]))
        if slope < 0:
            at = math.exp(min(max(-level / slope, 0.0), math.log(MAX_PULLS)))
            return float(np.clip(at, middle / NEAR, middle * NEAR))
    return float(budgets[above[-1] + 1])


def require_finite_complexity(instance: Instance) -> None:
    """Refuse a problem that no number of answers solves."""
    if math.isinf(instance.complexity()):
        raise ValueError(
            f"instance {instance.name!r} has an arm exactly at the threshold and tolerance 0, "
            "so no number of answers is enough; a tolerance above 0 helps"
        )


def smallest_epsilon(problem: Simulation, budget: float, method: str) -> dict[str, float]:
    """Return the epsilon per answer at which a method's cost equals the budget, with limits.

    The cost falls as c^-2, c = tanh(eps/2), up to a logarithm, so multiplying c by the root of
    cost / budget is nearly a Newton step; the search ends when the cost's interval covers the
    budget.
    """
    cost = pulls_needed(problem, math.inf, method)
    if not cost.pulls <= budget:
        return {"epsilon": math.nan, "low": math.nan, "high": math.nan, "pulls": cost.pulls}
    factor = 1.0
    for _ in range(MAX_SEARCH_STEPS):
        factor = min(factor * math.sqrt(cost.pulls / budget), 1.0)
        cost = pulls_needed(problem, _epsilon(factor), method)
        if cost.low <= budget <= cost.high:
            break
    shrinkages = (factor * math.sqrt(pulls / budget) for pulls in (cost.pulls, cost.low, cost.high))
    epsilon, low, high = (_epsilon(c) for c in shrinkages)
    return {"epsilon": epsilon, "low": low, "high": high, "pulls": cost.pulls}


def _epsilon(factor: float) -> float:
    """Return the privacy level with this shrinkage."""
    return 2 * math.atanh(factor) if factor < 1 else math.inf
