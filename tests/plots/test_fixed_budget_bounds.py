"""scripts/fixed_budget_bounds.py: each panel has one policy's errors and the bounds on them."""

from typing import Any

import pandas as pd
import pytest

from ldpt.plots import style
from tests.plots import scripts

figure = scripts.figure("fixed_budget_bounds")

BOUNDS = [("upper", "proved"), ("upper", "lsa"), ("lower", "reduction")]


@pytest.fixture
def data() -> Any:
    where = {"instance": "two", "epsilon": 1.0, "scaled_budget": [1.0, 2.0, 4.0]}
    error = {"estimate": [0.1, 0.01, 1e-4], "low": [0.09, 0.009, 9e-5], "high": [0.11, 0.011, 2e-4]}
    kinds = [
        ("upper", "apt", "simulated"),
        ("upper", "apt", "rare"),
        ("upper", "lsa", "simulated"),
        ("lower", "apt", "rare"),
    ]
    points = [
        pd.DataFrame(where | error | {"side": side, "policy": policy, "method": method})
        for side, policy, method in kinds
    ]
    bounds = [
        pd.DataFrame(where | {"value": [0.5, 0.2, 0.1], "side": side, "version": version})
        for side, version in BOUNDS
    ]
    return figure.Data(pd.concat(points), pd.concat(bounds), ["two"])


@pytest.mark.filterwarnings("error")
def test_no_panel_shows_two_policies(data: Any) -> None:
    panels = figure.draw(data).axes
    drawn = [{str(line.get_marker()) for line in axes.lines} - {"None", ""} for axes in panels]
    apt, lsa = {style.marker("apt")}, {style.marker("lsa")}
    assert drawn == [apt, lsa, apt]


def test_panels_show_the_bounds_on_their_own_errors(data: Any) -> None:
    shown = [column.bounds(data.bounds) for column in figure._columns(data)]
    pairs = [list(zip(b["side"], b["version"], strict=True)) for b in shown]
    assert [set(found) for found in pairs] == [{bound} for bound in BOUNDS]
