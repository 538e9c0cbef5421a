"""The number of runs is fixed beforehand, and gives the precision that was asked for."""

import math

import pytest

from ldpt import limits
from ldpt.radii import Radius
from ldpt.simulate import fixed_confidence


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
    expected = limits.relative_spread(instances[name], epsilon, delta, Radius(radius))
    assert expected == pytest.approx(times.std() / times.mean(), rel=0.2)


@pytest.mark.parametrize("half_width", [0.02, 0.005])
def test_confidence_replicates_give_the_half_width_of_the_mean(instances, half_width):
    """On the most variable problem, whose runs were not used to choose the margin."""
    cell = (instances["hard-arm"], 1.0, [0.1], Radius("mixture"))
    precision = {"relative_half_width": half_width, "least": 1, "most": 10**9}
    runs = limits.confidence_replicates(*cell, precision)
    assert runs % 500 == 0
    spread = limits.relative_spread(*cell[:2], 0.1, cell[3])
    assert 1.96 * spread / math.sqrt(runs) <= half_width
    assert 1.96 * spread / math.sqrt(runs - 500) > half_width


def test_confidence_replicates_fall_with_the_number_of_arms_down_to_the_least(instances):
    precision = {"relative_half_width": 0.002, "least": 500, "most": 20_000}

    def runs(n_arms: int) -> int:
        cell = (instances[f"equal-gap-{n_arms}"], 1.0, [0.1], Radius("mixture"))
        return limits.confidence_replicates(*cell, precision)

    assert runs(1024) == 500 < runs(64) < runs(16) == 20_000
