"""The pieces of the engines: draws, edges, urns, order of service; and engines against each other.

Statistical tests are seeded and fail by chance with probability 1e-4 each.
"""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom, chisquare, hypergeom, ks_2samp

from ldpt.engines import blocks, fast_budget, loops, pull_order, tournament
from ldpt.engines.decisions import Judge
from ldpt.engines.jit import engine_digest
from ldpt.engines.sources import (
    binomial,
    hypergeometric,
    reflected_edge,
    tape_from_responses,
    touch_exponent,
    touch_probability,
)
from ldpt.instances import Instance
from ldpt.policies import IndexRule
from ldpt.privacy import private_mean

LEVEL = 1e-4


def fits(sample, weights):
    """p-value of a chi-squared test of whole numbers against their probabilities from 0 on."""
    observed = np.bincount(sample, minlength=len(weights)).astype(float)
    expected = np.asarray(weights) * len(sample)
    common = expected >= 5
    observed = np.append(observed[common], observed[~common].sum())
    expected = np.append(expected[common], expected[~common].sum())
    if expected[-1] < 5:  # too little for a cell of its own
        observed = np.append(observed[:-2], observed[-2:].sum())
        expected = np.append(expected[:-2], expected[-2:].sum())
    return chisquare(observed, expected * observed.sum() / expected.sum()).pvalue


def arrangements(m, ones):
    """All orders of ``ones`` ones among m responses."""
    for places in itertools.combinations(range(m), ones):
        yield tuple(int(j in places) for j in range(m))


def walk_of(responses):
    return np.cumsum(2 * np.array(responses) - 1)


# --- Draws


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


# --- Edges and urns


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
    drawn = Counter(reflected_edge(rng, m, ones, up, down) for _ in range(200_000))
    rise, fall = touch_probability(m, ones, up), touch_probability(m, m - ones, down)
    sample = np.repeat([0, 1, 2], [drawn[0], drawn[1], drawn[-1]])
    assert fits(sample, [1 - rise - fall, rise, fall]) > LEVEL


@pytest.mark.parametrize(("ones", "edge"), [(5, 4), (7, 3), (4, -4), (5, 2), (2, -4)])
def test_urn_gives_all_orders_that_touch_the_edge_alike(ones, edge):
    """Also where the walk ends beyond the edge, (7, 3) and (2, -4)."""
    rng, m = np.random.default_rng(2), 10
    side = 1 if edge > 0 else -1
    orders = [o for o in arrangements(m, ones) if (side * walk_of(o)).max() >= abs(edge)]
    numbers = {order: i for i, order in enumerate(orders)}
    sample = []
    for _ in range(100 * len(orders)):
        active = blocks.new_active(1)
        blocks.fill_urn(0, m, ones, edge, active)
        order = tuple(blocks.take_from_urn(rng, 0, j, active) for j in range(m))
        sample.append(numbers[order])
    assert fits(sample, np.full(len(orders), 1 / len(orders))) > LEVEL


def test_part_of_a_drawn_stretch_respects_its_edges():
    """First half of a walk of 12 steps that never rose to 3, its lower edge out of reach."""
    rng, m, ones = np.random.default_rng(3), 12, 6
    active = blocks.new_active(1)
    active[0, :5] = blocks.BRIDGED, m, ones, 3, 100
    inside = [o for o in arrangements(m, ones) if walk_of(o).max() < 3]
    weights = np.bincount([sum(order[:6]) for order in inside], minlength=7) / len(inside)
    sample = [blocks.part_of_block(rng, 0, 0, 6, active, 0) for _ in range(20_000)]
    assert fits(sample, weights) > LEVEL


def test_cutting_a_stretch_loses_nothing():
    rng = np.random.default_rng(4)
    tape = tape_from_responses(rng.random((1, 300)) < 0.5)
    for _ in range(200):
        active, rows = blocks.new_active(1), blocks.new_active(1)
        blocks.open_block(tape, 0, 40, 0.5, blocks.Corridor(8.0, 8.0, 0.0, 0.5), 200, rows)
        total, n = rows[0, blocks.ONES], 40
        m = int(rng.integers(1, rows[0, blocks.PULLS]))
        blocks.cut_front(tape, 0, n, m, rows, 0, active)
        assert active[0, blocks.ONES] == tape[0, n + m] - tape[0, n]
        assert active[0, blocks.ONES] + rows[0, blocks.ONES] == total
        assert active[0, blocks.PULLS] == m


def test_certain_stretches_cannot_reach_an_edge():
    rng = np.random.default_rng(5)
    for _ in range(2000):
        up, down, tau = rng.uniform(0, 30), rng.uniform(0, 30), rng.random()
        m = blocks.safe_length(up, down, 0.0, tau, 10**6)
        assert m >= 1
        assert (m - 1) * (1 - tau) <= up
        assert (m - 1) * tau <= down


# --- Order of service


def test_tournament_knows_the_least_and_the_second():
    rng = np.random.default_rng(6)
    for n_arms in (2, 3, 10, 64, 100):
        tree = tournament.new_float_tournament(tournament.index_bits(n_arms))
        values = np.full(n_arms, np.inf)
        for _ in range(300):
            arm, value = int(rng.integers(n_arms)), float(rng.integers(5))
            values[arm] = value
            tournament.set_value(tree, arm, value)
            least = int(np.argmin(values))
            assert tree[1] == values.min()
            assert tournament.leader(tree) == least
            assert tournament.runner_up_value(tree, least) == np.delete(values, least).min()


@pytest.mark.parametrize("n_arms", [1, 2, 10, 64, 65, 200])
def test_counting_keys_equals_serving_in_turn(n_arms):
    rng = np.random.default_rng(n_arms)
    bits = tournament.index_bits(n_arms)
    chosen = np.flatnonzero(rng.random(n_arms) < 0.6)
    chosen = chosen if chosen.size else np.array([0])
    members = np.zeros((1, 1 + (n_arms - 1 >> 6)), np.int64)
    for arm in chosen:
        pull_order.add(arm, members, 0)
    keys = [(n << bits) + arm for n in range(2, 6) for arm in chosen]
    for i, start in enumerate(keys):
        for j in range(i, len(keys), 7):
            assert pull_order.keys_between(start, keys[j], members, 0, chosen.size, bits) == j - i
            assert pull_order.key_after(start, j - i, members, 0, chosen.size, bits) == keys[j]
        for place, arm in enumerate(chosen):
            served = 1 + sum(key & ((1 << bits) - 1) == arm for key in keys[:i])
            assert pull_order.pulls_at(start, arm, bits) == served
            assert pull_order.rank(members, 0, arm) == place


@pytest.mark.parametrize("log_weight", [0.0, 0.5])
def test_an_undone_window_keeps_what_was_drawn(log_weight):
    """Twice: the second window cuts the future that the first one left, and must glue it again."""
    rng, means = np.random.default_rng(8), np.array([0.5, 0.5])
    rule = IndexRule(0.5, 0.0, log_weight)
    level = 5.0 if log_weight == 0.0 else 25.0 + log_weight * math.log(2000)
    start = [2000, 2000], [1000, 1001]
    state = fast_budget.new_state(2, 2000)
    state.n[:], state.s[:] = start
    for k in (0, 1):
        tournament.set_value(state.tree, k, 0.1 * k)
    totals = []
    for left in (50_000, 700, 31):
        used = fast_budget.raise_level(rng, level, left, means, rule, state)
        assert used == -1  # the level is ten standard deviations away
        assert state.n[0] == start[0][0] + left
        fast_budget.undo_window(rule, state)
        assert (state.n.tolist(), state.s.tolist()) == start
        rows = state.future[state.head[0] : state.tail[0]]
        totals.append((rows[:, blocks.PULLS].sum(), rows[:, blocks.ONES].sum()))
    assert totals[0][0] == 50_000
    assert totals[0] == totals[1] == totals[2]


# --- Engines against each other, on their own random numbers


@pytest.mark.parametrize("log_weight", [0.0, 0.5])
@pytest.mark.parametrize(
    ("epsilon", "zeta", "budget"), [(0.1, 0.0, 30_000), (1.0, 0.02, 30_000), (math.inf, 0.0, 9000)]
)
def test_fixed_budget_engines_pull_alike(epsilon, zeta, budget, log_weight):
    means, runs = private_mean(np.array([0.2, 0.45, 0.6]), epsilon), 1500
    first = np.empty((2, 2, runs))
    budgets = np.array([budget // 3, budget])
    pulls, sums = np.zeros((2, 2, 3), np.int64)
    for e, engine in enumerate((loops.fixed_budget_literal, loops.fixed_budget_fast)):
        rng = np.random.default_rng(e)
        for r in range(runs):
            engine(rng, means, IndexRule(0.5, zeta, log_weight), budgets, pulls, sums)
            assert pulls.sum(axis=1).tolist() == budgets.tolist()
            first[e, :, r] = pulls[:, 1]
    assert ks_2samp(first[0, 0], first[1, 0]).pvalue > LEVEL
    assert ks_2samp(first[0, 1], first[1, 1]).pvalue > LEVEL


def test_uniform_allocation_pulls_in_turn():
    budgets = np.array([5, 7, 30])
    pulls, sums = np.zeros((2, 3, 3), np.int64)
    loops.fixed_budget_uniform(
        np.random.default_rng(0), np.array([0.0, 1.0, 1.0]), budgets, pulls, sums
    )
    assert pulls.tolist() == [[2, 2, 1], [3, 2, 2], [10, 10, 10]]
    assert sums.tolist() == [[0, 2, 1], [0, 2, 2], [0, 10, 10]]


def test_losses_follow_the_rule_of_the_tolerance_band():
    """Arms at 0 and 1 answer for sure; the arm inside the band is free."""
    instance = Instance("band", [0.0, 0.5, 1.0], 0.5, 0.1)
    judge = Judge(np.array([60]), instance.must_accept, instance.must_reject)
    rng, means, rule = np.random.default_rng(0), np.array(instance.means), IndexRule(0.5, 0.1, 0.0)
    for fast in (False, True):
        losses = np.ones((50, 1), np.bool_)
        loops.index_losses(rng, fast, means, rule, judge, losses)
        assert not losses.any()
        loops.index_losses(rng, fast, means[::-1].copy(), rule, judge, losses)
        assert losses.all()
    loops.uniform_losses(rng, means, 0.5, judge, losses)
    assert not losses.any()


def test_laplace_noise_of_no_scale_is_the_literal_engine():
    instance = Instance("three", [0.2, 0.45, 0.7], 0.5)
    budgets, means = np.array([50, 400]), np.array(instance.means)
    judge = Judge(budgets, instance.must_accept, instance.must_reject)
    rule = IndexRule(0.5, 0.0, 0.0)
    plain, noisy, noisier = np.zeros((3, 4000, 2), np.bool_)
    rng = np.random.default_rng(1)
    loops.index_losses(rng, False, means, rule, judge, plain)
    loops.laplace_losses(rng, means, rule, 1e-9, judge, noisy)
    loops.laplace_losses(rng, means, rule, 2.0, judge, noisier)
    assert abs(plain.mean(axis=0) - noisy.mean(axis=0)).max() < 0.045  # four standard errors
    assert (noisier.mean(axis=0) > noisy.mean(axis=0) + 0.1).all()


def test_compiled_code_is_rebuilt_when_a_module_it_calls_changes():
    caches = [f._cache._cache_file for f in (loops.index_losses, blocks.open_block)]
    assert {cache._source_stamp for cache in caches} == {engine_digest()}
