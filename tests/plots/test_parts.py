"""ldpt.plots.parts: curves, axes and the choice of rows."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from matplotlib.lines import Line2D

from ldpt.plots import parts, style
from tests.plots.tables import budget_table, cut_off, overlapping

EPSILONS = [0.01, 0.03, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, math.inf]


@pytest.fixture(autouse=True)
def house_style() -> Iterator[None]:
    with style.context():
        yield


def test_estimates_draw_a_zero_count_as_an_upper_limit_and_never_as_zero() -> None:
    table = budget_table(["two"])
    _, (axes,) = parts.panels(1, 1, 2.0)
    parts.estimates(axes, table["budget"], table, "black", marker="o")
    limits = [line for line in axes.lines if line.get_marker() == "v"]
    heights = np.concatenate([np.asarray(line.get_ydata(), float) for line in limits])
    assert heights.tolist() == table.loc[table["errors"] == 0, "high"].tolist()
    others = [line for line in axes.lines if line.get_marker() == "o"]
    assert others
    assert all(np.all(np.asarray(line.get_ydata(), float) > 0) for line in others)


def test_epsilon_axis_has_a_tick_per_level_and_infinity_behind_a_break() -> None:
    _, (axes,) = parts.panels(1, 1, 2.0)
    x_of = parts.epsilon_axis(axes, EPSILONS)
    assert x_of(math.inf) > x_of(4.0)
    assert len(axes.get_xticks()) == len(EPSILONS)
    names = [tick.get_text() for tick in axes.get_xticklabels() if tick.get_text()]
    assert names == ["0.01", "0.03", "0.1", "1", "4", "∞"]
    (rule,) = axes.lines
    assert x_of(4.0) < rule.get_xdata()[0] < x_of(math.inf)


@pytest.mark.parametrize("levels", [[1.0], [math.inf], [0.5, math.inf], [2.0, 3.0, 4.0]])
def test_epsilon_axis_shows_all_of_few_levels(levels: list[float]) -> None:
    figure, (axes,) = parts.panels(1, 1, 2.0)
    x_of = parts.epsilon_axis(axes, levels)
    low, high = axes.get_xlim()
    assert all(low < x_of(level) < high for level in levels)
    assert [tick.get_text() for tick in axes.get_xticklabels()][-1] == style.epsilon_label(
        levels[-1]
    )
    assert overlapping(figure) == []


@pytest.mark.parametrize("budgets", [[5.7e3, 1.2e4, 2e5], [1e3, 1.1e3, 1.2e3], [5e2, 8e3, 1.5e5]])
def test_words_beside_marks_do_not_overlap(budgets: list[float]) -> None:
    figure, (axes, _) = parts.panels(2, 2, 2.75)
    axes.set(xlim=(1, 1e6), ylim=(1e-5, 1))
    parts.log_axes(axes)
    parts.mark_crossings(axes, 0.01, [(b, f"{b:,.0f}", style.INK) for b in reversed(budgets)])
    assert len(axes.texts) == len(budgets)
    assert overlapping(figure) == []


def test_a_curve_without_an_error_is_one_upper_limit() -> None:
    table = pd.DataFrame({"budget": [3, 1, 2], "estimate": 0.0, "low": 0.0, "high": 0.1})
    _, (axes,) = parts.panels(1, 1, 2.0)
    parts.epsilon_curve(axes, table.assign(errors=0), "budget", style.INK)
    (limit,) = axes.lines
    assert limit.get_marker() == "v"
    assert list(limit.get_xdata()) == [1]


def test_curves_do_not_join_no_privacy_to_its_neighbour() -> None:
    table = pd.DataFrame({"epsilon": [1.0, 2.0, math.inf], "estimate": [4.0, 2.0, 1.0]})
    table = table.assign(low=table["estimate"], high=table["estimate"], radius="coin")
    _, (axes,) = parts.panels(1, 1, 2.0)
    x_of = parts.epsilon_axis(axes, table["epsilon"])
    parts.method_curves(axes, table, "radius", "epsilon", x_of)
    points = [len(line.get_xdata()) for line in axes.lines if line.get_marker() == "o"]
    assert points == [2, 1]


def test_rows_where_names_what_is_missing() -> None:
    with pytest.raises(ValueError, match="no row with instance missing"):
        parts.rows_where(budget_table(["two"]), instance="missing")


def test_one_panel_shows_its_whole_legend() -> None:
    figure, _ = parts.panels(1, 1, 1.65)
    parts.epsilon_legend(figure, EPSILONS[-6:], Line2D([], [], label="no error seen"))
    assert cut_off(figure) == []


def test_overlapping_and_cut_off_see_a_bad_text() -> None:
    figure, (axes,) = parts.panels(1, 1, 2.0)
    axes.set_title("title")
    axes.text(0.0, 1.0, "across the title", transform=axes.transAxes)
    axes.text(0.0, 1.0, "once more", transform=axes.transAxes)
    figure.text(0.98, 0.5, "beyond the edge")
    assert overlapping(figure)
    assert "beyond the edge" in cut_off(figure)


def test_legend_has_its_entries_row_by_row() -> None:
    """Matplotlib fills a legend by columns, which would mix the levels of two rows."""
    figure, _ = parts.panels(1, 1, 2.0)
    parts.epsilon_legend(figure, EPSILONS[-6:])
    figure.canvas.draw()
    entries = figure.legends[0].get_texts()
    places = {t.get_text(): t.get_window_extent().get_points()[0] for t in entries}
    order = sorted(places, key=lambda name: (-round(places[name][1]), places[name][0]))
    assert [name for name in order if name.strip()][1:] == ["0.25", "0.5", "1", "2", "4", "∞"]
