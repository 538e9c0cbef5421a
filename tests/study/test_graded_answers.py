"""The article's table of graded answers, against chains and means computed another way."""

import numpy as np
import pytest

from ldpt import exact
from ldpt.instances import Instance
from tests.plots.scripts import load

SCRIPT = load("scripts/graded_answers.py")


def test_every_law_is_one_and_the_table_has_its_mean_and_exact_costs():
    table = SCRIPT.tabulate().set_index("law")
    assert len(table) == 5
    for name, (scale, law, threshold) in SCRIPT.laws().items():
        row = table.loc[name]
        assert law.sum() == pytest.approx(1)
        scores = np.linspace(scale.low, scale.high, law.size)
        assert row["mean"] == pytest.approx(law @ scores, rel=1e-5)
        assert row["mean"] < threshold  # so that "below" is the right verdict
        skipped = int(row["left_out"].split()[0])
        for column, skip in (("privbern", 0), ("cuts", skipped)):
            used = scores[1 + skip :]
            truth = float(np.mean([law[scores >= cut - 1e-9].sum() for cut in used]))
            end = scores[skip]
            problem = Instance("truth", [truth], (threshold - end) / (scale.high - end))
            chain = exact.fixed_confidence_error(problem, 1.0, 0.05, "coin")
            assert row[column] == pytest.approx(chain.expected_pulls, rel=1e-3)
            assert chain.error <= 0.05
        assert row["ratio"] == pytest.approx(row["cuts"] / row["privbern"], rel=1e-3)
    assert (table["ratio"] <= 1).all()


def test_no_choice_of_cuts_is_much_better_than_the_tabulated_one():
    """The few finalists by drift hold the best choice, for the five stars over all choices."""
    scale, law, threshold = SCRIPT.laws()["five stars: 5, 10, 25, 40, 20 %"]
    row = SCRIPT.tabulate().iloc[0]
    at_least = 1 - np.cumsum(law)[:-1]
    for skip in range(3):
        end = scale.low + skip
        truth = float(at_least[skip:].mean())
        if not truth < (threshold - end) / (scale.high - end) - 1e-9:
            continue
        problem = Instance("truth", [truth], (threshold - end) / (scale.high - end))
        chain = exact.fixed_confidence_error(problem, 1.0, 0.05, "coin")
        assert row["cuts"] <= chain.expected_pulls * 1.001
