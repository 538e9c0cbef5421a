"""Checks of the appendix: inequalities for one tape, with exact probabilities.

The bounds of the appendix rest on inequalities for one random walk: three lemmas on its index and
Ville's inequality for the mixtures. :func:`check_chains` compares each with a probability that is
computed by dynamic programming over (n, s), and returns a table like
:func:`ldpt.replication.claims.tapes.check_tapes`.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import log_ndtr

from ldpt.exact import law_after_response
from ldpt.radii import Radius, upper
from ldpt.replication.claims.tapes import checked
from ldpt.util.reproducible import exp, log, power

HORIZON = 1200  # of a chain
NEGLIGIBLE = 1e-40  # mass of a state at the rim of a chain


def check_chains(chains: int = 300, seed: int = 1, exponent: float = 1.0) -> pd.DataFrame:
    """Compare exact probabilities with Lemmas Y, V and E and with both mixtures' levels.

    Parameters
    ----------
    chains
        Number of random chains per statement.
    seed
        Of the parameters of the chains; the probabilities themselves are not simulated.
    exponent
        Power to which the bounds' exponential is raised; the statements have 1. A test plants a
        fault by passing more.

    Returns
    -------
    pandas.DataFrame
        One row per statement. Chains are followed to a finite horizon, which can only make the
        probabilities smaller.
    """
    rows = []
    for number, (name, draw) in enumerate(CHAINS.items()):
        rng = np.random.default_rng([seed, number])
        ratios: list[float] = []
        while len(ratios) < chains:
            chain, factor, bound = draw(rng)
            if factor * bound < 1:  # otherwise there is nothing to check
                ratios.append(probability(chain) / (factor * power(bound, exponent)))
        rows.append(checked(name, np.array(ratios)))
    return pd.DataFrame(rows)


Event = Callable[[int, np.ndarray], Any]  # of n and d at every s: where it happens


@dataclass(frozen=True)
class Chain:
    """A walk d_n = s - n tau of responses with one mean, and an event once it is armed."""

    mean: float
    tau: float
    horizon: int
    armed: Event
    event_holds: Event


def probability(chain: Chain) -> float:
    """Return the probability that, within the horizon, the event holds once the walk is armed.

    Exact but for states at the rim whose mass is below ``NEGLIGIBLE``, which are dropped.
    """
    # at s = low, low + 1, ...
    mass = (np.array([1.0]), np.array([0.0]))
    low = 0
    struck = 0.0
    for n in range(1, chain.horizon + 1):
        waiting, ready = (law_after_response(part, chain.mean) for part in mass)
        d = np.arange(low, low + waiting.size) - n * chain.tau
        arming = chain.armed(n, d)
        ready += np.where(arming, waiting, 0.0)
        waiting *= np.logical_not(arming)
        hit = chain.event_holds(n, d)
        struck += ready[hit].sum()
        ready[hit] = 0.0
        heavy = np.flatnonzero(waiting + ready >= NEGLIGIBLE)
        if heavy.size == 0:
            break
        window = slice(heavy[0], heavy[-1] + 1)
        mass = (waiting[window], ready[window])
        low = low + int(heavy[0])
    return float(struck)


Drawn = tuple[Chain, float, float]  # the chain, and its bound as a factor times an exponential


def _draw_arm(rng: np.random.Generator) -> tuple[float, float, float, int]:
    """Mean above the threshold, threshold, gap, and a horizon after which little happens."""
    tau = float(rng.uniform(0.1, 0.6))
    gap = exp(rng.uniform(log(0.08), log(0.35)))
    return tau + gap, tau, gap, math.ceil(6 / (gap * gap))


def _lemma_y(rng: np.random.Generator) -> Drawn:
    mean, tau, gap, later = _draw_arm(rng)
    zeta = gap * float(rng.choice([0.0, 0.5, 1.0]))
    start = exp(rng.uniform(0, log(4 / (gap * gap))))
    ratio = float(rng.uniform(1.2, 9.0))
    level = float(rng.uniform(0.6, 1.6))
    peeled = 1 + math.sqrt(ratio)
    rate = 8 * math.sqrt(ratio) / (peeled * peeled)

    def armed(n: int, d: np.ndarray) -> Any:
        return (start <= n <= ratio * start) & (np.abs(d) + n * zeta >= level * math.sqrt(n))

    horizon = min(math.ceil(ratio * start) + later, HORIZON)
    chain = Chain(mean, tau, horizon, armed, lambda n, d: d <= 0)
    return chain, 2.0, exp(-rate * level * level)


def _lemma_v(rng: np.random.Generator, clipped: bool = False) -> Drawn:
    mean, tau, gap, later = _draw_arm(rng)
    zeta = gap * float(rng.choice([0.0, 0.5, 2.0]))
    right = gap * float(rng.uniform(1, 3)) if clipped else math.inf  # at least the gap
    wrong = float(rng.uniform(0, 0.3)) if clipped else math.inf
    root = float(rng.uniform(0.3, 1.8))
    level = root * float(rng.uniform(0, 0.9))
    start = root / (gap + zeta) * root / (gap + zeta)

    def event_holds(n: int, d: np.ndarray) -> Any:
        size = np.minimum(np.abs(d), n * np.where(d > 0, right, wrong))
        return size + n * zeta <= level * math.sqrt(n)

    horizon = min(math.ceil(start) + later, HORIZON)
    chain = Chain(mean, tau, horizon, lambda n, d: n >= start, event_holds)
    return chain, 1.0, exp(-2 * (root - level) * (root - level))


def _lemma_e(rng: np.random.Generator) -> Drawn:
    mean, tau, gap, later = _draw_arm(rng)
    start = float(rng.uniform(0.05, 3.0)) / (gap * gap)
    horizon = min(math.ceil(start) + later, HORIZON)
    chain = Chain(mean, tau, horizon, lambda n, d: n >= start, lambda n, d: d <= 0)
    return chain, 1.0, exp(-2 * start * gap * gap)


def _two_sided(rng: np.random.Generator) -> Drawn:
    mean, rho, level = _draw_mixture(rng)

    def event_holds(n: int, d: np.ndarray) -> Any:
        total = n / 4 + rho
        return 0.5 * log(rho / total) + d * d / (2 * total) >= -log(level)

    return _crossing(mean, mean, event_holds, level)


def _one_sided(rng: np.random.Generator) -> Drawn:
    tau, rho, level = _draw_mixture(rng)
    proxy = 0.25 if tau == 0.5 else (1 - 2 * tau) / (2 * log((1 - tau) / tau))

    def event_holds(n: int, d: np.ndarray) -> Any:
        total = proxy * n + rho
        z = d / math.sqrt(total)
        mixture = log(2) + 0.5 * log(rho / total) + z * z / 2 + log_ndtr(z)
        return mixture >= -log(level)

    return _crossing(_at_or_below(rng, tau), tau, event_holds, level)


def _coin(rng: np.random.Generator) -> Drawn:
    tau, _, level = _draw_mixture(rng)
    edge = Radius("coin").at(1, level, tau, math.inf)
    return _crossing(_at_or_below(rng, tau), tau, lambda n, d: d >= upper(edge, n, n), level)


def _crossing(mean: float, tau: float, event_holds: Event, level: float) -> Drawn:
    return Chain(mean, tau, HORIZON, lambda n, d: True, event_holds), 1.0, level


def _at_or_below(rng: np.random.Generator, tau: float) -> float:
    """Return a mean; an arm at the threshold is the worst case."""
    return tau * float(rng.choice([1.0, 1.0, 0.98]))


def _draw_mixture(rng: np.random.Generator) -> tuple[float, float, float]:
    """Mean, rho and error level of one arm."""
    mean = float(rng.choice([0.1, 0.3, 0.5, 0.6, 0.9]))
    return mean, exp(rng.uniform(-2, 5)), exp(-rng.uniform(0.2, 5))


CHAINS: Mapping[str, Callable[[np.random.Generator], Drawn]] = {
    "Lemma Y: a large index on a scale, then the wrong side": _lemma_y,
    "Lemma V: a small index late": _lemma_v,
    "Lemma V, clipped index": partial(_lemma_v, clipped=True),
    "Lemma E: the wrong side late": _lemma_e,
    "mixture: a tape ever leaves its two-sided boundary": _two_sided,
    "onesided: a tape ever crosses its wrong boundary": _one_sided,
    "coin: a tape ever crosses its wrong boundary": _coin,
}
