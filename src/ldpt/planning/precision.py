"""How many runs an estimate needs: from the precision that a config asks for to whole chunks.

The number is fixed before a run starts, from the settings alone, so that results depend neither on
chance nor on the machine. A proportion needs z^2 (1 - p) / (p h^2) runs for an interval of its
logarithm with half-width h. The mean stopping time of Algorithm 2 needs (z s / h)^2 runs for an
interval of relative half-width h, where s is its relative standard deviation: an arm that drifts
towards its boundary b with speed g, in steps of variance v, arrives after n = b(n) / g pulls, give
or take sqrt(n v) / (g - b'(n)) (Anscombe's theorem), and arms are independent. Simulated runs
spread a little more (2 to 20 % in all cells tried), for which there is a margin.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

from ldpt.engines import CHUNK
from ldpt.instances import Instance
from ldpt.privacy import shrinkage
from ldpt.radii import Radius, boundary, drift_pulls

QUANTILE = 1.959963984540054  # of the normal law, for 95 % intervals
STEP = 1e-3  # relative, for the slope of a boundary
MARGIN = 1.15  # for what the first order leaves out


def whole_chunks(runs: float, precision: Mapping[str, float]) -> int:
    """At least this many runs, within the limits ``least`` and ``most``, in whole chunks."""
    wanted = min(max(runs, precision["least"]), precision["most"])
    return CHUNK * math.ceil(wanted / CHUNK)


def budget_replicates(precision: Mapping[str, float]) -> int:
    """Runs of a fixed-budget cell: ``error`` is known to ``log_half_width`` in its logarithm."""
    return whole_chunks(runs_for_error(precision), precision)


def confidence_replicates(
    precision: Mapping[str, float],
    instance: Instance,
    epsilon: float,
    deltas: Iterable[float],
    radius: Radius,
) -> int:
    """Runs of a fixed-confidence cell, at all its error levels.

    The mean stopping time is known to ``relative_half_width``, and where ``error`` is asked for, an
    error probability of that size to ``log_half_width`` in its logarithm.
    """
    reach = precision["relative_half_width"]
    spreads = [relative_spread(instance, epsilon, delta, radius) for delta in deltas]
    runs = (QUANTILE * max(spreads) / reach) ** 2
    if "error" in precision:
        runs = max(runs, runs_for_error(precision))
    return whole_chunks(runs, precision)


def runs_for_error(precision: Mapping[str, float]) -> float:
    """Runs after which an error probability of ``error`` is known to ``log_half_width``."""
    error, reach = precision["error"], precision["log_half_width"]
    return (QUANTILE / reach) ** 2 * (1 - error) / error


def relative_spread(instance: Instance, epsilon: float, delta: float, radius: Radius) -> float:
    """Expected standard deviation of the stopping time over its mean."""
    edge = radius.at(instance.n_arms, delta, instance.threshold, epsilon)
    pulls = confidence_pulls(instance, epsilon, delta, radius)
    total = sum(n * arms for n, arms in pulls)
    by_gap = {gap: n for (gap, _), (n, _) in zip(gaps_of(instance.strict), pulls, strict=True)}
    variance = 0.0
    for gap, mean in zip(instance.strict.gaps, instance.private_means(epsilon), strict=True):
        n, speed = by_gap[_rounded(gap)], shrinkage(epsilon) * gap
        slope = (boundary(edge, n * (1 + STEP), total) - boundary(edge, n, total)) / (n * STEP)
        variance += n * mean * (1 - mean) / (speed - min(slope, speed / 2)) ** 2
    return MARGIN * math.sqrt(variance) / total


@cache
def confidence_pulls(
    instance: Instance, epsilon: float, delta: float, radius: Radius
) -> list[tuple[float, int]]:
    """Pulls at which Algorithm 2 decides an arm, and how many arms: where drift meets boundary."""
    factor = shrinkage(epsilon)
    edge = radius.at(instance.n_arms, delta, instance.threshold, epsilon)
    groups = gaps_of(instance.strict)
    gaps, counts = [factor * gap for gap, _ in groups], [arms for _, arms in groups]
    return list(zip(drift_pulls(edge, gaps, counts), counts, strict=True))


def gaps_of(instance: Instance) -> list[tuple[float, int]]:
    """The gaps that there are, and how many arms have each."""
    return sorted(Counter(map(_rounded, instance.gaps.tolist())).items())


def _rounded(gap: float) -> float:
    return float(f"{gap:.12g}")
