"""scripts/fixed_budget_bounds.py: rates of errors beside the rates of their bounds."""

import math
from typing import Any

import pandas as pd
import pytest

from ldpt.plots import style
from tests.plots import scripts

figure = scripts.figure("fixed_budget_bounds")

BOUNDS = [("upper", "proved"), ("upper", "lsa"), ("lower", "best")]


@pytest.fixture
def data() -> Any:
    where = {"instance": "two", "epsilon": 1.0, "scaled_budget": [1.0, 2.0, 4.0]}
    error = {"estimate": [0.1, 0.01, 1e-4], "low": [0.09, 0.009, 9e-5], "high": [0.11, 0.011, 2e-4]}
    kinds = [
        ("upper", "apt", "simulated"),
        ("upper", "apt", "sampled"),
        ("upper", "lsa", "simulated"),
        ("lower", "apt", "sampled"),
    ]
    points = [
        pd.DataFrame(where | error | {"side": side, "policy": policy, "method": method})
        for side, policy, method in kinds
    ]
    bounds = [
        pd.DataFrame(where | {"value": [0.5, 0.2, 0.1], "side": side, "version": version})
        for side, version in BOUNDS
    ]
    ratio = {"policy": ["apt", "lsa"] * 2, "epsilon": [1.0, 1.0, math.inf, math.inf]}
    optimum = pd.DataFrame(
        ratio | {"gaps": "0.1 0.1", "scaled_budget": 1.0, "ratio": [1.3, 1.1, 1.2, 1.05]}
    )
    return figure.Data(pd.concat(points), pd.concat(bounds), optimum, ["two"])


@pytest.mark.filterwarnings("error")
def test_panels_show_their_policies_and_bounds(data: Any) -> None:
    upper, lower, _ = figure.draw(data).axes
    colours = [{line.get_color() for line in axes.lines} for axes in (upper, lower)]
    assert colours[0] == {style.colour("apt"), style.colour("lsa")}
    assert colours[1] == {style.colour("apt"), style.INK}


def test_rates_are_exponents_per_scaled_budget(data: Any) -> None:
    rates = figure.rates(data.points)
    assert rates["estimate"].iloc[:3].tolist() == pytest.approx(
        [math.log(10), math.log(100) / 2, math.log(1e4) / 4]
    )
    assert (rates["low"] <= rates["high"]).all()


def test_no_measured_rate_is_above_the_limit_of_all_algorithms(data: Any) -> None:
    """The limit is drawn beside what it bounds only: the worst mirror image."""
    upper, _, _ = figure.draw(data).axes
    assert style.INK not in {line.get_color() for line in upper.lines}


def test_facts_have_the_largest_ratio_to_the_optimum(data: Any) -> None:
    facts = figure.facts(data)
    assert (facts["apt_over_optimum"], facts["lsa_over_optimum"]) == (1.3, 1.1)
