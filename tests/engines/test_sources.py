"""Draws: sums, parts, words, and the edges that a walk touches.

Statistical tests are seeded and fail by chance with probability 1e-4 each.
"""

import itertools
import math
from collections import Counter

import mpmath
import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import binom, binomtest, hypergeom, kstest

from ldpt.engines.sources import (
    OUTER,
    WORD_SIZE,
    Edges,
    bernoulli_word,
    binomial,
    draw_wait,
    draw_word,
    halved_touch,
    hypergeometric,
    hypergeometric_weight,
    reflected_edges,
    tape_from_responses,
    touch_exponent,
    touch_probability,
)
from tests.engines.laws import LEVEL, arrangements, fits, walk_of


@pytest.mark.parametrize(("m", "mean"), [(20, 0.3), (40, 0.5), (100, 0.7), (3000, 0.51)])
def test_sums_are_binomial(m, mean):
    rng = np.random.default_rng(m)
    sample = [binomial(rng, m, mean) for _ in range(40_000)]
    assert fits(sample, binom.pmf(np.arange(m + 1), m, mean)) > LEVEL


@pytest.mark.parametrize(
    ("m", "ones", "total"),
    [(5, 3, 10), (30, 60, 200), (700, 300, 1000), (500, 30, 1000), (2500, 2400, 5000)],
)
def test_parts_are_hypergeometric(m, ones, total):
    rng = np.random.default_rng(m)
    sample = [hypergeometric(rng, m, ones, total) for _ in range(40_000)]
    assert fits(sample, hypergeom.pmf(np.arange(m + 1), total, ones, m)) > LEVEL


@pytest.mark.parametrize("rare", [0, 1])
@pytest.mark.parametrize("chance", [0.4, 0.02])
def test_waits_are_geometric_and_end_with_the_pulls(chance, rare):
    rng, m = np.random.default_rng(5), 12
    mean = chance if rare == 1 else 1.0 - chance
    sample = [draw_wait(rng, 0, 0, m, mean, rare) for _ in range(40_000)]
    assert (
        fits(sample, [*(chance * (1 - chance) ** j for j in range(m)), (1 - chance) ** m]) > LEVEL
    )


@pytest.mark.parametrize("chance", [1e-3, 1e-9, 1e-13])
def test_waits_for_very_rare_responses_are_exponential(chance):
    rng = np.random.default_rng(6)
    sample = np.array([draw_wait(rng, 0, 0, 10**15, chance, 1) for _ in range(3000)])
    assert kstest(-np.expm1(sample * np.log1p(-chance)), "uniform").pvalue > LEVEL


@pytest.mark.parametrize("chance", [0.0, 5e-324, 1e-300])
def test_what_no_run_ever_shows_is_waited_for_to_the_end(chance):
    rng = np.random.default_rng(7)
    assert draw_wait(rng, 0, 0, 10**13, chance, 1) == 10**13


def test_waits_on_a_tape_are_those_of_its_responses():
    bits = np.random.default_rng(8).random((1, 300)) < 0.1
    tape = tape_from_responses(bits)
    for n in range(0, 250, 7):
        for rare in (0, 1):
            ahead = bits[0, n : n + 40] == rare
            assert draw_wait(tape, 0, n, 40, 0.1, rare) == (ahead.argmax() if ahead.any() else 40)


@pytest.mark.parametrize("total", [10**9, 3 * 10**11, 2 * 10**12, 10**13])
@pytest.mark.parametrize("share", [0.5, 0.02])
def test_parts_of_long_blocks_are_normal(total, share):
    """At the sizes that the limits admit; products of them exceed 64 bits."""
    rng, ones = np.random.default_rng(3), int(share * total)
    sample = np.array([hypergeometric(rng, total // 2, ones, total) for _ in range(300)])
    spread = np.sqrt(ones * (1 - share) / 4)
    assert kstest((sample - ones / 2) / spread, "norm").pvalue > LEVEL


@pytest.mark.parametrize("m", [10**10, 10**13])
@pytest.mark.parametrize("mean", [0.5, 0.98])
def test_sums_of_long_blocks_are_normal(m, mean):
    rng = np.random.default_rng(4)
    sample = np.array([binomial(rng, m, mean) for _ in range(3000)])
    assert kstest((sample - m * mean) / np.sqrt(m * mean * (1 - mean)), "norm").pvalue > LEVEL


@pytest.mark.parametrize(
    ("x", "m", "ones", "total"),
    [
        (0, 30, 30, 10**12),
        (13, 25, 26, 50),
        (30, 60, 1000, 2000),
        (2_499_000, 5 * 10**6, 5 * 10**6, 10**7),
        (25 * 10**11, 5 * 10**12, 5 * 10**12, 10**13),
        (10**11 + 10**6, 5 * 10**12, 2 * 10**11, 10**13),
    ],
)
def test_weights_are_right_at_any_size(x, m, ones, total):
    def log_choose(n, k):
        return mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)

    with mpmath.workdps(60):
        log_weight = log_choose(ones, x) + log_choose(total - ones, m - x) - log_choose(total, m)
        expected = float(mpmath.exp(log_weight))
    assert hypergeometric_weight(x, m, ones, total) == pytest.approx(expected, rel=1e-11)


def test_rare_kinds_are_drawn_one_by_one():
    """Two ones, or two zeros, among 10^13 responses."""
    rng, total = np.random.default_rng(5), 10**13
    few = [hypergeometric(rng, total // 2, 2, total) for _ in range(4000)]
    many = [total // 2 - hypergeometric(rng, total // 2, total - 2, total) for _ in range(4000)]
    for sample in (few, many):
        assert fits(sample, [0.25, 0.5, 0.25]) > LEVEL


def test_touch_probability_counts_the_walks_that_touch():
    for m, ones in itertools.product(range(1, 11), range(11)):
        for edge in range(max(1, 2 * ones - m + 1), m + 2):
            if ones > m:
                continue
            touched = [walk_of(order).max() >= edge for order in arrangements(m, ones)]
            exact = np.mean(touched)
            assert touch_probability(m, ones, edge) == pytest.approx(exact, abs=1e-12)
            assert exact <= math.exp(-touch_exponent(m, 2 * ones - m, edge)) + 1e-15


def test_edges_are_drawn_with_their_probability():
    rng = np.random.default_rng(1)
    m, ones, up, down = 400, 210, 34, 26
    edges = Edges(up, down)
    drawn = Counter(reflected_edges(rng, m, ones, edges, edges) for _ in range(200_000))
    rise, fall = touch_probability(m, ones, up), touch_probability(m, m - ones, down)
    sample = np.repeat([0, 1, 2], [drawn[0], drawn[OUTER], drawn[-OUTER]])
    assert fits(sample, [1 - rise - fall, rise, fall]) > LEVEL


@pytest.mark.parametrize(
    ("m", "ones", "edge"),
    [(10, 5, 4), (60, 31, 5), (61, 30, -7), (200, 120, 15), (200, 80, -41), (1500, 760, 60)],
)
def test_halved_touch_has_the_law_of_the_first_touch(m, ones, edge):
    """Also where the walk ends beyond the edge, (200, 120, 15), or comes just to it."""
    rng, side = np.random.default_rng(m), 1 if edge > 0 else -1
    way, rises = abs(edge), ones if edge > 0 else m - ones
    k = np.arange(way, m + 1, 2)
    before = (k + way) // 2  # rises up to the touch; ballot theorem for the walks to it
    log_weights = np.log(way / k) + log_choose(k, before) + log_choose(m - k, rises - before)
    weights = np.zeros(m + 1)
    weights[k] = np.exp(log_weights - np.max(log_weights))
    sample = [halved_touch(rng, m, ones, edge) for _ in range(40_000)]
    assert fits(sample, weights / weights.sum()) > LEVEL
    assert halved_touch(rng, 9, 9 if side > 0 else 0, 9 * side) == 9


def log_choose(n, k):
    """log of n over k, minus infinity where there is no choice."""
    inside = (k >= 0) & (k <= n)
    safe = np.where(inside, k, 0)
    value = gammaln(n + 1) - gammaln(safe + 1) - gammaln(n - safe + 1)
    return np.where(inside, value, -np.inf)


# --- Words


def bits_of(word, size=WORD_SIZE):
    return [word >> j & 1 for j in range(size)]


@pytest.mark.parametrize("mean", [0.5, 0.515, 0.3, 0.95, 2.0**-10, 0.1])
def test_bernoulli_word_has_a_binomial_sum(mean):
    rng = np.random.default_rng(7)
    sample = [sum(bits_of(bernoulli_word(rng, mean))) for _ in range(20_000)]
    assert fits(sample, binom.pmf(np.arange(WORD_SIZE + 1), WORD_SIZE, mean)) > LEVEL


@pytest.mark.parametrize("mean", [0.515, 0.2])
def test_bernoulli_word_has_independent_responses(mean):
    """Each position alone, and each with its neighbour: 62 + 61 tests at the level of one."""
    rng = np.random.default_rng(8)
    bits = np.array([bits_of(bernoulli_word(rng, mean)) for _ in range(20_000)])
    assert bits.shape[1] == WORD_SIZE
    for j in range(WORD_SIZE):
        assert fits(bits[:, j], [1 - mean, mean]) > LEVEL / 123
    for j in range(WORD_SIZE - 1):
        pairs = np.outer([1 - mean, mean], [1 - mean, mean]).ravel()
        assert fits(2 * bits[:, j] + bits[:, j + 1], pairs) > LEVEL / 123


def test_bernoulli_word_of_a_sure_response():
    rng = np.random.default_rng(9)
    assert bernoulli_word(rng, 0.0) == 0
    assert bernoulli_word(rng, 1.0) == (1 << WORD_SIZE) - 1


def test_draw_word_is_the_tape_and_zeros_beyond_its_end():
    responses = np.random.default_rng(10).random((2, 100)) < 0.6
    tape = tape_from_responses(responses)
    for n in (0, 17, 38, 60, 99, 100):
        expected = [*responses[1, n : n + WORD_SIZE].astype(int)]
        expected += [0] * (WORD_SIZE - len(expected))
        assert bits_of(draw_word(tape, 1, n, 0.6)) == expected


@pytest.mark.parametrize("mirrored", [False, True])
def test_edge_out_of_reach_leaves_the_near_one_its_probability(mirrored):
    """The walk drifts away from the far edge; its own probability there would overflow."""
    m, ones, near, far = 40_000, 16_000, 8002, 1 << 41
    expected = touch_probability(m, m - ones, near)
    rng = np.random.default_rng(5)
    edges, side = (Edges(near, far), OUTER) if mirrored else (Edges(far, near), -OUTER)
    ones = m - ones if mirrored else ones
    sides = [reflected_edges(rng, m, ones, edges, edges) for _ in range(4000)]
    assert set(sides) == {0, side}
    assert binomtest(sides.count(side), len(sides), expected).pvalue > LEVEL
