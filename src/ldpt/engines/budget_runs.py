"""Loops over fixed-budget runs: the compiled entry points of :mod:`ldpt.simulate`."""

import numpy as np

from ldpt.engines.fast_budget import new_state
from ldpt.engines.fast_losses import run_for_losses
from ldpt.engines.indices import LossCriterion, judge_losses
from ldpt.engines.jit import compiled
from ldpt.engines.literal_budget import fixed_budget_literal, fixed_budget_uniform
from ldpt.engines.sources import LaplaceRewards
from ldpt.policies import IndexRule


@compiled
def fast_losses(
    rng: np.random.Generator,
    means: np.ndarray,
    rule: IndexRule,
    criterion: LossCriterion,
    losses: np.ndarray,
) -> None:
    """Fill losses[r, c]: whether run r of an index policy errs at budgets[c]."""
    state = new_state(means.size, criterion.budgets[-1])
    for r in range(losses.shape[0]):
        run_for_losses(rng, means, rule, criterion, state, losses[r])


@compiled
def literal_losses(
    source: np.random.Generator | LaplaceRewards, means: np.ndarray, rule: IndexRule,
    criterion: LossCriterion, sums: np.ndarray, losses: np.ndarray,
) -> None:  # fmt: skip
    """Fill losses[r, c] pull by pull; ``sums`` is a table for sums, whole numbers or floats."""
    pulls = np.zeros(sums.shape, np.int64)
    for r in range(losses.shape[0]):
        fixed_budget_literal(source, means, rule, criterion.budgets, pulls, sums)
        judge_losses(pulls, sums, rule.tau, criterion, losses[r])


@compiled
def uniform_losses(
    rng: np.random.Generator,
    means: np.ndarray,
    tau: float,
    criterion: LossCriterion,
    losses: np.ndarray,
) -> None:
    """Fill losses[r, c] for uniform allocation."""
    pulls, sums = np.zeros((2, criterion.budgets.size, means.size), np.int64)
    for r in range(losses.shape[0]):
        fixed_budget_uniform(rng, means, criterion.budgets, pulls, sums)
        judge_losses(pulls, sums, tau, criterion, losses[r])
