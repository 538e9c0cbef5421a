"""Evidence on the radius ``coin``, without randomness."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ldpt import bounds
from ldpt.instances import Instance
from ldpt.radii import Radius, lower, upper
from ldpt.replication.claims.chains import COUNTEREXAMPLE, one_arm_chain
from ldpt.replication.claims.evidence import Evidence
from ldpt.util.reproducible import geomspace, log

DELTA = 0.1


def coin_boundary(
    prior_gap: float = 0.125, thresholds: Sequence[float] = (0.05, 0.3, 0.5, 0.9, 0.99)
) -> Evidence:
    """Compare ``coin`` with ``onesided`` on both sides; ``prior_gap`` plants a fault."""
    ratios = []
    for tau, epsilon, level in itertools.product(
        thresholds, (0.03, 1.0, 4.0, math.inf), (0.5, 0.01, 1e-8)
    ):
        coin = Radius("coin", prior_gap=prior_gap).at(1, level, tau, epsilon)
        onesided = Radius("onesided").at(1, level, tau, epsilon)
        for n in np.unique(geomspace(1, 1e12, 25).round()):
            reference = upper(onesided, n, n)
            ratios += [float(side(coin, n, n) / reference) for side in (upper, lower)]
    return {
        "cases": len(ratios),
        "largest_over_onesided": max(ratios),
        "least_over_onesided": min(ratios),
    }


PROBLEMS = ((0.7, 0.5, math.inf), (0.8, 0.9, math.inf), (0.97, 0.9, 1.0), (0.1, 0.3, 2.0))


def coin_limit(deltas: Sequence[float] = (1e-1, 1e-2, 1e-4, 1e-8)) -> Evidence:
    """Follow the exact mean cost of one arm over log(1/delta)/kl(mu_eps, tau_eps) in delta."""
    costs = np.array([[_relative_cost(*p, delta, "coin") for delta in deltas] for p in PROBLEMS])
    # Theorem D has kl(delta, 1 - delta) for log(1/delta)
    logs = [log(1 / delta) for delta in deltas]
    learned = [bounds.confidence_divergence(delta) for delta in deltas]
    steps = costs[:, :-1] / costs[:, 1:]
    worst = int(costs[:, -1].argmax())
    return {
        "cases": steps.size,
        "least_step": steps.min(),
        "least_over_bound": (costs * logs / learned).min(),
        "largest_at_smallest_delta": costs[worst, -1],
        "largest_at_largest_delta": costs[:, 0].max(),
        "onesided_at_smallest_delta": _relative_cost(*PROBLEMS[worst], deltas[-1], "onesided"),
    }


def _relative_cost(mean: float, tau: float, epsilon: float, delta: float, radius: str) -> float:
    """Return mean pulls of one arm over log(1/delta)/kl(mu_eps, tau_eps)."""
    problem = Instance("one-arm", [mean], tau)
    divergence = bounds.bernoulli_kl(
        float(problem.private_means(epsilon)[0]), problem.private_threshold(epsilon)
    )
    pulls = one_arm_chain(problem, epsilon, delta, radius).expected_pulls
    return pulls * divergence / log(1 / delta)


ARMS = {0.5: (0.6, 0.8, 0.95, 1.0), 0.3: (0.1, 0.6), 0.9: (0.8, 0.95, 1.0)}  # means by threshold
LEVELS = (0.3, 1.0, 4.0, math.inf)


def one_arm_flatness(
    epsilons: Sequence[float] = LEVELS, arms: Mapping[float, Sequence[float]] = ARMS
) -> Evidence:
    """Follow the exact mean cost of one arm over Theorem D along eps, with two radii."""
    pairs = [(tau, mean) for tau, means in arms.items() for mean in means]
    counter = COUNTEREXAMPLE.threshold, COUNTEREXAMPLE.means[0]
    evidence: Evidence = {"series": len(pairs)}
    for radius in ("onesided", "coin"):
        spreads = {pair: _spread(*pair, epsilons, radius) for pair in pairs}
        evidence |= {
            f"{radius}_spread": max(spreads.values()),
            f"{radius}_half_spread": max(v for (tau, _), v in spreads.items() if tau == 0.5),
            f"{radius}_counterexample_spread": spreads.get(counter, math.nan),
        }
    return evidence


def _spread(tau: float, mean: float, epsilons: Sequence[float], radius: str) -> float:
    problem = Instance("one-arm", [mean], tau)
    ratios = [
        one_arm_chain(problem, epsilon, DELTA, radius).expected_pulls
        / bounds.fixed_confidence_lower(problem, epsilon, DELTA, "reduction")
        for epsilon in epsilons
    ]
    return max(ratios) / min(ratios)


CHECKS: dict[str, Callable[[], Evidence]] = {
    "coin_boundary": coin_boundary,
    "coin_limit": coin_limit,
    "one_arm_flatness": one_arm_flatness,
}
