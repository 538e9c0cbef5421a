"""The mixture of environments that runs are drawn from: how many runs each way to err gets."""

import numpy as np

from ldpt.rare_events.kernels import Proposal
from ldpt.rare_events.paths import WaysToErr
from ldpt.util.reproducible import exp, log

NOMINAL = 0.05  # share of runs in the true environment
EVEN = 0.1  # share of runs spread evenly over the environments
CUT = 15.0  # nats beyond the cheapest way at which an environment is left out


def build_proposal(ways: WaysToErr, truth: np.ndarray, tilted: float, replicates: int) -> Proposal:
    """Ways weighted by half their excess cost, some evenly, and a few runs in the true environment.

    Half: oversampling unlikely paths costs little, undersampling gives large weights. The other
    arms are tilted with probability ``tilted``, which bounds their likelihood ratios.
    """
    excess = ways.costs - ways.costs.min()
    likely = is_likely(ways.costs)
    tempered = np.where(likely, exp(-np.minimum(excess, CUT) / 2), 0.0)
    weights = (1 - EVEN) * tempered / tempered.sum() + EVEN * likely / likely.sum()
    nominal = np.zeros((1, weights.shape[1]))
    nominal[0, -1] = NOMINAL
    counts = _allocate(np.vstack([(1 - NOMINAL) * weights, nominal]), replicates)
    is_tried = counts.sum(axis=1) > 0
    chance = np.full(ways.means.shape, tilted)
    # The arm that errs is tilted for sure.
    chance[np.arange(ways.arms.size), ways.arms] = 1.0
    counts = counts[is_tried]
    arms = np.append(ways.arms, -1)[is_tried]
    means = np.vstack([ways.means, truth])[is_tried]
    after = np.vstack([ways.after, np.full_like(nominal, truth[-1])])[is_tried]
    own = truth[arms][:, None]
    log_shares = log(counts / counts.sum())  # as allocated: so the estimate is exactly unbiased
    return Proposal(
        counts, log_shares, arms, means, after,
        np.vstack([chance, np.zeros(truth.size)])[is_tried],
        _log_quotient(means, truth), _log_quotient(1 - means, 1 - truth),
        _log_quotient(after, own), _log_quotient(1 - after, 1 - own),
    )  # fmt: skip


def is_likely(costs: np.ndarray) -> np.ndarray:
    """Return which environments are not left out for their cost."""
    return costs - costs.min() < CUT


def _allocate(weights: np.ndarray, replicates: int) -> np.ndarray:
    """Whole numbers of runs that add up to ``replicates``, as near to the weights as can be."""
    edges = np.rint(np.cumsum(weights) / weights.sum() * replicates).astype(np.int64)
    return np.diff(edges, prepend=0).reshape(weights.shape)


def _log_quotient(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """log(p / q), and 0 where both are equal, 0 included."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p == q, 0.0, log(p / q))
