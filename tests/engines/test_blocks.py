"""Blocks: urns, and words up to an edge.

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
        active = np.zeros(1, blocks.ARM)
        active["pulls"], active["ones"] = m, ones
        blocks.fill_urn(0, edge, active)
        order = tuple(blocks.take_from_urn(rng, 0, j, active) for j in range(m))
        sample.append(numbers[order])
    assert fits(sample, np.full(len(orders), 1 / len(orders))) > LEVEL


def test_next_word_out_of_an_urn_gives_all_orders_alike():
    rng, m, ones = np.random.default_rng(2), 8, 3
    numbers = {order: i for i, order in enumerate(arrangements(m, ones))}
    sample = []
    for _ in range(100 * len(numbers)):
        active = np.zeros(1, blocks.ARM)
        active[0]["urn"], active[0]["urn_ones"] = m, ones
        word, size = blocks.next_word(rng, 0, 0, 0.9, active)
        assert (size, active[0]["urn"], active[0]["urn_ones"]) == (m, 0, 0)
        sample.append(numbers[tuple(word >> j & 1 for j in range(m))])
    assert fits(sample, np.full(len(numbers), 1 / len(numbers))) > LEVEL


@pytest.mark.parametrize("seed", range(5))
def test_end_before_touch_on_a_tape_leaves_what_is_written_there(seed):
    """Block, rest and urn, whether the block that touches was fresh or came from an urn."""
    touches = 0
    for number in range(400):
        rng = np.random.default_rng([seed, number])
        m, urn = 400, int(rng.choice([0, 400, 700]))
        bits = rng.random((1, 1000)) < rng.choice([0.45, 0.5, 0.55])
        tape, active = tape_from_responses(bits), np.zeros(1, blocks.ARM)
        active[0]["urn"], active[0]["urn_ones"] = urn, tape[0, urn]
        up, down = rng.integers(1, 60, 2)
        walk = walk_of(bits[0, :m])
        touched = (walk >= up) | (walk <= -down)
        if not touched.any():
            continue
        first = int(np.argmax(touched)) + 1
        active["pulls"], active["ones"] = m, tape[0, m]
        assert blocks.end_before_touch(tape, 0, 0, walk[first - 1], active) == (first > 1)
        assert active[0][["pulls", "ones"]].tolist() == (first - 1, tape[0, first - 1])
        assert active[0][["rest", "rest_size"]].tolist() == (bits[0, first - 1], 1)
        left = max(urn, m) - first
        assert active[0][["urn", "urn_ones", "mirror"]].tolist() == (
            left,
            tape[0, first + left] - tape[0, first],
            0,
        )
        touches += 1
    assert touches > 40


def test_safe_length_cannot_reach_an_edge():
    rng = np.random.default_rng(5)
    for _ in range(2000):
        up, down, tau = rng.uniform(0, 30), rng.uniform(0, 30), rng.random()
        m = blocks.safe_length(blocks.Corridor(up, down, 0.0, 0.0, tau, 10**6), 10**6)
        assert m >= 1
        assert (m - 1) * (1 - tau) <= up
        assert (m - 1) * tau <= down


@pytest.mark.parametrize("seed", range(5))
def test_read_word_ends_at_the_first_touch(seed):
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
        corridor = blocks.Corridor(up, down, closing, closing, tau, most)
        found = blocks.read_word(word, most, blocks.walk_edges(corridor))[0]
        assert found == expected, f"seed [{seed}, {number}]"


@pytest.mark.parametrize("seed", range(3))
def test_walk_in_words_stops_at_the_first_touch_or_far_from_both_edges(seed):
    """Against the definition, pull by pull; each line of the log is a word of the tape."""
    for number in range(200):
        rng = np.random.default_rng([seed, number])
        tau, closing = float(rng.choice([0.5, rng.uniform(0.2, 0.8)])), float(rng.choice([0, 0.01]))
        up, down = rng.uniform(0.5, 40, 2)
        limit = int(rng.integers(1, 900))
        bits = rng.random((1, 1000)) < tau
        tape, active = tape_from_responses(bits), np.zeros(1, blocks.ARM)
        log = np.zeros(20, blocks.BLOCK)
        corridor = blocks.Corridor(up, down, closing, closing, tau, limit)
        pulls, ones, lines = blocks.walk_in_words(tape, 0, 0, tau, corridor, False, active, log, 0)
        moved, m = np.cumsum(bits[0] - tau)[:limit], np.arange(1, limit + 1)
        touched = (moved >= up - m * closing) | (moved <= -(down - m * closing))
        first = int(np.argmax(touched)) + 1 if touched.any() else limit
        where = f"seed [{seed}, {number}]"
        assert ones == tape[0, pulls] == log[:lines]["ones"].sum(), where
        assert log[:lines]["pulls"].sum() == pulls, where
        if pulls != first:  # it may stop earlier where a jump pays, after a whole word
            assert pulls < first, where
            assert pulls % WORD_SIZE == 0, where
            ways = up - moved[pulls - 1], down + moved[pulls - 1]
            assert 2 * min(ways) > blocks.worthwhile_distance(tau, corridor, False), where
