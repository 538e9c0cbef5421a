"""The figure of a plan: one panel per question."""

import matplotlib.pyplot as plt

from ldpt.instances import Instance
from ldpt.study import planning_plot as plot
from ldpt.study.planning import Request, make_plan

PAIR = Instance("pair", [0.3, 0.7], 0.5)


def test_draw_has_one_panel_per_question():
    asked = Request(PAIR, [2.0], 0.1, budget=100, methods=["onesided", "apt"], replicates=50)
    figure = plot.draw(make_plan(asked))
    assert [axes.get_xlabel() for axes in figure.axes] == ["epsilon", "budget"]
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["one-sided", "Algorithm 1"]
    assert "budget" in [text.get_text() for text in figure.axes[0].texts]
    plt.close("all")


def test_budgets_without_an_error_have_visible_marks():
    request = Request(PAIR, [4.0], budget=400, methods=["lsa"], replicates=50)
    figure = plot.draw(make_plan(request))
    marks = [line for line in figure.axes[0].lines if line.get_marker() == "v"]
    assert marks
    assert all(line.get_markeredgecolor() not in ("white", "w", "none") for line in marks)
    plt.close("all")
