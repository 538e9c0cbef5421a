"""Algorithm 2 pull by pull, as the paper lists it: the reference for the fast engine.

It runs on a random generator or on a tape (:mod:`ldpt.engines.sources`).
"""

import numpy as np

from ldpt.engines.boundaries import Arms, is_undecided
from ldpt.engines.jit import compiled_without_refcount
from ldpt.engines.sources import Source, draw_one
from ldpt.radii import Boundary


@compiled_without_refcount
def fixed_confidence_literal(
    source: Source, arms: Arms, edge: Boundary, max_pulls: int, pulls: np.ndarray,
    sums: np.ndarray,
) -> int:  # fmt: skip
    """Make one run of Algorithm 2: its stopping time, or -1 if undecided after ``max_pulls``."""
    means, tau = arms.means, arms.tau
    n_arms = means.size
    for k in range(n_arms):
        pulls[k] = 1
        sums[k] = draw_one(source, k, 0, means[k])
    t = n_arms
    while True:
        # The undecided arm with the fewest pulls, the lowest index among ties.
        arm, fewest = -1, t + 1
        for k in range(n_arms):
            if pulls[k] < fewest and is_undecided(edge, pulls[k], sums[k], t, tau):
                arm, fewest = k, pulls[k]
        if arm < 0:
            return t
        if t >= max_pulls:
            return -1
        sums[arm] += draw_one(source, arm, pulls[arm], means[arm])
        pulls[arm] += 1
        t += 1
