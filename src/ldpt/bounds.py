"""Every bound of the paper as printed, as corrected, and as sharpened beyond it.

A bound is a function of an instance, a privacy level and a budget or an error level. ``version``
says whose formula it is:

``printed``    what the paper states, whether or not it holds;
``corrected``  the paper's own argument with its constants put right;
``proved``     Algorithm 1's loss, from two arms that must deviate together, beyond the paper;
``lsa``        the same argument for the policy ``lsa``;
``sharp``      with the contraction of Kullback-Leibler divergence under every eps-LDP channel
               by tanh(eps/2)^2 (Asoodeh and Zhang 2022, arXiv 2210.13386), beyond the paper;
``privbern``   the same for data that come from PrivBern itself;
``many_arms``  the cost of Algorithm 2's task averaged over the mirror images of the problem, where
               errors share delta, so that it grows with log K, beyond the paper.

Upper bounds on the cost of Algorithm 2 carry the name of the radius that they are about.
"""

import math

import numpy as np

from ldpt.checks import MAX_FLOAT, check_delta, check_epsilon, check_number, is_number
from ldpt.instances import Instance, check_instance
from ldpt.io.messages import shown
from ldpt.policies import POLICIES
from ldpt.privacy import shrinkage
from ldpt.radii import UNION, Boundary, Radius, as_radius, upper

LSA_WEIGHT = float(POLICIES["lsa"].log_weight or 0.0)
PRINTED_CONSTANT = 499.0  # of Theorem 4.1, in its proof


def bernoulli_kl(p: float, q: float) -> float:
    """Kullback-Leibler divergence of Bernoulli(q) from Bernoulli(p), in nats.

    Parameters
    ----------
    p, q : float
        Means in [0, 1].

    Returns
    -------
    float
        Infinite where p > 0 = q or p < 1 = q.

    Raises
    ------
    ValueError
        If a mean is not a number in [0, 1].

    Examples
    --------
    >>> bernoulli_kl(0.5, 0.5)
    0.0
    """
    p, q = check_number("p", p, 0, 1), check_number("q", q, 0, 1)
    return _kl_term(p, q) + _kl_term(1 - p, 1 - q)


def _kl_term(p: float, q: float) -> float:
    if p == 0:
        return 0.0
    return math.inf if q == 0 else p * math.log(p / q)


def confidence_divergence(delta: float) -> float:
    """kl(delta, 1 - delta): what a delta-correct algorithm must learn about each arm.

    Parameters
    ----------
    delta : float
        Error level, in (0, 1).

    Returns
    -------
    float
        In nats; 0 for delta >= 1/2.

    Raises
    ------
    ValueError
        If delta is out of range.
    """
    check_delta(delta)
    # As bernoulli_kl(delta, 1 - delta), which cannot tell 1 - delta from 1 below 1e-16.
    return (1 - 2 * delta) * math.log((1 - delta) / delta) if delta < 0.5 else 0.0


def duchi_factor(epsilon: float) -> float:
    """min{4, e^(2 eps)} (e^eps - 1)^2: the paper's divergence bound for eps-LDP data, per TV^2.

    Parameters
    ----------
    epsilon : float
        Privacy level; ``math.inf`` means none.

    Returns
    -------
    float
        Infinite where the square overflows.

    Raises
    ------
    ValueError
        If epsilon is not positive.
    """
    epsilon = check_epsilon(epsilon)
    if epsilon > 350:  # the square overflows; the bounds are vacuous long before
        return math.inf
    return min(4.0, math.exp(2 * epsilon)) * math.expm1(epsilon) ** 2


def fixed_budget_upper(
    instance: Instance, epsilon: float, budget: float, version: str = "printed"
) -> float:
    """Upper bound on the expected loss of an index policy after ``budget`` pulls (Theorem 3.1).

    ``proved`` and ``lsa`` rest on the same argument (see the article's appendix): an error needs
    two arms that deviate, and their responses are independent. Both hold for every q in (0, 1) and
    are minimised over a grid. With one arm they are Hoeffding's inequality.

    Parameters
    ----------
    instance : Instance
        The problem.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    budget : float
        Number of pulls, at least 2K.
    version : {"printed", "proved", "lsa"}
        ``printed`` is Theorem 3.1; ``proved`` has the exponent (T - K)/H_eps at tolerance 0, four
        times the printed one; ``lsa`` bounds the loss of the policy of that name and depends on
        budget and privacy through (T - K) tanh(eps/2)^2 alone. The first two are about Algorithm 1.

    Returns
    -------
    float
        The bound; it says something where it is below 1.

    Raises
    ------
    ValueError
        If the budget is below 2K or the version is unknown.

    Examples
    --------
    >>> fixed_budget_upper(Instance("one", [1.0], 0.5), math.inf, 2, "proved") == math.exp(-1)
    True
    """
    _check_budget(instance, budget)
    n_arms, complexity = instance.n_arms, instance.complexity(epsilon)
    if version == "printed":
        return _exp(-budget / complexity / 4 + 2 * n_arms * math.log(math.log(budget) + 1))
    if version not in ("proved", "lsa"):
        raise _unknown(version, ("printed", "proved", "lsa"))
    judged = instance.must_accept | instance.must_reject
    if not judged.any():
        return 0.0
    if math.isinf(complexity):
        return math.inf
    gaps = shrinkage(epsilon) * instance.gaps
    right_side = ((instance.gaps - instance.tolerance) / instance.gaps) ** 2  # (g_i / Delta_i)^2
    if n_arms == 1:
        return _exp(-2 * budget * gaps[0] ** 2 * right_side[0])
    if version == "proved":
        pulls = (budget - n_arms) / complexity * gaps**-2.0
    else:
        pulls = lsa_shares(gaps, budget - n_arms)
    squares = pulls * gaps**2
    alone = float(np.exp(-2 * (squares * right_side)[judged]).sum())
    factors = LSA_FACTORS
    if version == "proved":
        factors = 2 * (1 + math.log(budget - n_arms) / (4 * PEELINGS))
    return alone + float(_pair_terms(factors, squares, judged).min())


PEELINGS = 10.0 ** np.linspace(-3, 0, 200, endpoint=False)  # values of q to choose from
EXPONENTS = 2 * (1 - PEELINGS**2)  # a in the article
LSA_FACTORS = np.array(  # one by one: NumPy raises an array to a power by other code than a number
    [
        2 / (1 - (((1 + q) / (1 - q)) ** 2) ** (-a * LSA_WEIGHT))
        for q, a in zip(PEELINGS, EXPONENTS, strict=True)
    ]
)


def _pair_terms(factors: np.ndarray, squares: np.ndarray, judged: np.ndarray) -> np.ndarray:
    """For each q, the sum over an erring arm i and another arm k that deviates with it."""
    a = EXPONENTS[:, None, None]
    z = np.maximum(0.0, a * squares[judged, None] - a**2 / (a + 2) * squares)
    terms = factors[:, None, None] * (1 + z) * np.exp(-z)
    itself = terms[:, np.arange(terms.shape[1]), np.flatnonzero(judged)]
    return terms.reshape(len(terms), -1).sum(axis=1) - itself.sum(axis=1)


def lsa_shares(gaps: np.ndarray, pulls: float) -> np.ndarray:
    """nu_k with nu_k Delta_k^2 + (1/2) log nu_k the same for all arms, and sum ``pulls``.

    Parameters
    ----------
    gaps : ndarray
        Private gaps, all positive.
    pulls : float
        Pulls to be shared.

    Returns
    -------
    ndarray
        Pulls of each arm.

    Raises
    ------
    ValueError
        If a gap or the pulls are not positive numbers.
    """
    from scipy.optimize import brentq
    from scipy.special import wrightomega

    if not np.size(gaps):
        raise ValueError("gaps is empty, at least one is needed")
    pulls = check_number("pulls", pulls, 1e-300, MAX_FLOAT)
    gaps = np.array([check_number("gap", gap, 1e-160, MAX_FLOAT) for gap in np.ravel(gaps)])

    def shares(level: float) -> np.ndarray:
        weight = LSA_WEIGHT
        return weight * wrightomega(level / weight + np.log(gaps**2 / weight)) / gaps**2

    even = pulls / gaps.size
    low = float(np.min(even * gaps**2)) + LSA_WEIGHT * math.log(even)
    high = float(np.max(pulls * gaps**2)) + LSA_WEIGHT * math.log(pulls)
    level = brentq(lambda level: shares(level).sum() - pulls, low - 1e-6, high + 1e-6, xtol=1e-13)
    return shares(level)


def fixed_budget_lower(
    instance: Instance, epsilon: float, budget: float, version: str = "printed"
) -> float:
    """Lower bound on the worst expected loss of any eps-LDP algorithm over B^0..B^K (Theorem 3.2).

    Parameters
    ----------
    instance : Instance
        The problem from which the environments are built.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    budget : float
        Number of pulls, at least 2K.
    version : {"printed", "corrected", "sharp"}
        ``printed`` is Theorem 3.2, which fails where its missing hypotheses do; ``corrected``
        measures the divergence from B^0, where one expectation of pulls serves all arms, and
        applies the paper's divergence bound to the total variation of the two Bernoulli laws;
        ``sharp`` replaces that by the contraction tanh(eps/2)^2 of the exact divergence.

    Returns
    -------
    float
        The bound, at most 1/4.

    Raises
    ------
    ValueError
        If the budget is below 2K, the version is unknown, or (``corrected``, ``sharp``) a
        hypothesis fails: mu_j != tau for all arms, tau + zeta < 1, tau - zeta >= 0.
    """
    _check_budget(instance, budget)
    if version == "printed":
        divergence = duchi_factor(epsilon)
        if math.isinf(divergence):
            return 0.0
        return 0.25 * _exp(-8 * budget * divergence / instance.complexity())
    if version not in ("corrected", "sharp"):
        raise _unknown(version, ("printed", "corrected", "sharp"))
    _check_environments(instance)
    upper, lower = _budget_means(instance)
    if version == "corrected":
        cost = [duchi_factor(epsilon) * (u - v) ** 2 for u, v in zip(upper, lower, strict=True)]
    else:
        contraction = shrinkage(epsilon) ** 2
        cost = [contraction * bernoulli_kl(u, v) for u, v in zip(upper, lower, strict=True)]
    pulls_per_nat = math.fsum(_inverse(c) for c in cost)
    return 0.25 * _exp(-budget * _inverse(pulls_per_nat))


def _check_environments(instance: Instance) -> None:
    """The hypotheses without which Theorem 3.2 is false."""
    where, tau, zeta = f"instance {instance.name!r}", instance.threshold, instance.tolerance
    for arm, mean in enumerate(instance.means):
        if mean == tau:
            raise ValueError(f"{where}: the bound needs mu_j != tau, got means[{arm}] = {mean}")
    if not tau + zeta < 1:
        raise ValueError(f"{where}: the bound needs tau + zeta < 1, got {tau} + {zeta}")
    if not tau - zeta >= 0:
        raise ValueError(f"{where}: the bound needs tau - zeta >= 0, got {tau} - {zeta}")


COST_DIVISORS = {"printed": 36.0, "hoeffding": 9.0}  # of H_eps in Theorem 4.1


def fixed_confidence_upper(
    instance: Instance, epsilon: float, delta: float, version: str = "printed"
) -> float:
    """Upper bound on the stopping time T of Algorithm 2 (Theorem 4.1).

    ``printed`` and ``hoeffding`` are 499 H~ log(4 K H~ / delta) + 2 K with H~ = max(H_eps / h, 1),
    h = 36 and 9. Each bounds T itself, for the radius of that name, with probability at least
    1 - delta. The paper's argument proves ``printed`` on a good event that is less probable than
    that, if three intermediate coefficients read 18, 54 and 126; the article's appendix proves it
    with probability 1 - delta by another argument. The other versions bound E[T]; see
    :func:`expected_cost_upper`.

    Parameters
    ----------
    instance : Instance
        The problem; its tolerance plays no part.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    delta : float
        Error probability, in (0, 1).
    version : {"printed", "hoeffding", "hoeffding_mean", "mixture", "onesided"}
        The radius that Algorithm 2 uses. ``hoeffding_mean``, ``mixture`` and ``onesided`` bound
        E[T], with the default constants of the radii.

    Returns
    -------
    float
        The bound, in pulls; infinite if an arm lies exactly at the threshold.

    Raises
    ------
    ValueError
        If delta is out of range or the version is unknown.

    Examples
    --------
    >>> one = Instance("one", [0.75], 0.5)
    >>> round(fixed_confidence_upper(one, math.inf, 0.1, "printed"))
    1843
    >>> round(fixed_confidence_upper(one, math.inf, 0.1, "onesided"))
    34
    """
    check_instance(instance)
    check_delta(delta)
    means = {"hoeffding_mean": "hoeffding", "mixture": "mixture", "onesided": "onesided"}
    if not isinstance(version, str):
        raise _unknown(version, (*COST_DIVISORS, *means))
    if version in means:
        return expected_cost_upper(instance, epsilon, delta, means[version])
    if version not in COST_DIVISORS:
        raise _unknown(version, (*COST_DIVISORS, *means))
    n_arms = instance.n_arms
    effective = max(instance.strict.complexity(epsilon) / COST_DIVISORS[version], 1.0)
    return PRINTED_CONSTANT * effective * math.log(4 * n_arms * effective / delta) + 2 * n_arms


def expected_cost_upper(
    instance: Instance, epsilon: float, delta: float, radius: str | Radius
) -> float:
    """Upper bound on E[T] of Algorithm 2 with a valid radius, beyond the paper.

    ``mixture`` and ``onesided``: the boundary b(n) does not depend on the other arms and is
    concave, so by Wald's identity and Jensen's inequality E[N_i] is at most the root of
    n Delta_{i,eps} = b(n) + 1. ``hoeffding``: t_0 + 4 delta / (t_0 - 1) with t_0 the least
    t >= 12 H_eps for which t/2 - 1 > 2 H_eps L(t) + K. Proofs are in the article's appendix.

    Parameters
    ----------
    instance : Instance
        The problem; its tolerance plays no part.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    delta : float
        Error probability, in (0, 1).
    radius : str or Radius
        A valid radius.

    Returns
    -------
    float
        The bound, in pulls; infinite if an arm lies exactly at the threshold.

    Raises
    ------
    ValueError
        If no such bound is proved for the radius.
    """
    radius, strict = as_radius(radius), check_instance(instance).strict
    edge = radius.at(instance.n_arms, delta, instance.threshold, epsilon)
    complexity = strict.complexity(epsilon)
    if not has_expected_cost(radius):
        raise ValueError(f"no bound on the expected cost is proved for radius {radius.name!r}")
    if math.isinf(complexity):
        return math.inf
    if edge.family == UNION:
        start = _hoeffding_start(complexity, instance.n_arms, edge)
        return start + 4 * delta / (start - 1)
    gaps, arms = np.unique(shrinkage(epsilon) * strict.gaps, return_counts=True)
    roots = [_boundary_root(edge, float(gap)) for gap in gaps]
    return math.fsum(root * count for root, count in zip(roots, arms.tolist(), strict=True))


def has_expected_cost(radius: str | Radius) -> bool:
    """Whether a bound on the expected cost is proved for a radius.

    Parameters
    ----------
    radius : str or Radius
        One of :data:`ldpt.radii.RADII`.

    Returns
    -------
    bool
        True for ``hoeffding`` and for every valid radius that does not depend on the time.
    """
    radius = as_radius(radius)
    return radius.name == "hoeffding" or (radius.kind.valid and not radius.kind.timed)


def _hoeffding_start(complexity: float, n_arms: int, edge: Boundary) -> float:
    """t_0: from 12 H_eps on, t/2 grows faster than 2 H_eps L(t), so iterating finds the least."""
    t = max(math.ceil(12 * complexity), 2)
    while True:
        needed = 2 * (2 * complexity * (edge.term + 3 * math.log(t)) + n_arms + 1)
        if t > needed:
            return float(t)
        t = math.floor(needed) + 1


def _boundary_root(edge: Boundary, gap: float) -> float:
    """The n with n gap = b(n) + 1; n gap - b(n) is convex and negative at 0, so there is one."""
    from scipy.optimize import brentq

    high = 1 / gap
    while high * gap <= upper(edge, high, high) + 1:
        high *= 2
    return float(brentq(lambda n: n * gap - upper(edge, n, n) - 1, high / 2, high, rtol=1e-14))


def fixed_confidence_lower(
    instance: Instance, epsilon: float, delta: float, version: str = "printed"
) -> float:
    """Lower bound on E[T] of any delta-correct eps-LDP algorithm (Theorem 4.2).

    Parameters
    ----------
    instance : Instance
        The problem; its tolerance plays no part.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    delta : float
        Error probability, in (0, 1); from 1/2 on all versions but ``printed`` are 0.
    version : {"printed", "sharp", "privbern", "many_arms"}
        ``printed`` is Theorem 4.2, for thresholds 0 < tau <= 1; ``sharp`` moves each mean only
        just across the threshold and contracts the exact divergence by tanh(eps/2)^2, so nothing
        is lost at large eps; ``privbern`` is the same for PrivBern's own responses; ``many_arms``
        bounds the average of E[T] over the 2^K mirror images of the problem about the threshold
        (hence the worst of them, not each), where the errors of the arms share delta.

    Returns
    -------
    float
        The bound, in pulls; at the threshold 0, where every arm belongs to the answer, it is 0.

    Raises
    ------
    ValueError
        If delta is out of range, the version is unknown, the threshold is 0 (``printed``), or a
        mirror image has a mean outside [0, 1] (``many_arms``).

    Examples
    --------
    >>> round(fixed_confidence_lower(Instance("one", [0.75], 0.5), math.inf, 0.1, "sharp"), 2)
    13.44
    """
    check_delta(delta)
    strict, contraction = check_instance(instance).strict, shrinkage(epsilon) ** 2
    if version == "printed":
        if strict.threshold == 0:
            raise ValueError("Theorem 4.2 needs a threshold 0 < tau <= 1, got 0")
        divergence = 2 * duchi_factor(epsilon)
        if math.isinf(divergence):
            return 0.0
        evidence = (1 - delta) * math.log(1 / delta) - math.log(2)
        return evidence * strict.complexity() / divergence
    if version == "many_arms":
        cost = [contraction * kl for kl in mirror_divergences(strict)]
    elif version == "sharp":
        cost = [contraction * bernoulli_kl(mean, strict.threshold) for mean in strict.means]
    elif version == "privbern":
        threshold = strict.private_threshold(epsilon)
        cost = [bernoulli_kl(mean, threshold) for mean in strict.private_means(epsilon)]
    else:
        raise _unknown(version, ("printed", "sharp", "privbern", "many_arms"))
    if strict.threshold == 0:
        return 0.0
    if version == "many_arms":
        return _shared_error_bound(cost, delta)
    return confidence_divergence(delta) * math.fsum(_inverse(c) for c in cost)


def mirror_divergences(instance: Instance) -> list[float]:
    """KL between an arm's mean and its mirror image about tau, in the larger direction.

    Parameters
    ----------
    instance : Instance
        The problem.

    Returns
    -------
    list of float
        In nats, one per arm.

    Raises
    ------
    ValueError
        If a mirror image is not in [0, 1].
    """
    tau, found = check_instance(instance).threshold, []
    for arm, gap in enumerate(instance.strict.gaps.tolist()):
        low, high = tau - gap, tau + gap
        if low < -1e-12 or high > 1 + 1e-12:
            raise ValueError(
                f"instance {instance.name!r}: the mirror image of means[{arm}] = "
                f"{instance.means[arm]} about the threshold {tau} is not in [0, 1]"
            )
        low, high = max(low, 0.0), min(high, 1.0)
        found.append(max(bernoulli_kl(low, high), bernoulli_kl(high, low)))
    return found


def _shared_error_bound(cost: list[float], delta: float) -> float:
    """The least sum_i kl(1 - delta, x_i) / cost_i over x >= 0 with sum x_i <= delta.

    At the minimum the derivative of kl(1 - delta, x_i) / cost_i is the same number, minus the
    price of error probability, for all arms: a quadratic equation in x_i. Arms of infinite cost
    contribute nothing and need no share of delta.
    """
    from scipy.optimize import brentq

    if delta >= 0.5:
        return 0.0
    if min(cost) == 0:
        return math.inf
    weights = np.array([1 / c for c in cost if math.isfinite(c)])
    if weights.size == 0:
        return 0.0

    def shares(log_price: float) -> np.ndarray:
        with np.errstate(over="ignore"):
            price = np.exp(log_price - np.log(weights))
        return 2 * (1 - delta) / (1 + price + np.hypot(1 - price, 2 * np.sqrt(price * delta)))

    spread = math.log(weights.size / delta) + 2
    low, high = math.log(weights.min()) - 50, math.log(weights.max()) + spread
    log_price = brentq(lambda y: math.log(shares(y).sum() / delta), low, high, xtol=1e-13)
    x = shares(log_price)
    return math.fsum(
        weight * bernoulli_kl(1 - delta, share)
        for weight, share in zip(weights.tolist(), x.tolist(), strict=True)
    )


def _budget_means(instance: Instance) -> tuple[list[float], list[float]]:
    """Means of an arm in B^0 and in the environment that mirrors it, clipped to [0, 1]."""
    half = np.abs(np.array(instance.means) - instance.threshold) / 2 + instance.tolerance
    upper = np.clip(instance.threshold + half, 0, 1)
    lower = np.clip(instance.threshold - half, 0, 1)
    return upper.tolist(), lower.tolist()


def _check_budget(instance: Instance, budget: float) -> None:
    check_instance(instance)
    if not (is_number(budget) and 2 * instance.n_arms <= budget <= MAX_FLOAT):
        raise ValueError(
            f"budget must be finite and at least 2K = {2 * instance.n_arms} for "
            f"{instance.n_arms} arms, got {shown(budget)}"
        )


def _inverse(value: float) -> float:
    return math.inf if value == 0 else 1 / value


def _exp(exponent: float) -> float:
    return math.exp(exponent) if exponent < 709 else math.inf


def _unknown(version: str, allowed: tuple[str, ...]) -> ValueError:
    return ValueError(f"version must be one of {', '.join(allowed)}, got {shown(version)}")
