"""ldpt.plots.elements: curves, axes and the choice of rows."""

import math
from typing import Any

import numpy as np
import pytest
from matplotlib.lines import Line2D

from ldpt.plots import elements
from tests.plots import scripts
from tests.plots.tables import budget_table, cut_off, overlapping

fixed_budget_error = scripts.figure("fixed_budget_error")
fixed_budget_collapse = scripts.figure("fixed_budget_collapse")
EPSILONS = [0.01, 0.03, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, math.inf]


def error_data(instances: list[str]) -> Any:
    return fixed_budget_error.Data(budget_table(instances), instances, 0.05, 1.0)


def test_estimates_draw_a_zero_count_as_an_upper_limit_and_never_as_zero() -> None:
    data = error_data(["two"])
    figure = fixed_budget_error.draw(data)
    drawn = [line for axes in figure.axes for line in axes.lines]
    limits = [line for line in drawn if line.get_marker() == "v"]
    heights = np.concatenate([np.asarray(line.get_ydata(), float) for line in limits])
    assert heights.tolist() == data.curves.loc[data.curves["errors"] == 0, "high"].tolist()
    others = [line for line in drawn if line.get_marker() == "o"]
    assert all(np.all(np.asarray(line.get_ydata(), float) > 0) for line in others)


def test_labels_at_the_ends_of_curves_do_not_cover_each_other() -> None:
    figure, (axes,) = elements.panels(1, 1, 2.0)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    heights = (0.5, 0.51, 0.52, 0.9)
    elements.label_ends(axes, [elements.End(1.0, y, f"curve {y}", "black") for y in heights])
    assert overlapping(figure) == []
    assert cut_off(figure) == []


def test_epsilon_axis_has_room_for_infinity_at_its_right_end() -> None:
    _, (axes,) = elements.panels(1, 1, 2.0)
    x_of = elements.epsilon_axis(axes, EPSILONS)
    assert x_of(math.inf) > x_of(4.0)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0.01", "0.1", "1", "∞"]


def test_rows_where_names_what_is_missing() -> None:
    with pytest.raises(ValueError, match="no row with instance missing"):
        elements.rows_where(budget_table(["two"]), instance="missing")


def test_nine_panels_have_no_text_that_covers_another_or_is_cut_off() -> None:
    figure = fixed_budget_error.draw(error_data([f"instance-{i}" for i in range(9)]))
    assert overlapping(figure) == []
    assert cut_off(figure) == []


def test_one_panel_shows_its_whole_legend() -> None:
    figure, _ = elements.panels(1, 1, 1.65)
    elements.epsilon_legend(figure, EPSILONS[-6:], Line2D([], [], label="no error seen"))
    assert cut_off(figure) == []


def test_overlapping_and_cut_off_see_a_bad_text() -> None:
    figure = fixed_budget_error.draw(error_data(["two"]))
    figure.axes[0].text(0.5, 1.0, "across the title", transform=figure.axes[0].transAxes)
    figure.axes[0].text(0.5, 1.0, "once more", transform=figure.axes[0].transAxes)
    figure.text(0.98, 0.5, "beyond the edge")
    assert overlapping(figure)
    assert "beyond the edge" in cut_off(figure)


def test_collapse_measures_the_spread_of_scaled_budgets() -> None:
    """At epsilon = inf the curve is moved to half the scaled budget: a factor of 2 apart."""
    curves = budget_table(["two"], ("apt", "lsa"))
    moved = (curves["policy"] == "apt") & (curves["epsilon"] == 1.0)
    curves.loc[moved, ["budget", "scaled_budget"]] *= 2
    data = fixed_budget_collapse.data_of(curves, ["two"], 0.05, math.inf)
    facts = fixed_budget_collapse.facts(data)
    assert facts["apt_strong"] == pytest.approx(2)
    assert facts["best_strong"] == pytest.approx(1)
