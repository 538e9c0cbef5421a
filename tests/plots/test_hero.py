"""scripts/hero.py: promises, errors and prices, on light, dark and narrow pages."""

import math
from typing import Any

import pandas as pd
import pytest

from tests.plots import scripts
from tests.plots.tables import cut_off, overlapping, texts_of

hero = scripts.figure("hero")
LOOKS = {"article": hero.ARTICLE, **hero.WEB}
LEAST = 10  # CSS pixels of the smallest text; an inch of a web picture is 100 of them


@pytest.fixture
def data() -> Any:
    errors = [
        {"radius": radius, "delta": delta, "estimate": factor * delta}
        for radius, factor in (("printed", 3), ("coin", 0.02))
        for delta in hero.SHOWN_DELTAS
    ]
    prices = pd.DataFrame({"epsilon": [0.01, 1.0, 4.0], "price": [4e4, 4.7, 1.08]})
    return hero.Data(pd.DataFrame(errors), prices.assign(instance="two"), 500, "coin")


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_texts_neither_overlap_nor_leave_the_picture(data: Any, look: Any) -> None:
    figure = hero.draw(data, look)
    assert overlapping(figure) == []
    assert cut_off(figure) == []


@pytest.mark.parametrize("name", hero.WEB)
def test_texts_are_legible_at_the_width_of_a_page(data: Any, name: str) -> None:
    look = hero.WEB[name]
    assert look.width == (3.58 if look.stacked else 8.46)
    sizes = [text.get_fontsize() * 100 / 72 for text in texts_of(hero.draw(data, look))]
    assert min(sizes) >= LEAST


def test_error_made_is_written_beside_its_mark(data: Any) -> None:
    words = [text.get_text() for axes in hero.draw(data).axes for text in axes.texts]
    assert "30 %" in words
    assert hero.facts(data)["error_percent"] == pytest.approx(30)


def test_prices_are_relative_to_no_privacy() -> None:
    costs = pd.DataFrame(
        {"instance": ["a", "a", "b"], "epsilon": [1.0, math.inf, 1.0], "mean_pulls": [50.0, 10, 9]}
    )
    assert hero.prices(costs)["price"].tolist() == [5.0]
