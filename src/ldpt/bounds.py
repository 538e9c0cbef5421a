"""Every bound of the paper as printed, as corrected, and as improved beyond it.

A bound is a function of an instance, a privacy level and a budget or an error level. ``version``
says which one:

- ``printed``: what the paper states, whether or not it holds;
- ``corrected``: the paper's own argument with its constants put right;
- ``locatelli``: Theorem 3.1 with the term of Locatelli et al. (2016), 2 log((log T + 1) K);
- ``proved``: Algorithm 1's loss, from two arms that must deviate together (Theorem A);
- ``lsa``: the same argument for LSA (Theorem C);
- ``apt-clipped``, ``lsa-clipped``: the same for the policies of these names;
- ``reduction``: for every eps-LDP algorithm on rewards 0 and 1. It can be simulated from PrivBern's
  responses (Theorem R), so divergences are those of the private means (Theorem D);
- ``genie``: the test of one arm with all T responses, likewise;
- ``decoupled``: the cost of rules that decide each arm by its own responses (Theorem E);
- ``many_arms``: the cost averaged over the mirror images of the problem, where errors share delta.

Upper bounds on the cost of Algorithm 2 carry the name of the radius that they are about.
"""

import math
from functools import cache, lru_cache
from typing import Any

import numpy as np

from ldpt.checks import MAX_FLOAT, check_choice, check_delta, check_epsilon, is_number
from ldpt.instances import Instance, check_instance, environment_means
from ldpt.policies import POLICIES
from ldpt.privacy import private_mean, shrinkage
from ldpt.radii import COIN, UNION, Boundary, Radius, lower, upper
from ldpt.util import reproducible
from ldpt.util.messages import shown
from ldpt.util.reproducible import (
    bernoulli_divergence,
    exp,
    expm1,
    geomspace,
    log,
    log1p,
    power,
    rounded,
)

__all__ = [
    "fixed_budget_lower",
    "fixed_budget_upper",
    "fixed_confidence_lower",
    "fixed_confidence_upper",
]

# The policy or radius that a version of an upper bound on the loss or on E[T] is about.
PROVED = {"proved": "apt"} | {name: name for name in ("lsa", "apt-clipped", "lsa-clipped")}
COST_DIVISORS = {"printed": 36.0, "hoeffding": 9.0}  # of H_eps in Theorem 4.1
MEAN_COSTS = {"hoeffding_mean": "hoeffding"} | {x: x for x in ("mixture", "onesided", "coin")}
PEELINGS = geomspace(1e-3, 1.0, 201)[:-1]  # values of q to choose from
MAX_PRICE = 1e150  # of error probability; its square does not overflow
LEVEL_TOLERANCE = 1e-14  # relative, of the level that all arms of LSA share
OVERLAP_DIGITS = 9  # of SciPy's incomplete beta function, less exact far in a tail
TINY_DELTA = 1e-100  # below, kl(1 - delta, x) is log(1 / x) and shares of delta may underflow
OMEGA_STEPS = 6  # of Newton's method; more change no digit
EXPONENTS = 2 * (1 - np.square(PEELINGS))  # a in the article


def bernoulli_kl(p: float, q: float) -> float:
    """Return the Kullback-Leibler divergence of Bernoulli(q) from Bernoulli(p), in nats.

    >>> bernoulli_kl(0.5, 0.5), bernoulli_kl(0.5, 1.0)
    (0.0, inf)
    """
    return float(bernoulli_divergence(p, q, p - q)) if 0 < q < 1 else (0.0 if p == q else math.inf)


@lru_cache(maxsize=10_000)  # equal arms, versions and error levels share it
def private_divergence(mean: float, other: float, epsilon: float) -> float:
    """Return the divergence of PrivBern's responses to rewards of mean ``other`` from ``mean``.

    >>> round(private_divergence(0.95, 0.9, 1.0), 6)
    0.001254
    """
    if math.isinf(check_epsilon(epsilon)):
        return bernoulli_kl(mean, other)
    p, q = (private_mean(x, epsilon) for x in (mean, other))
    if q == 1:
        return private_divergence(1 - mean, 1 - other, epsilon)
    if q == 0:  # beyond epsilon = 36, the mean of the responses rounds to 0
        flipped = exp(-epsilon)
        p, q = mean + flipped, other + flipped
        return bernoulli_kl(p, q) if q == 0 else float(bernoulli_divergence(p, q, mean - other))
    return float(bernoulli_divergence(p, q, shrinkage(epsilon) * (mean - other)))


def confidence_divergence(delta: float) -> float:
    """Return kl(delta, 1 - delta), what a delta-correct algorithm must learn about each arm.

    It is 0 from delta = 1/2 on. Below 1e-16, :func:`bernoulli_kl` cannot tell 1 - delta from 1.
    """
    return (1 - 2 * delta) * log((1 - delta) / delta) if delta < 0.5 else 0.0


def duchi_factor(epsilon: float) -> float:
    """Return min{4, e^(2 eps)} (e^eps - 1)^2: the paper's divergence bound per TV^2."""
    epsilon = check_epsilon(epsilon)
    if epsilon > 350:  # the square overflows; the bounds are vacuous long before
        return math.inf
    return min(4.0, exp(2 * epsilon)) * expm1(epsilon) * expm1(epsilon)


# --- Fixed budget


def fixed_budget_upper(
    instance: Instance, epsilon: float, budget: float, version: str = "printed"
) -> float:
    """Return an upper bound on the expected loss of an index policy after ``budget`` pulls.

    All but ``printed`` and ``locatelli`` rest on one argument (the article's appendix): an error
    needs two arms that deviate, and their responses are independent. They hold for every q in
    (0, 1) and are minimised over a grid. With one arm they are Hoeffding's inequality.

    Parameters
    ----------
    instance : Instance
        The problem.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    budget : float
        Number of pulls, at least 2K.
    version : {"printed", "locatelli", "proved", "lsa", "apt-clipped", "lsa-clipped"}
        ``printed`` is Theorem 3.1; ``proved`` has the exponent (T - K)/H_eps at tolerance 0, four
        times the printed one. The first three are about Algorithm 1, the others about the policies
        of their names; these depend on budget and privacy through (T - K) tanh(eps/2)^2 alone
        (``lsa-clipped`` also through its weight).

    Returns
    -------
    float
        The bound; it is informative only below 1.

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
    check_choice("version", version, ("printed", "locatelli", *PROVED))
    n_arms = instance.n_arms
    complexity = instance.complexity(epsilon)
    scales = log(budget) + 1
    if version == "printed":
        return _exp(-budget / complexity / 4 + 2 * n_arms * log(scales))
    if version == "locatelli":
        return _exp(-budget / complexity / 4 + 2 * log(scales * n_arms))
    judged = instance.must_accept | instance.must_reject
    if not judged.any():
        return 0.0
    if math.isinf(complexity):
        return math.inf
    gaps = shrinkage(epsilon) * instance.gaps
    right_side = np.square(
        (instance.gaps - instance.tolerance) / instance.gaps
    )  # (g_i / Delta_i)^2
    if n_arms == 1:
        return _exp(-2 * budget * gaps[0] * gaps[0] * right_side[0])
    rule = POLICIES[PROVED[version]].rule(instance.threshold, instance.tolerance, epsilon)
    pulls = (budget - n_arms) / complexity / np.square(gaps)
    if rule.log_weight > 0:
        pulls = lsa_shares(gaps, budget - n_arms, rule.log_weight)
        factors = _weighted_factors(rule.log_weight)[:, None]
    elif math.isfinite(rule.cap_above):
        widest = max(instance.threshold, 1 - instance.threshold) + instance.tolerance
        factors = _clipped_factors((widest / instance.gaps)[judged], (budget - n_arms) / complexity)
    else:
        factors = 2 * (1 + log(budget - n_arms) / (4 * PEELINGS))[:, None]
    squares = pulls * np.square(gaps)
    alone = float(exp(-2 * (squares * right_side)[judged]).sum())
    return alone + float(_pair_terms(factors, squares, judged).min())


@cache
def _weighted_factors(weight: float) -> np.ndarray:
    """Return B of Theorem C for each q."""
    return 2 / (1 - power((1 + PEELINGS) / (1 - PEELINGS), -2 * EXPONENTS * weight))


def _clipped_factors(ratios: np.ndarray, x: float) -> np.ndarray:
    """Return twice the number of scales for each q and erring arm, at least e.

    A clipped index reaches l only from n = l^2 / (kappa Delta)^2 on, kappa being the arm's ratio of
    the largest gap to its gap. So for a l^2 >= 1 the scales end at x / Delta^2 and begin at
    1 / (2 kappa^2 Delta^2); for a l^2 < 1 the factor e is trivial.
    """
    scales = np.maximum(0.0, log(2 * np.square(ratios) * x))
    return np.maximum(2 * (1 + scales / (4 * PEELINGS[:, None])), math.e)


def _pair_terms(factors: np.ndarray, squares: np.ndarray, judged: np.ndarray) -> np.ndarray:
    """For each q, the sum over an erring arm i and another arm k that deviates with it."""
    a = EXPONENTS[:, None, None]
    z = np.maximum(0.0, a * squares[judged, None] - a * a / (a + 2) * squares)
    terms = factors[:, :, None] * (1 + z) * exp(-z)
    itself = terms[:, np.arange(terms.shape[1]), np.flatnonzero(judged)]
    return terms.reshape(len(terms), -1).sum(axis=1) - itself.sum(axis=1)


def lsa_shares(gaps: np.ndarray, pulls: float, weight: float) -> np.ndarray:
    """Return nu_k with nu_k Delta_k^2 + w log nu_k = l for all arms, and sum ``pulls``.

    Then nu_k Delta_k^2 / w is Wright's omega of l / w + log(Delta_k^2 / w), and the sum is convex
    in l, so that Newton's method descends to the root from an l that is too high.
    """
    squares = np.square(gaps)
    shifts = log(squares / weight)
    level = float(np.max(pulls * squares)) + weight * log(pulls)
    while True:
        omega = _omega(level / weight + shifts)
        shares = weight * omega / squares
        step = (shares.sum() - pulls) / (omega / (1 + omega) / squares).sum()
        if not step > LEVEL_TOLERANCE * max(abs(level), weight):
            return shares
        level -= step


def _omega(z: np.ndarray) -> np.ndarray:
    """Return Wright's omega, the w with w + log w = z, by Newton's method in log w.

    e^y + y is convex and the first y too large, so every step comes nearer from above.
    """
    y = np.where(z > 1, log(np.maximum(z, 1.0)), z)
    for _ in range(OMEGA_STEPS):
        w = exp(y)
        y -= (w + y - z) / (w + 1)
    return exp(y)


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
    version : {"printed", "corrected", "reduction", "genie", "best"}
        ``printed`` is Theorem 3.2, which fails where its missing hypotheses do; ``corrected``
        measures the divergence from B^0, where one expectation of pulls serves all arms, and
        applies the paper's divergence bound to the total variation of the two Bernoulli laws;
        ``reduction`` has the divergence of their private means instead; ``genie`` is half the
        overlap of the laws of T responses of the hardest arm; ``best`` is the larger of the two.

    Returns
    -------
    float
        The bound, at most 1/4 (``genie``: 1/2).

    Raises
    ------
    ValueError
        If the budget is below 2K, the version is unknown, or a hypothesis of
        the others fails: mu_j != tau for all arms, tau + zeta < 1, tau - zeta >= 0.
    """
    _check_budget(instance, budget)
    check_choice("version", version, ("printed", "corrected", "reduction", "genie", "best"))
    if version == "printed":
        divergence = duchi_factor(epsilon)
        if math.isinf(divergence):
            return 0.0
        return 0.25 * _exp(-8 * budget * divergence / instance.complexity())
    _check_environments(instance)
    if version == "best":
        pair = ("reduction", "genie")
        return max(fixed_budget_lower(instance, epsilon, budget, each) for each in pair)
    pairs = environment_means(instance)
    if version == "genie":
        return 0.5 * max(_overlap(high, low, epsilon, budget) for high, low in set(pairs))
    if version == "corrected":
        cost = [duchi_factor(epsilon) * (high - low) * (high - low) for high, low in pairs]
    else:
        cost = [private_divergence(high, low, epsilon) for high, low in pairs]
    pulls_per_nat = math.fsum(_inverse(c) for c in cost)
    return 0.25 * _exp(-budget * _inverse(pulls_per_nat))


def _overlap(high: float, low: float, epsilon: float, budget: float) -> float:
    """Return sum_x min(P(x), Q(x)) of the binomial laws of T responses with these mean rewards."""
    from scipy.special import betainc

    upper, lower = (float(private_mean(mean, epsilon)) for mean in (high, low))
    size = float(math.ceil(budget))
    if upper == 1:  # all ones are all that the two laws share
        return power(lower, size)
    if lower == 0:
        return power(1 - upper, size)
    ones = log(upper / lower)
    zeros = log((1 - lower) / (1 - upper))
    least = math.floor(size * zeros / (ones + zeros))  # up to here the upper mean is less likely
    below = betainc(size - least, least + 1.0, 1 - upper)  # P(X <= least) at the upper mean
    overlap = float(below + betainc(least + 1.0, size - least, lower))
    return float(rounded(overlap, OVERLAP_DIGITS))


def _check_environments(instance: Instance) -> None:
    """Check the hypotheses without which Theorem 3.2 is false."""
    tau, zeta = instance.threshold, instance.tolerance
    hypotheses = {
        "mu_j != tau": tau not in instance.means,
        "tau + zeta < 1": tau + zeta < 1,
        "tau - zeta >= 0": tau - zeta >= 0,
    }
    for hypothesis, holds in hypotheses.items():
        if not holds:
            raise ValueError(f"the bound needs {hypothesis}, got {instance}")


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
    return exp(exponent) if exponent < 709 else math.inf


# --- Fixed confidence


def fixed_confidence_upper(
    instance: Instance, epsilon: float, delta: float, version: str = "printed"
) -> float:
    """Upper bound on the stopping time T of Algorithm 2 (Theorem 4.1).

    ``printed`` and ``hoeffding`` are 499 H~ log(4 K H~ / delta) + 2 K with H~ = max(H_eps / h, 1),
    h = 36 and 9. Each bounds T itself, for the radius of that name, with probability at least
    1 - delta. The paper's argument proves ``printed`` on a good event that is less probable than
    that, if three intermediate coefficients read 18, 54 and 126; the article's appendix proves it
    with probability 1 - delta by another argument. The other versions bound E[T].

    Parameters
    ----------
    instance : Instance
        The problem; its tolerance plays no part.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    delta : float
        Error probability, in (0, 1).
    version : {"printed", "hoeffding", "hoeffding_mean", "mixture", "onesided", "coin"}
        The radius that Algorithm 2 uses. All but the first two bound E[T], with the default
        constants of the radii.

    Returns
    -------
    float
        The bound, in pulls; infinite if an arm lies exactly at the threshold, or so near that
        ``coin`` does not decide it within 2^50 pulls.

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
    check_choice("version", version, (*COST_DIVISORS, *MEAN_COSTS))
    if version in MEAN_COSTS:
        return _expected_cost(instance, epsilon, delta, MEAN_COSTS[version])
    n_arms = instance.n_arms
    effective = max(instance.strict.complexity(epsilon) / COST_DIVISORS[version], 1.0)
    return 499 * effective * log(4 * n_arms * effective / delta) + 2 * n_arms


def _expected_cost(instance: Instance, epsilon: float, delta: float, radius: str) -> float:
    """Return an upper bound on E[T] of Algorithm 2 with a valid radius, beyond the paper.

    ``mixture``, ``onesided`` and ``coin``: the boundary b(n) does not depend on the other arms and
    is concave, so by Wald's identity and Jensen's inequality E[N_i] is at most the root of
    n Delta_{i,eps} = b(n) + 1; for ``coin``, b is that of the arm's side, and the last step, 1, is
    1 - tau_eps above and tau_eps below the threshold. ``hoeffding``: t_0 + 4 delta / (t_0 - 1) with
    t_0 the least t >= 12 H_eps for which t/2 - 1 > 2 H_eps L(t) + K. Proofs are in the article's
    appendix.
    """
    strict, n_arms = instance.strict, instance.n_arms
    edge = Radius(radius).at(n_arms, delta, strict.threshold, epsilon)
    complexity = strict.complexity(epsilon)
    if math.isinf(complexity):
        return math.inf
    if edge.family == UNION:
        start = _hoeffding_start(complexity, n_arms, edge.term)
        return start + 4 * delta / (start - 1)
    sides = np.where(np.array(strict.means) > strict.threshold, 1, -1)
    gaps, arms = np.unique(shrinkage(epsilon) * strict.gaps * sides, return_counts=True)
    t = strict.private_threshold(epsilon)
    up, down = (1 - t, t) if edge.family == COIN else (1.0, 1.0)
    roots = [_boundary_root(edge, gap, up if gap > 0 else down) for gap in gaps.tolist()]
    return math.fsum(root * count for root, count in zip(roots, arms.tolist(), strict=True))


def _hoeffding_start(complexity: float, n_arms: int, term: float) -> float:
    """t_0: from 12 H_eps on, t/2 grows faster than 2 H_eps L(t), so iterating finds the least."""
    t = max(math.ceil(12 * complexity), 2)
    while True:
        least = 2 * (2 * complexity * (term + 3 * log(t)) + n_arms + 1)
        if t > least:
            return float(t)
        t = math.floor(least) + 1


def _boundary_root(edge: Boundary, gap: float, step: float) -> float:
    """Return the n with n |gap| = b(n) + the largest step; infinite if there is none.

    n |gap| - b(n) is convex and negative at 0, so there is one root at most; none if the last line
    of ``coin``, at n = 2^50, rises faster than the drift.
    """
    from scipy.optimize import brentq

    side = upper if gap > 0 else lower

    def excess(n: float) -> float:
        return n * abs(gap) - side(edge, n, n) - step

    # -b(n) at low
    low = step / abs(gap)
    high = 1 / abs(gap)
    while excess(high) <= 0:
        low, high = high, 2 * high
        if math.isinf(high):
            return math.inf
    return float(brentq(excess, low, high, rtol=1e-14))


def fixed_confidence_lower(
    instance: Instance, epsilon: float, delta: float, version: str = "printed"
) -> float:
    """Return a lower bound on E[T] of every delta-correct eps-LDP algorithm (Theorem 4.2).

    An algorithm is delta-correct if its answer is wrong with probability at most delta in every
    Bernoulli environment in which no mean equals the threshold. (With such means, no algorithm
    would be delta-correct for delta < 1/2.)

    Parameters
    ----------
    instance : Instance
        The problem; its tolerance plays no part.
    epsilon : float
        Privacy level; ``math.inf`` means none.
    delta : float
        Error probability, in (0, 1).
    version : {"printed", "reduction", "decoupled", "many_arms"}
        ``printed`` is Theorem 4.2; ``reduction`` is
        kl(delta, 1 - delta) sum_i 1 / kl(mu_{i,eps}, tau_eps); ``decoupled`` holds for algorithms
        that decide each arm by its own responses, as all radii without t do, and is never below
        ``reduction``: with equal gaps it grows with log K; ``many_arms`` bounds the average of
        E[T] over the 2^K mirror images of the problem about the threshold (hence the worst of
        them, not each).

    Returns
    -------
    float
        The bound, in pulls. It is 0 from delta = 1/2 on (``decoupled``: from 1 - 2^-K on), and at
        thresholds outside (0, 1), where the answer is known before any pull. With an arm exactly
        at the threshold it is infinite for delta < 1/2.

    Raises
    ------
    ValueError
        If delta is out of range, the version is unknown, or a mirror image has a mean outside
        [0, 1] (``many_arms``).

    Examples
    --------
    >>> round(fixed_confidence_lower(Instance("one", [0.75], 0.5), math.inf, 0.1, "reduction"), 2)
    13.44
    """
    check_delta(delta)
    strict = check_instance(instance).strict
    check_choice("version", version, ("printed", "reduction", "decoupled", "many_arms"))
    if not 0 < strict.threshold < 1:
        return 0.0
    if version == "printed":
        divergence = 2 * duchi_factor(epsilon)
        evidence = (1 - delta) * log(1 / delta) - log(2)
        if math.isinf(divergence) or evidence <= 0:
            return 0.0
        return evidence * strict.complexity() / divergence
    if version == "many_arms":
        costs = _mirror_divergences(strict, epsilon)
        return _shared_error_bound(costs, delta) if delta < 0.5 else 0.0
    costs = [private_divergence(mean, strict.threshold, epsilon) for mean in strict.means]
    if min(costs) == 0:
        return math.inf if delta < 0.5 else 0.0
    weights = np.array([1 / cost for cost in costs if math.isfinite(cost)])
    if version == "reduction" or weights.size == 1:
        return confidence_divergence(delta) * math.fsum(weights)
    return float(_decoupled_bound(weights, delta))


def _tiny_delta_bound(w: np.ndarray, delta: float) -> float:
    """Return the least sum_i w_i log(1 / x_i) with sum x_i = delta: x_i is in proportion to w_i."""
    return float((w * (log(w.sum() / w) - log(delta))).sum())


def _decoupled_bound(w: np.ndarray, delta: float) -> float:
    """Return the least sum_i w_i kl(1 - y_i, x_i) with prod(1 - x_i), prod(1 - y_i) >= 1 - delta.

    The problem is convex, and both constraints are active at its minimum. With prices p of
    -sum log(1 - x_i) and q of -sum log(1 - y_i) every arm is on its own, and any prices give a
    lower bound, so errors of the prices cost tightness of second order only: they are searched with
    the functions of NumPy, rounded, and the bound is evaluated once with those that are the same on
    every machine. At the best prices all x_i and y_i are at most delta, and the largest are at
    least those of equal arms, which brackets the prices.
    """
    if delta >= 1 - math.ldexp(1.0, -w.size):  # coins for all verdicts are right often enough
        return 0.0
    if delta < TINY_DELTA:
        return _tiny_delta_bound(w, delta)
    from scipy.optimize import brentq

    total = -log1p(-delta)
    most = float(w.max())
    share = -expm1(-total / w.size)  # x_i and y_i of equal arms

    def log_use(errors: np.ndarray) -> float:
        return math.log(-np.log1p(-errors).sum() / total)

    def price_of_y(log_p: float) -> float:
        log_s = log_p - math.log(most)
        least, largest = (
            most * (1 - y) * float(np.logaddexp(0, log_s - math.log(y))) for y in (delta, share)
        )
        ends = least * 0.999, largest * 1.001
        return float(brentq(lambda q: log_use(_priced(w, log_p, q)[1]), *ends, rtol=1e-11))

    def excess_of_x(log_p: float) -> float:
        return log_use(_priced(w, log_p, price_of_y(log_p))[0])

    def best_price_of_x() -> float:
        low = math.log(most) + math.log(max((1 - 2 * delta) / delta, 1e-12)) - 0.001
        high = math.log(most) - math.log(share) + 0.001
        if excess_of_x(low) <= 0 or excess_of_x(high) >= 0:
            return low if excess_of_x(low) <= 0 else high
        return float(brentq(excess_of_x, low, high, xtol=1e-11))

    log_p = round(best_price_of_x(), 7)
    q = exp(round(math.log(price_of_y(log_p)), 7))
    x, y, divergences = _priced(w, log_p, q, reproducible)
    spare = exp(log_p) * (total + log1p(-x).sum()) + q * (total + log1p(-y).sum())
    return max(0.0, float((w * divergences).sum()) - spare)


def _priced(
    w: np.ndarray, log_p: float, q: float, functions: Any = np
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the x and y that minimise w kl(1 - y, x) - p log(1 - x) - q log(1 - y), and kl.

    With s = p / w and r = q / w the derivatives vanish at x = (1 - y) / (1 + s) and at the root of
    (1 - y) log(1 + s / y) = r. In log y the logarithm of the left side is concave and decreasing,
    so Newton's method converges from every point.
    """
    exp, log, log1p = functions.exp, functions.log, functions.log1p

    def softplus(z: np.ndarray) -> np.ndarray:
        """Return log(1 + e^z) without overflow."""
        return np.maximum(z, 0.0) + log1p(exp(-np.abs(z)))

    log_s = log_p - log(w)
    r = q / w
    highest = -1e-12  # y < 1
    log_y = np.minimum(log_s - r - log(-functions.expm1(-r)), highest)
    for _ in range(100):
        y = exp(log_y)
        logs = softplus(log_s - log_y)
        slope = y / (1 - y) + exp(-softplus(log_y - log_s)) / logs
        excess = log1p(-y) + log(logs / r)
        log_y = np.minimum(log_y + excess / slope, highest)
        if np.abs(excess).max() < 1e-10:
            break
    y = exp(log_y)
    log_one_plus_s = softplus(log_s)
    return (1 - y) * exp(-log_one_plus_s), y, log_one_plus_s - y * softplus(log_s - log_y)


def _mirror_divergences(instance: Instance, epsilon: float) -> list[float]:
    """Return kl of each arm's private mean and its mirror image about tau, the larger direction."""
    tau, gaps = instance.threshold, instance.gaps
    for arm in np.flatnonzero(gaps > min(tau, 1 - tau) + 1e-12):
        raise ValueError(
            f"instance {instance.name!r}: the mirror image of means[{arm}] = "
            f"{instance.means[arm]} about the threshold {tau} is not in [0, 1]"
        )
    return [
        max(private_divergence(low, high, epsilon), private_divergence(high, low, epsilon))
        for low, high in np.clip(np.stack([tau - gaps, tau + gaps], axis=1), 0, 1).tolist()
    ]


def _shared_error_bound(cost: list[float], delta: float) -> float:
    """Return the least sum_i kl(1 - delta, x_i) / cost_i over x >= 0 with sum x_i <= delta.

    At the minimum the derivative of kl(1 - delta, x_i) / cost_i is the same number, minus the
    price of error probability, for all arms: a quadratic equation in x_i. Arms of infinite cost
    contribute nothing and need no share of delta.
    """
    from scipy.optimize import brentq

    if min(cost) == 0:
        return math.inf
    weights = np.array([1 / c for c in cost if math.isfinite(c)])
    if weights.size == 0:
        return 0.0
    if delta < TINY_DELTA:
        return _tiny_delta_bound(weights, delta)

    def shares(log_price: float) -> np.ndarray:
        price = np.minimum(exp(log_price - log(weights)), MAX_PRICE)
        root = np.sqrt(np.square(1 - price) + 4 * price * delta)
        return 2 * (1 - delta) / (1 + price + root)

    spread = log(weights.size / delta) + 2
    low = log(weights.min()) - 50
    high = log(weights.max()) + spread
    log_price = brentq(lambda y: log(shares(y).sum() / delta), low, high, xtol=1e-13)
    x = shares(log_price)
    return math.fsum(
        weight * bernoulli_kl(1 - delta, share)
        for weight, share in zip(weights.tolist(), x.tolist(), strict=True)
    )
