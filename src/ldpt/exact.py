"""Error probabilities without randomness: dynamic programs over the states of an arm.

Algorithm 1 on one or two arms, and Algorithm 2 on one arm, have so few states that the probability
of each can be carried from pull to pull. The programs use the engines' own comparisons, so
that they are oracles for them. :mod:`ldpt.certificate` goes further: it is a proof.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ldpt.checks import check_delta, check_whole, is_number
from ldpt.engines.boundaries import is_undecided
from ldpt.engines.indices import arm_index
from ldpt.engines.jit import compiled
from ldpt.instances import Instance, check_instance
from ldpt.io.messages import shown
from ldpt.io.threads import run_jobs
from ldpt.limits import (
    MAX_PULLS,
    require_short_budget,
    require_short_chain,
    require_short_optimum,
)
from ldpt.policies import POLICIES, IndexRule, check_policy
from ldpt.privacy import shrinkage
from ldpt.radii import (
    Boundary,
    Radius,
    as_radius,
)

__all__ = ["fixed_budget_loss", "fixed_confidence_error", "optimal_loss"]

NO_LIMIT = int(np.iinfo(np.int64).max)


@dataclass(frozen=True)
class StoppedChain:
    """What is known of Algorithm 2 on one arm after a number of pulls.

    ``error``: probability of having stopped with the wrong answer. ``undecided``: probability of
    still running, so that the final error lies in [error, error + undecided].
    ``expected_pulls``: expectation of the smaller of the stopping time and ``pulls``.
    """

    error: float
    expected_pulls: float
    undecided: float
    pulls: int


# --- Fixed budget


def fixed_budget_loss(
    instance: Instance, epsilon: float, budget: int, policy: str = "apt"
) -> float:
    """Exact probability of a loss (the event of Theorem 3.1) on one or two arms.

    Two arms under an index policy cost time of order budget^4 / 24 and memory of order
    budget^3 / 6.

    Parameters
    ----------
    instance : Instance
        A problem with one or two arms.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    budget : int
        Number of pulls, at least 2K.
    policy : str
        An index policy or ``uniform``; the default ``apt`` is Algorithm 1 as printed.

    Returns
    -------
    float
        The probability that the answer is a loss after ``budget`` pulls.

    Raises
    ------
    ValueError
        If there are more than two arms, the budget is too small, the policy has no exact chain or
        the chain would take hours.

    Examples
    --------
    >>> fixed_budget_loss(Instance("one", [0.75], 0.5), float("inf"), 2)
    0.4375
    """
    return fixed_budget_losses(instance, epsilon, [budget], policy)[0]


def fixed_budget_losses(
    instance: Instance, epsilon: float, budgets: Sequence[int], policy: str = "apt"
) -> list[float]:
    """:func:`fixed_budget_loss` at several budgets: one chain to the largest passes them all.

    Parameters
    ----------
    instance, epsilon, policy
        As in :func:`fixed_budget_loss`.
    budgets : sequence of int
        Numbers of pulls, each at least 2K, in any order.

    Returns
    -------
    list of float
        One probability per budget.

    Raises
    ------
    ValueError
        As in :func:`fixed_budget_loss`.
    """
    allowed = tuple(name for name, known in POLICIES.items() if known.private_responses)
    chosen = check_policy(policy, allowed)
    if check_instance(instance).n_arms > 2:
        raise ValueError(f"the exact loss covers one or two arms, got {instance.n_arms}")
    least = 2 * instance.n_arms
    if not isinstance(budgets, Iterable) or isinstance(budgets, (str, bytes)):
        raise ValueError(f"budgets must be a list of whole numbers, got {shown(budgets)}")
    horizons = [check_whole("budget", budget, least, MAX_PULLS) for budget in budgets]
    if not horizons:
        raise ValueError("budgets is empty, at least one is needed")
    require_short_budget(instance, epsilon, max(horizons), chosen.log_weight is not None)
    means = instance.private_means(epsilon)
    tau = instance.private_threshold(epsilon)
    accept, reject = instance.must_accept, instance.must_reject
    if instance.n_arms == 2 and chosen.log_weight is not None:
        passed, places = np.unique(np.array(horizons), return_inverse=True)
        losses = _follow(
            _two_arm_losses,
            means,
            chosen.rule(instance.threshold, instance.tolerance, epsilon),
            passed,
            accept,
            reject,
        )
        return losses[places].tolist()
    found = []
    for budget in horizons:
        loss = 0.0
        for k, mean in enumerate(means):
            pulls = budget // means.size + (1 if k < budget % means.size else 0)
            # 1 - (1 - loss) would underflow below 1e-16
            own = _follow(_one_arm_loss, mean, tau, accept[k], reject[k], pulls)
            loss += (1.0 - loss) * own
        found.append(loss)
    return found


def _follow(chain: Callable[..., Any], *arguments: Any) -> Any:
    """Follow a chain in another thread, so that Ctrl-C is not kept waiting."""
    return run_jobs([partial(chain, *arguments)])[0]


@compiled
def _one_arm_loss(mean: float, tau: float, accept: bool, reject: bool, budget: int) -> float:
    mass = np.zeros(budget + 1)
    mass[0] = 1.0
    for n in range(budget):
        for s in range(n, -1, -1):
            mass[s + 1] += mass[s] * mean
            mass[s] *= 1.0 - mean
    loss = 0.0
    for s in range(budget + 1):
        returned = s > budget * tau
        if (accept and not returned) or (reject and returned):
            loss += mass[s]
    return loss


@compiled
def _two_arm_losses(
    means: np.ndarray, rule: IndexRule, budgets: np.ndarray, accept: np.ndarray,
    reject: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Carry P(n_1, s_1, s_2) from pull to pull in place; n_2 = t - n_1 is known.

    Rows of the state are processed from high to low, so that mass only moves to entries that
    the current pull has passed already.
    """
    last = budgets[-1]
    index = _index_table(rule, last)
    start = _row_starts(last)
    mass, spare = np.zeros(start[last]), np.empty(last)
    for s1 in range(2):
        for s2 in range(2):
            weight = (means[0] if s1 else 1.0 - means[0]) * (means[1] if s2 else 1.0 - means[1])
            mass[start[1] + s1 * last + s2] = weight
    losses, done = np.zeros(budgets.size), 0
    for t in range(2, last + 1):
        if t == budgets[done]:
            losses[done] = _two_arm_total(mass, start, rule.tau, t, last, accept, reject)
            done += 1
        if t == last:
            break
        for n1 in range(t - 1, 0, -1):
            n2 = t - n1
            width, below = last - n1 + 1, last - n1  # row lengths at n1 and at n1 + 1
            lowest = np.argmin(index[n2, : n2 + 1])
            for s1 in range(n1 + 1):
                first, end = _smaller(index[n2], n2, lowest, index[n1, s1])
                base = start[n1] + s1 * width
                target = start[n1 + 1] + s1 * below
                _pull_arm_1(mass, base, target, below, first, means[0])
                _pull_arm_1(mass, base + end, target + end, below, n2 + 1 - end, means[0])
                _pull_arm_2(mass[base + first :], spare, end - first, means[1])
    return losses


@compiled
def _smaller(index: np.ndarray, n: int, lowest: int, level: float) -> tuple[int, int]:
    """Return the states first <= s < end of n pulls whose index is below ``level``.

    The index falls up to the state ``lowest`` and then rises.
    """
    if not index[lowest] < level:
        return lowest, lowest
    outside, first = -1, lowest
    while first - outside > 1:
        s = (outside + first) // 2
        if index[s] < level:
            first = s
        else:
            outside = s
    inside, end = lowest, n + 1
    while end - inside > 1:
        s = (inside + end) // 2
        if index[s] < level:
            inside = s
        else:
            end = s
    return first, end


@compiled
def _pull_arm_1(
    mass: np.ndarray, base: int, target: int, below: int, count: int, mean: float
) -> None:
    """Move ``count`` states to the rows of one more pull of arm 1: response 0, response 1."""
    row, low = mass[base : base + count], mass[target : target + count]
    high = mass[target + below : target + below + count]
    for i in range(count):
        low[i] += row[i] * (1.0 - mean)
    for i in range(count):
        high[i] += row[i] * mean
    row[:] = 0.0


@compiled
def _pull_arm_2(row: np.ndarray, spare: np.ndarray, count: int, mean: float) -> None:
    """Split ``count`` states among themselves and their neighbours: one more pull of arm 2."""
    if count == 0:
        return
    before, after = spare[:count], row[1 : count + 1]
    before[:] = row[:count]
    row[0] *= 1.0 - mean
    for i in range(count - 1):
        after[i] = after[i] * (1.0 - mean) + before[i] * mean
    after[count - 1] += before[count - 1] * mean


@compiled
def _index_table(rule: IndexRule, budget: int) -> np.ndarray:
    index = np.zeros((budget + 1, budget + 1))
    for n in range(1, budget + 1):
        for s in range(n + 1):
            index[n, s] = arm_index(rule, n, s)
    return index


@compiled
def _row_starts(budget: int) -> np.ndarray:
    """Where the block of n_1 begins; it holds (n_1 + 1) rows of budget - n_1 + 1 entries."""
    start = np.zeros(budget + 1, np.int64)
    for n1 in range(budget):
        start[n1 + 1] = start[n1] + (n1 + 1) * (budget - n1 + 1)
    return start


@compiled
def _two_arm_total(
    mass: np.ndarray, start: np.ndarray, tau: float, budget: int, last: int, accept: np.ndarray,
    reject: np.ndarray,
) -> float:  # fmt: skip
    """Return the loss after ``budget`` pulls, of a chain that is laid out for ``last``."""
    loss = 0.0
    for n1 in range(1, budget):
        n2 = budget - n1
        for s1 in range(n1 + 1):
            first = s1 > n1 * tau
            first_errs = (accept[0] and not first) or (reject[0] and first)
            for s2 in range(n2 + 1):
                second = s2 > n2 * tau
                if first_errs or (accept[1] and not second) or (reject[1] and second):
                    loss += mass[start[n1] + s1 * (last - n1 + 1) + s2]
    return loss


def optimal_loss(gaps: Sequence[float], epsilon: float, budget: int) -> float:
    """Return the least average loss over mirror images of any eps-LDP algorithm, tau = 1/2.

    Each arm has mean 1/2 + gap or 1/2 - gap; the gaps are known, the sides are not. No algorithm
    has a smaller loss, averaged over all combinations of sides, than the Bayes-optimal one, which
    is found by a dynamic program: given the responses, the sides are independent, and each depends
    on the difference of ones and zeros of its arm alone.

    Parameters
    ----------
    gaps : sequence of float
        Distances of the means from 1/2, in (0, 1/2], one for each of at most three arms.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    budget : int
        Number of pulls.

    Returns
    -------
    float
        The loss.

    Raises
    ------
    ValueError
        If an argument is out of range or the program would take hours.

    Examples
    --------
    >>> round(optimal_loss([0.15, 0.15], float("inf"), 2), 4)
    0.5775
    """
    return optimal_losses(gaps, epsilon, [budget])[0]


def optimal_losses(gaps: Sequence[float], epsilon: float, budgets: Sequence[int]) -> list[float]:
    """Return :func:`optimal_loss` at several budgets; one program to the largest passes them all.

    Parameters
    ----------
    gaps, epsilon
        As in :func:`optimal_loss`.
    budgets : sequence of int
        Numbers of pulls, in any order.

    Returns
    -------
    list of float
        One loss per budget.

    Raises
    ------
    ValueError
        As in :func:`optimal_loss`.
    """
    if not 1 <= len(gaps) <= 3:
        raise ValueError(f"the optimal loss covers one to three arms, got {len(gaps)} gaps")
    if not all(is_number(gap) and 0 < gap <= 0.5 for gap in gaps):
        raise ValueError(f"gaps must be numbers in (0, 1/2], got {shown(list(gaps))}")
    pulls = [check_whole("budget", budget, 1, MAX_PULLS) for budget in budgets]
    require_short_optimum(len(gaps), max(pulls))
    private = np.array([*(shrinkage(epsilon) * gap for gap in gaps), 0.0, 0.0][:3])
    losses = _follow(_optimal_losses, private, len(gaps), max(pulls))
    return [float(losses[budget]) for budget in pulls]


@compiled
def _optimal_losses(gaps: np.ndarray, n_arms: int, last: int) -> np.ndarray:
    """Return the loss at every budget; ``value[a, b, c]`` is that of r more pulls.

    a, b and c are the arms' absolute differences of ones and zeros. An arm's error probability is
    1 / (1 + ((1/2 + g) / (1/2 - g))^a), and its next response agrees with the side that is ahead
    with probability 1/2 + g (1 - 2 error).
    """
    sizes = (last + 2, last + 2 if n_arms > 1 else 1, last + 2 if n_arms > 2 else 1)
    error, agrees = np.full((3, last + 2), 0.5), np.full((3, last + 2), 0.5)
    for k in range(n_arms):
        power = 1.0
        for a in range(last + 2):
            error[k, a] = power / (1.0 + power)
            agrees[k, a] = 0.5 + gaps[k] * (1.0 - 2.0 * error[k, a])
            power *= (0.5 - gaps[k]) / (0.5 + gaps[k])
    value, after = np.zeros(sizes), np.zeros(sizes)
    for a, b, c in np.ndindex(sizes):
        loss = error[0, a]
        if n_arms > 1:
            loss += (1.0 - loss) * error[1, b]
        if n_arms > 2:
            loss += (1.0 - loss) * error[2, c]
        value[a, b, c] = loss
    losses = np.zeros(last + 1)
    losses[0] = value[0, 0, 0]
    for r in range(1, last + 1):
        value, after = after, value
        left = last - r
        for a in range(left + 1):
            for b in range(min(left - a, sizes[1] - 1) + 1):
                for c in range(min(left - a - b, sizes[2] - 1) + 1):
                    up = agrees[0, a]
                    least = up * after[a + 1, b, c] + (1.0 - up) * after[abs(a - 1), b, c]
                    if n_arms > 1:
                        up = agrees[1, b]
                        other = up * after[a, b + 1, c] + (1.0 - up) * after[a, abs(b - 1), c]
                        least = min(least, other)
                    if n_arms > 2:
                        up = agrees[2, c]
                        other = up * after[a, b, c + 1] + (1.0 - up) * after[a, b, abs(c - 1)]
                        least = min(least, other)
                    value[a, b, c] = least
        losses[r] = value[0, 0, 0]
    return losses


# --- Algorithm 2


def fixed_confidence_error(
    instance: Instance,
    epsilon: float,
    delta: float,
    radius: str | Radius = "printed",
    max_pulls: int | None = None,
    tail: float = 1e-14,
) -> StoppedChain:
    """Exact law of Algorithm 2's answer on one arm, followed until less than ``tail`` is undecided.

    Nothing is dropped: what is undecided at the end is in the result.

    Parameters
    ----------
    instance : Instance
        A problem with one arm; its tolerance plays no part.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    delta : float
        Error probability that the radius is asked to keep, in (0, 1).
    radius : str or Radius
        One of :data:`ldpt.radii.RADII`. The default ``printed`` is the paper's, whose guarantee is
        false; ``coin`` is the valid choice.
    max_pulls : int, optional
        Stop after this many pulls even if more than ``tail`` is undecided.
    tail : float
        Probability that may be left undecided.

    Returns
    -------
    StoppedChain
        Error, expected pulls, and what is undecided after how many pulls.

    Raises
    ------
    ValueError
        If there is more than one arm, the arm lies at the threshold, delta is out of range, or,
        without ``max_pulls``, the chain would take hours.

    Examples
    --------
    >>> counterexample = Instance("counterexample", [0.95], 0.9)
    >>> round(fixed_confidence_error(counterexample, 1.0, 0.1).error, 4)
    0.3043
    >>> round(fixed_confidence_error(counterexample, 1.0, 0.1, "onesided").expected_pulls)
    2615
    """
    require_one_arm(instance)
    if not (is_number(tail) and 0 < tail < 1):
        raise ValueError(f"tail must lie strictly between 0 and 1, got {shown(tail)}")
    radius, delta = as_radius(radius), check_delta(delta)
    if max_pulls is not None:
        max_pulls = check_whole("max_pulls", max_pulls, 1, NO_LIMIT)
    else:
        hint = "; max_pulls sets where to stop"
        require_short_chain(instance, epsilon, delta, radius, hint)
    error, expected, undecided, pulls = _follow(
        _one_arm_chain,
        float(instance.private_means(epsilon)[0]),
        instance.private_threshold(epsilon),
        bool(0 in instance.above),
        radius.at(1, delta, instance.threshold, epsilon),
        float(tail),
        NO_LIMIT if max_pulls is None else max_pulls,
    )
    return StoppedChain(error, expected, undecided, pulls)


def require_one_arm(instance: Instance) -> None:
    """Refuse problems of several arms, and arms that lie at the threshold."""
    if check_instance(instance).n_arms != 1:
        raise ValueError(f"the exact chain of Algorithm 2 covers one arm, got {instance.n_arms}")
    instance.require_resolvable()


@compiled
def _one_arm_chain(
    mean: float, tau: float, above: bool, edge: Boundary, tail: float, max_pulls: int
) -> tuple[float, float, float, int]:
    """Carry P(s) of the undecided states; ``mass[i]`` belongs to s = low + i."""
    mass = np.zeros(64)
    mass[0] = 1.0
    low, size = 0, 1
    error, expected, alive, n = 0.0, 0.0, 1.0, 0
    while alive > tail and n < max_pulls:
        expected += alive
        n += 1
        if size + 1 > mass.size:
            mass = np.append(mass, np.zeros(mass.size))
        mass[size] = 0.0
        for i in range(size, 0, -1):
            mass[i] = mass[i] * (1.0 - mean) + mass[i - 1] * mean
        mass[0] *= 1.0 - mean
        size += 1
        while size > 0 and not is_undecided(edge, n, low + size - 1, n, tau):
            size -= 1
            if (low + size - n * tau >= 0) != above:
                error += mass[size]
        decided = 0
        while decided < size and not is_undecided(edge, n, low + decided, n, tau):
            if (low + decided - n * tau >= 0) != above:
                error += mass[decided]
            decided += 1
        if decided > 0:
            mass[: size - decided] = mass[decided:size].copy()
            low, size = low + decided, size - decided
        alive = mass[:size].sum()
    return error, expected, alive, n
