"""Loops over fixed-budget runs: the compiled entry points of :mod:`ldpt.simulate`."""

import numpy as np

from ldpt.engines.fast_budget import new_state
from ldpt.engines.fast_losses import run_for_losses
from ldpt.engines.indices import Judge, is_loss
from ldpt.engines.jit import compiled
from ldpt.engines.literal_budget import (
    fixed_budget_laplace,
    fixed_budget_literal,
    fixed_budget_uniform,
)
from ldpt.policies import IndexRule


@compiled
def index_losses(
    rng: np.random.Generator, fast: bool, means: np.ndarray, rule: IndexRule, judge: Judge,
    losses: np.ndarray,
) -> None:  # fmt: skip
    """Fill losses[r, c]: whether run r of an index policy errs at budgets[c]."""
    pulls = np.zeros((judge.budgets.size, means.size), np.int64)
    sums = np.zeros((judge.budgets.size, means.size), np.int64)
    state = new_state(means.size, judge.budgets[-1] if fast else 0)
    if fast:
        for r in range(losses.shape[0]):
            run_for_losses(rng, means, rule, judge, state, losses[r])
        return
    for r in range(losses.shape[0]):
        fixed_budget_literal(rng, means, rule, judge.budgets, pulls, sums)
        for c in range(judge.budgets.size):
            losses[r, c] = is_loss(pulls[c], sums[c], rule.tau, judge)


@compiled
def uniform_losses(
    rng: np.random.Generator, means: np.ndarray, tau: float, judge: Judge, losses: np.ndarray
) -> None:
    """Fill losses[r, c] for uniform allocation."""
    pulls = np.zeros((judge.budgets.size, means.size), np.int64)
    sums = np.zeros((judge.budgets.size, means.size), np.int64)
    for r in range(losses.shape[0]):
        fixed_budget_uniform(rng, means, judge.budgets, pulls, sums)
        for c in range(judge.budgets.size):
            losses[r, c] = is_loss(pulls[c], sums[c], tau, judge)


@compiled
def laplace_losses(
    rng: np.random.Generator, means: np.ndarray, rule: IndexRule, scale: float, judge: Judge,
    losses: np.ndarray,
) -> None:  # fmt: skip
    """Fill losses[r, c] for the Laplace baseline."""
    pulls = np.zeros((judge.budgets.size, means.size), np.int64)
    sums = np.zeros((judge.budgets.size, means.size))
    for r in range(losses.shape[0]):
        fixed_budget_laplace(rng, means, rule, scale, judge.budgets, pulls, sums)
        for c in range(judge.budgets.size):
            losses[r, c] = is_loss(pulls[c], sums[c], rule.tau, judge)
