"""Estimates and intervals against closed forms, and their coverage by an exact binomial test."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, binomtest

from ldpt import simulate, summarise
from ldpt.instances import Instance
from ldpt.util.runs import write_runs

PAIR = Instance("pair", [0.3, 0.6], 0.5)


def budget_runs(epsilon: float, policy: str = "apt") -> pd.DataFrame:
    """Two runs to budgets 10 and 20, of which two and one are wrong."""
    labels = {"instance": "pair", "policy": policy, "epsilon": epsilon}
    outcome = {
        "budget": [10, 20, 10, 20],
        "replicate": [0, 0, 1, 1],
        "loss": [True, False, True, True],
    }
    return pd.DataFrame({**labels, **outcome})


@pytest.mark.parametrize(("errors", "runs"), [(1, 10), (7, 400), (399, 400)])
def test_clopper_pearson_limits_solve_the_binomial_tails(errors: int, runs: int) -> None:
    low, high = summarise.clopper_pearson(errors, runs)
    assert binom.sf(errors - 1, runs, low) == pytest.approx(0.025)
    assert binom.cdf(errors, runs, high) == pytest.approx(0.025)


def test_clopper_pearson_without_error_has_lower_limit_zero_and_the_closed_upper_limit() -> None:
    low, high = summarise.clopper_pearson(0, 20_000)
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 20_000))


def test_normal_interval_of_the_mean_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(11)
    trials, covered = 2000, 0
    for _ in range(trials):
        _, _, low, high = summarise.mean_interval(rng.exponential(3.0, size=400))
        covered += low <= 3.0 <= high
    # Skewed data at n = 400 cover a little less than 95 %; the test errs with probability 1e-4.
    assert binomtest(covered, trials, 0.945).pvalue > 1e-4


def test_fixed_budget_counts_losses_at_each_budget() -> None:
    table = summarise.fixed_budget(budget_runs(1.0), PAIR)
    assert table["errors"].tolist() == [2, 1]
    assert table["estimate"].tolist() == [1.0, 0.5]
    scaled = [budget / PAIR.complexity(1.0) for budget in (10, 20)]
    assert table["scaled_budget"].tolist() == scaled


def test_settings_of_several_calls_are_summarised_apart() -> None:
    runs = pd.concat([budget_runs(1.0), budget_runs(math.inf), budget_runs(1.0, policy="lsa")])
    table = summarise.fixed_budget(runs)
    keys = ["instance", "policy", "epsilon", "budget"]
    assert table.columns[:4].tolist() == keys
    assert table[["policy", "epsilon", "budget"]].to_numpy().tolist() == [
        ["apt", 1.0, 10],
        ["apt", 1.0, 20],
        ["apt", math.inf, 10],
        ["apt", math.inf, 20],
        ["lsa", 1.0, 10],
        ["lsa", 1.0, 20],
    ]
    assert table["errors"].tolist() == [2, 1] * 3


def test_levels_of_confidence_are_summarised_apart_with_keys_first() -> None:
    runs = simulate.fixed_confidence(PAIR, [2.0, math.inf], [0.1, 0.2], 5, 1, ["coin", "mixture"])
    table = summarise.fixed_confidence(runs, PAIR)
    assert table.columns[:5].tolist() == ["instance", "radius", "epsilon", "delta", "family"]
    assert table[["radius", "epsilon", "delta"]].drop_duplicates().shape == (8, 3)
    assert set(table["complexity"]) == {PAIR.complexity(2.0), PAIR.complexity()}


def test_a_problem_that_is_not_given_is_named() -> None:
    with pytest.raises(ValueError, match="unknown instance 'pair'"):
        summarise.fixed_budget(budget_runs(1.0), Instance("other", [0.3], 0.5))


def test_fixed_confidence_counts_an_undecided_run_as_an_error_without_stopping_time() -> None:
    labels = {"instance": "pair", "radius": "coin", "epsilon": 1.0, "delta": 0.1}
    outcome = {"stopping_time": [100, 300, -1], "correct": [True, True, False]}
    row = summarise.fixed_confidence(pd.DataFrame({**labels, **outcome})).iloc[0]
    assert (row["mean_pulls"], row["errors"], row["undecided"]) == (200.0, 1, 1)


def test_over_files_reduces_each_setting_of_a_file_with_its_labels(tmp_path: Path) -> None:
    path = str(tmp_path / "runs.parquet")
    write_runs(path, (budget_runs(epsilon) for epsilon in (1.0, math.inf)))
    table = summarise.over_files([path], summarise.fixed_budget, [PAIR])
    assert table["epsilon"].tolist() == [1.0, 1.0, math.inf, math.inf]
    weak, none = PAIR.complexity(1.0), PAIR.complexity()
    assert table["complexity"].tolist() == [weak, weak, none, none]
    assert table["n_arms"].tolist() == [2] * 4
    assert table["errors"].tolist() == [2, 1, 2, 1]


def test_shares_of_pulls_are_taken_run_by_run() -> None:
    pulls = np.array([[1, 3], [30, 10]])
    table = summarise.allocation(pulls, np.array([0.1, 0.2]), {})
    assert table["estimate"].tolist() == pytest.approx([0.5, 0.5])
    assert table["share"].tolist() == pytest.approx([0.8, 0.2])


def test_crossing_of_an_exponential_curve_is_exact() -> None:
    budgets = np.array([10.0, 20.0, 40.0, 80.0])
    found = summarise.crossing(budgets, np.exp(-budgets / 10), level=0.05)
    assert found == pytest.approx(10 * math.log(20))


def test_crossing_needs_points_on_both_sides() -> None:
    assert math.isnan(summarise.crossing(np.array([1.0, 2.0]), np.array([0.5, 0.2]), 0.05))
    assert math.isnan(summarise.crossing(np.array([1.0, 2.0]), np.array([0.01, 0.001]), 0.05))
    assert math.isnan(summarise.crossing(np.array([1.0, 2.0]), np.array([0.5, 0.0]), 0.05))


def test_needed_budget_has_its_limits_where_the_limits_of_the_error_cross() -> None:
    budgets = np.array([10.0, 20.0, 40.0, 80.0])
    curve = pd.DataFrame(
        {
            "instance": "two",
            "policy": "apt",
            "epsilon": 1.0,
            "n_arms": 2,
            "complexity": 4.0,
            "budget": budgets,
            "estimate": np.exp(-budgets / 10),
            "low": np.exp(-budgets / 8) / 2,
            "high": np.exp(-budgets / 12),
        }
    )
    row = summarise.needed_budgets(curve, 0.05).iloc[0]
    assert row["low"] < row["estimate"] < row["high"]
    assert row["high"] == pytest.approx(12 * math.log(20))
