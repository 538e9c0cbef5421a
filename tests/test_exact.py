"""The oracles against enumeration and reference values, and the engines against the oracles.

Statistical tests are seeded and fail by chance with probability 1e-4 each.
"""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, binomtest, norm
from scripts import optimal_loss as script

from ldpt.engines.indices import arm_index
from ldpt.exact import (
    fixed_budget_loss,
    fixed_budget_losses,
    fixed_confidence_error,
    optimal_loss,
    optimal_losses,
)
from ldpt.instances import Instance
from ldpt.policies import INDEX_POLICIES, POLICIES
from ldpt.radii import Radius
from ldpt.replication.certificate import certified_error_lower_bound
from ldpt.simulate import fixed_budget, fixed_confidence

LEVEL = 1e-4
COUNTEREXAMPLE = Instance("counterexample", [0.95], 0.9)
HARD_ARM = Instance("hard-arm", [0.1, 0.52], 0.5)
TOLERANT = Instance("tolerant", [0.3, 0.8], 0.4, 0.05)


def enumerated_loss(instance, epsilon, budget, policy):
    """Loss of an index policy on two arms, summed over all pairs of response sequences."""
    means = instance.private_means(epsilon)
    tau = instance.private_threshold(epsilon)
    rule, total = POLICIES[policy].rule(instance.threshold, instance.tolerance, epsilon), 0.0
    for tape in itertools.product(itertools.product((0, 1), repeat=budget - 1), repeat=2):
        n, s = [1, 1], [tape[0][0], tape[1][0]]
        while sum(n) < budget:
            index = [arm_index(rule, n[k], s[k]) for k in (0, 1)]
            k = index.index(min(index))
            s[k] += tape[k][n[k]]
            n[k] += 1
        returned = np.array([s[k] > n[k] * tau for k in (0, 1)])
        if np.any(instance.must_accept & ~returned) or np.any(instance.must_reject & returned):
            total += math.prod(means[k] if r else 1 - means[k] for k in (0, 1) for r in tape[k])
    return total


@pytest.mark.parametrize("policy", ["apt", "lsa", "uniform"])
def test_one_chain_passes_all_budgets(policy):
    budgets = [30, 4, 17, 30]
    together = fixed_budget_losses(HARD_ARM, 1.0, budgets, policy)
    assert together == [fixed_budget_loss(HARD_ARM, 1.0, b, policy) for b in budgets]


@pytest.mark.parametrize("instance", [HARD_ARM, TOLERANT], ids=lambda i: i.name)
@pytest.mark.parametrize("epsilon", [1.0, math.inf])
@pytest.mark.parametrize("policy", INDEX_POLICIES)
def test_two_arm_loss_equals_the_sum_over_all_responses(policy, instance, epsilon):
    expected = enumerated_loss(instance, epsilon, 6, policy)
    found = fixed_budget_loss(instance, epsilon, 6, policy)
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("means", "epsilon", "budget", "loss"),
    [
        ([0.2, 0.7], 1.0, 30, 0.325433),
        ([0.1, 0.9], 1.0, 30, 0.107669),
        ([0.4, 0.6], math.inf, 40, 0.312567),
    ],
)
def test_two_arm_loss_with_true_ties_is_that_of_rational_arithmetic(means, epsilon, budget, loss):
    """The review's values, ties to the lowest arm; broken by rounding the first is .326247."""
    found = fixed_budget_loss(Instance("tied", means, 0.5), epsilon, budget, "apt")
    assert found == pytest.approx(loss, abs=6e-7)


def test_uniform_loss_is_that_of_independent_binomials():
    """Seven pulls: four of the first arm, three of the second."""
    right = binom.cdf(2, 4, 0.1) * binom.sf(1, 3, 0.52)
    found = fixed_budget_loss(HARD_ARM, math.inf, 7, "uniform")
    assert found == pytest.approx(1 - right, rel=1e-12)


def test_one_arm_loss_is_a_binomial_tail():
    from scipy.stats import binom

    mean, tau = COUNTEREXAMPLE.private_means(1.0)[0], COUNTEREXAMPLE.private_threshold(1.0)
    expected = binom.cdf(math.floor(100 * tau), 100, mean)
    assert fixed_budget_loss(COUNTEREXAMPLE, 1.0, 100) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("radius", "error", "pulls"),
    [
        ("printed", 0.30434, 4326.0),
        ("hoeffding", 5.65e-7, 32139.8),
        (Radius("mixture", rho=10.0), 0.00231, 3742.5),
        ("onesided", 0.0051953, 2614.6),
    ],
)
def test_reference_values_of_the_counterexample(radius, error, pulls):
    chain = fixed_confidence_error(COUNTEREXAMPLE, 1.0, 0.1, radius)
    assert chain.error == pytest.approx(error, rel=2e-3)
    assert chain.expected_pulls == pytest.approx(pulls, abs=0.05)
    assert chain.undecided < 1e-13


def test_undecided_mass_is_returned():
    short = fixed_confidence_error(COUNTEREXAMPLE, 1.0, 0.1, max_pulls=1000)
    full = fixed_confidence_error(COUNTEREXAMPLE, 1.0, 0.1)
    assert short.pulls == 1000
    assert short.undecided > 0.5
    assert short.error <= full.error <= short.error + short.undecided


def test_certified_bound_is_below_the_chain_and_refutes_the_guarantee():
    certified = certified_error_lower_bound(COUNTEREXAMPLE, 1.0, 0.1, max_pulls=1000)
    chain = fixed_confidence_error(COUNTEREXAMPLE, 1.0, 0.1, "printed", max_pulls=1000)
    assert 0.3043 < certified <= chain.error
    assert chain.error - certified < 1e-9


def test_certified_bound_stays_below_the_level_of_a_valid_radius():
    certified = certified_error_lower_bound(COUNTEREXAMPLE, 1.0, 0.1, 1 / 2, max_pulls=500)
    chain = fixed_confidence_error(COUNTEREXAMPLE, 1.0, 0.1, "hoeffding", max_pulls=500)
    assert certified == pytest.approx(chain.error, rel=1e-9, abs=1e-300)
    assert certified <= chain.error < 0.1


def test_certified_bound_on_the_other_side_of_the_threshold():
    mirrored = Instance("mirrored", [0.05], 0.1)
    both = [
        certified_error_lower_bound(i, 1.0, 0.1, max_pulls=300) for i in (mirrored, COUNTEREXAMPLE)
    ]
    assert both[0] == pytest.approx(both[1], rel=1e-9)


def test_too_many_arms_and_bad_arguments_are_refused():
    three = Instance("three", [0.1, 0.2, 0.9], 0.5)
    with pytest.raises(ValueError, match="one or two arms, got 3"):
        fixed_budget_loss(three, 1.0, 100)
    with pytest.raises(ValueError, match="one of apt, lsa, apt-clipped, lsa-clipped, uniform, got"):
        fixed_budget_loss(HARD_ARM, 1.0, 100, "laplace")
    with pytest.raises(ValueError, match="one arm, got 2"):
        fixed_confidence_error(HARD_ARM, 1.0, 0.1)
    with pytest.raises(ValueError, match="budget must be a whole number from 4 to"):
        fixed_budget_loss(HARD_ARM, 1.0, 3)
    with pytest.raises(ValueError, match="exactly at the threshold"):
        fixed_confidence_error(Instance("at", [0.5], 0.5), 1.0, 0.1)
    with pytest.raises(ValueError, match=r"max_pulls must be a whole number from 1 to \d+, got 0"):
        fixed_confidence_error(COUNTEREXAMPLE, 1.0, 0.1, max_pulls=0)


# --- The engines against the oracles


@pytest.mark.parametrize("engine", ["literal", "fast"])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, math.inf])
@pytest.mark.parametrize("instance", [HARD_ARM, TOLERANT], ids=lambda i: i.name)
@pytest.mark.parametrize("policy", ["apt", "lsa", "uniform"])
def test_fixed_budget_engines_lose_as_often_as_they_should(policy, instance, epsilon, engine):
    budget, runs = 180, 20_000
    exact = fixed_budget_loss(instance, epsilon, budget, policy)
    losses = fixed_budget(instance, epsilon, budget, runs, 11, policy, engine).loss.sum()
    assert binomtest(int(losses), runs, exact).pvalue > LEVEL


@pytest.mark.parametrize("engine", ["literal", "fast"])
@pytest.mark.parametrize("radius", ["printed", Radius("mixture", rho=10.0), "onesided"], ids=str)
def test_fixed_confidence_engines_err_as_often_and_stop_as_late_as_they_should(radius, engine):
    runs = 4000
    exact = fixed_confidence_error(COUNTEREXAMPLE, 1.0, 0.1, radius)
    table = fixed_confidence(COUNTEREXAMPLE, 1.0, 0.1, runs, 12, radius=radius, engine=engine)
    assert binomtest(int((~table.correct).sum()), runs, exact.error).pvalue > LEVEL
    times = table.stopping_time.to_numpy()
    z = (times.mean() - exact.expected_pulls) / (times.std() / math.sqrt(runs))
    assert abs(z) < norm.isf(LEVEL / 2)


@pytest.mark.parametrize("epsilon", [0.2, 0.5])
def test_fast_engine_is_exact_where_it_jumps_far(epsilon):
    """Small epsilon: nearly all pulls are made in drawn stretches, and edges are touched."""
    instance, runs = Instance("one", [0.8], 0.5), 20_000
    exact = fixed_confidence_error(instance, epsilon, 0.1, "printed")
    table = fixed_confidence(instance, epsilon, 0.1, runs, seed=13, radius="printed")
    assert binomtest(int((~table.correct).sum()), runs, exact.error).pvalue > LEVEL
    times = table.stopping_time.to_numpy()
    z = (times.mean() - exact.expected_pulls) / (times.std() / math.sqrt(runs))
    assert abs(z) < norm.isf(LEVEL / 2)


@pytest.mark.parametrize("engine", ["literal", "fast"])
def test_runs_cut_off_are_undecided_as_often_as_they_should(engine):
    runs, limit = 10_000, 3000
    exact = fixed_confidence_error(COUNTEREXAMPLE, 1.0, 0.1, "printed", max_pulls=limit)
    table = fixed_confidence(
        COUNTEREXAMPLE, 1.0, 0.1, runs, 14, radius="printed", engine=engine, max_pulls=limit
    )
    undecided = table.stopping_time == -1
    assert binomtest(int(undecided.sum()), runs, exact.undecided).pvalue > LEVEL
    assert (table.pulls_0[undecided] == limit).all()


def test_fixed_budget_loss_of_one_arm_keeps_tiny_values():
    problem = Instance("one", [0.9], 0.5)
    assert fixed_budget_loss(problem, math.inf, 400) == pytest.approx(binom.cdf(200, 400, 0.9))
    pair = Instance("two", [0.9, 0.9], 0.5)
    each = fixed_budget_loss(problem, math.inf, 400)
    assert fixed_budget_loss(pair, math.inf, 800, "uniform") == pytest.approx(2 * each)


def least_average_loss(gaps, pulls, history=()):
    """The best next arm by brute force: all histories, posterior by Bayes' formula."""
    images = list(itertools.product((-1, 1), repeat=len(gaps)))
    weights = [
        math.prod(0.5 + (1 if bit else -1) * image[k] * gaps[k] for k, bit in history)
        for image in images
    ]
    if len(history) == pulls:
        return sum(weights) - max(weights)
    return min(
        sum(least_average_loss(gaps, pulls, (*history, (k, bit))) for bit in (0, 1))
        for k in range(len(gaps))
    )


@pytest.mark.parametrize("gaps", [(0.15, 0.15), (0.3, 0.05), (0.5, 0.2)])
@pytest.mark.parametrize("epsilon", [1.0, math.inf])
def test_optimal_loss_is_that_of_the_best_policy_of_all(gaps, epsilon):
    private = [math.tanh(epsilon / 2) * gap for gap in gaps]
    budgets = [1, 2, 4]
    expected = [least_average_loss(private, budget) / 4 for budget in budgets]
    assert optimal_losses(gaps, epsilon, budgets) == pytest.approx(expected, rel=1e-12)


def test_optimal_loss_has_the_published_values():
    """Values of an independent program, as many digits as it printed."""
    found = optimal_losses([0.15, 0.15], math.inf, [60, 120, 180])
    assert found == pytest.approx([0.0487, 0.00432, 3.8e-4], rel=2e-3)


@pytest.mark.parametrize("policy", [*INDEX_POLICIES, "uniform"])
def test_no_policy_beats_the_optimum(policy):
    images = [[0.5 + 0.3 * a, 0.5 + 0.2 * b] for a in (-1, 1) for b in (-1, 1)]
    losses = [fixed_budget_loss(Instance("image", i, 0.5), 1.0, 30, policy) for i in images]
    assert np.mean(losses) >= optimal_loss([0.3, 0.2], 1.0, 30)


@pytest.mark.parametrize(
    ("gaps", "budget", "complaint"),
    [
        ([], 4, "gaps must be two numbers"),
        ([0.1] * 3, 4, "gaps must be two numbers"),
        ([0.1, 0.6], 4, r"gaps must be two numbers in \(0, 1/2\], got \[0.1, 0.6\]"),
        ([0.1, 0.0], 4, "gaps must be two numbers"),
        ([0.1, 0.2], 0, "budget must be"),
        ([0.1, 0.2], 9000, "budget must be a whole number from 1 to 8000"),
    ],
)
def test_optimal_loss_names_what_is_wrong(gaps, budget, complaint):
    with pytest.raises(ValueError, match=complaint):
        optimal_loss(gaps, 1.0, budget)


def test_table_of_the_optimum_has_no_policy_below_it(monkeypatch):
    monkeypatch.setattr(script, "BUDGETS", (10, 20))
    table = pd.DataFrame(script.rows())
    assert len(table) == 2 * len(script.PROBLEMS) * len(script.POLICIES)
    assert (table["estimate"] >= table["optimal"] * (1 - 1e-12)).all()
