"""The boundaries against the paper's own expression, and the coverage of the valid ones."""

import math

import mpmath
import numpy as np
import pytest
from scipy.stats import binomtest

from ldpt.engines import decisions
from ldpt.radii import RADII, Radius, as_radius, boundary, check_delta


def width(radius, n, t, n_arms, delta, threshold=0.5, epsilon=1.0):
    return boundary(radius.at(n_arms, delta, threshold, epsilon), n, t)


@pytest.mark.parametrize("t", [1, 10, 2**21 - 1, 2**21, 3_000_000, 10**9, 10**15])
@pytest.mark.parametrize(("n_arms", "delta"), [(1, 0.1), (10, 1e-4), (1024, 0.9)])
@pytest.mark.parametrize(("name", "scale"), [("printed", 8), ("hoeffding", 2)])
def test_the_boundary_is_n_times_the_papers_radius_at_every_time(name, scale, n_arms, delta, t):
    """n rad with rad = sqrt(log(4 K t^3 / delta) / (scale n)), in integers of any size."""
    n = max(1, t // 3)
    with mpmath.workdps(40):
        log = mpmath.log(4 * n_arms * mpmath.mpf(t**3) / mpmath.mpf(delta))
        expected = n * mpmath.sqrt(log / (scale * n))
    found = width(Radius(name), n, t, n_arms, delta)
    assert found == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize("n", [1, 17, 10**4, 10**10])
@pytest.mark.parametrize("rho", [0.5, 10.0])
def test_the_mixture_is_robbins_boundary_and_needs_no_time(n, rho):
    n_arms, delta = 7, 0.05
    with mpmath.workdps(40):
        v = mpmath.mpf(n) / 4 + rho
        ratio = v * n_arms**2 / (rho * mpmath.mpf(delta) ** 2)
        expected = mpmath.sqrt(v * mpmath.log(ratio))
    radius = Radius("mixture", rho)
    assert width(radius, n, n, n_arms, delta) == pytest.approx(float(expected), rel=1e-13)
    assert width(radius, n, 10**12, n_arms, delta) == width(radius, n, n, n_arms, delta)


@pytest.mark.parametrize("name", RADII)
def test_the_compiled_boundary_is_the_plain_one(name):
    edge = Radius(name).at(3, 0.1, 0.4, 2.0)
    for n in (1, 50, 10**9):
        assert decisions.boundary(edge, n, 2 * n) == boundary(edge, n, 2 * n)


@pytest.mark.parametrize("name", RADII)
def test_boundaries_grow_with_pulls_and_shrink_with_delta(name):
    radius = Radius(name)
    widths = [width(radius, n, 2 * n, 4, 0.1) for n in range(1, 200)]
    assert np.all(np.diff(widths) > 0)
    assert width(radius, 50, 99, 4, 0.01) > width(radius, 50, 99, 4, 0.1)


@pytest.mark.parametrize("mean", [0.5, 0.9])
def test_a_fair_walk_leaves_the_mixture_boundary_at_most_delta_of_the_time(mean):
    """K = 1: the walk S_n - n mean must stay inside for all n with probability 1 - delta."""
    delta, runs, length = 0.2, 4000, 3000
    rng = np.random.default_rng(8)
    widths = np.array([width(Radius("mixture"), n, n, 1, delta) for n in range(1, length + 1)])
    left = 0
    for _ in range(runs // 500):
        steps = (rng.random((500, length)) < mean) - mean
        left += int((np.abs(np.cumsum(steps, axis=1)) >= widths).any(axis=1).sum())
    assert binomtest(left, runs, delta, alternative="greater").pvalue > 1e-4
    assert left > 0, "a boundary that is never left is far too wide to test anything"


@pytest.mark.parametrize("delta", [0, 1, -0.1, 1.5, math.nan])
def test_delta_outside_the_open_interval_is_refused_with_its_value(delta):
    message = rf"delta must lie strictly between 0 and 1, got {float(delta)}"
    with pytest.raises(ValueError, match=message):
        check_delta(delta)
    with pytest.raises(ValueError, match=message):
        Radius("printed").at(2, delta, 0.5, 1.0)


def test_unknown_names_and_bad_rho_are_refused():
    with pytest.raises(
        ValueError, match="one of printed, hoeffding, mixture, onesided, got 'wide'"
    ):
        as_radius("wide")
    for rho in (0, -1, math.inf, math.nan):
        with pytest.raises(ValueError, match=f"rho must be positive and finite, got {rho}"):
            Radius("mixture", rho)
    assert as_radius(Radius("mixture", 3.0)).rho == 3.0
