"""Plans against exact laws, bounds and the scaling in c = tanh(eps/2)."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from ldpt import exact, simulate
from ldpt.instances import Instance, equal_gap
from ldpt.privacy import private_mean, shrinkage
from ldpt.radii import RADII, VALID_RADII
from ldpt.study import planning as study
from ldpt.study.planning import METHODS, Request, make_plan, pulls_needed, smallest_epsilon

PAIR = Instance("pair", [0.3, 0.7], 0.5)


@pytest.fixture(scope="module")
def plan() -> study.Plan:
    return make_plan(
        Request(PAIR, [1.0, 2.0], 0.1, budget=400, methods=METHODS, replicates=200, seed=3)
    )


# --- costs


def cost(problem: Instance, epsilon: float, method: str, **options: float) -> study.Need:
    """Cost of one method on a problem whose plan is requested with these options."""
    request = Request(problem, [epsilon], methods=[method], **options)
    return pulls_needed(request, problem, epsilon, method)


def test_budget_needed_of_one_arm_is_where_the_binomial_tail_reaches_delta():
    """One arm is pulled every time, so its error is a binomial tail, with teeth of one pull."""
    instance, epsilon, delta = Instance("one", [0.55], 0.4), 0.3, 0.1
    budgets = np.arange(1, 5000)
    lost = np.floor(budgets * private_mean(0.4, epsilon))  # s <= n tau_eps is left out
    above = binom.cdf(lost, budgets, private_mean(0.55, epsilon)) > delta
    first, last = budgets[~above][0], budgets[above][-1]
    assert first < last < 1.1 * first
    needed = cost(instance, epsilon, "apt", delta=delta, seed=1)
    assert first * 0.9 <= needed.pulls <= last * 1.1


def test_planned_budgets_of_two_arms_have_about_the_error_delta():
    """The exact error at 20 planned budgets: steps of 5 %, and 1 000 runs (4 deviations)."""
    epsilon, delta = 4.0, 0.1
    budgets = [
        int(cost(PAIR, epsilon, "lsa", delta=delta, seed=1000 * seed).pulls) for seed in range(20)
    ]
    losses = {
        budget: exact.fixed_budget_loss(PAIR, epsilon, budget, policy="lsa")
        for budget in {*budgets, *(round(budget / 1.05) - 1 for budget in budgets)}
    }
    noise = 4 * math.sqrt(delta * (1 - delta) / 1000)
    for budget in budgets:
        assert losses[budget] <= delta + noise
        assert losses[round(budget / 1.05) - 1] >= delta - noise


@pytest.mark.parametrize("radius", ["printed", "hoeffding"])
def test_cost_of_a_radius_is_that_of_its_stopping_times(radius):
    needed = cost(PAIR, 2.0, radius, delta=0.1, replicates=300, seed=2)
    runs = simulate.fixed_confidence(PAIR, 2.0, 0.1, 300, 2, radius=radius)
    assert needed.pulls == runs["stopping_time"].mean()
    assert needed.pulls_95 == np.quantile(runs["stopping_time"], 0.95)
    assert needed.error == (~runs["correct"]).mean()


@pytest.mark.parametrize("means", [[0.3, 0.7], [0.42, 0.1, 0.1, 0.9]])
@pytest.mark.parametrize("radius", ["coin", "onesided", "mixture"])
def test_exact_costs_are_those_of_many_runs(means, radius):
    problem = Instance("exact", means, 0.5)
    needed = cost(problem, 2.0, radius, delta=0.3)
    runs = simulate.fixed_confidence(problem, 2.0, 0.3, 4000, 2, radius=radius)
    times = runs["stopping_time"]
    assert needed.pulls == pytest.approx(times.mean(), abs=4 * times.std() / math.sqrt(4000))
    share = (times <= needed.pulls_95).mean()
    assert abs(share - 0.95) <= 4 * math.sqrt(0.05 * 0.95 / 4000) + 1 / times.median()
    wrong = (~runs["correct"]).sum()
    assert binom.cdf(wrong, 4000, needed.error) > 1e-5
    assert binom.sf(wrong - 1, 4000, needed.error) > 1e-5


def test_an_exact_law_of_one_arm_is_the_exact_chain():
    chain = exact.fixed_confidence_error(Instance("one", [0.4], 0.5), 2.0, 0.1, "coin")
    needed = cost(Instance("one", [0.4], 0.5), 2.0, "coin", delta=0.1)
    assert needed.error == pytest.approx(chain.error, abs=1e-6)
    assert needed.pulls == pytest.approx(chain.expected_pulls, rel=1e-4)


def test_cost_table_has_every_level_with_no_privacy_as_the_reference(plan):
    pairs = list(zip(plan.cost["epsilon"], plan.cost["method"], strict=True))
    assert pairs == [(e, m) for e in (1.0, 2.0, math.inf) for m in METHODS]
    assert (plan.cost.loc[np.isinf(plan.cost["epsilon"]), "price"] == 1).all()


def test_valid_costs_lie_above_the_lower_bound(plan):
    valid = plan.cost[plan.cost["guaranteed"]]
    assert set(valid["method"]) == set(VALID_RADII)
    assert (valid["pulls"] >= valid["lower_bound"]).all()
    most = binom.ppf(1 - 1e-4, 200, 0.1) / 200
    assert (valid["error"] <= most).all()


def test_cost_table_has_about_the_price_of_the_theory(plan):
    """1/c^2 but for the logarithm and the smaller variance of raw responses: within a factor 2."""
    private = plan.cost[np.isfinite(plan.cost["epsilon"])]
    ratio = private["price"] * private["epsilon"].map(shrinkage) ** 2
    assert ratio.between(0.5, 2).all()


def test_the_planned_budget_errs_with_at_most_delta_in_its_runs(plan):
    fixed = plan.cost[~plan.cost["method"].isin(RADII)]
    assert (fixed["error"] <= plan.request.delta).all()
    guess = plan.wrong_means[plan.wrong_means["gaps"] == 1].set_index("method")["error"]
    focus = plan.cost[plan.cost["epsilon"] == plan.request.focus].set_index("method")["error"]
    pd.testing.assert_series_equal(guess, focus)


# --- people


def test_people_are_whole_and_grow_with_drop_out_and_answers():
    request = Request(PAIR, budget=9, drop_out=0.1)
    assert request.people(900) == 1000
    assert request.people(901) == 1002
    assert request.people(math.inf) == math.inf
    assert Request(PAIR, budget=9, answers_per_person=4).people(901) == 226


def test_several_answers_per_person_share_epsilon():
    terms = {"methods": ["onesided"], "replicates": 100, "answers_per_person": 2}
    request = Request(PAIR, [2.0], 0.1, **terms)
    row = make_plan(request).cost.iloc[0]
    alone = pulls_needed(request, PAIR, 1.0, "onesided")
    assert row["pulls"] == alone.pulls
    assert row["people"] == math.ceil(round(alone.pulls) / 2)


def test_wrong_means_change_length_or_error(plan):
    table = plan.wrong_means.set_index(["method", "gaps"])
    stopping, fixed = table.loc["onesided"], table.loc["lsa"]
    assert stopping["pulls"].is_monotonic_decreasing
    assert stopping.loc[0.5, "pulls"] > 2.5 * stopping.loc[1.0, "pulls"]
    assert (stopping["error"] <= 0.1).all()
    assert len(set(fixed["pulls"])) == 1
    assert fixed.loc[0.5, "error"] > 0.2
    assert study.scaled_gaps(PAIR, 3.0).means == (0.0, 1.0)


# --- errors by budget


def test_error_table_falls_with_the_budget_beside_no_privacy(plan):
    assert plan.error["budget"].max() == 400
    assert set(plan.error["epsilon"]) == {1.0, 2.0, math.inf}
    for _, rows in plan.error.groupby(["method", "epsilon"]):
        assert rows["estimate"].iloc[0] >= rows["estimate"].iloc[-1]
        assert (rows["low"] <= rows["estimate"]).all()
        assert (rows["estimate"] <= rows["high"]).all()


# --- from a budget back to epsilon


@pytest.mark.parametrize("method", Request.methods)
def test_smallest_epsilon_spends_the_budget(method):
    """Simulated with another seed, the cost must be the budget up to both samples' errors."""
    request = Request(PAIR, delta=0.1, methods=[method], seed=4)
    epsilon, pulls = smallest_epsilon(request, 6_000, method)
    assert 6_000 / 1.05 <= pulls <= 6_000
    again = pulls_needed(replace(request, seed=99), PAIR, epsilon, method)
    assert again.pulls == pytest.approx(6_000, rel=0.15)


def test_smallest_epsilon_falls_with_the_budget():
    request = Request(PAIR, delta=0.1, methods=["mixture"], replicates=200, seed=1)
    levels = [smallest_epsilon(request, budget, "mixture")[0] for budget in (1000, 4000, 16_000)]
    factors = [shrinkage(level) for level in levels]
    assert factors == sorted(factors, reverse=True)
    assert factors[1] / factors[2] == pytest.approx(2, rel=0.1)


def test_smallest_epsilon_is_nan_below_the_cost_without_privacy():
    request = Request(PAIR, delta=0.1, methods=["hoeffding"], replicates=100, seed=1)
    epsilon, pulls = smallest_epsilon(request, 20, "hoeffding")
    assert math.isnan(epsilon)
    assert pulls > 20


AT_THRESHOLD = Instance("level", [0.5, 0.7], 0.5, 0.1)


@pytest.mark.parametrize(
    ("instance", "options", "complaint"),
    [
        (PAIR, {}, "a plan needs --delta, --budget, or both"),
        (PAIR, {"delta": 1.5}, "delta must lie strictly between 0 and 1, got 1.5"),
        (PAIR, {"delta": 1e-6}, "delta = 1e-06 is too small to simulate .*--method coin"),
        (PAIR, {"budget": 3}, "--budget must be a whole number from 4 to 10000000000000, got 3"),
        (PAIR, {"budget": math.inf}, "--budget must be a whole number from 4 to .*, got inf"),
        (PAIR, {"budget": 99, "methods": ["mixture"]}, "--budget without --delta is planned for"),
        (PAIR, {"delta": 0.1, "methods": ["coin", "coin"]}, "each method once, got coin coin"),
        (equal_gap(2, 0.0), {"delta": 0.1, "methods": ["apt"]}, "an arm exactly at the threshold"),
        (equal_gap(2, 0.0), {"budget": 100}, "an arm exactly at the threshold"),
        (AT_THRESHOLD, {"delta": 0.1}, "an arm exactly at the threshold: plan it with --method"),
    ],
)
def test_request_refuses_bad_input(instance, options, complaint):
    with pytest.raises(ValueError, match=complaint):
        Request(instance, **options)
