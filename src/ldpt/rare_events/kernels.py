"""Compiled runs of both algorithms in tilted environments, with their log importance weights.

A mixture of environments c in stages m, as :mod:`ldpt.rare_events` builds it: counts[c, m] runs;
arm j has means[c, j] with probability chance[c, j], else its true mean; the erring arm arms[c]
(-1: none) has means[c, arms[c]] for sure up to the end of stage m and after[c, m] from then on.
Likelihood ratios need the pulls and positive responses at the ends of the stages only.
"""

from typing import NamedTuple

import numpy as np

from ldpt.engines.arithmetic import log1p, small_exp
from ldpt.engines.boundaries import Arms
from ldpt.engines.fast_budget import new_state, run_to_budgets
from ldpt.engines.fast_confidence import new_state as new_confidence_state
from ldpt.engines.fast_confidence import run_to_decision
from ldpt.engines.indices import LossCriterion, is_loss
from ldpt.engines.jit import compiled, compiled_without_refcount
from ldpt.engines.pull_order import new_groups
from ldpt.policies import IndexRule
from ldpt.radii import Boundary

SMALL = 1e-3  # product whose logarithm is taken before it loses digits


class Proposal(NamedTuple):
    """What compiled code must know of the mixture of environments; the last four are log ratios to
    the truth of a response 1 and a response 0, to the end of the stage and after it."""

    counts: np.ndarray
    log_shares: np.ndarray
    arms: np.ndarray
    means: np.ndarray
    after: np.ndarray
    chance: np.ndarray
    ones: np.ndarray
    zeros: np.ndarray
    after_ones: np.ndarray
    after_zeros: np.ndarray


@compiled
def budget_log_weights(
    rng: np.random.Generator,
    proposal: Proposal,
    truth: np.ndarray,
    rule: IndexRule,
    criterion: LossCriterion,
) -> np.ndarray:
    """Log weight of each run of an index policy to its last budget, -inf where it does not err.

    The budgets are the ends of the stages.
    """
    ends = criterion.budgets
    pulls = np.zeros((ends.size, truth.size), np.int64)
    sums = np.zeros((ends.size, truth.size), np.int64)
    stages = np.empty((ends.size, truth.size))
    state = new_state(truth.size, ends[-1])
    log_weights = np.full(proposal.counts.sum(), -np.inf)
    r = 0
    for c in range(proposal.arms.size):
        for m in range(ends.size):
            for _ in range(proposal.counts[c, m]):
                draw_means(rng, proposal.means[c], proposal.chance[c], truth, stages[0])
                # Stages differ in the arm that errs only.
                stages[1:] = stages[0]
                if proposal.arms[c] >= 0:
                    stages[m + 1 :, proposal.arms[c]] = proposal.after[c, m]
                run_to_budgets(rng, stages, rule, ends, state, pulls, sums)
                if is_loss(pulls[-1], sums[-1], rule.tau, criterion):
                    log_weights[r] = -log_ratio(pulls, sums, proposal)
                r += 1
    return log_weights


@compiled
def confidence_log_weights(
    rng: np.random.Generator, proposal: Proposal, truth: Arms, edge: Boundary, max_pulls: int,
    above: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Log weight of each run of Algorithm 2, -inf where its answer is right."""
    arms = Arms(np.empty(above.size), truth.tau)
    state = new_confidence_state(above.size)
    groups = new_groups(above.size)
    n = state.pulls.reshape((1, above.size))
    s = state.sums.reshape((1, above.size))
    log_weights = np.full(proposal.counts.sum(), -np.inf)
    r = 0
    for c in range(proposal.arms.size):
        for _ in range(proposal.counts[c, 0]):
            draw_means(rng, proposal.means[c], proposal.chance[c], truth.means, arms.means)
            run_to_decision(rng, arms, edge, max_pulls, state, groups)
            if np.any((s[0] - n[0] * truth.tau >= 0) != above):
                log_weights[r] = -log_ratio(n, s, proposal)
            r += 1
    return log_weights


@compiled_without_refcount
def draw_means(
    rng: np.random.Generator, means: np.ndarray, chance: np.ndarray, truth: np.ndarray,
    arms: np.ndarray,
) -> None:  # fmt: skip
    """Fill ``arms``: arm j is tilted with probability chance[j]."""
    for j in range(truth.size):
        arms[j] = means[j] if rng.random() < chance[j] else truth[j]


@compiled_without_refcount
def log_ratio(n: np.ndarray, s: np.ndarray, proposal: Proposal) -> float:
    """Log of the mixture's likelihood over the true one; row m: state at the end of stage m."""
    last = n.shape[0] - 1
    top, total = -np.inf, 0.0
    for c in range(proposal.arms.size):
        k = proposal.arms[c]
        others = log_ratio_of_others(n[last], s[last], c, proposal)
        for m in range(n.shape[0]):
            value = proposal.log_shares[c, m] + others
            if value == -np.inf:
                continue
            if k >= 0:
                n1, s1 = n[m, k], s[m, k]
                # Responses after the end of the stage have another mean.
                n2, s2 = n[last, k] - n1, s[last, k] - s1
                value += times(s1, proposal.ones[c, k]) + times(n1 - s1, proposal.zeros[c, k])
                value += times(s2, proposal.after_ones[c, m])
                value += times(n2 - s2, proposal.after_zeros[c, m])
            # A sum of exponentials relative to the largest so far: none of them overflows.
            if value > top:
                total = total * small_exp(top - value) + 1.0
                top = value
            else:
                total += small_exp(value - top)
    return top + log1p(total - 1.0)


@compiled_without_refcount
def log_ratio_of_others(n: np.ndarray, s: np.ndarray, c: int, proposal: Proposal) -> float:
    """Return the factor of the arms that need not err, each tilted or not."""
    value, product = 0.0, 1.0
    for j in range(n.size):
        chance = proposal.chance[c, j]
        if j != proposal.arms[c] and chance > 0.0:
            tilt = times(s[j], proposal.ones[c, j]) + times(n[j] - s[j], proposal.zeros[c, j])
            if tilt > 0.0:  # chance e^tilt + 1 - chance without overflow
                value += tilt
                product *= chance + (1.0 - chance) * small_exp(-tilt)
            else:
                product *= chance * small_exp(tilt) + 1.0 - chance
            if product < SMALL:
                value += log1p(product - 1.0)
                product = 1.0
    return value + log1p(product - 1.0)


@compiled_without_refcount
def times(count: int, log_quotient: float) -> float:
    """Return the log of a quotient to the power ``count``, which is 0 at 0 even for -inf."""
    return count * log_quotient if count > 0 else 0.0
