"""Blocks: urns, words up to an edge, and cutting what was made before.

Statistical tests are seeded and fail by chance with probability 1e-4 each.
"""

import numpy as np
import pytest

from ldpt.engines import blocks
from ldpt.engines.sources import WORD_SIZE, tape_from_responses
from tests.engines.laws import LEVEL, arrangements, fits, walk_of


@pytest.mark.parametrize(("ones", "edge"), [(5, 4), (7, 3), (4, -4), (5, 2), (2, -4)])
def test_take_from_urn_gives_all_orders_that_touch_the_edge_alike(ones, edge):
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


def test_part_of_a_bridged_block_respects_its_edges():
    """First half of a walk of 12 steps that never rose to 3, its lower edge out of reach."""
    rng, m, ones = np.random.default_rng(3), 12, 6
    active = blocks.new_active(1)
    active[0, :5] = blocks.BRIDGED, m, ones, 3, 100
    inside = [o for o in arrangements(m, ones) if walk_of(o).max() < 3]
    weights = np.bincount([sum(order[:6]) for order in inside], minlength=7) / len(inside)
    sample = [blocks.part_of_block(rng, 0, 0, 6, active, 0) for _ in range(20_000)]
    assert fits(sample, weights) > LEVEL


def test_cut_front_loses_nothing():
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


def test_safe_length_cannot_reach_an_edge():
    rng = np.random.default_rng(5)
    for _ in range(2000):
        up, down, tau = rng.uniform(0, 30), rng.uniform(0, 30), rng.random()
        m = blocks.safe_length(up, down, 0.0, tau, 10**6)
        assert m >= 1
        assert (m - 1) * (1 - tau) <= up
        assert (m - 1) * tau <= down


@pytest.mark.parametrize("seed", range(5))
def test_pulls_to_edge_is_the_first_touch(seed):
    """Against the definition, response by response."""
    for number in range(400):
        rng = np.random.default_rng([seed, number])
        tau, closing = float(rng.choice([0.5, rng.random()])), float(rng.choice([0.0, 0.05, 0.3]))
        up, down = rng.uniform(-0.5, 25, 2)
        most = int(rng.integers(1, WORD_SIZE + 1))
        bits = rng.random(WORD_SIZE) < rng.choice([tau, 0.1, 0.9])
        word = sum(int(bit) << j for j, bit in enumerate(bits))
        moved = np.cumsum(bits - tau)[:most]
        pulls = np.arange(1, most + 1)
        touched = (moved >= up - pulls * closing) | (moved <= -(down - pulls * closing))
        expected = int(np.argmax(touched)) + 1 if touched.any() else most
        corridor = blocks.Corridor(up, down, closing, tau)
        found = blocks.pulls_to_edge(word, most, corridor)
        assert found == expected, f"seed [{seed}, {number}]"


def test_open_block_keeps_what_a_touch_leaves_of_a_word():
    responses = np.random.default_rng(11).random((1, 400)) < 0.5
    tape, active, n = tape_from_responses(responses), blocks.new_active(1), 50
    corridor = blocks.Corridor(1.6, 1.6, 0.0, 0.5)
    while n < 300:
        blocks.open_block(tape, 0, n, 0.5, corridor, 62, active)
        m = active[0, blocks.PULLS]
        assert active[0, blocks.ONES] == tape[0, n + m] - tape[0, n]
        n += m
