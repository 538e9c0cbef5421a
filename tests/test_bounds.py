"""Every bound against the paper's own expression in many digits, and against what is simulated."""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from ldpt import exact, simulate
from ldpt.bounds import (
    bernoulli_kl,
    confidence_divergence,
    fixed_budget_lower,
    fixed_budget_upper,
    fixed_confidence_lower,
    fixed_confidence_upper,
    lsa_shares,
    private_divergence,
)
from ldpt.instances import Instance, budget_environments
from ldpt.privacy import private_mean

PAIR = Instance("pair", [0.3, 0.6], 0.5, 0.1)
EPSILONS = [0.1, 1.0, 4.0]


def papers_complexity(instance: Instance, epsilon: float) -> mpmath.mpf:
    """H_eps with (e^eps - 1)/(e^eps + 1) written out, as the paper has it."""
    power = mpmath.exp(epsilon)
    factor = (power - 1) / (power + 1)
    return sum((factor * mpmath.mpf(float(gap))) ** -2 for gap in instance.gaps)


def budget_expressions(epsilon: float, budget: int) -> dict[tuple[str, str], mpmath.mpf]:
    """Theorems 3.1 and 3.2 as printed."""
    n_arms, complexity = PAIR.n_arms, papers_complexity(PAIR, epsilon)
    log, power = mpmath.log(budget), mpmath.exp(epsilon)
    cost = (power + 1) ** 2 * min(4, power**2)
    return {
        ("upper", "printed"): mpmath.exp(
            -budget / (4 * complexity) + 2 * n_arms * mpmath.log(log + 1)
        ),
        ("lower", "printed"): mpmath.exp(-8 * budget / complexity * cost) / 4,
    }


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("budget", [4, 300, 20_000])
@pytest.mark.parametrize("which", [("upper", "printed"), ("lower", "printed")])
def test_fixed_budget_bounds_are_the_expressions(which, budget, epsilon):
    side, version = which
    bound = {"upper": fixed_budget_upper, "lower": fixed_budget_lower}[side]
    with mpmath.workdps(40):
        expected = float(budget_expressions(epsilon, budget)[which])
    assert bound(PAIR, epsilon, budget, version) == pytest.approx(expected, rel=1e-9, abs=1e-300)


def confidence_expressions(epsilon: float, delta: float) -> dict[tuple[str, str], mpmath.mpf]:
    """Theorems 4.1 and 4.2; tolerance 0, as the fixed-confidence setting wants it."""
    n_arms, complexity = PAIR.n_arms, papers_complexity(PAIR.strict, epsilon)
    power, level = mpmath.exp(epsilon), mpmath.mpf(delta)

    def upper(constant: float, divisor: int) -> mpmath.mpf:
        effective = max(complexity / divisor, 1)
        return constant * effective * mpmath.log(4 * n_arms * effective / level) + 2 * n_arms

    evidence = (1 - level) * mpmath.log(1 / level) - mpmath.log(2)
    return {
        ("upper", "printed"): upper(499, 36),
        ("upper", "hoeffding"): upper(499, 9),
        ("lower", "printed"): evidence / (2 * min(4, power**2) * (power + 1) ** 2) * complexity,
    }


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", [0.1, 1e-4])
@pytest.mark.parametrize(
    "which", [("upper", "printed"), ("upper", "hoeffding"), ("lower", "printed")]
)
def test_fixed_confidence_bounds_are_the_expressions(which, delta, epsilon):
    side, version = which
    bound = {"upper": fixed_confidence_upper, "lower": fixed_confidence_lower}[side]
    with mpmath.workdps(40):
        expected = float(confidence_expressions(epsilon, delta)[which])
    assert bound(PAIR, epsilon, delta, version) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("mean", "threshold", "epsilon"),
    [(0.0, 1e-30, 40.0), (1.0, 1 - 2.0**-53, 40.0), (5e-324, 1e-9, math.inf), (0.0, 1e-9, 1e300)],
)
def test_bounds_are_ordered_where_the_means_of_responses_round(mean, threshold, epsilon):
    problem = Instance("extreme", [mean], threshold)
    lower = fixed_confidence_lower(problem, epsilon, 0.1, "reduction")
    assert 0 < lower <= fixed_confidence_upper(problem, epsilon, 0.1, "hoeffding") < math.inf


def test_divergences_keep_their_digits_where_the_means_of_responses_round():
    with mpmath.workdps(60):
        p, q = (mpmath.mpf(x) + mpmath.exp(-40) for x in (0, 1e-20))
        expected = p * mpmath.log(p / q) + (1 - p) * mpmath.log((1 - p) / (1 - q))
    assert private_divergence(0.0, 1e-20, 40.0) == pytest.approx(float(expected), rel=1e-9)
    assert private_divergence(5e-324, 1e-9, math.inf) == pytest.approx(1e-9, rel=1e-8)


def test_coin_does_not_bound_the_pulls_of_an_arm_beyond_its_last_tangent():
    """It rises faster than the drift of an arm that 2^50 pulls do not decide."""
    near = Instance("near", [0.6 + 1e-12], 0.6)
    assert fixed_confidence_upper(near, math.inf, 0.1, "coin") == math.inf
    assert 1e24 < fixed_confidence_upper(near, math.inf, 0.1, "onesided") < 1e27


def test_fixed_confidence_upper_has_the_constants_of_the_repaired_coefficients():
    """126 + 54 log(2 C) < C from C = 499 on; the least such C is 498.9 and not 499 by chance."""
    assert 126 + 54 * math.log(2 * 499) < 499
    assert 126 + 54 * math.log(2 * 498.8) > 498.8


@pytest.mark.parametrize("epsilon", [1e-9, 0.01, *EPSILONS, math.inf])
def test_reduction_is_the_divergence_of_private_means_in_many_digits(epsilon):
    """kl(delta, 1 - delta) times sum 1 / kl(mu_{i,eps}, tau_eps), also where gaps are 1e-11."""
    pulls = mpmath.mpf(0)
    with mpmath.workdps(60):
        c = mpmath.tanh(mpmath.mpf(epsilon) / 2)
        for mean in PAIR.means:
            p, t = (0.5 + c * (mpmath.mpf(x) - 0.5) for x in (mean, 0.5))
            pulls += 1 / (p * mpmath.log(p / t) + (1 - p) * mpmath.log((1 - p) / (1 - t)))
        expected = float(0.9 * mpmath.log(19) * pulls)
    found = fixed_confidence_lower(PAIR, epsilon, 0.05, "reduction")
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("epsilon", "ratio"), [(1.0, 1.85), (math.inf, 4.80)])
def test_onesided_over_the_reduction_is_not_flat_away_from_the_middle(epsilon, ratio):
    """The review's numbers on ``counterexample``, delta = .1."""
    problem = Instance("counterexample", [0.95], 0.9)
    pulls = exact.fixed_confidence_error(problem, epsilon, 0.1, "onesided").expected_pulls
    lower = fixed_confidence_lower(problem, epsilon, 0.1, "reduction")
    assert pulls / lower == pytest.approx(ratio, rel=0.02)


@pytest.mark.parametrize("n_arms", [2, 64, 1024])
@pytest.mark.parametrize("delta", [0.3, 0.1, 1e-6])
def test_decoupled_has_a_closed_form_at_equal_gaps(delta, n_arms):
    problem = Instance("equal", [0.4, 0.6] * (n_arms // 2), 0.5)
    share = -math.expm1(math.log1p(-delta) / n_arms)  # 1 - (1 - delta)^(1/K)
    divergence = private_divergence(0.4, 0.5, 1.0)
    expected = n_arms * bernoulli_kl(1 - share, share) / divergence
    found = fixed_confidence_lower(problem, 1.0, delta, "decoupled")
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("delta", [0.7, 0.4, 0.1, 1e-3])
def test_decoupled_is_the_minimum_over_all_error_probabilities(delta):
    """No point of a grid of 10^6 is cheaper, and one of them is nearly as cheap."""
    problem = Instance("unlike", [0.45, 0.8], 0.5)
    shares = delta * np.concatenate([10.0 ** np.linspace(-6, -0.4, 500), np.linspace(0.4, 1, 500)])
    shares = shares[shares < delta]
    x, y = np.meshgrid(shares, shares)
    rest = [1 - (1 - delta) / (1 - first) for first in (x, y)]  # the products are 1 - delta
    total = 0.0
    for mean, first, second in ((0.45, x, y), (0.8, *rest)):
        kl = (1 - second) * np.log((1 - second) / first) + second * np.log(second / (1 - first))
        total += np.where(first + second < 1, kl, 0.0) / private_divergence(mean, 0.5, math.inf)
    found = fixed_confidence_lower(problem, math.inf, delta, "decoupled")
    assert total.min() * (1 - 2e-3) <= found <= total.min() * (1 + 1e-9)


@pytest.mark.parametrize("delta", [1e-300, 1e-12, 0.01, 0.1, 0.3, 0.45, 0.4999])
def test_decoupled_is_never_below_the_reduction_and_the_same_on_one_arm(delta):
    rng = np.random.default_rng(5)
    for n_arms in (1, 2, 7, 60):
        means = np.where(rng.random(n_arms) < 0.2, 0.5001, rng.uniform(0.51, 1, n_arms)).tolist()
        problem = Instance("random", means, 0.5)
        found = fixed_confidence_lower(problem, 1.0, delta, "decoupled")
        single = fixed_confidence_lower(problem, 1.0, delta, "reduction")
        assert found == single if n_arms == 1 else found > single


@pytest.mark.parametrize(("version", "divergences"), [("decoupled", 1), ("many_arms", 4)])
def test_bounds_with_shared_errors_hold_where_shares_of_delta_underflow(version, divergences):
    """Mirrored means are two gaps apart; log K is below 2 % of the bound."""
    for gap in (1e-8, 1e-4, 0.1):
        problem = Instance("far", [0.5 + gap, 0.6, 0.61], 0.5)
        for delta in (1e-300, 1e-200):
            weaker = fixed_confidence_lower(problem, 1.0, delta, "reduction") / divergences
            found = fixed_confidence_lower(problem, 1.0, delta, version)
            assert 0.99 * weaker <= found < 1.02 * weaker
        ends = [fixed_confidence_lower(problem, 1.0, x * 1e-100, version) for x in (0.999, 1)]
        assert math.isclose(*ends, rel_tol=1e-5)
        assert ends[0] > ends[1]


@pytest.mark.parametrize("n_arms", [2, 3, 40])
def test_decoupled_is_positive_up_to_where_every_arm_may_be_guessed(n_arms):
    """Coins for all verdicts are right with probability 2^-K on every problem."""
    problem = Instance("many", [0.3, 0.6, *[0.7] * (n_arms - 2)], 0.5)
    guesses = 1 - 0.5**n_arms
    assert fixed_confidence_lower(problem, 1.0, guesses * (1 - 1e-6), "decoupled") > 0
    for delta in (guesses, (1 + guesses) / 2):
        assert fixed_confidence_lower(problem, 1.0, delta, "decoupled") == 0


@pytest.mark.parametrize("version", ["reduction", "decoupled", "many_arms", "printed"])
@pytest.mark.parametrize("delta", [0.5, 0.6, 0.999])
def test_from_a_half_on_no_bound_is_above_zero_nor_undefined(version, delta):
    """Except ``decoupled`` below 1 - 2^-K, which is about deciding all arms at once."""
    for means in ([0.5], [0.3, 0.5], [0.7], [0.3, 0.6]):
        bound = fixed_confidence_lower(Instance("x", means, 0.5), 1.0, delta, version)
        assert (bound > 0) == (version == "decoupled" and means == [0.3, 0.6] and delta < 0.75)


@pytest.mark.parametrize("version", ["reduction", "decoupled"])
def test_lower_bounds_hold_at_means_zero_and_one(version):
    ends = Instance("ends", [0.0, 1.0], 0.5)
    least = fixed_confidence_lower(ends, math.inf, 0.1, version)
    assert least >= 2 * 1.7577 / math.log(2) * 0.999


@pytest.mark.parametrize("epsilon", [2.0, math.inf])
@pytest.mark.parametrize(("mean", "threshold"), [(0.95, 0.9), (0.05, 0.3), (0.7, 0.5), (1.0, 0.8)])
def test_expected_pulls_of_coin_are_between_its_bounds(mean, threshold, epsilon):
    problem = Instance("one", [mean], threshold)
    pulls = exact.fixed_confidence_error(problem, epsilon, 0.1, "coin").expected_pulls
    assert pulls <= fixed_confidence_upper(problem, epsilon, 0.1, "coin")
    assert pulls >= fixed_confidence_lower(problem, epsilon, 0.1, "reduction")
    onesided = fixed_confidence_upper(problem, epsilon, 0.1, "onesided")
    assert fixed_confidence_upper(problem, epsilon, 0.1, "coin") <= onesided


@pytest.mark.parametrize("policy", ["apt-clipped", "lsa-clipped", "lsa", "apt"])
def test_exact_losses_are_below_the_bounds_of_their_policies(policy):
    """On two arms with a threshold away from 1/2; the last bound is informative."""
    problem, version = Instance("two", [0.05, 0.6], 0.3), "proved" if policy == "apt" else policy
    for epsilon, multiple in ((1.0, 1), (math.inf, 3), (math.inf, 12)):
        budget = math.ceil(multiple * problem.complexity(epsilon))
        loss = exact.fixed_budget_loss(problem, epsilon, budget, policy)
        bound = fixed_budget_upper(problem, epsilon, budget, version)
        assert loss <= bound
    assert bound < 0.01


def test_bound_of_clipped_algorithm_1_does_not_grow_as_privacy_does():
    problem = Instance("three", [0.2, 0.45, 0.8], 0.5)

    def at(version, epsilon):
        return fixed_budget_upper(problem, epsilon, 3 + 12 * problem.complexity(epsilon), version)

    assert at("apt-clipped", 1e-6) == pytest.approx(at("apt-clipped", 1.0), rel=1e-6)
    assert at("lsa-clipped", 1e-6) == pytest.approx(at("lsa", 1e-6), rel=1e-9)
    assert at("proved", 1e-6) > 2 * at("proved", 1.0)
    assert at("locatelli", 1.0) < at("printed", 1.0)


@pytest.mark.parametrize("epsilon", [0.3, math.inf])
@pytest.mark.parametrize("budget", [7, 40, 41.5])
def test_genie_is_half_the_overlap_of_the_laws_of_the_hardest_arm(budget, epsilon):
    size, overlaps = math.ceil(budget), []
    for high, low in ((0.7, 0.3), (0.65, 0.35)):  # tau +- (|mu - tau| / 2 + zeta)
        laws = [stats.binom(size, private_mean(mean, epsilon)) for mean in (high, low)]
        x = np.arange(size + 1)
        overlaps.append(np.minimum(laws[0].pmf(x), laws[1].pmf(x)).sum())
    found = fixed_budget_lower(PAIR, epsilon, budget, "genie")
    assert found == pytest.approx(max(overlaps) / 2, rel=1e-9)
    best = fixed_budget_lower(PAIR, epsilon, budget, "best")
    assert best == max(found, fixed_budget_lower(PAIR, epsilon, budget, "reduction"))


def test_genie_at_means_zero_and_one():
    sure = Instance("sure", [1.0], 0.5, 0.25)
    assert fixed_budget_lower(sure, math.inf, 5, "genie") == 0
    low = Instance("low", [0.9], 0.2)  # tau +- .35, of which the lower mean is clipped to 0
    expected = 0.5 * (1 - 0.55) ** 5
    assert fixed_budget_lower(low, math.inf, 5, "genie") == pytest.approx(expected)


@pytest.mark.parametrize("mean", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0])
def test_privbern_contracts_divergence_by_at_most_tanh_squared(mean, threshold, epsilon):
    private = bernoulli_kl(private_mean(mean, epsilon), private_mean(threshold, epsilon))
    raw = bernoulli_kl(mean, threshold)
    assert private <= math.tanh(epsilon / 2) ** 2 * raw * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [1.0, 4.0, math.inf])
def test_measured_costs_lie_between_the_lower_and_the_upper_bounds(epsilon):
    """The radii for which theorem and correction speak; runs seeded, margins of several sd."""
    for radius in ("printed", "hoeffding"):
        runs = simulate.fixed_confidence(PAIR, epsilon, 0.05, 200, seed=1, radius=radius)
        if radius == "hoeffding":  # the lower bound is about algorithms that keep delta
            lower = fixed_confidence_lower(PAIR, epsilon, 0.05, "reduction")
            assert runs["stopping_time"].mean() >= lower
        upper = fixed_confidence_upper(PAIR, epsilon, 0.05, radius)
        assert runs["stopping_time"].max() <= upper


ONE_ARMED = [
    Instance("counterexample", [0.95], 0.9),
    Instance("middle", [0.6], 0.5),
    Instance("below", [0.2], 0.4),
]


@pytest.mark.parametrize("instance", ONE_ARMED, ids=lambda instance: instance.name)
@pytest.mark.parametrize(
    ("radius", "epsilon"),
    [(radius, epsilon) for radius in ("mixture", "onesided") for epsilon in (1.0, 4.0, math.inf)]
    + [("hoeffding", 4.0), ("hoeffding", math.inf)],  # whose chains are ten times as long
)
@pytest.mark.parametrize("delta", [0.2, 0.01])
def test_expected_cost_upper_holds_at_exact_means(delta, epsilon, radius, instance):
    """Between 1 and 1.6 times the exact mean for the mixtures, at most 13 times for hoeffding."""
    mean = exact.fixed_confidence_error(instance, epsilon, delta, radius, tail=1e-10).expected_pulls
    version = {"hoeffding": "hoeffding_mean"}.get(radius, radius)
    bound = fixed_confidence_upper(instance, epsilon, delta, version)
    assert mean <= bound <= mean * (13 if radius == "hoeffding" else 1.6)


@pytest.mark.parametrize("radius", ["mixture", "onesided", "coin"])
def test_expected_cost_upper_adds_up_arms(radius):
    halves = [Instance("one", [mean], 0.5) for mean in PAIR.means]
    together = fixed_confidence_upper(PAIR, 1.0, 0.1, radius)
    apart = [fixed_confidence_upper(half, 1.0, 0.1 / 2, radius) for half in halves]
    assert together == pytest.approx(sum(apart), rel=1e-12)


def test_expected_cost_of_hoeffding_meets_its_condition():
    """t_0 is the least t >= 12 H with t/2 - 1 > 2 H L(t) + K."""
    delta, complexity = 0.05, PAIR.strict.complexity(1.0)
    bound = fixed_confidence_upper(PAIR, 1.0, delta, "hoeffding_mean")

    def holds(t: int) -> bool:
        log_term = math.log(4 * 2 / delta) + 3 * math.log(t)
        return t / 2 - 1 > 2 * complexity * log_term + 2

    start = math.floor(bound)
    assert start >= 12 * complexity
    assert holds(start)
    assert not holds(start - 1)
    assert bound == pytest.approx(start + 4 * delta / (start - 1), rel=1e-15)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0])
def test_onesided_cost_over_the_reduction_is_flat_in_epsilon(epsilon):
    """At tau = 1/2 the boundary knows eps: the ratio moves by 5 %, that of mixture doubles."""
    problem = Instance("three", [0.2, 0.45, 0.8], 0.5)

    def ratio(radius: str, at: float) -> float:
        return fixed_confidence_upper(problem, at, 0.1, radius) / fixed_confidence_lower(
            problem, at, 0.1, "reduction"
        )

    assert ratio("onesided", epsilon) == pytest.approx(ratio("onesided", 0.001), rel=0.05)
    assert ratio("mixture", 0.001) > 1.5 * ratio("mixture", 1.0)


@pytest.mark.parametrize("n_arms", [2, 256, 512])
@pytest.mark.parametrize("delta", [0.1, 1e-4])
def test_many_arms_has_a_closed_form_at_equal_gaps(delta, n_arms):
    problem = Instance("equal", [0.4, 0.6] * (n_arms // 2), 0.5)
    divergence = private_divergence(0.4, 0.6, 1.0)
    expected = n_arms * bernoulli_kl(1 - delta, delta / n_arms) / divergence
    found = fixed_confidence_lower(problem, 1.0, delta, "many_arms")
    assert found == pytest.approx(expected, rel=1e-9)
    above = found > fixed_confidence_lower(problem, 1.0, delta, "reduction")
    if delta == 0.1:
        assert above == (n_arms == 512)


@pytest.mark.parametrize("delta", [0.4, 0.1, 1e-6])
def test_many_arms_is_the_minimum_over_all_ways_to_share_delta(delta):
    """No split of delta on a grid is cheaper, and one of them is nearly as cheap."""
    problem = Instance("unlike", [0.45, 0.8], 0.5)
    first, second = (0.45, 0.55), (0.8, 0.2)
    cost = [max(bernoulli_kl(*pair), bernoulli_kl(*pair[::-1])) for pair in (first, second)]
    grid = [
        bernoulli_kl(1 - delta, share * delta) / cost[0]
        + bernoulli_kl(1 - delta, (1 - share) * delta) / cost[1]
        for share in np.linspace(0.0005, 0.9995, 1000)
    ]
    found = fixed_confidence_lower(problem, math.inf, delta, "many_arms")
    assert min(grid) * (1 - 1e-3) <= found <= min(grid) * (1 + 1e-12)


def test_many_arms_holds_on_average_over_mirror_images():
    """onesided is delta-correct, so its mean cost over the 4 mirror images is above the bound."""
    delta, epsilon = 0.2, 2.0
    bound = fixed_confidence_lower(Instance("pair", [0.3, 0.7], 0.5), epsilon, delta, "many_arms")
    images = [[0.5 + 0.2 * a, 0.5 + 0.2 * b] for a in (-1, 1) for b in (-1, 1)]
    means = [
        simulate.fixed_confidence(
            Instance("image", image, 0.5), epsilon, delta, 400, seed=3, radius="onesided"
        )["stopping_time"].mean()
        for image in images
    ]
    assert np.mean(means) > bound > 0


def test_499_and_36_leave_room_for_what_the_printed_radius_needs():
    """Appendix, cost (ii): H S^2 pulls decide all arms with probability 1 - delta; 499 is ample.

    At random K, H_eps and delta, extreme ones included; with 499 / 8 it would no longer hold.
    """
    rng = np.random.default_rng(8)
    n_arms = np.floor(10 ** rng.uniform(0, 6, 100_000))
    complexity = 10 ** rng.uniform(-6, 12, n_arms.size)
    delta = np.where(
        rng.random(n_arms.size) < 0.3, 0.999999, 10 ** -rng.uniform(0.01, 200, n_arms.size)
    )
    effective = np.maximum(complexity / 36, 1)

    def largest_share(constant):
        bound = constant * effective * np.log(4 * n_arms * effective / delta)
        last = np.floor(bound + 2 * n_arms) + 1
        level = np.log(4 * n_arms / delta) + 3 * np.log(last)
        root = np.sqrt(level / 8) + np.sqrt(np.log(n_arms / delta) / 2)
        return (complexity * root**2 / (last - n_arms)).max()

    assert largest_share(499) < 0.2
    assert largest_share(499 / 8) > 1


def test_printed_lower_bounds_say_nothing_without_privacy_even_at_the_threshold():
    at = Instance("at", [0.5], 0.5)
    assert fixed_budget_lower(at, math.inf, 10) == 0
    assert fixed_confidence_lower(at, math.inf, 0.01) == 0


@pytest.mark.parametrize("version", ["printed", "reduction", "decoupled", "many_arms"])
@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_fixed_confidence_lower_is_zero_where_the_threshold_tells_the_answer(version, threshold):
    """All admitted means lie on one side; inside, an arm at the threshold is never decided."""
    for means in ([0.0], [0.9], [0.3, 1.0]):
        assert fixed_confidence_lower(Instance("x", means, threshold), 1.0, 0.1, version) == 0
    at = fixed_confidence_lower(Instance("at", [0.5], 0.5), 1.0, 0.1, version)
    assert at == math.inf


@pytest.mark.parametrize("delta", [0.9, 0.99, 0.999])
@pytest.mark.parametrize("epsilon", [0.3, 2.0, math.inf])
@pytest.mark.parametrize(
    ("mean", "threshold"), [(0.02, 0.05), (0.98, 0.95), (0.0, 0.3), (1.0, 0.5)]
)
def test_expected_cost_of_coin_holds_at_weak_promises(mean, threshold, epsilon, delta):
    """The bound is the root of n g = b(n) + the last step, also where this is below 1/(2 g)."""
    problem = Instance("one", [mean], threshold)
    pulls = exact.fixed_confidence_error(problem, epsilon, delta, "coin").expected_pulls
    assert pulls <= fixed_confidence_upper(problem, epsilon, delta, "coin") * (1 + 1e-12)


def test_many_arms_names_the_mean_without_a_mirror_image():
    message = r"'dose': the mirror image of means\[1\] = 0.68 about the threshold 0.3 is not in"
    with pytest.raises(ValueError, match=message):
        fixed_confidence_lower(Instance("dose", [0.1, 0.68], 0.3), 1.0, 0.1, "many_arms")


@pytest.mark.parametrize("version", ["corrected", "reduction", "genie"])
def test_measured_errors_of_the_worst_environment_respect_the_lower_bounds(version):
    """Theorem 3.2 is about the worst of B^0..B^K: some environment must err at least so often."""
    budget, epsilon = 200, 1.0
    worst = max(
        simulate.fixed_budget(environment, epsilon, budget, 2000, 2, "lsa-clipped")["loss"].mean()
        for environment in budget_environments(PAIR)
    )
    assert worst >= fixed_budget_lower(PAIR, epsilon, budget, version)


TWO_ARMED = [
    Instance("two-arms", [0.05, 0.95], 0.5),
    Instance("unlike", [0.1, 0.8], 0.5),
    Instance("tolerant", [0.0, 0.9], 0.4, 0.05),
    Instance("hard-arm", [0.1, 0.52], 0.5),
]
BOUNDED = [("apt", "printed"), ("apt", "proved"), ("lsa", "lsa")]


@pytest.mark.parametrize("instance", TWO_ARMED, ids=lambda instance: instance.name)
@pytest.mark.parametrize(("policy", "version"), BOUNDED)
@pytest.mark.parametrize("epsilon", [1.0, 4.0, math.inf])
@pytest.mark.parametrize("budget", [4, 9, 30, 80, 160])
def test_fixed_budget_upper_holds_at_exact_losses(budget, epsilon, policy, version, instance):
    loss = exact.fixed_budget_loss(instance, epsilon, budget, policy)
    assert loss <= fixed_budget_upper(instance, epsilon, budget, version)


@pytest.mark.parametrize("version", ["proved", "lsa"])
def test_fixed_budget_upper_is_informative_where_arms_are_easy(version):
    """Below 1, so that the comparison with exact losses can fail."""
    assert fixed_budget_upper(TWO_ARMED[0], math.inf, 80, version) < 0.1


@pytest.mark.parametrize("version", ["proved", "lsa"])
def test_one_arm_has_hoeffdings_bound(version):
    one = Instance("one", [0.7], 0.5, 0.1)
    bound = fixed_budget_upper(one, math.inf, 50, version)
    assert bound == pytest.approx(math.exp(-2 * 50 * 0.2**2), rel=1e-12)
    assert exact.fixed_budget_loss(one, math.inf, 50) <= bound


@pytest.mark.parametrize("multiple", [2.0, 20.0, 60.0])
def test_proved_bound_is_at_most_its_closed_form_and_the_printed_bound(multiple):
    """The article's choice q^2 = 2 / (x + 1) and Theorem 3.1 itself."""
    problem = Instance("three", [0.2, 0.45, 0.8], 0.5)
    budget = math.ceil(multiple * problem.complexity(1.0))
    x, n_arms = (budget - 3) / problem.complexity(1.0), 3
    scales = 1 + math.sqrt((x + 1) / 32) * math.log(budget - n_arms)
    closed = 2 * math.e * n_arms * (n_arms - 1) * x * scales * math.exp(-x)
    proved = fixed_budget_upper(problem, 1.0, budget, "proved")
    assert proved <= (closed + n_arms * math.exp(-2 * x)) * 1.02  # 2 % for the grid of q
    assert proved <= fixed_budget_upper(problem, 1.0, budget, "printed")


def test_lsa_bound_depends_on_privacy_through_the_scaled_budget_alone():
    problem = Instance("three", [0.2, 0.45, 0.8], 0.5, 0.02)
    at = [
        fixed_budget_upper(problem, epsilon, 3 + 30 * problem.complexity(epsilon), "lsa")
        for epsilon in (0.01, 0.3, 4.0)
    ]
    assert at == pytest.approx([at[0]] * 3, rel=1e-6)


@pytest.mark.parametrize("pulls", [2.0, 38.0, 1e6])
def test_lsa_shares_of_equal_gaps_are_equal(pulls):
    assert lsa_shares(np.array([0.45, 0.45]), pulls, 0.5) == pytest.approx([pulls / 2] * 2)


def test_lsa_shares_equalise_the_index():
    gaps = np.array([0.3, 0.1, 0.02])
    shares = lsa_shares(gaps, 5000.0, 0.5)
    assert shares.sum() == pytest.approx(5000)
    index = shares * gaps**2 + np.log(shares) / 2
    assert index == pytest.approx(np.full(3, index[0]))


@pytest.mark.parametrize("version", ["corrected", "reduction", "genie"])
@pytest.mark.parametrize(
    ("instance", "hypothesis"),
    [
        (Instance("at", [0.5], 0.5, 0.1), r"needs mu_j != tau, got Instance\('at', means=\(0.5,\)"),
        (
            Instance("high", [0.5], 0.9, 0.1),
            r"needs tau \+ zeta < 1, got .*=0.9, tolerance=0.1",
        ),
        (
            Instance("low", [0.5], 0.1, 0.2),
            r"needs tau - zeta >= 0, got .*=0.1, tolerance=0.2",
        ),
    ],
)
def test_fixed_budget_lower_names_the_hypothesis_that_fails(instance, hypothesis, version):
    """Without them "always reject" or "always accept" has loss 0 in every environment."""
    with pytest.raises(ValueError, match=hypothesis):
        fixed_budget_lower(instance, 1.0, 100, version)


def test_printed_lower_bound_fails_at_the_threshold():
    """K = 1, mu = tau, zeta = .1: "always reject" never loses, the printed bound is positive."""
    at = Instance("at", [0.5], 0.5, 0.1)
    assert not any(environment.must_accept.any() for environment in budget_environments(at))
    assert fixed_budget_lower(at, 0.1, 2, "printed") > 0


def test_divergences_at_the_ends():
    assert bernoulli_kl(0.0, 0.0) == bernoulli_kl(1.0, 1.0) == 0
    assert bernoulli_kl(0.0, 0.5) == pytest.approx(math.log(2))
    assert bernoulli_kl(0.5, 0.0) == bernoulli_kl(0.5, 1.0) == math.inf
    assert confidence_divergence(0.5) == confidence_divergence(0.9) == 0
    assert confidence_divergence(0.1) == pytest.approx(bernoulli_kl(0.1, 0.9))
    for delta in (1e-16, 1e-17, 1e-300):  # 1 - delta is 1, or nearly
        assert confidence_divergence(delta) == pytest.approx(math.log(1 / delta))


def test_means_of_responses_that_round_to_0_or_1_leave_a_bound():
    """Beyond eps = 36 they do, though the mechanism still flips some responses."""
    assert private_mean(1.0, 50.0) == 1
    divergence = 0.1 * (math.log(0.1) + 50) + 0.9 * math.log(0.9)
    assert private_divergence(0.9, 1.0, 50.0) == pytest.approx(divergence, rel=1e-12)
    top = Instance("top", [0.3, 0.6], 1.0)
    assert fixed_confidence_lower(top, 50.0, 0.1, "reduction") == 0


@pytest.mark.parametrize("epsilon", [1e-6, 800.0, math.inf])
def test_extreme_privacy_levels_give_numbers_and_no_overflow(epsilon):
    for version in ("printed", "corrected", "reduction"):
        assert 0 <= fixed_budget_lower(PAIR, epsilon, 100, version) <= 0.25
    for version in ("printed", "reduction", "decoupled", "many_arms"):
        assert fixed_confidence_lower(PAIR, epsilon, 0.05, version) >= 0
    for version in ("printed", "hoeffding", "hoeffding_mean", "mixture", "onesided", "coin"):
        assert fixed_confidence_upper(PAIR, epsilon, 0.05, version) > 0
    for version in ("printed", "locatelli", "proved", "lsa", "apt-clipped", "lsa-clipped"):
        assert fixed_budget_upper(PAIR, epsilon, 100, version) > 0


@pytest.mark.parametrize(
    "bound",
    [fixed_budget_upper, fixed_budget_lower, fixed_confidence_upper, fixed_confidence_lower],
)
def test_bounds_refuse_an_unknown_version_with_its_name(bound):
    last = 100 if "budget" in bound.__name__ else 0.1
    with pytest.raises(ValueError, match=r"version must be one of .*, got 'guess'"):
        bound(PAIR, 1.0, last, "guess")


def test_bad_arguments_are_refused_with_their_value():
    with pytest.raises(
        ValueError, match="budget must be finite and at least 2K = 4 for 2 arms, got 3"
    ):
        fixed_budget_upper(PAIR, 1.0, 3)
    with pytest.raises(ValueError, match="delta must lie strictly between 0 and 1, got 1"):
        fixed_confidence_lower(PAIR, 1.0, 1.0)
