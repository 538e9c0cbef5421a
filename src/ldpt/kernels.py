"""Compiled engines for both algorithms: one run, and loops over runs.

Every function here works on the *private* means, threshold and tolerance: an arm's responses are
i.i.d. Bernoulli(mu_eps) whatever its rewards are (Lemma 2.1), so nothing else is needed.

Two engines an algorithm. The *literal* ones, in this file, make one pull at a time and read like the
paper's listings. The *fast* ones, :mod:`ldpt.fast_budget` and :mod:`ldpt.fast_confidence`, jump
over pulls between which the algorithm has no choice. They are exact: the same law, and on the same
tape of responses the same run. Read them in the order :mod:`ldpt.responses` (what an engine may ask),
:mod:`ldpt.stretches` (how far it may jump), then the engine.
"""

import numpy as np

from ldpt.compiled import compiled
from ldpt.fast_budget import fixed_budget_fast, fixed_budget_uniform
from ldpt.fast_confidence import fixed_confidence_fast
from ldpt.responses import Source, draw_one
from ldpt.rules import arm_index, first_minimum, is_loss, is_undecided

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


# --- One run, pull by pull


@compiled
def fixed_budget_literal(
    source: Source, means: np.ndarray, tau: float, zeta: float, budgets: np.ndarray,
    pulls: np.ndarray, sums: np.ndarray,
) -> None:  # fmt: skip
    """One run of Algorithm 1; row c of ``pulls`` and ``sums``: the arms after budgets[c] pulls."""
    n_arms = means.size
    n = np.zeros(n_arms, np.int64)
    s = np.zeros(n_arms, np.int64)
    index = np.zeros(n_arms)
    t = 0
    for c in range(budgets.size):
        while t < budgets[c]:
            arm = t if t < n_arms else first_minimum(index)
            s[arm] += draw_one(source, arm, n[arm], means[arm])
            n[arm] += 1
            index[arm] = arm_index(n[arm], s[arm], tau, zeta)
            t += 1
        pulls[c] = n
        sums[c] = s


@compiled
def fixed_budget_laplace(
    rng: np.random.Generator, means: np.ndarray, tau: float, zeta: float, scale: float,
    budgets: np.ndarray, pulls: np.ndarray, sums: np.ndarray,
) -> None:  # fmt: skip
    """Algorithm 1 on Bernoulli rewards with Laplace noise instead of PrivBern responses.

    The noise is centred, so means, threshold and tolerance are the raw ones and sums are floats.
    """
    n_arms = means.size
    n = np.zeros(n_arms, np.int64)
    s = np.zeros(n_arms)
    index = np.zeros(n_arms)
    t = 0
    for c in range(budgets.size):
        while t < budgets[c]:
            arm = t if t < n_arms else first_minimum(index)
            reward = 1.0 if rng.random() < means[arm] else 0.0
            s[arm] += reward + rng.laplace(0.0, scale)
            n[arm] += 1
            index[arm] = arm_index(n[arm], s[arm], tau, zeta)
            t += 1
        pulls[c] = n
        sums[c] = s


@compiled
def fixed_confidence_literal(
    source: Source, means: np.ndarray, tau: float, code: int, level: float, rho: float,
    max_pulls: int, pulls: np.ndarray, sums: np.ndarray,
) -> int:  # fmt: skip
    """One run of Algorithm 2: its stopping time, or -1 if undecided after ``max_pulls``."""
    n_arms = means.size
    for k in range(n_arms):
        pulls[k] = 1
        sums[k] = draw_one(source, k, 0, means[k])
    t = n_arms
    while True:
        arm = -1
        for k in range(n_arms):
            if (arm < 0 or pulls[k] < pulls[arm]) and is_undecided(
                code, pulls[k], sums[k], t, tau, level, rho
            ):
                arm = k
        if arm < 0:
            return t
        if t >= max_pulls:
            return -1
        sums[arm] += draw_one(source, arm, pulls[arm], means[arm])
        pulls[arm] += 1
        t += 1


# --- Many runs


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
