"""The parts of the fast engine of index policies; whole runs are compared in test_tapes.

Statistical tests are seeded and fail by chance with probability 1e-4 each.
"""

import math

import numpy as np
import pytest
from scipy.stats import ks_2samp

from ldpt.engines import blocks, fast_budget, tournament
from ldpt.engines.fast_budget import fixed_budget_fast
from ldpt.engines.indices import arm_index
from ldpt.engines.literal_budget import fixed_budget_literal
from ldpt.policies import IndexRule
from ldpt.privacy import private_mean
from tests.engines.laws import LEVEL


@pytest.mark.parametrize("log_weight", [0.0, 0.5])
def test_undo_window_keeps_what_was_drawn(log_weight):
    """Twice: the second window cuts the future that the first one left, and must glue it again."""
    rng, means = np.random.default_rng(8), np.array([0.5, 0.5])
    rule = IndexRule(0.5, 0.0, log_weight)
    level = 25.0 + log_weight * math.log(2000)
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
        totals.append((rows["pulls"].sum(), rows["ones"].sum()))
    assert totals[0][0] == 50_000
    assert totals[0] == totals[1] == totals[2]
    fast_budget.continue_run(rng, 4000, 9000, np.inf, means, rule, state)
    read = np.array([state.n[0], state.s[0]]) - [start[0][0], start[1][0]]
    rows = state.future[state.head[0] : state.tail[0]]
    assert 0 < read[0] < 5000
    assert (read[0] + rows["pulls"].sum(), read[1] + rows["ones"].sum()) == totals[
        0
    ]  # what no pull has read is still to come


@pytest.mark.parametrize("log_weight", [0.0, 0.5])
@pytest.mark.parametrize(
    ("epsilon", "zeta", "budget"), [(0.1, 0.0, 30_000), (1.0, 0.02, 30_000), (math.inf, 0.0, 9000)]
)
def test_fixed_budget_engines_pull_alike(epsilon, zeta, budget, log_weight):
    means, runs = private_mean(np.array([0.2, 0.45, 0.6]), epsilon), 1500
    first = np.empty((2, 2, runs))
    budgets = np.array([budget // 3, budget])
    pulls, sums = np.zeros((2, 2, 3), np.int64)
    for e, engine in enumerate((fixed_budget_literal, fixed_budget_fast)):
        rng = np.random.default_rng(e)
        for r in range(runs):
            engine(rng, means, IndexRule(0.5, zeta, log_weight), budgets, pulls, sums)
            assert pulls.sum(axis=1).tolist() == budgets.tolist()
            first[e, :, r] = pulls[:, 1]
    assert ks_2samp(first[0, 0], first[1, 0]).pvalue > LEVEL
    assert ks_2samp(first[0, 1], first[1, 1]).pvalue > LEVEL


def draw_rule(rng, log_weight):
    """A rule with or without a tolerance, with no clip, one or two; narrow ones matter most."""
    caps = (float(rng.choice([np.inf, rng.uniform(0.0, 0.3)])) for _ in range(2))
    tau = float(rng.choice([0.5, rng.uniform(0.02, 0.98)]))
    return IndexRule(tau, float(rng.choice([0.0, 0.05])), log_weight, *caps)


@pytest.mark.parametrize("log_weight", [0.0, 0.5])
def test_corridor_below_keeps_the_index_below_the_level(log_weight):
    """Inside the corridor, shrunk by its closings, the index stays below the level."""
    without_edge = 0
    for number in range(1500):
        rng = np.random.default_rng([12, number])
        rule = draw_rule(rng, log_weight)
        n = int(rng.integers(1, 2000))
        s = int(rng.binomial(n, np.clip(rule.tau + rng.choice([0, -0.2, 0.2]), 0, 1)))
        level = arm_index(rule, n, s) + rng.exponential(0.5)
        corridor = fast_budget.corridor_below(rule, level, n, s, int(rng.integers(1, 500)))
        if corridor.limit == 1:  # one pull, after which the index is compared
            continue
        d, m = s - n * rule.tau, np.arange(1, corridor.limit + 1)
        up, down = corridor.up - m * corridor.up_closing, corridor.down - m * corridor.down_closing
        without_edge += (corridor.up == blocks.NO_EDGE_DISTANCE) + (
            corridor.down == blocks.NO_EDGE_DISTANCE
        )
        for way, sign in ((up, 1), (down, -1)):
            edge_sums = d + sign * np.minimum(way, n) + (n + m) * rule.tau
            for pulls, edge_sum in zip(m[up + down > 0], edge_sums[up + down > 0], strict=True):
                assert arm_index(rule, float(n + pulls), edge_sum) <= level, (number, pulls)
    assert without_edge > 100


@pytest.mark.parametrize("log_weight", [0.0, 0.5])
def test_pulls_to_level_stops_where_the_index_reaches_the_level(log_weight):
    for number in range(600):
        rng = np.random.default_rng([13, number])
        rule = draw_rule(rng, log_weight)
        n, most = int(rng.integers(1, 60)), int(rng.integers(1, 62))
        s = int(rng.binomial(n, rule.tau))
        level = arm_index(rule, n, s) + rng.exponential(0.3)
        bits = rng.random(62) < 0.5
        word = sum(int(bit) << j for j, bit in enumerate(bits))
        sums = s + np.cumsum(bits)
        reached = [arm_index(rule, n + j + 1, sums[j]) >= level for j in range(most)]
        expected = reached.index(True) + 1 if True in reached else most
        found = fast_budget.pulls_to_level(word, most, rule, level, n, s)
        assert found == expected, f"seed [13, {number}]"


def test_run_does_not_depend_on_what_an_earlier_run_left_in_the_state():
    stages, budgets = np.array([[0.4, 0.55, 0.8]] * 2), np.array([90, 700])
    rule = IndexRule(0.5, 0.0, 0.5)
    state, found = fast_budget.new_state(3, 700), []
    for _ in range(2):
        pulls, sums = np.zeros((2, 2, 3), np.int64)
        rng = np.random.default_rng(14)
        fast_budget.run_to_budgets(rng, stages, rule, budgets, state, pulls, sums)
        found.append((pulls.tolist(), sums.tolist()))
    assert found[0] == found[1]
