"""Estimates and intervals against closed forms, and their coverage by an exact binomial test."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, binomtest

from ldpt import summarise
from ldpt.instances import Instance
from ldpt.util.runs import labelled, write_runs


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
    runs = pd.DataFrame(
        {"replicate": [0, 0, 1, 1], "budget": [10, 20, 10, 20], "loss": [True, False, True, True]}
    )
    table = summarise.fixed_budget(runs, {"policy": "apt"}, complexity=5.0)
    assert table["errors"].tolist() == [2, 1]
    assert table["estimate"].tolist() == [1.0, 0.5]
    assert table["scaled_budget"].tolist() == [2.0, 4.0]


def test_fixed_confidence_counts_an_undecided_run_as_an_error_without_stopping_time() -> None:
    runs = pd.DataFrame(
        {"delta": 0.1, "stopping_time": [100, 300, -1], "correct": [True, True, False]}
    )
    row = summarise.fixed_confidence(runs, {}, complexity=1.0).iloc[0]
    assert (row["mean_pulls"], row["errors"], row["undecided"]) == (200.0, 1, 1)


def test_over_files_reduces_each_setting_of_a_file_with_its_labels(tmp_path: Path) -> None:
    problem, path = Instance("two", [0.3, 0.6], 0.5), str(tmp_path / "runs.parquet")
    columns = {"budget": np.array([10, 10]), "loss": np.array([True, False])}
    settings = [{"instance": "two", "policy": "apt", "epsilon": e} for e in (1.0, math.inf)]
    write_runs(path, (labelled(setting, columns) for setting in settings))
    table = summarise.over_files([path], "policy", {"two": problem}, summarise.fixed_budget)
    assert table["epsilon"].tolist() == [1.0, math.inf]
    assert table["complexity"].tolist() == [problem.complexity(1.0), problem.complexity()]
    assert table["n_arms"].tolist() == [2, 2]
    assert table["errors"].tolist() == [1, 1]


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
