"""Evidence on the radius ``coin``, without randomness."""

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from ldpt import bounds
from ldpt.claims.chains import COUNTEREXAMPLE, one_arm_chain
from ldpt.claims.evidence import Evidence
from ldpt.instances import Instance
from ldpt.radii import Radius, lower, upper

DELTA = 0.1


def coin_boundary(
    prior_gap: float = 0.125, thresholds: Sequence[float] = (0.05, 0.3, 0.5, 0.9, 0.99)
) -> Evidence:
    """``coin`` against ``onesided`` on both sides; the same prior, unless a fault is planted."""
    ratios = []
    for tau, epsilon, level in itertools.product(
        thresholds, (0.03, 1.0, 4.0, math.inf), (0.5, 0.01, 1e-8)
    ):
        coin = Radius("coin", prior_gap=prior_gap).at(1, level, tau, epsilon)
        onesided = Radius("onesided").at(1, level, tau, epsilon)
        for n in np.unique(np.geomspace(1, 1e12, 25).round()):
            reference = upper(onesided, n, n)
            ratios += [float(side(coin, n, n) / reference) for side in (upper, lower)]
    return {
        "cases": len(ratios),
        "largest_over_onesided": max(ratios),
        "least_over_onesided": min(ratios),
    }


def coin_limit(
    deltas: Sequence[float] = (1e-1, 1e-2, 1e-4, 1e-8), radius: str = "coin"
) -> Evidence:
    """Exact mean cost of one arm over log(1/delta)/kl(mu_eps, tau_eps) as delta falls."""
    problems = [(0.7, 0.5, math.inf), (0.8, 0.9, math.inf), (0.97, 0.9, 1.0), (0.1, 0.3, 2.0)]
    names = {radius, "onesided"}
    costs = {
        name: [[_relative_cost(*problem, delta, name) for delta in deltas] for problem in problems]
        for name in names
    }
    found = costs[radius]
    worst = max(range(len(problems)), key=lambda i: found[i][-1])
    # Theorem D has kl(delta, 1 - delta) for log(1/delta)
    least = min(
        cost * math.log(1 / delta) / bounds.confidence_divergence(delta)
        for row in found
        for cost, delta in zip(row, deltas, strict=True)
    )
    steps = [a / b for row in found for a, b in itertools.pairwise(row)]
    return {
        "cases": len(steps),
        "least_step": min(steps),
        "least_over_bound": least,
        "largest_at_smallest_delta": found[worst][-1],
        "largest_at_largest_delta": max(row[0] for row in found),
        "onesided_at_smallest_delta": costs["onesided"][worst][-1],
    }


def _relative_cost(mean: float, tau: float, epsilon: float, delta: float, radius: str) -> float:
    """Mean pulls of one arm over log(1/delta)/kl(mu_eps, tau_eps)."""
    problem = Instance("one-arm", [mean], tau)
    divergence = bounds.bernoulli_kl(
        float(problem.private_means(epsilon)[0]), problem.private_threshold(epsilon)
    )
    pulls = one_arm_chain(mean, tau, epsilon, delta, radius).expected_pulls
    return pulls * divergence / math.log(1 / delta)


ARMS = {0.5: (0.6, 0.8, 0.95, 1.0), 0.3: (0.1, 0.6), 0.9: (0.8, 0.95, 1.0)}  # means by threshold
LEVELS = (0.3, 1.0, 4.0, math.inf)


def one_arm_flatness(
    epsilons: Sequence[float] = LEVELS, arms: Mapping[float, Sequence[float]] = ARMS
) -> Evidence:
    """Exact mean cost of one arm over Theorem D along eps, for ``onesided`` and ``coin``."""
    found: Evidence = {"series": sum(map(len, arms.values()))}
    for radius in ("onesided", "coin"):
        spreads = {
            (tau, mean): _spread(mean, tau, epsilons, radius)
            for tau, means in arms.items()
            for mean in means
        }
        tau, mean = max(spreads, key=spreads.__getitem__)
        half = [value for (threshold, _), value in spreads.items() if threshold == 0.5]
        counter = COUNTEREXAMPLE.threshold, COUNTEREXAMPLE.means[0]
        found |= {
            f"{radius}_spread": spreads[tau, mean],
            f"{radius}_spread_at": f"mu = {mean:g}, tau = {tau:g}",
            f"{radius}_half_spread": max(half),
            f"{radius}_counterexample_spread": spreads.get(counter, math.nan),
        }
    return found


def _spread(mean: float, tau: float, epsilons: Sequence[float], radius: str) -> float:
    problem = Instance("one-arm", [mean], tau)
    ratios = [
        one_arm_chain(mean, tau, epsilon, DELTA, radius).expected_pulls
        / bounds.fixed_confidence_lower(problem, epsilon, DELTA, "reduction")
        for epsilon in epsilons
    ]
    return max(ratios) / min(ratios)
