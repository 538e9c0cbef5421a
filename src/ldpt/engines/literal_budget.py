"""Algorithm 1 pull by pull, as the paper lists it: the reference for the fast engine.

It runs on a random generator, on a tape, or on rewards with Laplace noise
(:mod:`ldpt.engines.sources`). Uniform allocation is here as well.
"""

import numpy as np

from ldpt.engines.indices import arm_index, first_minimum
from ldpt.engines.jit import compiled, compiled_without_refcount
from ldpt.engines.sources import Source, draw_one, draw_sum
from ldpt.policies import IndexRule


@compiled
def fixed_budget_literal(
    source: Source, means: np.ndarray, rule: IndexRule, budgets: np.ndarray,
    pulls: np.ndarray, sums: np.ndarray,
) -> None:  # fmt: skip
    """Make one run of an index policy; row c of ``pulls`` and ``sums`` is after budgets[c] pulls.

    With the index of Algorithm 1 this is Algorithm 1. Rewards with Laplace noise have sums that are
    floats, and as the noise is centred, means, threshold and tolerance are the raw ones.
    """
    n_arms = means.size
    n = np.zeros(n_arms, np.int64)
    s = np.zeros_like(sums[0])  # whole numbers, or floats with Laplace noise
    index = np.zeros(n_arms)
    t = 0
    for c in range(budgets.size):
        while t < budgets[c]:
            # Every arm once, then the arm with the least index.
            arm = t if t < n_arms else first_minimum(index)
            s[arm] += draw_one(source, arm, n[arm], means[arm])
            n[arm] += 1
            index[arm] = arm_index(rule, n[arm], s[arm])
            t += 1
        pulls[c] = n
        sums[c] = s


@compiled_without_refcount
def fixed_budget_uniform(
    source: Source, means: np.ndarray, budgets: np.ndarray, pulls: np.ndarray, sums: np.ndarray
) -> None:
    """Pull in turn: T // K pulls each, one more for the first T % K arms."""
    n_arms = means.size
    for k in range(n_arms):
        n, s = 0, 0
        for c in range(budgets.size):
            more = budgets[c] // n_arms + (1 if k < budgets[c] % n_arms else 0) - n
            s += draw_sum(source, k, n, more, means[k])
            n += more
            pulls[c, k] = n
            sums[c, k] = s
