"""Loops over runs: the compiled entry points of :mod:`ldpt.simulate`."""

from typing import NamedTuple

import numpy as np

from ldpt.engines.decisions import Arms, Judge, arm_index, first_minimum, is_loss, is_undecided
from ldpt.engines.fast_budget import fixed_budget_fast, new_state
from ldpt.engines.fast_confidence import fixed_confidence_fast, new_room, run_to_decision
from ldpt.engines.fast_losses import run_for_losses
from ldpt.engines.jit import compiled
from ldpt.engines.reference import (
    fixed_budget_laplace,
    fixed_budget_literal,
    fixed_budget_uniform,
    fixed_confidence_literal,
)
from ldpt.engines.short_runs import new_short_runs
from ldpt.policies import IndexRule
from ldpt.radii import Boundary

__all__ = [
    "arm_index",
    "first_minimum",
    "fixed_budget_fast",
    "fixed_budget_laplace",
    "fixed_budget_literal",
    "fixed_budget_uniform",
    "fixed_confidence_fast",
    "fixed_confidence_literal",
    "fixed_confidence_runs",
    "index_losses",
    "is_loss",
    "is_undecided",
    "laplace_losses",
    "uniform_losses",
]


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
        short = new_short_runs(means, rule, judge)
        for r in range(losses.shape[0]):
            run_for_losses(rng, means, rule, judge, short, state, losses[r])
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


class Runs(NamedTuple):
    """What runs of Algorithm 2 are filled into: one row per run, one column per arm."""

    stopping_times: np.ndarray
    pulls: np.ndarray
    sums: np.ndarray


@compiled
def fixed_confidence_runs(
    rng: np.random.Generator, fast: bool, arms: Arms, edge: Boundary, limit: np.ndarray, runs: Runs
) -> None:
    """Fill every run; a stopping time is -1 if the run was undecided after ``limit[0]`` pulls.

    Another thread ends the loop, and the run that it is in, by setting the limit to 0.
    """
    room = new_room(arms.means.size)
    for r in range(runs.stopping_times.size):
        if limit[0] == 0:
            return
        row = runs.pulls[r], runs.sums[r]
        if fast:
            runs.stopping_times[r] = run_to_decision(rng, arms, edge, limit, room, *row)
        else:
            runs.stopping_times[r] = fixed_confidence_literal(rng, arms, edge, limit, *row)
