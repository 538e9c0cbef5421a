"""Loops over runs: the compiled entry points of :mod:`ldpt.simulate`."""

import numpy as np

from ldpt.engines.decisions import arm_index, first_minimum, is_loss, is_undecided
from ldpt.engines.fast_budget import fixed_budget_fast
from ldpt.engines.fast_confidence import fixed_confidence_fast
from ldpt.engines.jit import compiled
from ldpt.engines.reference import (
    fixed_budget_laplace,
    fixed_budget_literal,
    fixed_budget_uniform,
    fixed_confidence_literal,
)

__all__ = [
    "FAST",
    "LITERAL",
    "UNIFORM",
    "arm_index",
    "first_minimum",
    "fixed_budget_fast",
    "fixed_budget_laplace",
    "fixed_budget_literal",
    "fixed_budget_losses",
    "fixed_budget_uniform",
    "fixed_confidence_fast",
    "fixed_confidence_literal",
    "fixed_confidence_runs",
    "is_loss",
    "is_undecided",
    "laplace_losses",
]

LITERAL, FAST, UNIFORM = 0, 1, 2


@compiled
def fixed_budget_losses(
    rng: np.random.Generator, engine_code: int, means: np.ndarray, tau: float, zeta: float,
    budgets: np.ndarray, must_accept: np.ndarray, must_reject: np.ndarray, losses: np.ndarray,
) -> None:  # fmt: skip
    """Fill losses[r, c]: whether run r errs at budgets[c]; engine LITERAL, FAST or UNIFORM."""
    pulls = np.zeros((budgets.size, means.size), np.int64)
    sums = np.zeros((budgets.size, means.size), np.int64)
    for r in range(losses.shape[0]):
        if engine_code == LITERAL:
            fixed_budget_literal(rng, means, tau, zeta, budgets, pulls, sums)
        elif engine_code == FAST:
            fixed_budget_fast(rng, means, tau, zeta, budgets, pulls, sums)
        else:
            fixed_budget_uniform(rng, means, budgets, pulls, sums)
        for c in range(budgets.size):
            losses[r, c] = is_loss(pulls[c], sums[c], tau, must_accept, must_reject)


@compiled
def laplace_losses(
    rng: np.random.Generator, means: np.ndarray, tau: float, zeta: float, scale: float,
    budgets: np.ndarray, must_accept: np.ndarray, must_reject: np.ndarray, losses: np.ndarray,
) -> None:  # fmt: skip
    """Fill losses[r, c] for the Laplace baseline."""
    pulls = np.zeros((budgets.size, means.size), np.int64)
    sums = np.zeros((budgets.size, means.size))
    for r in range(losses.shape[0]):
        fixed_budget_laplace(rng, means, tau, zeta, scale, budgets, pulls, sums)
        for c in range(budgets.size):
            losses[r, c] = is_loss(pulls[c], sums[c], tau, must_accept, must_reject)


@compiled
def fixed_confidence_runs(
    rng: np.random.Generator, fast: bool, means: np.ndarray, tau: float, code: int, level: float,
    rho: float, max_pulls: int, stopping_times: np.ndarray, pulls: np.ndarray, sums: np.ndarray,
) -> None:  # fmt: skip
    """Fill a row a run: stopping time (-1 if undecided at ``max_pulls``), pulls and sums by arm."""
    for r in range(stopping_times.size):
        if fast:
            stopping_times[r] = fixed_confidence_fast(
                rng, means, tau, code, level, rho, max_pulls, pulls[r], sums[r]
            )
        else:
            stopping_times[r] = fixed_confidence_literal(
                rng, means, tau, code, level, rho, max_pulls, pulls[r], sums[r]
            )
