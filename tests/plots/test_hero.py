"""scripts/hero.py: what it shows when the coin radius was run, and on a dark page."""

import math
from typing import Any

import pandas as pd
import pytest

from tests.plots import scripts
from tests.plots.tables import budget_table, cut_off, overlapping

hero = scripts.figure("hero")


@pytest.fixture
def data() -> Any:
    rows = [
        {"radius": radius, "delta": delta, "estimate": factor * delta}
        for radius, factor in (
            ("printed", 3),
            ("onesided", 0.3),
            ("coin", 0.2),
            ("hoeffding", 3e-6),
        )
        for delta in (1e-4, 1e-2, 0.1)
    ]
    prices = pd.DataFrame({"epsilon": [0.01, 1.0, 4.0], "price": [4e4, 4.7, 1.08]})
    curves = budget_table(["two"], ("apt", "lsa"))
    return hero.Data(prices, pd.DataFrame(rows), curves, {"apt": 2.2, "lsa": 1.1}, "coin", "two")


@pytest.mark.parametrize("theme", [hero.LIGHT, hero.DARK])
def test_texts_neither_overlap_nor_leave_the_picture(data: Any, theme: Any) -> None:
    figure = hero.draw(data, theme)
    assert overlapping(figure) == []
    assert cut_off(figure) == []


def test_false_promise_is_written_in_words_and_one_of_our_radii_is_named(data: Any) -> None:
    words = [text.get_text() for axes in hero.draw(data).axes for text in axes.texts]
    assert "promised 10 %,\nerrs 30 %" in words
    assert "coin (ours)" in words
    assert "one-sided (ours)" not in words


def test_prices_are_relative_to_no_privacy() -> None:
    costs = pd.DataFrame(
        {"instance": ["a", "a", "b"], "epsilon": [1.0, math.inf, 1.0], "mean_pulls": [50.0, 10, 9]}
    )
    assert hero._prices(costs)["price"].tolist() == [5.0]
