"""What a computation may cost, and how many runs an estimate needs.

Beyond the limits a run would take weeks, or floats would not tell an arm from the threshold.

The number of runs is fixed before a run starts, from the settings alone, so that results depend
neither on chance nor on the machine. The mean stopping time of Algorithm 2 needs (z s / h)^2 runs
for an interval of relative half-width h, where s is its relative standard deviation: an arm that
drifts towards its boundary b with speed g, in steps of variance v, arrives after n = b(n) / g
pulls, with standard deviation sqrt(n v) / (g - b'(n)) (Anscombe's theorem), and arms are
independent. Simulated runs spread 2 to 20 % more in all settings tried, hence the margin.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from ldpt.engines import CHUNK, tuning
from ldpt.instances import Instance, check_instance
from ldpt.privacy import shrinkage
from ldpt.radii import Boundary, Radius, drift_pulls, lower, upper

MAX_PULLS = 10**13  # of one run
NO_LIMIT = 2**63 - 1  # of the pulls of a run, for compiled code
MAX_REPLICATES = 10**8
MAX_TOTAL = 10**18  # pulls of all runs together; the fast engines make up to 10^12 a second
MAX_SINGLE = 10**12  # where pulls are made one at a time: hours at 20 ns per pull
ENGINE_HINT = ", and so does engine fast where there is one"
SKEWED = 0.1  # private threshold, or 1 minus it, up to which Algorithm 1 may make single pulls
MAX_BLOCKS = 10**10  # of all runs of the fast engine of Algorithm 2, which then take up to an hour
BLOCK_OF_WORDS = 150.0  # pulls that are drawn in words in the time of a longer block
MAX_CELLS = 10**9  # numbers of a table of runs; 8 GB
MAX_OPTIMUM = 8000  # pulls of the Bayes-optimal algorithm on two arms: 10^11 updates, 1 GB
MAX_UPDATES = 10**11  # of the states of an exact chain, which then takes up to an hour
QUANTILE = 1.959963984540054  # of the normal law, for 95 % intervals
STEP = 1e-3  # relative, for the slope of a boundary
MARGIN = 1.15  # safety factor over the first-order approximation


def expected_pulls(instance: Instance, epsilon: float, delta: float, radius: Radius) -> float:
    """Approximate the mean stopping time of Algorithm 2: where the drifts meet the boundary."""
    return math.fsum(n * arms for n, arms in confidence_pulls(instance, epsilon, delta, radius))


def require_affordable(
    instance: Instance, epsilon: float, delta: float, radius: Radius, hint: str = ""
) -> None:
    """Refuse a run at fixed confidence that would not end, or not within :data:`MAX_PULLS` pulls.

    Raises
    ------
    ValueError
        With the expected cost; ``hint`` says what would allow the run.
    """
    require_private_gaps(instance, epsilon)
    pulls = expected_pulls(instance, epsilon, delta, radius)
    if not pulls <= MAX_PULLS:
        raise ValueError(
            f"instance {instance.name!r}: a run with radius {radius.name} at epsilon {epsilon:g} "
            f"and delta {delta:g} takes about {pulls:.1e} pulls, more than {MAX_PULLS:.0e}{hint}"
        )


def require_short_runs(replicates: int, pulls: float, columns: int, single: str = "") -> None:
    """Refuse runs that together take months, or more memory than there is.

    Parameters
    ----------
    replicates : int
        Number of runs.
    pulls : float
        Pulls of one run, about.
    columns : int
        Numbers that the table of runs keeps of one run.
    single : str
        What else would cost less, if pulls are made one at a time; no text if they are not.

    Raises
    ------
    ValueError
        With the total and what would lower it.
    """
    total, most = replicates * pulls, MAX_SINGLE if single else MAX_TOTAL
    if not total <= most:
        raise ValueError(
            f"{replicates:,} replicates of {pulls:.2g} pulls are {total:.1e} pulls, "
            f"more than {most:.0e}; fewer replicates or pulls cost less{single}"
        )
    if replicates * columns > MAX_CELLS:
        raise ValueError(
            f"{replicates:,} replicates with {columns:,} numbers each are more than "
            f"{MAX_CELLS:.0e} numbers, which do not fit into memory"
        )


def single_pulls(instance: Instance, epsilon: float) -> str:
    """Return what would cost less, if the fast engine of Algorithm 1 may make single pulls.

    Where one response is much rarer than the other, its blocks are short, or are undone and read
    again response by response: up to 40 ns per pull.
    """
    tau = instance.private_threshold(epsilon)
    return ", and so do thresholds nearer to 1/2" if min(tau, 1.0 - tau) <= SKEWED else ""


def checked_pulls(
    instance: Instance,
    epsilon: float,
    delta: float,
    radius: Radius,
    replicates: int,
    max_pulls: int = NO_LIMIT,
) -> float:
    """Return about how many pulls a run of Algorithm 2 takes; refuse runs of too many blocks."""
    edge = radius.at(instance.n_arms, delta, instance.threshold, epsilon)
    pulls = [
        (min(n, max_pulls), arms) for n, arms in confidence_pulls(instance, epsilon, delta, radius)
    ]
    require_few_blocks(replicates, edge, instance.private_threshold(epsilon), pulls)
    return min(expected_pulls(instance, epsilon, delta, radius), max_pulls)


def require_few_blocks(
    replicates: int, edge: Boundary, tau: float, pulls: Sequence[tuple[float, float]]
) -> None:
    """Refuse runs of Algorithm 2 that take hours, however fast the engine is.

    Parameters
    ----------
    replicates : int
        Number of runs.
    edge : Boundary
        The boundary of the problem.
    tau : float
        The private threshold.
    pulls : sequence of tuple
        About the pulls of an arm of a run, and how many arms make them.

    Raises
    ------
    ValueError
        With the total and what would lower it.
    """
    total = replicates * math.fsum(blocks_of_arm(edge, tau, n) * arms for n, arms in pulls)
    if not total <= MAX_BLOCKS:
        raise ValueError(
            f"{replicates:,} replicates make {total:.1e} blocks of pulls, more than "
            f"{MAX_BLOCKS:.0e}; fewer replicates, larger gaps and thresholds nearer to 1/2 cost "
            "less"
        )


def blocks_of_arm(edge: Boundary, tau: float, pulls: float) -> float:
    """Return about how many blocks the fast engine of Algorithm 2 draws for an arm.

    A block is as long as a bridge over the present distance to the boundary, as the wait for a rare
    response, or as a few words of responses (:mod:`ldpt.engines.blocks`). Where rare responses are
    zeros, so many pulls before the boundary are single ones as rounding might decide.
    """
    if math.isinf(pulls):
        return math.inf
    gap = min(upper(edge, pulls, pulls), lower(edge, pulls, pulls)) / pulls
    rare = min(tau, 1.0 - tau) + gap
    least = max(BLOCK_OF_WORDS, 1.0 / rare if rare < tuning.RARE else 0.0)
    total, n = tuning.ROUNDING * pulls * tau / max(1.0 - tau, tuning.ROUNDING), 1.0
    while n < pulls:
        near = 2.0 * min(upper(edge, n, n), lower(edge, n, n))
        length = max(bridge_length(near, abs(1.0 - 2.0 * tau)), least)
        total += max(min(n, pulls - n) / length, 1.0)
        n *= 2.0
    return total


def bridge_length(near: float, drift: float) -> float:
    """Return the pulls m after which near - m drift is the square root of m times a ratio."""
    ratio = tuning.TOUCH_RATIO_READ_ONCE[0]
    root = 2.0 * near / (math.sqrt(ratio) + math.sqrt(ratio + 4.0 * drift * near))
    return root * root


def require_private_gaps(instance: Instance, epsilon: float) -> None:
    """Raise if the private mean of an arm equals the private threshold, in floating point too."""
    threshold = check_instance(instance).private_threshold(epsilon)
    for arm, mean in enumerate(instance.private_means(epsilon)):
        if mean == threshold:
            raise ValueError(
                f"instance {instance.name!r}: means[{arm}] = {instance.means[arm]} lies exactly at "
                f"the threshold {instance.threshold}, or its private gap at epsilon {epsilon:g} "
                "rounds to 0, so fixed confidence never resolves it"
            )


def require_short_chain(
    instance: Instance,
    epsilon: float,
    delta: float,
    radius: Radius,
    hint: str = "",
    max_pulls: int = NO_LIMIT,
) -> None:
    """Refuse an exact chain of Algorithm 2 that would take hours: n pulls with all states of s."""
    if max_pulls == NO_LIMIT:
        require_affordable(instance, epsilon, delta, radius, hint)
    pulls = min(expected_pulls(instance, epsilon, delta, radius), max_pulls)
    edge = radius.at(1, delta, instance.threshold, epsilon)
    states = min(upper(edge, pulls, pulls) + lower(edge, pulls, pulls), pulls)
    _require_updates(instance, epsilon, pulls * states, f"about {pulls:.1e} pulls", hint)


def require_short_budget(instance: Instance, epsilon: float, budget: int, adaptive: bool) -> None:
    """Refuse an exact chain for a budget T that would take hours: T^2 / 2 or T^4 / 24 updates."""
    squared = float(budget) * budget
    updates = squared * squared / 24 if adaptive else squared / 2
    _require_updates(instance, epsilon, updates, f"a budget of {budget} pulls", "")


def _require_updates(
    instance: Instance, epsilon: float, updates: float, what: str, hint: str
) -> None:
    if not updates <= MAX_UPDATES:
        raise ValueError(
            f"instance {instance.name!r}: the exact chain at epsilon {epsilon:g} and {what} takes "
            f"{updates:.1e} updates, more than {MAX_UPDATES:.0e}{hint}"
        )


def confidence_replicates(
    instance: Instance,
    epsilon: float,
    deltas: Iterable[float],
    radius: Radius,
    precision: Mapping[str, float],
) -> int:
    """Return the runs that estimate the mean stopping time to ``relative_half_width``.

    They are whole chunks within the limits ``least`` and ``most``.
    """
    spreads = [relative_spread(instance, epsilon, delta, radius) for delta in deltas]
    root = QUANTILE * max(spreads) / precision["relative_half_width"]
    return CHUNK * math.ceil(min(max(root * root, precision["least"]), precision["most"]) / CHUNK)


def relative_spread(instance: Instance, epsilon: float, delta: float, radius: Radius) -> float:
    """Return the expected standard deviation of the stopping time over its mean."""
    edge = radius.at(instance.n_arms, delta, instance.threshold, epsilon)
    pulls = confidence_pulls(instance, epsilon, delta, radius)
    total = math.fsum(n * arms for n, arms in pulls)
    variance = 0.0
    for (gap, arms), (n, _) in zip(gaps_of(instance.strict), pulls, strict=True):
        mean = 0.5 + shrinkage(epsilon) * (instance.threshold + gap - 0.5)
        speed = shrinkage(epsilon) * abs(gap)
        side = upper if gap > 0 else lower
        slope = (side(edge, n * (1 + STEP), total) - side(edge, n, total)) / (n * STEP)
        approach = speed - min(slope, speed / 2)
        variance += arms * n * mean * (1 - mean) / (approach * approach)
    return MARGIN * math.sqrt(variance) / total


@cache
def confidence_pulls(
    instance: Instance, epsilon: float, delta: float, radius: Radius
) -> list[tuple[float, int]]:
    """Return the pulls at which Algorithm 2 decides an arm, and the number of such arms."""
    factor = shrinkage(epsilon)
    edge = radius.at(instance.n_arms, delta, instance.threshold, epsilon)
    groups = gaps_of(instance.strict)
    gaps, counts = [factor * gap for gap, _ in groups], [arms for _, arms in groups]
    return list(zip(drift_pulls(edge, gaps, counts), counts, strict=True))


def gaps_of(instance: Instance) -> list[tuple[float, int]]:
    """Return the different gaps, negative below the threshold, and how many arms have each."""
    signed = [
        float(f"{gap if mean > instance.threshold else -gap:.12g}")
        for gap, mean in zip(instance.gaps.tolist(), instance.means, strict=True)
    ]
    return sorted(Counter(signed).items(), key=lambda group: abs(group[0]))
