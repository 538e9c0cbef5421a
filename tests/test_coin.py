"""The tables of ``coin`` against 40-digit arithmetic, and what their definition promises."""

import hashlib
import itertools
import math

import mpmath
import numpy as np
import pytest

from ldpt import coin
from ldpt.engines import boundaries
from ldpt.exact import fixed_confidence_error, law_after_response
from ldpt.instances import Instance
from ldpt.privacy import private_mean, shrinkage
from ldpt.radii import Radius, lower, threshold_variance, upper

DIGEST = "ba8f4c5e21538f4c893e5edf836489400911cb08268d79f0d0fe796b724b575f"
ABOVE = 5e-5  # relative height of the lines above the mixture, at most


def test_tables_are_the_same_on_every_machine():
    """Only IEEE operations make them; a digest that differs means that decisions differ."""
    tables = [coin.tangents(0.5, 0.5, 0.5, 3.0), coin.tangents(0.8125, 0.1875, 0.625, 4.5)]
    text = b"".join(np.ascontiguousarray(table, "<f8").tobytes() for table in tables)
    assert hashlib.sha256(text).hexdigest() == DIGEST


@pytest.mark.parametrize("x", [-40.0, -3.3, -0.4, -1e-9, 1e-12, 0.1, 0.36, 5.0, 300.0])
def test_elementary_functions_are_those_of_forty_digits(x):
    with mpmath.workdps(40):
        assert coin.exp(x) == pytest.approx(float(mpmath.exp(x)), rel=1e-15)
        assert coin.expm1(x) == pytest.approx(float(mpmath.expm1(x)), rel=1e-15)
        y = coin.expm1(x) if x > -30 else -0.99
        assert coin.log1p(y) == pytest.approx(float(mpmath.log1p(mpmath.mpf(y))), rel=1e-15)


class Mixture:
    """The mixture in 40 digits; nodes whose terms are below 1e-25 are left out.

    ``density`` times as many nodes approach the integral over the prior.
    """

    def __init__(self, t, scale, level, density=1):
        self.log_level = mpmath.log(level)
        top = 8 + mpmath.sqrt(2 * self.log_level)
        nodes = range(800 * density)
        places = [top * mpmath.mpf(2) ** (-mpmath.mpf(j) / (16 * density)) for j in nodes]
        weights = [x * mpmath.exp(-x * x / 2) for x in places]
        total = mpmath.fsum(weights)
        self.nodes = [x * mpmath.mpf(scale) for x in places]
        self.log_weights = [mpmath.log(w / total) for w in weights]
        self.moments = [mpmath.log(1 - t + t * mpmath.exp(x)) - x * t for x in self.nodes]

    def root(self, n, d):
        """The boundary at n, by Newton's method from d."""
        for _ in range(30):
            terms = zip(self.nodes, self.moments, self.log_weights, strict=True)
            sizes = [(x, x * d - n * psi + w - self.log_level) for x, psi, w in terms]
            kept = [(x, mpmath.exp(size)) for x, size in sizes if size > -58]
            total = mpmath.fsum(term for _, term in kept)
            step = mpmath.log(total) * total / mpmath.fsum(x * term for x, term in kept)
            d -= step
            if abs(step) < 1e-15 * d:
                return d
        raise AssertionError("no root")


def drawn_settings(count, seed):
    """Thresholds, privacy levels and K / delta at random, their extremes among them."""
    rng = np.random.default_rng(seed)
    corners = [*itertools.product((0.001, 0.999), (0.01, math.inf), (1.5, 1e20))]
    for _ in range(count):
        tau = float(rng.choice([rng.uniform(0.001, 0.999), 0.5, 0.1, 0.9]))
        epsilon = float(rng.choice([0.01, 0.1, 1.0, 4.0, math.inf, np.exp(rng.uniform(-4.6, 3))]))
        corners.append((tau, epsilon, float(np.exp(rng.uniform(math.log(1.5), math.log(1e20))))))
    return corners


@pytest.mark.parametrize(("tau", "epsilon", "level"), drawn_settings(4, seed=1))
def test_lines_are_never_below_the_mixture_and_hardly_above(tau, epsilon, level):
    rng = np.random.default_rng([2, int(1e6 * tau), int(100 * min(epsilon, 100))])
    edge = Radius("coin").at(1, 1 / level, tau, epsilon)
    scale = coin.round_bits(shrinkage(epsilon) / 8 / threshold_variance(tau, epsilon))
    with mpmath.workdps(40):
        t = mpmath.mpf(private_mean(tau, epsilon))
        for side, at in ((upper, t), (lower, 1 - t)):
            mixture = Mixture(at, scale, mpmath.mpf(edge.term))
            for n in (1, int(10 ** rng.uniform(0.3, 5)), int(10 ** rng.uniform(3, 15)), 10**15):
                b = side(edge, n, n)
                excess = b / mixture.root(n, mpmath.mpf(b)) - 1
                assert 0 < excess < ABOVE, n


HIGHEST = [(0.001, 1e20, 2**16), (0.001, 1e14, 2**15), (0.999, 1e20, 2**16), (0.5, 1e20, 2**12)]


@pytest.mark.parametrize(("tau", "level", "knot"), HIGHEST)
def test_lines_are_highest_halfway_between_knots(tau, level, knot):
    """Without privacy, at a skewed threshold and a small delta: 4.55e-5; at 1/2: 2.9e-5."""
    edge = Radius("coin").at(1, 1 / level, tau, math.inf)
    scale = coin.round_bits(shrinkage(math.inf) / 8 / threshold_variance(tau, math.inf))
    n = knot * 65 // 64
    side, t = (lower, 1 - tau) if tau < 0.5 else (upper, tau)
    with mpmath.workdps(40):
        mixture = Mixture(mpmath.mpf(t), scale, mpmath.mpf(edge.term))
        excess = side(edge, n, n) / mixture.root(n, mpmath.mpf(side(edge, n, n))) - 1
    assert 2.5e-5 < excess < ABOVE


@pytest.mark.parametrize("level", [10.0, 1e20])
def test_mixture_is_the_integral_over_the_prior(level):
    """The trapezoidal rule in log lambda is exact to 1e-11; at 1e50 it is off by 1e-8."""
    tau, n = 0.001, 100  # where it is largest
    scale = 1 / 8 / threshold_variance(tau, math.inf)
    with mpmath.workdps(40):
        finite, dense = (Mixture(mpmath.mpf(tau), scale, level, density) for density in (1, 4))
        start = mpmath.mpf(upper(Radius("coin").at(1, 1 / level, tau, math.inf), n, n))
        assert abs(finite.root(n, start) / dense.root(n, start) - 1) < 1e-11


@pytest.mark.parametrize("t", [0.001, 0.1, 0.5, 0.9, 0.999])
def test_nodes_are_so_close_that_the_limit_costs_less_than_two_thousandths(t):
    """Halfway between two nodes the drift of the log-likelihood ratio is 0.998 of the best."""
    p = t + (1 - t) * np.geomspace(1e-4, 1 - 1e-9, 400)
    best = np.log(p * (1 - t) / (t * (1 - p)))
    kl = p * np.log(p / t) + (1 - p) * np.log((1 - p) / (1 - t))
    for offset in (0.5, -0.5):
        node = best * 2 ** (offset / coin.NODES_PER_OCTAVE)
        drift = node * p - np.log1p(t * np.expm1(node))
        assert np.all(drift / kl > 0.998)


@pytest.mark.parametrize(("tau", "epsilon", "level"), drawn_settings(16, seed=3))
def test_coin_is_never_wider_than_onesided(tau, epsilon, level):
    terms = (1, 1 / level, tau, epsilon)
    edge, onesided = Radius("coin").at(*terms), Radius("onesided").at(*terms)
    for n in [*range(1, 50), *(int(x) for x in np.geomspace(50, 1e15, 100))]:
        most = upper(onesided, n, n) * (1 + ABOVE)
        assert 0 < upper(edge, n, n) <= most
        assert 0 < lower(edge, n, n) <= most


@pytest.mark.parametrize("epsilon", [0.1, 1.0, math.inf])
@pytest.mark.parametrize("tau", [0.0625, 0.25, 0.5, 0.875])
def test_mirrored_thresholds_have_mirrored_tables(tau, epsilon):
    edge, mirror = (Radius("coin").at(3, 0.05, x, epsilon) for x in (tau, 1 - tau))
    assert np.array_equal(edge.lines, mirror.lines[:, [2, 3, 0, 1]])


@pytest.mark.parametrize(("tau", "epsilon"), [(0.5, 1.0), (0.9, math.inf), (0.03, 3.0), (0.3, 0.2)])
def test_thresholds_in_responses_rise_by_at_most_one_a_pull(tau, epsilon):
    edge, t = Radius("coin").at(2, 0.01, tau, epsilon), private_mean(tau, epsilon)
    n = np.arange(1, 5001)
    above = np.array([upper(edge, k, k) for k in n.tolist()])
    below = np.array([lower(edge, k, k) for k in n.tolist()])
    highest, lowest = np.ceil(n * t + above), np.ceil(n * t - below) - 1
    assert set(np.diff(highest)) == {0, 1}
    assert set(np.diff(lowest)) == {0, 1}
    for side in (above, below):
        assert np.all(np.diff(side) > 0)
        assert np.all(np.diff(side, 2) < 1e-9)


def test_plain_and_compiled_boundaries_are_equal():
    edge = Radius("coin").at(4, 0.02, 0.7, 2.0)
    rng = np.random.default_rng(4)
    for n in [*range(1, 200), *(10 ** rng.uniform(0, 15.9, 2000)).astype(int).tolist()]:
        assert boundaries.sides(edge, n, n) == (upper(edge, n, n), lower(edge, n, n))


@pytest.mark.parametrize("delta", [0.999999999999, 0.5, 1e-300])
def test_at_a_threshold_of_zero_or_one_the_first_impossible_response_decides(delta):
    edge = Radius("coin").at(5, delta, 0.0, math.inf)
    assert [upper(edge, n, n) for n in (1, 7, 10**12)] == [0.5] * 3
    assert [lower(edge, n, n) for n in (1, 7, 10**12)] == [math.inf] * 3
    edge = Radius("coin").at(5, delta, 1.0, math.inf)
    assert [lower(edge, n, n) for n in (1, 7, 10**12)] == [0.5] * 3
    assert [upper(edge, n, n) for n in (1, 7, 10**12)] == [math.inf] * 3
    private = Radius("coin").at(5, delta, 0.0, 1.0)
    assert 0 < upper(private, 1, 1) < upper(private, 9, 9) < math.inf


@pytest.mark.parametrize("tau", [1e-300, 1e-17, 1e-9, 0.3, 1 - 1e-16])
@pytest.mark.parametrize("delta", [1 - 1e-16, 0.9, 1e-300])
@pytest.mark.parametrize("epsilon", [1e-9, 1.0, 800.0, math.inf])
def test_tables_are_finite_and_concave_at_the_ends_of_their_domain(tau, delta, epsilon):
    edge = Radius("coin").at(1, delta, tau, epsilon)
    for side, lines in ((upper, edge.lines[:, :2]), (lower, edge.lines[:, 2:])):
        if len(lines) > 2:
            assert np.all(np.isfinite(lines))
            assert np.all(np.diff(lines[:, 1]) <= 0)
            heights = [side(edge, n, n) for n in (1, 10, 10**6, 10**12, 2**53)]
            assert heights == sorted(heights)
            assert heights[0] > 0


@pytest.mark.parametrize(("mean", "tau"), [(1.0, 0.9), (0.0, 0.1), (0.0, 0.9), (0.95, 0.9)])
@pytest.mark.parametrize("delta", [0.9, 0.1, 1e-6])
def test_error_is_at_most_delta_also_at_means_zero_and_one(mean, tau, delta):
    chain = fixed_confidence_error(Instance("one", [mean], tau), math.inf, delta, "coin")
    assert chain.error <= delta


@pytest.mark.parametrize(("epsilon", "pulls"), [(math.inf, 163), (4.0, 202), (1.0, 2190)])
def test_counterexample_needs_the_published_pulls(epsilon, pulls):
    """Exact values of an independent program, rounded."""
    problem = Instance("counterexample", [0.95], 0.9)
    chain = fixed_confidence_error(problem, epsilon, 0.1, "coin")
    assert chain.expected_pulls == pytest.approx(pulls, rel=4e-3)
    assert chain.error <= 0.1


def first_decision(radius: str, bits: np.ndarray, threshold: float, epsilon: float) -> int:
    """Return the number of responses at which one arm is decided, or one more than there are."""
    edge = Radius(radius).at(n_arms=1, delta=0.1, threshold=threshold, epsilon=epsilon)
    tau = private_mean(threshold, epsilon)
    for n, s in enumerate(np.cumsum(bits), start=1):
        d = s - n * tau
        if d >= upper(edge, n, n) or d < -lower(edge, n, n):
            return n
    return bits.size + 1


@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("epsilon", [1.0, 4.0, math.inf])
def test_coin_decides_no_tape_later_than_onesided(threshold: float, epsilon: float) -> None:
    """40 seeded tapes per setting, with means on both sides of the threshold."""
    rng = np.random.default_rng(3)
    earlier = 0
    for mean in rng.random(40):
        bits = rng.random(1500) < private_mean(float(mean), epsilon)
        coin = first_decision("coin", bits, threshold, epsilon)
        onesided = first_decision("onesided", bits, threshold, epsilon)
        assert coin <= onesided
        earlier += coin < onesided
    assert earlier > 0


EXTREME_PRIORS = [1e-100, 1e-6, 1.0, 50.0, 1e3, 1e15, 1e100]


@pytest.mark.parametrize("prior_gap", EXTREME_PRIORS)
@pytest.mark.parametrize("tau", [1e-15, 0.02, 0.5, 0.9])
def test_every_prior_gap_has_finite_lines_that_keep_delta(prior_gap: float, tau: float) -> None:
    """At the threshold itself, where an arm errs most."""
    delta, t = 0.1, private_mean(tau, math.inf)
    edge = Radius("coin", prior_gap=prior_gap).at(1, delta, tau, math.inf)
    assert np.isfinite(edge.lines).all()
    law, crossed = np.array([1.0]), 0.0
    for n in range(1, 300):
        law = law_after_response(law, t)
        d = np.arange(n + 1) - n * t
        above = d >= upper(edge, n, n)
        crossed += law[above].sum()
        law[above] = 0.0
    assert crossed <= delta


def test_a_prior_on_impossible_gaps_believes_in_ones_alone() -> None:
    """Of a fair coin, four ones in a row have a likelihood ratio of 16, above K / delta = 10.

    The boundary lies at four ones, up to the slack of the table.
    """
    edge = Radius("coin", prior_gap=1e100).at(1, 0.1, 0.5, math.inf)
    assert upper(edge, 3, 3) > 1.5
    assert upper(edge, 4, 4) == pytest.approx(2.0, rel=1e-8)
    assert upper(edge, 10, 10) > 4.0  # nine ones of ten
