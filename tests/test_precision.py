"""The number of runs is fixed beforehand, and gives the precision that was asked for."""

import math

import pytest

from ldpt import limits as precision
from ldpt import summarise
from ldpt.radii import Radius
from ldpt.simulate import fixed_confidence

LIMITS = {"least": 500, "most": 20_000}


def test_budget_replicates_give_the_half_width_of_an_error():
    asked = {"error": 0.05, "log_half_width": 0.1} | LIMITS
    runs = precision.budget_replicates(asked)
    low, high = summarise.clopper_pearson(round(0.05 * runs), runs)
    assert math.log(high / low) / 2 == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize(
    ("runs", "expected"), [(1, 500), (500, 500), (501, 1000), (1e9, 20_000), (19_600, 20_000)]
)
def test_whole_chunks_are_within_the_limits(runs: float, expected: int) -> None:
    assert precision.whole_chunks(runs, LIMITS) == expected


@pytest.mark.parametrize(
    ("name", "epsilon", "delta", "radius"),
    [
        ("three-groups", 1.0, 0.1, "mixture"),
        ("three-groups", 1.0, 0.1, "hoeffding"),
        ("three-groups", 0.1, 0.1, "onesided"),
        ("hard-arm", 1.0, 0.1, "mixture"),
        ("counterexample", math.inf, 1e-4, "printed"),
        ("equal-gap-64", 1.0, 0.1, "mixture"),
    ],
)
def test_relative_spread_predicts_the_spread_of_stopping_times(
    instances, name, epsilon, delta, radius
):
    """Within a fifth; 400 runs tell a standard deviation to about a tenth."""
    times = fixed_confidence(instances[name], epsilon, delta, 400, 3, radius)["stopping_time"]
    foreseen = precision.relative_spread(instances[name], epsilon, delta, Radius(radius))
    assert foreseen == pytest.approx(times.std() / times.mean(), rel=0.2)


def test_confidence_replicates_fall_with_the_number_of_arms(instances):
    asked = {"relative_half_width": 0.002} | LIMITS

    def runs(n_arms: int) -> int:
        cell = (instances[f"equal-gap-{n_arms}"], 1.0, [0.1], Radius("mixture"))
        return precision.confidence_replicates(asked, *cell)

    assert runs(1024) == 500 < runs(64) < runs(16)


def test_confidence_replicates_grow_with_an_error_that_must_be_seen(instances):
    cell = (instances["three-groups"], 1.0, [0.1], Radius("mixture"))
    mean = {"relative_half_width": 0.05} | LIMITS
    assert precision.confidence_replicates(mean, *cell) == 500
    both = mean | {"error": 0.001, "log_half_width": 0.62}
    assert precision.confidence_replicates(both, *cell) == 10_000
