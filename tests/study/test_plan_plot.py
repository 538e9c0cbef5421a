"""The figure of a plan: one panel per question."""

import matplotlib.pyplot as plt

from ldpt.instances import Instance
from ldpt.study import plan_plot as plot
from ldpt.study.plan import Request, make_plan

PAIR = Instance("pair", [0.3, 0.7], 0.5)


def test_draw_has_one_panel_per_question():
    asked = Request(PAIR, [2.0], 0.1, budget=100, methods=["onesided", "apt"], replicates=50)
    figure = plot.draw(make_plan(asked))
    assert [axes.get_xlabel() for axes in figure.axes] == ["epsilon", "budget"]
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["budget", "one-sided", "Algorithm 1"]
    plt.close("all")
