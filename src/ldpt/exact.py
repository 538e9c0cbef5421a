"""Error probabilities without randomness: dynamic programs over the states of an arm.

Algorithm 1 on one or two arms, and Algorithm 2 on one arm, have so few states that the probability
of each can be carried from pull to pull. The programs use the engines' own comparisons, so
that they are oracles for them. :mod:`ldpt.replication.certificate` goes further: it is a proof.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ldpt import limits
from ldpt.checks import check_delta, check_whole, is_number, supporting
from ldpt.engines.boundaries import is_undecided
from ldpt.engines.indices import LossCriterion, arm_index, is_wrong_side
from ldpt.engines.jit import compiled
from ldpt.instances import Instance, check_instance
from ldpt.policies import POLICIES, IndexRule, check_policy
from ldpt.privacy import shrinkage
from ldpt.radii import Boundary, Radius, as_radius
from ldpt.util.messages import shown
from ldpt.util.threads import run_jobs

__all__ = ["fixed_budget_loss", "fixed_confidence_error", "optimal_loss"]


class StoppedChain(NamedTuple):
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
    """Return :func:`fixed_budget_loss` at several budgets, in any order."""
    row = check_policy(policy, supporting(POLICIES, "exact"))
    if check_instance(instance).n_arms > 2:
        raise ValueError(f"the exact loss covers one or two arms, got {instance.n_arms}")
    budgets = [check_whole("budget", t, 2 * instance.n_arms, limits.MAX_PULLS) for t in budgets]
    adaptive = instance.n_arms == 2 and row.log_weight is not None
    limits.require_short_budget(instance, epsilon, max(budgets), adaptive)
    means = instance.private_means(epsilon)
    rule = row.rule(instance.threshold, instance.tolerance, epsilon)
    grid, places = np.unique(budgets, return_inverse=True)
    criterion = LossCriterion(grid, instance.must_accept, instance.must_reject)
    losses = _follow(_adaptive_losses if adaptive else _uniform_losses, means, rule, criterion)
    return losses[places].tolist()


def _follow(chain: Callable[..., Any], *arguments: Any) -> Any:
    """Follow a chain in another thread, so that Ctrl-C is handled at once."""
    return run_jobs([partial(chain, *arguments)])[0]


@compiled
def _uniform_losses(means: np.ndarray, rule: IndexRule, criterion: LossCriterion) -> np.ndarray:
    """Return the losses of one arm, or of arms that are pulled in turn: they err independently."""
    losses = np.zeros(criterion.budgets.size)
    for place, budget in enumerate(criterion.budgets):
        for k, mean in enumerate(means):
            pulls = budget // means.size + (1 if k < budget % means.size else 0)
            mass = np.zeros(pulls + 1)
            mass[0] = 1.0
            for n in range(pulls):
                for s in range(n, -1, -1):
                    mass[s + 1] += mass[s] * mean
                    mass[s] *= 1.0 - mean
            wrong = 0.0
            for s in range(pulls + 1):
                if is_wrong_side(k, s > pulls * rule.tau, criterion):
                    wrong += mass[s]
            losses[place] += (1.0 - losses[place]) * wrong  # 1 - (1 - loss) would underflow
    return losses


@compiled
def _adaptive_losses(means: np.ndarray, rule: IndexRule, criterion: LossCriterion) -> np.ndarray:
    """Carry P(n_1, s_1, s_2) of an index policy from pull to pull in place; n_2 = t - n_1.

    States are visited from high n_1 to low, so that mass moves only to states that this pull has
    visited already.
    """
    last = criterion.budgets[-1]
    index = np.zeros((last, last + 1))
    for n in range(1, last):
        for s in range(n + 1):
            index[n, s] = arm_index(rule, n, s)
    mass = [np.zeros((n1 + 1, last - n1 + 1)) for n1 in range(last)]  # mass[n_1][s_1, s_2]
    for s1 in range(2):
        for s2 in range(2):
            first = means[0] if s1 else 1.0 - means[0]
            mass[1][s1, s2] = first * (means[1] if s2 else 1.0 - means[1])
    losses = np.zeros(criterion.budgets.size)
    place = 0
    stay = np.zeros(last + 2)
    for t in range(2, last):
        for n1 in range(t - 1, 0, -1):
            n2, states, pulled = t - n1, mass[n1], mass[n1 + 1]
            for s1 in range(n1 + 1):
                indices = index[n2, : n2 + 1], index[n1, s1]
                _pull(states[s1], pulled[s1], pulled[s1 + 1], indices, means, stay)
        if t + 1 == criterion.budgets[place]:
            losses[place] = _mass_of_losses(mass, t + 1, rule.tau, criterion)
            place += 1
    return losses


@compiled
def _pull(
    states: np.ndarray,
    zero: np.ndarray,
    one: np.ndarray,
    indices: tuple[np.ndarray, float],
    means: np.ndarray,
    stay: np.ndarray,
) -> None:
    """Pull once in all states with the same n_1, s_1 and n_2; ``indices`` are of arm 2 and arm 1.

    Mass stays in ``states`` if arm 2 is pulled, and goes to ``zero`` and ``one`` by the response of
    arm 1 otherwise. Loops without branches and with room for s_2 - 1 in ``kept``: LLVM vectorises
    them.
    """
    seconds, first = indices
    for s2 in range(seconds.size):
        stays = seconds[s2] < first
        stay[s2 + 1] = states[s2] if stays else 0.0
        moved = 0.0 if stays else states[s2]
        zero[s2] += moved * (1.0 - means[0])
        one[s2] += moved * means[0]
    stay[seconds.size + 1] = 0.0
    for s2 in range(seconds.size + 1):
        states[s2] = stay[s2 + 1] * (1.0 - means[1]) + stay[s2] * means[1]


@compiled
def _mass_of_losses(
    mass: list[np.ndarray], budget: int, tau: float, criterion: LossCriterion
) -> float:
    loss = 0.0
    for n1 in range(1, budget):
        n2 = budget - n1
        for s1 in range(n1 + 1):
            errs = is_wrong_side(0, s1 > n1 * tau, criterion)
            for s2 in range(n2 + 1):
                if errs or is_wrong_side(1, s2 > n2 * tau, criterion):
                    loss += mass[n1][s1, s2]
    return loss


def optimal_loss(gaps: Sequence[float], epsilon: float, budget: int) -> float:
    """Return the least average loss over mirror images of any eps-LDP algorithm, tau = 1/2.

    Each of two arms has mean 1/2 + gap or 1/2 - gap; the gaps are known, the sides are not. No
    algorithm has a smaller loss, averaged over the four combinations of sides, than the
    Bayes-optimal one, which is found by a dynamic program: given the responses, the sides are
    independent, and each depends on the difference of ones and zeros of its arm alone.

    Parameters
    ----------
    gaps : sequence of float
        Distances of the two means from 1/2, in (0, 1/2].
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
    """Return :func:`optimal_loss` at several budgets, in any order."""
    if len(gaps) != 2 or not all(is_number(gap) and 0 < gap <= 0.5 for gap in gaps):
        raise ValueError(f"gaps must be two numbers in (0, 1/2], got {shown(list(gaps))}")
    budgets = [check_whole("budget", budget, 1, limits.MAX_OPTIMUM) for budget in budgets]
    losses = _follow(_optimal_losses, shrinkage(epsilon) * np.array(gaps), max(budgets))
    return losses[budgets].tolist()


@compiled
def _optimal_losses(gaps: np.ndarray, last: int) -> np.ndarray:
    """Return the loss at every budget; ``value[a, b]`` is that of r more pulls.

    a and b are the arms' absolute differences of ones and zeros. An arm's error probability is
    1 / (1 + ((1/2 + g) / (1/2 - g))^a), and its next response agrees with the side that is ahead
    with probability 1/2 + g (1 - 2 error).
    """
    error, agrees = np.empty((2, 2, last + 2))
    for k in range(2):
        power = 1.0
        for a in range(last + 2):
            error[k, a] = power / (1.0 + power)
            agrees[k, a] = 0.5 + gaps[k] * (1.0 - 2.0 * error[k, a])
            power *= (0.5 - gaps[k]) / (0.5 + gaps[k])
    after = np.empty((last + 2, last + 2))
    value = error[0][:, None] + (1.0 - error[0])[:, None] * error[1][None, :]
    losses = np.zeros(last + 1)
    losses[0] = value[0, 0]
    for r in range(1, last + 1):
        value, after = after, value
        for a in range(last - r + 1):
            for b in range(last - r - a + 1):
                up = agrees[0, a]
                first = up * after[a + 1, b] + (1.0 - up) * after[abs(a - 1), b]
                up = agrees[1, b]
                second = up * after[a, b + 1] + (1.0 - up) * after[a, abs(b - 1)]
                value[a, b] = min(first, second)
        losses[r] = value[0, 0]
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
        Target error probability of the radius, in (0, 1).
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
        If there is more than one arm, the arm lies at the threshold, delta is out of range, or
        the chain would take hours.

    Examples
    --------
    >>> counterexample = Instance("counterexample", [0.95], 0.9)
    >>> round(fixed_confidence_error(counterexample, 1.0, 0.1).error, 4)
    0.3043
    >>> round(fixed_confidence_error(counterexample, 1.0, 0.1, "onesided").expected_pulls)
    2615
    """
    if check_instance(instance).n_arms != 1:
        raise ValueError(f"the exact chain of Algorithm 2 covers one arm, got {instance.n_arms}")
    limits.require_private_gaps(instance, epsilon)
    if not (is_number(tail) and 0 < tail < 1):
        raise ValueError(f"tail must lie strictly between 0 and 1, got {shown(tail)}")
    radius = as_radius(radius, "exact")
    delta = check_delta(delta)
    most = limits.NO_LIMIT if max_pulls is None else max_pulls
    most = check_whole("max_pulls", most, 1, limits.NO_LIMIT)
    hint = "; max_pulls limits it" if max_pulls is None else "; a smaller max_pulls costs less"
    limits.require_short_chain(instance, epsilon, delta, radius, hint, most)
    mean = instance.private_means(epsilon)[0]
    tau = instance.private_threshold(epsilon)
    edge = radius.at(1, delta, instance.threshold, epsilon)
    chain = (mean, tau, 0 in instance.above, edge, float(tail), most, np.empty(0))
    return StoppedChain(*_follow(stopping_chain, *chain)[:4])


@compiled
def stopping_chain(
    mean: float, tau: float, above: bool, edge: Boundary, tail: float, max_pulls: int,
    law: np.ndarray,
) -> tuple[float, float, float, int, np.ndarray]:  # fmt: skip
    """Carry P(s) of the undecided states; ``mass[i]`` belongs to s = low + i.

    Return the probability of a wrong verdict, the mean pulls, the probability to be undecided after
    n pulls, n, and P(the arm stops after i pulls) for every i if ``law`` has room to begin with.
    """
    mass = np.zeros(64)
    mass[0] = 1.0
    low, size = 0, 1
    error, expected, alive, n = 0.0, 0.0, 1.0, 0
    while alive > tail and n < max_pulls:
        expected += alive
        n += 1
        if size + 1 > mass.size:
            mass = np.append(mass, np.zeros(mass.size))
        if 0 < law.size <= n:
            law = np.append(law, np.zeros(law.size))
        mass[size] = 0.0
        for i in range(size, 0, -1):
            mass[i] = mass[i] * (1.0 - mean) + mass[i - 1] * mean
        mass[0] *= 1.0 - mean
        size += 1
        while size > 0 and not is_undecided(edge, n, low + size - 1, n, tau):
            size -= 1
            if law.size > 0:
                law[n] += mass[size]
            if (low + size - n * tau >= 0) != above:
                error += mass[size]
        decided = 0
        while decided < size and not is_undecided(edge, n, low + decided, n, tau):
            if law.size > 0:
                law[n] += mass[decided]
            if (low + decided - n * tau >= 0) != above:
                error += mass[decided]
            decided += 1
        if decided > 0:
            mass[: size - decided] = mass[decided:size].copy()
            low, size = low + decided, size - decided
        alive = mass[:size].sum()
    return error, expected, alive, n, law[: n + 1]


def law_after_response(law: np.ndarray, mean: float) -> np.ndarray:
    """Return the law of a number of ones after one more response with this mean."""
    longer = np.append(law * (1 - mean), 0.0)
    longer[1:] += law * mean
    return longer
