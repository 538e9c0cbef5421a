"""Comparisons of indices in Algorithm 1, shared by the engines and the exact chains.

Two engines can only be compared bit for bit if they evaluate the same floating-point expressions.
An arm with n pulls and s positive responses is described by d = s - n tau.
"""

import math
from typing import NamedTuple

import numpy as np

from ldpt import policies
from ldpt.engines.jit import compiled, compiled_without_refcount
from ldpt.policies import IndexRule

# The learner's own function: engine and learner round alike.
arm_index = compiled(policies.index)


@compiled_without_refcount
def squared_edge(rule: IndexRule, n: float, level: float) -> float:
    """Return I^2 at which the index of an arm with n pulls reaches ``level``, rounding taken off.

    The level sets of every index are those of Algorithm 1 with another edge: with the weight w of
    the logarithm, the index is at most l if and only if I^2 <= l - w log n. Negative if no I is
    small enough.
    """
    squared = level * (1.0 - 1e-12)
    if rule.log_weight > 0.0:
        squared -= rule.log_weight * math.log(n)
    return squared if squared > 0.0 else -1.0


@compiled_without_refcount
def is_clearly_below(rule: IndexRule, n: float, s: float, squared: float) -> bool:
    """Whether I^2 is less than ``squared`` by more than rounding; takes no root, no division."""
    d = s - n * rule.tau
    reach = min(abs(d), n * (rule.cap_above if d > 0.0 else rule.cap_below)) + n * rule.zeta
    return reach * reach < (1.0 - 1e-9) * squared * n


RIGHT, WRONG, OPEN = range(3)  # verdicts on the answers at all budgets


class LossCriterion(NamedTuple):
    """The checkpoints of a fixed-budget run, and what counts as a loss at each of them."""

    budgets: np.ndarray
    must_accept: np.ndarray
    must_reject: np.ndarray


@compiled_without_refcount
def is_loss(pulls: np.ndarray, sums: np.ndarray, tau: float, criterion: LossCriterion) -> bool:
    """Whether the answer {k : s_k > n_k tau} is a loss; arms inside the band are free."""
    for k in range(pulls.size):
        returned = sums[k] > pulls[k] * tau
        if (criterion.must_accept[k] and not returned) or (criterion.must_reject[k] and returned):
            return True
    return False


@compiled_without_refcount
def judge_losses(
    pulls: np.ndarray, sums: np.ndarray, tau: float, criterion: LossCriterion, losses: np.ndarray
) -> None:
    """Fill losses[c] from the state of the arms at budgets[c], row c of pulls and sums."""
    for c in range(criterion.budgets.size):
        losses[c] = is_loss(pulls[c], sums[c], tau, criterion)


@compiled_without_refcount
def is_wrong_side(k: int, above: bool, criterion: LossCriterion) -> bool:
    """Whether returning the arm, or not, is a loss."""
    return criterion.must_reject[k] if above else criterion.must_accept[k]


@compiled_without_refcount
def first_minimum(values: np.ndarray) -> int:
    """Return the position of the smallest value, the lowest one among ties."""
    best = 0
    for k in range(1, values.size):
        if values[k] < values[best]:
            best = k
    return best
