"""The figure of a plan: one panel per question."""

import matplotlib.pyplot as plt
import pytest

from ldpt.instances import Instance
from ldpt.study import planning_plot as plot
from ldpt.study.planning import Request, make_plan
from ldpt.text import prose

PAIR = Instance("pair", [0.3, 0.7], 0.5)


@pytest.mark.parametrize("levels", [[2.0], [0.5, 1.0, 2.0], [0.5, 1.0, 2.0, 4.0]])
def test_draw_has_one_panel_per_question_with_the_answer_as_title(levels):
    request = Request(PAIR, levels, 0.1, budget=100, methods=["onesided", "apt"], replicates=50)
    plan = make_plan(request, wrong_means=False)
    figure = plot.draw(plan)
    assert [axes.get_xlabel() for axes in figure.axes] == ["privacy level ε", "budget"]
    cost = plan.cost[plan.cost["method"] == "onesided"]
    people = [prose(float(f"{value:.2g}")) for value in cost["people"]]
    title = figure.axes[0].get_title(loc="left")
    assert title.endswith(f"takes {people[(len(levels) - 1) // 2]} people instead of {people[-1]}")
    written = [text.get_text() for text in figure.axes[0].texts]
    assert {"budget", *people} <= {*written}
    line = figure.axes[0].lines[0]
    assert line.get_ydata().tolist() == cost["people"].tolist()[:-1]  # none joins no privacy
    plt.close("all")


def test_budgets_without_an_error_have_visible_marks():
    request = Request(PAIR, [4.0], budget=400, methods=["lsa"], replicates=50)
    figure = plot.draw(make_plan(request))
    marks = [line for line in figure.axes[0].lines if line.get_marker() == "v"]
    assert marks
    assert all(line.get_markeredgecolor() not in ("white", "w", "none") for line in marks)
    plt.close("all")
