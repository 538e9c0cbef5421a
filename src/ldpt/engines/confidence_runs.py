"""Loops over runs of Algorithm 2: the compiled entry point of :mod:`ldpt.simulate`."""

from typing import NamedTuple

import numpy as np

from ldpt.engines.boundaries import Arms
from ldpt.engines.fast_confidence import new_state, run_to_decision
from ldpt.engines.jit import compiled
from ldpt.engines.literal_confidence import fixed_confidence_literal
from ldpt.engines.pull_order import new_groups
from ldpt.radii import Boundary

MAX_ARMS = 10**5  # sets of arms take K^2 bits, and keys of pulls 62 bits


class Runs(NamedTuple):
    """Output arrays of many runs of Algorithm 2: one row per run, one column per arm."""

    stopping_times: np.ndarray
    pulls: np.ndarray
    sums: np.ndarray

    @classmethod
    def empty(cls, replicates: int, n_arms: int) -> "Runs":
        """Return arrays to be filled by :func:`fixed_confidence_runs`."""
        pulls, sums = np.empty((2, replicates, n_arms), np.int64)
        return cls(np.empty(replicates, np.int64), pulls, sums)


@compiled
def fixed_confidence_runs(
    rng: np.random.Generator, fast: bool, arms: Arms, edge: Boundary, max_pulls: int, runs: Runs
) -> None:
    """Fill every run; a stopping time is -1 if the run was undecided after ``max_pulls``."""
    state = new_state(arms.means.size)
    groups = new_groups(arms.means.size)
    for r in range(runs.stopping_times.size):
        if fast:
            time = run_to_decision(rng, arms, edge, max_pulls, state, groups)
        else:
            time = fixed_confidence_literal(rng, arms, edge, max_pulls, state.pulls, state.sums)
        runs.stopping_times[r], runs.pulls[r], runs.sums[r] = time, state.pulls, state.sums
