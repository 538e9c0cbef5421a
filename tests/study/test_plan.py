"""Plans against exact laws, bounds and the scaling in c = tanh(eps/2)."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from ldpt import exact, simulate, summarise
from ldpt.instances import Instance, equal_gap
from ldpt.privacy import private_mean, shrinkage
from ldpt.study import plan as study
from ldpt.study import plan_cost
from ldpt.study.plan import METHODS, People, Request, make_plan
from ldpt.study.plan_cost import (
    BUDGET_METHODS,
    Simulation,
    crossing_limits,
    fitted_crossing,
    pulls_needed,
    smallest_epsilon,
)

PAIR = Instance("pair", [0.3, 0.7], 0.5)


@pytest.fixture(scope="module")
def plan() -> study.Plan:
    return make_plan(
        Request(PAIR, [1.0, 2.0], 0.1, budget=400, methods=METHODS, replicates=200, seed=3)
    )


# --- costs


def test_budget_needed_of_one_arm_is_where_the_binomial_tail_reaches_delta():
    """One arm is pulled every time, so its error is a binomial tail, with teeth of one pull."""
    instance, epsilon, delta = Instance("one", [0.55], 0.4), 0.3, 0.1
    budgets = np.arange(1, 5000)
    lost = np.floor(budgets * private_mean(0.4, epsilon))  # s <= n tau_eps is left out
    above = binom.cdf(lost, budgets, private_mean(0.55, epsilon)) > delta
    first, last = budgets[~above][0], budgets[above][-1]
    assert first < last < 1.1 * first
    cost = pulls_needed(Simulation(instance, delta, 400, 1), epsilon, "apt")
    assert cost.runs == 1000
    assert cost.low <= last
    assert first <= cost.high
    assert first * 0.9 <= cost.pulls <= last * 1.1


def test_interval_of_a_budget_holds_its_level():
    """20 intervals against the exact law of two arms; 95 % ones miss more than 4 with p < .003."""
    epsilon, delta = 4.0, 0.1
    budgets = range(4, 60)
    losses = [exact.fixed_budget_loss(PAIR, epsilon, budget, policy="lsa") for budget in budgets]
    first = next(b for b, loss in zip(budgets, losses, strict=True) if loss <= delta)
    last = max(b for b, loss in zip(budgets, losses, strict=True) if loss > delta)
    missed = 0
    for seed in range(20):
        cost = pulls_needed(Simulation(PAIR, delta, 400, 1000 * seed), epsilon, "lsa")
        missed += not (cost.low <= last + 1 and first <= cost.high)
    assert missed <= 4


def test_interval_of_an_expected_stopping_time_holds_its_level():
    """50 intervals from 400 runs each against the mean of all; 95 % ones miss 9 with p < .001."""
    runs = simulate.fixed_confidence(PAIR, 2.0, 0.05, 20_000, 0, radius="mixture")
    truth = runs["stopping_time"].mean()
    parts = runs["stopping_time"].to_numpy(float).reshape(-1, 400)
    intervals = [summarise.mean_interval(part) for part in parts]
    assert sum(not low <= truth <= high for _, _, low, high in intervals) < 9


@pytest.mark.parametrize("radius", ["printed", "onesided"])
def test_pulls_needed_spreads_as_the_stopping_times(radius):
    cost = pulls_needed(Simulation(PAIR, 0.1, 300, 2), 2.0, radius)
    times = simulate.fixed_confidence(PAIR, 2.0, 0.1, 300, 2, radius=radius)["stopping_time"]
    assert cost.low < cost.pulls < cost.high
    assert (cost.pulls_05, cost.pulls_95) == tuple(np.quantile(times, [0.05, 0.95]))
    assert cost.runs == 300


def test_cost_table_has_every_level_with_no_privacy_as_the_reference(plan):
    pairs = list(zip(plan.cost["epsilon"], plan.cost["method"], strict=True))
    assert pairs == [(e, m) for e in (1.0, 2.0, math.inf) for m in METHODS]
    free = plan.cost[np.isinf(plan.cost["epsilon"])]
    assert (free[["price", "price_low", "price_high", "price_theory"]] == 1).all(axis=None)


def test_valid_costs_lie_above_the_lower_bound(plan):
    valid = plan.cost[plan.cost["guaranteed"]]
    assert set(valid["method"]) == set(study.GUARANTEED)
    assert (valid["pulls"] >= valid["bound_low"]).all()
    assert (valid["error_low"] <= 0.1).all()


def test_cost_table_has_about_the_price_of_the_theory(plan):
    """1/c^2 but for the logarithm and the smaller variance of raw responses: within a factor 2."""
    private = plan.cost[np.isfinite(plan.cost["epsilon"])]
    ratio = private["price"] / private["price_theory"]
    assert ratio.between(0.5, 2).all()
    assert (private["price_low"] < private["price"]).all()
    assert (private["price"] < private["price_high"]).all()


def curve(errors: list[int], replicates: int = 1000) -> pd.DataFrame:
    table = pd.DataFrame({"budget": [10, 20, 40, 80], "errors": errors})
    table["estimate"] = table["errors"] / replicates
    limits = summarise.clopper_pearson(table["errors"], np.array(replicates))
    return table.assign(low=limits[0], high=limits[1])


def test_crossing_limits_are_budgets_that_are_certainly_on_one_side():
    assert crossing_limits(curve([500, 300, 100, 20]), 0.1) == (20, 80)
    assert crossing_limits(curve([500, 100, 300, 20]), 0.1) == (10, 80)  # no jump over a gap
    assert crossing_limits(curve([500, 400, 300, 200]), 0.1) == (80, math.inf)
    assert crossing_limits(curve([20, 10, 5, 0]), 0.1) == (10, 10)


def test_fitted_crossing_lies_on_the_logarithmic_line():
    line = curve([400, 200, 100, 50])
    assert fitted_crossing(line, 0.15) == pytest.approx(40 / 1.5)
    assert fitted_crossing(line, 0.07) == pytest.approx(40 / 0.7)
    assert fitted_crossing(curve([900, 900, 0, 0]), 0.1) == 40
    assert fitted_crossing(curve([900, 900, 900, 900]), 0.1) == 80
    assert fitted_crossing(curve([9, 9, 9, 9]), 0.1) == 10


# --- people


def test_people_are_whole_and_grow_with_drop_out_and_answers():
    assert People(drop_out=0.1).needed(900) == 1000
    assert People(drop_out=0.1).needed(901) == 1002
    assert People(answers=4).needed(901) == 226
    assert People(drop_out=0.1).needed(math.inf) == math.inf


def test_several_answers_per_person_share_epsilon():
    people = People(answers=2)
    request = Request(PAIR, [2.0], 0.1, methods=["onesided"], replicates=100, people=people)
    row = make_plan(request).cost_of("onesided", 2.0)
    alone = pulls_needed(request.simulation(), 1.0, "onesided")
    assert row["epsilon_per_answer"] == 1.0
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
    for _, rows in plan.error.groupby(["method", "epsilon"]):
        assert rows["estimate"].iloc[0] >= rows["estimate"].iloc[-1]
        assert (rows["low"] <= rows["estimate"]).all()
    free = plan.error[np.isinf(plan.error["epsilon"])]
    assert (free["without_privacy"] == free["estimate"]).all()


# --- from a budget back to epsilon


@pytest.mark.parametrize("method", study.DEFAULT_METHODS)
def test_smallest_epsilon_spends_the_budget(method):
    """Simulated afresh at the answer, the cost must be the budget up to both samples' errors."""
    problem = Simulation(PAIR, 0.1, 400, 4)
    found = smallest_epsilon(problem, 6_000, method)
    assert found["low"] <= found["epsilon"] <= found["high"]
    fresh = replace(problem, seed=99)
    for name, compare in (("low", float.__ge__), ("high", float.__le__)):
        cost = pulls_needed(fresh, found[name], method)
        slack = 1.1 if compare is float.__le__ else 1 / 1.1
        assert compare(float(cost.pulls), 6_000 * slack)


def test_smallest_epsilon_falls_with_the_budget():
    problem = Simulation(PAIR, 0.1, 200, 1)
    levels = [smallest_epsilon(problem, budget, "mixture") for budget in (1000, 4000, 16_000)]
    factors = [shrinkage(level["epsilon"]) for level in levels]
    assert factors == sorted(factors, reverse=True)
    assert factors[1] / factors[2] == pytest.approx(2, rel=0.1)


def test_smallest_epsilon_is_none_below_the_cost_without_privacy():
    found = smallest_epsilon(Simulation(PAIR, 0.1, 100, 1), 20, "hoeffding")
    assert math.isnan(found["epsilon"])
    assert found["pulls"] > 20


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
        (PAIR, {"delta": 0.1, "epsilons": [0.0]}, "epsilon must be positive"),
        (PAIR, {"delta": 0.1, "methods": ["coin", "coin"]}, "each method once, got 'coin' twice"),
        (equal_gap(2, 0.0), {"delta": 0.1, "methods": ["apt"]}, "an arm exactly at the threshold"),
        (equal_gap(2, 0.0), {"budget": 100}, "an arm exactly at the threshold"),
        (AT_THRESHOLD, {"delta": 0.1}, "arm 0 lies exactly at the threshold.*use --method"),
    ],
)
def test_request_refuses_bad_input(instance, options, complaint):
    with pytest.raises(ValueError, match=complaint):
        Request(instance, **options)


def test_the_last_seed_has_a_successor():
    """The fine curve of a budget has another seed, also next to the largest one."""
    problem = Simulation(PAIR, 0.2, 20, 2**64 - 1)
    assert plan_cost.budget_needed(problem, 4.0, "lsa").pulls > 0


def test_the_planned_budget_errs_with_at_most_delta_in_its_own_runs(plan):
    cost = plan.cost[plan.cost["method"].isin(BUDGET_METHODS)]
    assert (cost["error"] <= plan.request.delta).all()
    assert (cost["low"] <= cost["pulls"]).all()
    assert (cost["pulls"] <= cost["high"]).all()
    guessed = plan.wrong_means[plan.wrong_means["gaps"] == 1]
    for row in guessed.itertuples():
        assert row.error == plan.cost_of(row.method, row.epsilon)["error"]
