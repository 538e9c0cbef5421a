"""Every bound of the paper as printed, as corrected, and as sharpened beyond it.

A bound is a function of an instance, a privacy level and a budget or an error level. ``version``
says whose formula it is:

``printed``    what the paper states, whether or not it holds;
``corrected``  the paper's own argument with its constants put right;
``rigorous``   fixed-budget upper bound with the peeling argument done in full;
``paired``     fixed-budget upper bound from two arms that must deviate together, beyond the paper;
``sharp``      with the contraction of Kullback-Leibler divergence under every eps-LDP channel
               by tanh(eps/2)^2 (Asoodeh and Zhang 2022, arXiv 2210.13386), beyond the paper;
``privbern``   the same for data that come from PrivBern itself.
"""

import math

import numpy as np

from ldpt.instances import Instance
from ldpt.privacy import check_epsilon, shrinkage
from ldpt.radii import check_delta

PRINTED_CONSTANT = 499.0  # of Theorem 4.1, in its proof


def bernoulli_kl(p: float, q: float) -> float:
    """Kullback-Leibler divergence of Bernoulli(q) from Bernoulli(p), in nats.

    >>> bernoulli_kl(0.5, 0.5)
    0.0
    """
    return _kl_term(p, q) + _kl_term(1 - p, 1 - q)


def _kl_term(p: float, q: float) -> float:
    if p == 0:
        return 0.0
    return math.inf if q == 0 else p * math.log(p / q)


def confidence_divergence(delta: float) -> float:
    """kl(delta, 1 - delta): what a delta-correct algorithm must learn about each arm."""
    check_delta(delta)
    return bernoulli_kl(delta, 1 - delta) if delta < 0.5 else 0.0


def duchi_factor(epsilon: float) -> float:
    """min{4, e^(2 eps)} (e^eps - 1)^2: the paper's divergence bound for eps-LDP data, per TV^2."""
    epsilon = check_epsilon(epsilon)
    if epsilon > 350:  # the square overflows; the bounds are vacuous long before
        return math.inf
    return min(4.0, math.exp(2 * epsilon)) * math.expm1(epsilon) ** 2


def fixed_budget_upper(
    instance: Instance, epsilon: float, budget: float, version: str = "printed"
) -> float:
    """Upper bound on the expected loss of Algorithm 1 after ``budget`` pulls (Theorem 3.1).

    ``corrected`` takes the sub-Gaussian constant R = 1/2 of a Bernoulli variable for the paper's
    1/4 and the union over (log T + 1) K events for its 2 K log(log T + 1). ``rigorous`` also pays
    for the peeling: scales are powers of two, hence log2, and within a scale the deviation is
    compared at its short end and the variance at its long end, which halves the exponent.
    ``paired`` is proved in the report's appendix: an error needs two arms that deviate, so the
    exponent is 2/5 (T - K)/H_eps at tolerance 0, half of that otherwise, at polynomial cost.
    """
    _check_budget(instance, budget)
    n_arms, scaled = instance.n_arms, budget / instance.complexity(epsilon)
    if version == "printed":
        return _exp(-scaled / 4 + 2 * n_arms * math.log(math.log(budget) + 1))
    if version == "corrected":
        return _exp(-scaled / 16 + 2 * math.log((math.log(budget) + 1) * n_arms))
    if version == "rigorous":
        scales = math.floor(math.log2(budget)) + 1
        return _exp(-scaled / 32 + math.log(2 * n_arms * scales))
    if version == "paired":
        rate = 2 / 5 if instance.tolerance == 0 else 1 / 5
        x = rate * (budget - n_arms) / instance.complexity(epsilon)
        stretch = 1 + (1 + x) * math.log(budget)
        return _exp(1 - x + math.log(4 * n_arms**2 * (1 + x)) + 2 * math.log(stretch))
    raise _unknown(version, ("printed", "corrected", "rigorous", "paired"))


def fixed_budget_lower(
    instance: Instance, epsilon: float, budget: float, version: str = "printed"
) -> float:
    """Lower bound on the worst expected loss of any eps-LDP algorithm over B^0..B^K (Theorem 3.2).

    ``corrected`` measures the divergence from B^0, where one expectation of pulls serves all arms,
    and applies the divergence bound to the total variation of the two Bernoulli laws. ``sharp``
    replaces it by the contraction tanh(eps/2)^2 of the exact divergence.
    """
    _check_budget(instance, budget)
    if version == "printed":
        return 0.25 * _exp(-8 * budget * duchi_factor(epsilon) / instance.complexity())
    upper, lower = _budget_means(instance)
    if version == "corrected":
        cost = [duchi_factor(epsilon) * (u - v) ** 2 for u, v in zip(upper, lower, strict=True)]
    elif version == "sharp":
        contraction = shrinkage(epsilon) ** 2
        cost = [contraction * bernoulli_kl(u, v) for u, v in zip(upper, lower, strict=True)]
    else:
        raise _unknown(version, ("printed", "corrected", "sharp"))
    pulls_per_nat = math.fsum(_inverse(c) for c in cost)
    return 0.25 * _exp(-budget * _inverse(pulls_per_nat))


def fixed_confidence_upper(
    instance: Instance,
    epsilon: float,
    delta: float,
    version: str = "printed",
    radius: str = "printed",
) -> float:
    """Upper bound on the stopping time of Algorithm 2, on the event that it errs not (Theorem 4.1).

    ``printed`` is 499 H~ log(4 K H~ / delta) + 2 K with H~ = max(H_eps / 36, 1), which the proof
    does not reach. ``corrected`` has H_eps / 16 for the printed radius, H_eps / 4 for
    ``hoeffding``, and the constant that the proof's fixed point needs.
    """
    check_delta(delta)
    complexity = instance.strict.complexity(epsilon)
    if version == "printed":
        constant, effective = PRINTED_CONSTANT, max(complexity / 36, 1.0)
    elif version == "corrected":
        divisors = {"printed": 16, "hoeffding": 4}
        if radius not in divisors:
            raise ValueError(f"radius must be printed or hoeffding here, got {radius!r}")
        constant, effective = fixed_point_constant(), max(complexity / divisors[radius], 1.0)
    else:
        raise _unknown(version, ("printed", "corrected"))
    n_arms = instance.n_arms
    return constant * effective * math.log(4 * n_arms * effective / delta) + 2 * n_arms


def fixed_confidence_lower(
    instance: Instance, epsilon: float, delta: float, version: str = "printed"
) -> float:
    """Lower bound on E[T] of any delta-correct eps-LDP algorithm (Theorem 4.2).

    ``corrected`` puts the mirrored mean where it is, 2 Delta away. ``sharp`` moves each mean only
    just across the threshold and contracts the exact divergence by tanh(eps/2)^2, so nothing is
    lost at large eps; ``privbern`` is the same for PrivBern's own responses.
    """
    check_delta(delta)
    strict = instance.strict
    if version in ("printed", "corrected"):
        evidence = (1 - delta) * math.log(1 / delta) - math.log(2)
        factor = 2.0 if version == "printed" else 4.0
        return evidence * strict.complexity() * _inverse(factor * duchi_factor(epsilon))
    if version == "sharp":
        contraction = shrinkage(epsilon) ** 2
        cost = [contraction * bernoulli_kl(mean, strict.threshold) for mean in strict.means]
    elif version == "privbern":
        threshold = strict.private_threshold(epsilon)
        cost = [bernoulli_kl(mean, threshold) for mean in strict.private_means(epsilon)]
    else:
        raise _unknown(version, ("printed", "corrected", "sharp", "privbern"))
    return confidence_divergence(delta) * math.fsum(_inverse(c) for c in cost)


def fixed_point_constant() -> float:
    """The C with C = 56 + 24 log(2 C), which the proof of Theorem 4.1 needs and prints as 499."""
    constant = PRINTED_CONSTANT
    for _ in range(200):  # a contraction with factor 24 / C < 1/8
        constant = 56 + 24 * math.log(2 * constant)
    return constant


def _budget_means(instance: Instance) -> tuple[list[float], list[float]]:
    """Means of an arm in B^0 and in the environment that mirrors it, clipped to [0, 1]."""
    half = np.abs(np.array(instance.means) - instance.threshold) / 2 + instance.tolerance
    upper = np.clip(instance.threshold + half, 0, 1)
    lower = np.clip(instance.threshold - half, 0, 1)
    return upper.tolist(), lower.tolist()


def _check_budget(instance: Instance, budget: float) -> None:
    if not budget >= 2 * instance.n_arms:
        raise ValueError(
            f"budget must be at least 2K = {2 * instance.n_arms} for {instance.n_arms} arms, "
            f"got {budget}"
        )


def _inverse(value: float) -> float:
    return math.inf if value == 0 else 1 / value


def _exp(exponent: float) -> float:
    return math.exp(exponent) if exponent < 709 else math.inf


def _unknown(version: str, allowed: tuple[str, ...]) -> ValueError:
    return ValueError(f"version must be one of {', '.join(allowed)}, got {version!r}")
