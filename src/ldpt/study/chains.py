"""The exact law of the stopping time of Algorithm 2, arm by arm, for plans without simulation."""

import math
from typing import Any

import numpy as np

from ldpt.engines.boundaries import is_undecided
from ldpt.engines.jit import compiled
from ldpt.radii import Boundary, drift_pulls

TAIL = 1e-6  # probability of stopping later that a law leaves out
MAX_DRIFT = 50_000  # about the mean pulls of an arm; the time of a chain grows with their power 1.5
MAX_STEPS = 2_000_000
MAX_LENGTH = 2**22  # of the law of all arms together


def total_law(
    means: list[float], threshold: float, edge: Boundary
) -> tuple[float, float, float] | None:
    """Return mean and 95 % quantile of the pulls of all arms, and the probability of any error.

    With a boundary that ignores the pulls of other arms, arms are independent. ``means`` and
    ``threshold`` are those of the responses. None if the chains would take long.
    """
    groups = {mean: means.count(mean) for mean in means}
    gaps = [mean - threshold for mean in groups]
    if max(drift_pulls(edge, gaps, [*groups.values()])) > MAX_DRIFT:
        return None
    laws, right = [], 1.0
    for mean, count in groups.items():
        law, error = stopping_law(mean, threshold, mean >= threshold, edge, TAIL, MAX_STEPS)
        laws.append((law, count))
        right *= (1 - error) ** count
    length = sum((law.size - 1) * count for law, count in laws) + 1
    if length > MAX_LENGTH:
        return None
    size = 2 ** math.ceil(math.log2(length))
    spectrum: Any = 1.0
    for law, count in laws:
        spectrum = spectrum * np.fft.rfft(law, size) ** count
    below = np.cumsum(np.fft.irfft(spectrum, size))
    quantile = float(np.searchsorted(below, 0.95 * below[-1]))
    mean_pulls = sum(
        count * math.fsum(np.arange(law.size) * law) / math.fsum(law) for law, count in laws
    )
    return mean_pulls, quantile, 1 - right


@compiled
def stopping_law(
    mean: float, tau: float, above: bool, edge: Boundary, tail: float, most: int
) -> tuple[np.ndarray, float]:
    """Return P(the arm stops after n pulls) for every n, and the probability of a wrong verdict."""
    mass = np.zeros(64)
    law = np.zeros(1024)
    mass[0] = 1.0
    low, size = 0, 1
    error, alive, n = 0.0, 1.0, 0
    while alive > tail and n < most:
        n += 1
        if size + 1 > mass.size:
            mass = np.append(mass, np.zeros(mass.size))
        if n + 1 > law.size:
            law = np.append(law, np.zeros(law.size))
        mass[size] = 0.0
        for i in range(size, 0, -1):
            mass[i] = mass[i] * (1.0 - mean) + mass[i - 1] * mean
        mass[0] *= 1.0 - mean
        size += 1
        while size > 0 and not is_undecided(edge, n, low + size - 1, n, tau):
            size -= 1
            law[n] += mass[size]
            error += 0.0 if above else mass[size]
        decided = 0
        while decided < size and not is_undecided(edge, n, low + decided, n, tau):
            law[n] += mass[decided]
            error += mass[decided] if above else 0.0
            decided += 1
        if decided > 0:
            mass[: size - decided] = mass[decided:size].copy()
            low, size = low + decided, size - decided
        alive -= law[n]
    return law[: n + 1], error
