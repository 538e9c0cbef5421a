"""ldpt.plots: functions from tables to grids, and what the caller keeps."""

import math

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from ldpt import plots, simulate, summarise
from ldpt.instances import Instance
from ldpt.plots import style
from tests.plots.tables import budget_table, cut_off, overlapping

EASY = Instance("easy", [0.1, 0.9], 0.5)


def confidence_table() -> pd.DataFrame:
    rows = [
        {"instance": "two", "radius": radius, "epsilon": epsilon, "delta": delta}
        | {"mean_pulls": 100 / min(epsilon, 9), "mean_pulls_low": 10, "mean_pulls_high": 120}
        | {"estimate": factor * delta, "low": 0.9 * factor * delta, "high": 1.1 * factor * delta}
        for radius, factor in (("printed", 3), ("coin", 0.01))
        for epsilon in (1.0, 2.0, math.inf)
        for delta in (0.1, 0.01)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("function", [plots.cost, plots.calibration, plots.error_map])
def test_grids_of_fixed_confidence_have_no_text_over_text(function):
    grid = function(confidence_table())
    assert plt.get_fignums(), "the figure stays open"
    assert overlapping(grid.figure) == []
    assert cut_off(grid.figure) == []


@pytest.mark.parametrize("function", [plots.error_curves, plots.collapse])
def test_panels_are_in_the_order_that_was_asked_for(function):
    table = budget_table(["one", "two"], ("apt", "lsa"))
    grid = function(table, policy=["lsa", "apt"], instance=["two", "one"])
    titles = [axes.get_title("left") for axes in grid.axes.flat]
    assert titles == ["LSA: two", "LSA: one", "Algorithm 1: two", "Algorithm 1: one"]


def test_broken_promises_are_red_and_kept_ones_are_not():
    grid = plots.calibration(confidence_table())
    marks = {
        radius: {line.get_color() for line in axes.lines if line.get_marker() in ("X", "o")}
        for radius, axes in grid.axes_dict.items()
    }
    assert style.BROKEN in marks["printed"]
    broken = [line for line in grid.axes_dict["coin"].lines if line.get_marker() == "X"]
    assert [len(line.get_xdata()) for line in broken] == [0]


def test_map_of_errors_writes_the_ratios():
    grid = plots.error_map(confidence_table())
    words = {text.get_text() for text in grid.axes_dict["printed"].texts}
    assert words == {"3"}
    assert {text.get_text() for text in grid.axes_dict["coin"].texts} == {"< 0.05"}


@pytest.mark.parametrize("levels", [1, 2, 3, 20])
def test_map_of_errors_names_every_row_and_column(levels):
    deltas = [0.2, 0.1, 0.05]
    problem = Instance("pair", [0.2, 0.7], 0.5)
    epsilons = [1.0 + level for level in range(levels)]
    runs = simulate.fixed_confidence(problem, epsilons, deltas, 20, seed=1, radius="coin")
    axes = plots.error_map(runs).axes.flat[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0.05", "0.1", "0.2"]
    assert len(axes.get_yticklabels()) == levels


def test_collapse_writes_how_far_the_curves_are_apart():
    """At epsilon = 1 the curve is moved to twice the scaled budget: a factor of 2 apart."""
    table = budget_table(["two"])
    table.loc[table["epsilon"] == 1.0, "scaled_budget"] *= 2
    grid = plots.collapse(table, error=0.1)
    assert "×2.00" in {text.get_text() for text in grid.axes.flat[0].texts}


def test_runs_and_their_estimates_give_the_same_picture():
    runs = simulate.fixed_budget(EASY, [1.0, math.inf], [8, 16, 32], 200, seed=1)
    estimates = summarise.fixed_budget(runs, EASY)
    one, other = plots.error_curves(runs), plots.error_curves(estimates)
    for left, right in zip(one.axes.flat[0].lines, other.axes.flat[0].lines, strict=True):
        assert left.get_xydata().tolist() == right.get_xydata().tolist()


def test_the_callers_settings_stay():
    mpl.rcParams["font.size"] = 17.0
    plots.cost(confidence_table())
    assert mpl.rcParams["font.size"] == 17.0
    mpl.rcdefaults()
