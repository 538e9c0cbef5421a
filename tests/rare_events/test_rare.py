"""Rare events against closed forms, exact programs, plain simulation and their own diagnostics.

Every comparison with a known value allows 4 standard errors: a right estimator fails one of them
with probability 6e-5, and the seeds are fixed.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom, binomtest
from scripts.exact_curves import curves
from scripts.rare_fixed_budget import sample
from scripts.rare_fixed_confidence import estimate as estimate_confidence

from ldpt import rare_events as rare
from ldpt.engines.fast_budget import new_state, run_to_budgets
from ldpt.exact import fixed_budget_loss
from ldpt.exact import fixed_confidence_error as exact_confidence_error
from ldpt.instances import Instance
from ldpt.policies import INDEX_POLICIES, IndexRule
from ldpt.radii import RADII
from ldpt.rare_events import kernels
from ldpt.rare_events.paths import WaysToErr, kl_divergence, ways_to_err_by_budget
from ldpt.rare_events.proposal import NOMINAL, build_proposal
from ldpt.simulate import fixed_budget, fixed_confidence

TWO_ARMS = [
    (Instance("unlike", [0.1, 0.8], 0.5), math.inf, [20, 60, 120]),
    (Instance("tolerant", [0.3, 0.9], 0.5, 0.05), 4.0, [60, 120]),
    (Instance("same-side", [0.25, 0.3], 0.5, 0.1), math.inf, [60, 200]),
    (Instance("one-in-band", [0.45, 0.8], 0.5, 0.1), math.inf, [50, 100]),
    (Instance("low-threshold", [0.05, 0.6], 0.2), 2.0, [40, 150]),
]


def estimate(instances, cells, replicates, seed, threads, mirrored=False):
    section = {"cells": cells, "replicates": replicates, "effective_size": math.inf}
    return sample(instances, section, seed, threads, mirrored)


def standard_errors(found: rare.RareEstimate, truth: float) -> float:
    return abs(found.probability / truth - 1) / found.relative_error


def budget_rate(instance: Instance, epsilon: float) -> float:
    """Return the cost of the cheapest error of Algorithm 1: -log(error) / T as T grows."""
    stages = np.linspace(0.9, 0.0, 91)
    return float(ways_to_err_by_budget(instance, epsilon, stages).costs.min())


# --- Algorithm 1 against exact values


@pytest.mark.parametrize(("mean", "epsilon"), [(0.7, 1.0), (0.9, math.inf), (0.2, 2.0)])
@pytest.mark.parametrize("exponent", [1, 4, 12, 20, 30])
def test_one_arm_matches_binomial_tails_down_to_1e_30(mean, epsilon, exponent):
    instance = Instance("one", [mean], 0.5)
    truth, tau = instance.private_means(epsilon)[0], 0.5
    budget = max(2, round(exponent * math.log(10) / kl_divergence(tau, truth)))
    count = math.floor(budget * tau)
    tail = binom.cdf(count, budget, truth) if mean > tau else binom.sf(count, budget, truth)
    found = rare.fixed_budget_error(instance, epsilon, budget, 4000, seed=1)
    assert found.reliable
    assert standard_errors(found, tail) < 4


@pytest.mark.parametrize(("instance", "epsilon", "budgets"), TWO_ARMS, ids=lambda v: str(v)[:24])
@pytest.mark.parametrize("policy", INDEX_POLICIES)
def test_two_arms_match_the_exact_program(policy, instance, epsilon, budgets):
    for budget in budgets:
        exact = fixed_budget_loss(instance, epsilon, budget, policy)
        found = rare.fixed_budget_error(instance, epsilon, budget, 20_000, 2, policy)
        assert standard_errors(found, exact) < 4
        # The proposal does not know the clip: far out it wastes runs on clipped Algorithm 1.
        assert found.relative_error < (0.1 if policy != "apt-clipped" or exact > 1e-9 else 0.5)


def test_two_arms_match_the_exact_program_below_1e_12():
    instance = Instance("unlike", [0.1, 0.8], 0.5)
    exact = fixed_budget_loss(instance, math.inf, 150)
    assert exact < 1e-12
    found = rare.fixed_budget_error(instance, math.inf, 150, 40_000, seed=3)
    assert found.reliable
    assert standard_errors(found, exact) < 4


def test_intervals_cover_the_exact_value():
    """95 % intervals over 200 seeded repeats; a coverage below 95 % is found at level 1e-3."""
    instance, epsilon, budget = Instance("tolerant", [0.3, 0.9], 0.5, 0.05), math.inf, 100
    exact = fixed_budget_loss(instance, epsilon, budget)
    found = [rare.fixed_budget_error(instance, epsilon, budget, 2000, s) for s in range(200)]
    covered = sum(estimate.low <= exact <= estimate.high for estimate in found)
    assert binomtest(covered, 200, 0.95, alternative="less").pvalue > 1e-3
    # Not because the intervals are wide: their spread is that of the estimates.
    spread = np.std([estimate.probability for estimate in found])
    assert 0.7 < spread / np.mean([estimate.standard_error for estimate in found]) < 1.4


# --- Algorithm 1 with ten arms


@pytest.mark.parametrize("name", ["three-groups", "arithmetic", "geometric"])
def test_ten_arms_match_plain_simulation(instances, name):
    instance = instances[name]
    budget = round(2.5 * instance.complexity(1.0))
    runs = fixed_budget(instance, 1.0, budget, 40_000, seed=4, policy="apt")["loss"]
    found = rare.fixed_budget_error(instance, 1.0, budget, 5000, seed=4, policy="apt")
    difference = found.probability - runs.mean()
    assert abs(difference) < 4 * math.hypot(found.standard_error, runs.std() / 200)


@pytest.mark.parametrize(("exponent", "allowed", "replicates"), [(9, 0.1, 5000), (30, 0.3, 10_000)])
def test_ten_arms_keep_the_relative_error_far_down(instances, exponent, allowed, replicates):
    instance = instances["three-groups"]
    budget = round(exponent * math.log(10) / budget_rate(instance, 1.0))
    found = [rare.fixed_budget_error(instance, 1.0, budget, replicates, seed=s) for s in range(5)]
    assert all(-exponent - 1 < math.log10(one.probability) < -exponent + 1 for one in found)
    # About one estimate in ten meets a large weight and says so; most must not.
    assert np.median([one.relative_error for one in found]) <= allowed
    assert sum(one.reliable for one in found) >= 3


@pytest.mark.parametrize("name", ["three-groups", "arithmetic", "two-arms"])
def test_error_falls_at_the_large_deviation_rate(instances, name):
    """Between T/H = 10 and 40 the measured slope is within 3 % of the rate."""
    instance = instances[name]
    complexity = instance.complexity(1.0)
    near, far = round(10 * complexity), round(40 * complexity)
    logs = [
        rare.fixed_budget_error(instance, 1.0, budget, 3000, seed=6).log_probability
        for budget in (near, far)
    ]
    assert (logs[0] - logs[1]) / (far - near) == pytest.approx(budget_rate(instance, 1.0), rel=0.03)


@pytest.mark.parametrize("means", [[0.1, 0.8], [0.3, 0.55], [0.2, 0.25]])
def test_no_mean_that_the_other_arm_shows_makes_an_error_cheaper(means):
    """Cost of both stages written out, on a grid of the other arm's means."""
    problem, stages = Instance("two", means, 0.5), np.linspace(0.9, 0.0, 91)
    ways = ways_to_err_by_budget(problem, 2.0, stages)
    truth = problem.private_means(2.0)
    lengths, least = stages[:-1], math.inf
    for way, arm in enumerate(ways.arms):
        own, other = ways.means[way, arm], 1 - arm
        if own == 0.5:
            continue
        shown = np.linspace(truth[other], 0.5, 300, endpoint=False)[:, None]
        share = (own - 0.5) ** -2 / ((own - 0.5) ** -2 + (shown - 0.5) ** -2)
        first = share * kl_divergence(own, truth[arm])
        first = first + (1 - share) * kl_divergence(shown, truth[other])
        home = np.minimum if truth[arm] > 0.5 else np.maximum
        after = home(0.5 - (own - 0.5) * share * (1 - lengths) / lengths, truth[arm])
        possible = (after > 0) & (after < 1)
        second = lengths * kl_divergence(np.where(possible, after, 0.5), truth[arm])
        costs = (1 - lengths) * first + second
        least = min(least, float(costs[possible].min(initial=math.inf)))
        if (own > 0.5) != (truth[arm] > 0.5):  # wrong from the first stage on, without a second
            least = min(least, float(first.min()))
    assert ways.costs.min() == pytest.approx(least, rel=1e-3)


def test_rate_of_one_arm_is_the_divergence_at_the_threshold():
    instance = Instance("one", [0.7], 0.5)
    expected = float(kl_divergence(0.5, instance.private_means(1.0)[0]))
    assert budget_rate(instance, 1.0) == pytest.approx(expected, rel=1e-6)


# --- Algorithm 2


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("delta", [0.2, 1e-2, 1e-4])
@pytest.mark.parametrize("epsilon", [2.0, math.inf])
def test_confidence_error_matches_the_exact_chain(counterexample, radius, delta, epsilon):
    exact = exact_confidence_error(counterexample, epsilon, delta, radius, tail=1e-25).error
    found = rare.fixed_confidence_error(counterexample, epsilon, delta, 10_000, 7, radius)
    assert found.reliable
    assert found.relative_error < 0.1
    assert standard_errors(found, exact) < 4


@pytest.mark.parametrize(("radius", "delta"), [("printed", 0.1), ("mixture", 0.5), ("coin", 0.4)])
def test_confidence_error_of_several_arms_matches_plain_simulation(radius, delta):
    instance = Instance("three", [0.2, 0.52, 0.7], 0.5)
    runs = ~fixed_confidence(instance, 4.0, delta, 40_000, 8, radius)["correct"]
    assert runs.sum() > 50
    found = rare.fixed_confidence_error(instance, 4.0, delta, 10_000, 8, radius)
    difference = found.probability - runs.mean()
    assert abs(difference) < 4 * math.hypot(found.standard_error, runs.std() / 200)


def test_an_arm_without_room_on_its_wrong_side_may_err():
    """Its farthest wrong mean is nearer to the threshold than half its gap."""
    problem = Instance("far", [0.7], 0.2)
    exact = exact_confidence_error(problem, 3.0, 0.3, "onesided", tail=1e-25).error
    found = rare.fixed_confidence_error(problem, 3.0, 0.3, 4000, 7, "onesided")
    assert exact == pytest.approx(1.18e-9, rel=0.01)
    assert standard_errors(found, exact) < 4


@pytest.mark.parametrize(("means", "threshold"), [([1.0], 0.5), ([0.4], 0.0)])
def test_arms_that_cannot_err_are_named(means, threshold):
    with pytest.raises(ValueError, match="no arm can err, the probability is 0"):
        rare.fixed_confidence_error(
            Instance("sure", means, threshold), math.inf, 0.1, 10, 1, "coin"
        )


# --- Runs and weights


def test_second_stage_has_its_own_means():
    first, second, ends = np.array([0.5, 0.5]), np.array([1.0, 1.0]), np.array([100, 300])
    pulls, sums = np.zeros((2, 2), np.int64), np.zeros((2, 2), np.int64)
    rng, rule = np.random.default_rng(1), IndexRule(0.5, 0.0, 0.0)
    stages, state = np.stack([first, second]), new_state(2, 300)
    run_to_budgets(rng, stages, rule, ends, state, pulls, sums)
    assert sums[0].sum() < 80
    assert (sums[1] - sums[0]).sum() == 200


def test_log_ratio_is_the_mixture_likelihood_written_out():
    truth = np.array([0.4, 0.7])
    ways = WaysToErr(
        arms=np.array([0, 1]),
        means=np.array([[0.55, 0.6], [0.45, 0.3]]),
        after=np.array([[0.5, 0.4], [0.6, 0.7]]),
        costs=np.array([[1.0, 2.0], [3.0, 1.5]]),
    )
    mixture = build_proposal(ways, truth, 0.6, 1000)
    n, s = np.array([[10, 20], [14, 36]]), np.array([[6, 9], [8, 20]])

    def likelihood(p, arm, stage=None):
        """Of an arm to the end of stage 0, after it, or all along."""
        pulls, ones = (n[1] - n[0], s[1] - s[0]) if stage == 1 else (n[stage or 0], s[stage or 0])
        if stage is None:
            pulls, ones = n[1], s[1]
        return p ** ones[arm] * (1 - p) ** (pulls[arm] - ones[arm])

    def other(tilt, arm):
        return 0.6 * likelihood(tilt, arm) + 0.4 * likelihood(truth[arm], arm)

    expected = NOMINAL * likelihood(0.4, 0) * likelihood(0.7, 1)
    shares = mixture.counts / mixture.counts.sum()
    expected += shares[0, 0] * other(0.6, 1) * likelihood(0.55, 0, 0) * likelihood(0.5, 0, 1)
    expected += shares[0, 1] * other(0.6, 1) * likelihood(0.55, 0)
    expected += shares[1, 0] * other(0.45, 0) * likelihood(0.3, 1, 0) * likelihood(0.6, 1, 1)
    expected += shares[1, 1] * other(0.45, 0) * likelihood(0.3, 1)
    expected /= likelihood(0.4, 0) * likelihood(0.7, 1)
    assert shares[2].tolist() == [0, NOMINAL]
    assert kernels.log_ratio(n, s, mixture) == pytest.approx(math.log(expected), rel=1e-12)


def test_runs_add_up_and_the_cheapest_way_has_most(instances):
    ends = np.array([500, 800, 1000])
    ways = rare.ways_to_err_by_budget(instances["arithmetic"], 1.0, 1 - ends / 1000)
    scaled = WaysToErr(ways.arms, ways.means, ways.after, 1000 * ways.costs)
    counts = build_proposal(scaled, instances["arithmetic"].private_means(1.0), 0.7, 9999).counts
    assert counts.sum() == 9999
    cheapest = np.unravel_index(np.argmin(ways.costs), ways.costs.shape)
    assert counts[cheapest] >= counts[:-1].max() - 1  # rounding moves one run


def test_arms_without_noise_are_left_alone():
    instance = Instance("sure", [0.0, 1.0, 0.7], 0.5)
    found = rare.fixed_budget_error(instance, math.inf, 60, 20_000, seed=9, policy="apt")
    runs = fixed_budget(instance, math.inf, 60, 100_000, seed=9, policy="apt")["loss"]
    difference = found.probability - runs.mean()
    assert abs(difference) < 4 * math.hypot(found.standard_error, runs.std() / math.sqrt(100_000))


def test_seed_decides_everything(instances):
    arguments = (instances["two-arms"], 1.0, 100, 500)
    once, again, other = (rare.fixed_budget_error(*arguments, seed) for seed in (1, 1, 2))
    assert once == again
    assert once != other


# --- Diagnostics


def test_summarise_of_no_erring_run_is_not_an_estimate_of_zero():
    found = rare.summarise(np.full(50, -np.inf), np.array([[30], [20]]))
    assert (found.probability, found.low, found.high) == (0.0, 0.0, 1.0)
    assert not found.reliable


def test_equal_weights_do_not_make_an_estimate_certain():
    """All 200 runs err, and the next one may not."""
    problem = Instance("x", [0.001], 0.0)
    found = rare.fixed_budget_error(problem, math.inf, 20, 200, 0)
    assert found.errors == 200
    assert found.low < fixed_budget_loss(problem, math.inf, 20) < found.high


def test_one_dominating_run_is_marked():
    log_weights = np.full(1000, -40.0)
    assert rare.summarise(log_weights, np.array([[1000]])).reliable
    log_weights[500] = -34.0
    found = rare.summarise(log_weights, np.array([[1000]]))
    assert found.tail_share > 0.1
    assert not found.reliable


def test_standard_error_is_that_of_a_stratified_mean():
    log_weights = np.log([0.1, 0.3, 0.2, 0.2, 0.5])
    found = rare.summarise(log_weights, np.array([[2, 2], [0, 1]]))
    assert found.probability == pytest.approx(1.3 / 5)
    # Strata {.1, .3}, {.2, .2}, {.5}: variances .02, 0, and .25 for the single run.
    assert found.standard_error == pytest.approx(math.sqrt(2 * 0.02 + 0.25) / 5)


def test_batches_are_one_sample():
    """Two batches of one stratum are a stratum of twice the size."""
    log_weights = np.log([[0.1, 0.3, 0.5], [0.2, 0.2, 0.1]])
    found = rare.summarise(log_weights, np.array([[2, 1]]))
    merged = rare.summarise(log_weights.ravel()[[0, 1, 3, 4, 2, 5]], np.array([[4, 2]]))
    assert found.row() == pytest.approx(merged.row(), rel=1e-12)


def test_runs_end_with_the_batch_that_reaches_the_effective_size(instances):
    arguments = (instances["two-arms"], 1.0, 100, 9000, 3, "apt")
    found = rare.fixed_budget_error(*arguments, effective_size=250)
    assert found.effective_sample_size >= 250
    assert found.replicates % rare.BATCH == 0
    assert 0 < found.replicates < 9000
    fewer = rare.fixed_budget_error(*arguments[:3], found.replicates - rare.BATCH, 3, "apt", 250)
    assert fewer.effective_sample_size < 250
    assert rare.fixed_budget_error(*arguments, effective_size=1e9).replicates == 9000


def test_runs_that_end_early_are_not_biased():
    """One arm, 60 seeds; a mean of 60 estimates within 4 standard errors."""
    instance, budget = Instance("one", [0.6], 0.5), 100
    exact = fixed_budget_loss(instance, math.inf, budget)
    estimates = [
        rare.fixed_budget_error(instance, math.inf, budget, 20_000, seed, "apt", 300).probability
        for seed in range(60)
    ]
    error = np.std(estimates, ddof=1) / math.sqrt(len(estimates))
    assert abs(np.mean(estimates) - exact) < 4 * error


@pytest.mark.parametrize("log_probability", [1e-9, 3.0, math.nan])
def test_what_is_no_probability_cannot_be_an_estimate(log_probability):
    with pytest.raises(ValueError, match="does not exist"):
        rare.RareEstimate(log_probability, 0.1, 200.0, 0.01, 300, 1000)


@pytest.mark.parametrize("epsilon", [30.0, 40.0, math.inf])
@pytest.mark.parametrize(("means", "tolerance"), [([0.1], 0.01), ([0.1, 0.3], 0.01), ([0.1], 0.0)])
def test_a_threshold_of_zero_without_noise_is_estimated(means, tolerance, epsilon):
    """The mixture holds arms that give no 1, whose likelihood of a 1 is 0."""
    instance = Instance("zero", means, 0.0, tolerance)
    found = rare.fixed_budget_error(instance, epsilon, 20, 4000, seed=1)
    exact = fixed_budget_loss(instance, epsilon, 20)
    assert abs(found.probability - exact) < 4 * found.standard_error
    assert found.low <= found.probability <= found.high <= 1


@pytest.mark.parametrize(
    "instance",
    [
        Instance("near", [0.30000001, 0.4], 0.3),
        Instance("narrow", [0.300001, 0.32], 0.3, 0.01),
    ],
)
def test_tiny_gaps_end(instance):
    assert 0 < rare.fixed_budget_error(instance, 1.0, 1000, 50, seed=1).probability <= 1


def test_too_few_runs_are_marked(instances):
    budget = round(10 * instances["three-groups"].complexity(1.0))
    assert not rare.fixed_budget_error(instances["three-groups"], 1.0, budget, 60, seed=1).reliable


# --- Wrong input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, 3, 10, 1), "budget must be a whole number from 4 to 10000000000000, got 3"),
        ((1.0, 10.5, 10, 1), "budget must be a whole number"),
        ((1.0, 10, 0, 1), "replicates must be a whole number from 1 to 100000000, got 0"),
        ((0.0, 10, 10, 1), "epsilon must be positive"),
    ],
)
def test_wrong_arguments_are_named(instances, arguments, message):
    with pytest.raises(ValueError, match=message):
        rare.fixed_budget_error(instances["two-arms"], *arguments)


def test_rare_estimates_refuse_an_instance_that_cannot_err():
    with pytest.raises(ValueError, match="no arm can err"):
        rare.fixed_budget_error(Instance("free", [0.5, 0.55], 0.5, 0.2), 1.0, 10, 10, 1)
    with pytest.raises(ValueError, match="exactly at the threshold"):
        rare.fixed_confidence_error(Instance("stuck", [0.5], 0.5), 1.0, 0.1, 10, 1)


# --- Scripts


def test_table_of_estimates(instances):
    cells = [
        ("one-arm", 1.0, {"multiples": [0.01, 4, 8], "policies": ["apt"]}),
        ("two-arms", math.inf, {"multiples": [2], "policies": ["apt"]}),
    ]
    table = estimate(instances, cells, 2000, 3, 2)
    assert table["epsilon"].tolist() == ["1", "1", "inf"]  # 0.01 H_eps is below 2K
    assert table.equals(estimate(instances, cells, 2000, 3, 1))


def test_table_of_confidence_errors(counterexample):
    cells = [("counterexample", 1.0, {"radii": ["printed", "mixture"], "deltas": [0.1, 0.01]})]
    studies = {"cells": cells, "replicates": 2000, "effective_size": 1e9}
    params = SimpleNamespace(seed=3, constants={}, studies=studies)
    table = estimate_confidence({"counterexample": counterexample}, params, 2)
    assert table["radius"].tolist() == ["printed"] * 2 + ["mixture"] * 2
    assert table["error_over_delta"][0] == pytest.approx(3.04, rel=0.05)


def test_environments_are_estimated_once_per_set_of_means(instances):
    """B^0 and the mirror images of the three kinds of arms of three-groups."""
    cells = [("three-groups", 1.0, {"multiples": [2], "policies": ["apt"]})]
    table = estimate(instances, cells, 500, 3, 1, mirrored=True)
    assert table["environment"].tolist() == [f"three-groups/B{i}" for i in (0, 1, 4, 5)]
    assert table["budget"].nunique() == 1
    assert (table["estimate"] > 0).all()


def test_lsa_rows_are_marked_as_such(instances):
    cells = [("two-arms", math.inf, {"multiples": [2], "policies": ["apt", "lsa"]})]
    table = estimate(instances, cells, 1000, 3, 1)
    assert table["policy"].tolist() == ["apt", "lsa"]
    exact = curves(instances, cells)
    assert exact["policy"].tolist() == ["apt", "lsa"]
    assert (abs(table["estimate"] / exact["estimate"] - 1) < 4 * table["relative_error"]).all()


def test_exact_curves_are_the_exact_losses(instances):
    cells = [("two-arms", math.inf, {"multiples": [2, 4], "policies": ["apt"]})]
    table = curves(instances, cells)
    assert table["budget"].tolist() == [20, 40]
    assert table["estimate"][1] == fixed_budget_loss(instances["two-arms"], math.inf, 40)
