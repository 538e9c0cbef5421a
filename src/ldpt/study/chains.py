"""The exact law of the stopping time of Algorithm 2, arm by arm, for plans without simulation."""

import math
from typing import Any

import numpy as np

from ldpt.exact import stopping_chain
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
        chain = (mean, threshold, mean >= threshold, edge, TAIL, MAX_STEPS, np.zeros(1024))
        error, _, _, _, law = stopping_chain(*chain)
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
