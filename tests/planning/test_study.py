"""Plans against exact laws, bounds and the scaling in c = tanh(eps/2)."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from ldpt import bounds
from ldpt.instances import Instance, equal_gap
from ldpt.planning import study
from ldpt.planning.study import METHODS, crossing, make_plan, pulls_needed, smallest_epsilon
from ldpt.privacy import private_mean, shrinkage

PAIR = Instance("pair", [0.3, 0.7], 0.5)
DOSES = Instance("doses", [0.05, 0.12, 0.25, 0.40, 0.55, 0.68], 0.30, 0.02)


@pytest.fixture(scope="module")
def plan() -> study.Plan:
    return make_plan(PAIR, [1.0, 2.0], delta=0.1, budget=400, replicates=300, seed=3)


# --- costs


def test_the_budget_needed_for_one_arm_is_where_the_binomial_tail_reaches_delta():
    """One arm is pulled every time, so its error is a binomial tail, with teeth of one pull."""
    instance, epsilon, delta = Instance("one", [0.55], 0.4), 0.3, 0.1
    budgets = np.arange(1, 5000)
    lost = np.floor(budgets * private_mean(0.4, epsilon))  # s <= n tau_eps is left out
    above = binom.cdf(lost, budgets, private_mean(0.55, epsilon)) > delta
    first, last = budgets[~above][0], budgets[above][-1]
    assert first < last < 1.1 * first
    cost = pulls_needed(instance, epsilon, delta, "apt", replicates=4000, seed=1)
    assert cost.low <= last
    assert first <= cost.high
    assert first * 0.9 <= cost.pulls <= last * 1.1


@pytest.mark.parametrize("radius", ["printed", "mixture"])
def test_the_spread_is_that_of_the_stopping_times(radius):
    cost = pulls_needed(PAIR, 2.0, 0.1, radius, replicates=300, seed=2)
    assert cost.low < cost.pulls < cost.high
    assert cost.pulls_05 < cost.pulls_50 < cost.pulls_95
    assert cost.high - cost.low == pytest.approx(2 * 1.96 * cost.sd / math.sqrt(300), rel=1e-3)


def test_costs_come_at_every_level_with_no_privacy_as_the_reference(plan):
    pairs = list(zip(plan.cost["epsilon"], plan.cost["method"], strict=True))
    assert pairs == [(e, m) for e in (1.0, 2.0, math.inf) for m in METHODS]
    free = plan.cost[np.isinf(plan.cost["epsilon"])]
    assert (free[["price", "price_low", "price_high", "price_theory"]] == 1).all(axis=None)


def test_costs_lie_between_the_bounds(plan):
    upper = plan.cost["bound_high"].fillna(math.inf)
    assert (plan.cost["pulls"] <= upper).all()
    valid = plan.cost[plan.cost["guaranteed"]]
    assert set(valid["method"]) == {"hoeffding", "mixture", "onesided"}
    assert (valid["pulls"] >= valid["bound_low"]).all()
    assert (valid["error_low"] <= 0.1).all()


def test_privacy_has_about_the_price_of_the_theory(plan):
    """1/c^2 but for the logarithm and the smaller variance of raw responses: within a factor 2."""
    private = plan.cost[np.isfinite(plan.cost["epsilon"])]
    ratio = private["price"] / private["price_theory"]
    assert ratio.between(0.5, 2).all()
    assert (private["price_low"] < private["price"]).all()
    assert (private["price"] < private["price_high"]).all()


def test_the_inverse_bounds_of_algorithm_1_are_inverses():
    for epsilon in (0.5, math.inf):
        most = study.most_pulls(DOSES, epsilon, 0.05, "apt")
        assert study.most_error(DOSES, epsilon, most) <= 0.05
        assert study.most_error(DOSES, epsilon, most / 1.02) > 0.05
        least = study.least_pulls(DOSES, epsilon, 0.05, "apt")
        lower = bounds.fixed_budget_lower(DOSES, epsilon, least, "sharp")
        assert lower == pytest.approx(0.05)
    assert study.least_pulls(DOSES, 1.0, 0.3, "apt") == 0


def curve(values: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"budget": [10, 20, 40, 80], "estimate": values})


def test_a_crossing_is_the_last_one_and_lies_on_the_logarithmic_line():
    assert crossing(curve([0.5, 0.04, 0.2, 0.05]), "estimate", 0.1) == pytest.approx(40 * 2**0.5)
    assert crossing(curve([0.05, 0.04, 0.03, 0.02]), "estimate", 0.1) == 10
    assert crossing(curve([0.5, 0.4, 0.3, 0.2]), "estimate", 0.1) == math.inf
    assert 40 < crossing(curve([0.5, 0.4, 0.2, 0.0]), "estimate", 0.1) < 80


# --- errors by budget


def test_errors_fall_with_the_budget_and_stand_beside_no_privacy(plan):
    assert plan.error["budget"].max() == 400
    for _, rows in plan.error.groupby("epsilon"):
        assert rows["estimate"].iloc[0] >= rows["estimate"].iloc[-1]
        assert (rows["low"] <= rows["estimate"]).all()
        assert (rows["estimate"] <= rows["bound_high"]).all()
    free = plan.error[np.isinf(plan.error["epsilon"])]
    assert (free["without_privacy"] == free["estimate"]).all()
    assert (plan.error["without_privacy"].iloc[: len(free)] == free["estimate"].to_numpy()).all()


# --- from a budget back to epsilon


@pytest.mark.parametrize("method", METHODS)
def test_the_smallest_epsilon_spends_the_budget(method):
    """Simulated afresh at the answer, the cost must be the budget up to both samples' errors."""
    budget = 12_000
    found = smallest_epsilon(PAIR, budget, 0.1, method, replicates=400, seed=4)
    assert found["low"] < found["epsilon"] < found["high"]
    for name, compare in (("low", float.__ge__), ("high", float.__le__)):
        cost = pulls_needed(PAIR, found[name], 0.1, method, replicates=400, seed=99)
        slack = 1.1 if compare is float.__le__ else 1 / 1.1
        assert compare(float(cost.pulls), budget * slack)


def test_more_budget_buys_more_privacy():
    levels = [
        smallest_epsilon(PAIR, budget, 0.1, "mixture", replicates=200, seed=1)["epsilon"]
        for budget in (1000, 4000, 16_000)
    ]
    assert levels == sorted(levels, reverse=True)
    factors = [shrinkage(level) for level in levels]
    assert factors[1] / factors[2] == pytest.approx(2, rel=0.1)


def test_a_budget_below_the_cost_without_privacy_buys_none():
    found = smallest_epsilon(PAIR, 20, 0.1, "hoeffding", replicates=100, seed=1)
    assert math.isnan(found["epsilon"])
    assert found["pulls"] > 20


# --- what a reader sees


def test_the_text_names_every_method_and_the_warning(plan):
    text = study.render(plan)
    for word in (*METHODS, "inf", "1/c^2", "Smallest epsilon for 400 pulls and error 0.1"):
        assert word in text
    assert "printed radius is the paper's: its error can exceed delta" in text


def test_the_json_is_strict_and_complete(plan):
    content = json.loads(study.as_json(plan), parse_constant=pytest.fail)
    assert content["cost"][-1]["epsilon"] == "inf"
    assert len(content["cost"]) == 3 * len(METHODS)
    assert {row["method"] for row in content["smallest_epsilon"]} == set(METHODS)
    assert all(row["bound_high"] >= row["pulls"] for row in content["cost"])


def test_the_figure_has_a_panel_a_question(plan):
    import matplotlib.pyplot as plt

    figure = study.draw(plan)
    assert [axes.get_xlabel() for axes in figure.axes] == ["epsilon", "budget"]
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["budget", "Algorithm 1", "printed", "hoeffding", "mixture"]
    plt.close("all")


def test_a_plan_is_the_same_every_time():
    first, again = (make_plan(PAIR, [2.0], delta=0.1, replicates=50, seed=5) for _ in range(2))
    assert study.as_json(first) == study.as_json(again)


@pytest.mark.parametrize(
    ("instance", "options", "complaint"),
    [
        (PAIR, {}, "a plan needs delta, a budget, or both"),
        (PAIR, {"delta": 1.5}, "delta must lie strictly between 0 and 1, got 1.5"),
        (PAIR, {"budget": 3}, "at least 2K = 4, got 3"),
        (PAIR, {"delta": 0.1, "epsilons": [0.0]}, "epsilon must be positive"),
        (PAIR, {"delta": 0.1, "methods": ["luck"]}, "method must be one of .*, got 'luck'"),
        (PAIR, {"delta": 0.1, "replicates": 0}, "replicates must be at least 1, got 0"),
        (equal_gap(2, 0.0), {"delta": 0.1, "methods": ["apt"]}, "an arm exactly at the threshold"),
        (equal_gap(2, 0.0), {"budget": 100}, "an arm exactly at the threshold"),
        (equal_gap(2, 0.0), {"delta": 0.1, "methods": ["mixture"]}, "exactly at the threshold"),
    ],
)
def test_bad_input_is_named(instance, options, complaint):
    with pytest.raises(ValueError, match=complaint):
        make_plan(instance, **{"epsilons": [1.0], "methods": ["mixture", "apt"], **options})
