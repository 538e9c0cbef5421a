"""Blocks read again: their parts, touching rows and their halves.

Statistical tests are seeded and fail by chance with probability 1e-4 each. Small walks stay far
from their lower edge, for a walk that touches both edges is left out of the law.
"""

import numpy as np
import pytest

from ldpt.engines import blocks, undone_blocks
from ldpt.engines.blocks import SUMMED, TOUCHING
from ldpt.engines.sources import WORD_SIZE, Edges, tape_from_responses
from ldpt.engines.undone_blocks import FREE_ROWS
from tests.engines.laws import LEVEL, arrangements, fits, walk_of

FAR = 1000


def summed_row(m, ones, up):
    """A table with a gap and one summed row, which has not touched ``up``."""
    rows = np.zeros(FREE_ROWS + 1, blocks.BLOCK)
    rows[-1] = SUMMED, m, ones, up, FAR, 0, 0, 0
    return rows


def test_draw_piece_respects_edges_not_touched():
    """First half of a walk of 12 steps that never rose to 3."""
    rng, m, ones = np.random.default_rng(3), 12, 6
    inside = [o for o in arrangements(m, ones) if walk_of(o).max() < 3]
    weights = np.bincount([sum(order[:6]) for order in inside], minlength=7) / len(inside)
    rows, piece = summed_row(m, ones, 3), undone_blocks.Piece(6, Edges(3, FAR))
    sample = [undone_blocks.draw_piece(rng, 0, 0, piece, rows, FREE_ROWS)[0] for _ in range(20_000)]
    assert fits(sample, weights) > LEVEL


@pytest.mark.parametrize(("ones", "inner", "outer"), [(5, 2, 4), (5, 1, 3), (6, 3, 5), (6, 2, 3)])
def test_draw_piece_asks_for_the_inner_edge_given_the_outer(ones, inner, outer):
    """Ones in the first 6 of 10 steps, and whether they stay below the inner edge."""
    rng, m, front = np.random.default_rng(4), 10, 6
    orders = [o for o in arrangements(m, ones) if walk_of(o).max() < outer]
    answers = [(sum(o[:front]), bool(walk_of(o)[:front].max() < inner)) for o in orders]
    numbers = {answer: i for i, answer in enumerate(sorted(set(answers)))}
    weights = np.bincount([numbers[a] for a in answers]) / len(answers)
    rows, piece = summed_row(m, ones, outer), undone_blocks.Piece(front, Edges(inner, FAR))
    sample = [
        numbers[undone_blocks.draw_piece(rng, 0, 0, piece, rows, FREE_ROWS)] for _ in range(20_000)
    ]
    assert fits(sample, weights) > LEVEL


@pytest.mark.parametrize(("ones", "inner", "outer"), [(5, 2, 4), (5, 1, 3), (6, 4, 5)])
def test_halve_touching_keeps_what_is_known(ones, inner, outer):
    """Ones in the first half of 10 steps, and whether it touches the inner edge, given the row."""
    rng, m = np.random.default_rng(6), 10
    orders = [o for o in arrangements(m, ones) if inner <= walk_of(o).max() < outer]
    answers = [(sum(o[: m // 2]), bool(walk_of(o)[: m // 2].max() >= inner)) for o in orders]
    numbers = {answer: i for i, answer in enumerate(sorted(set(answers)))}
    weights = np.bincount([numbers[a] for a in answers]) / len(answers)
    sample = []
    for _ in range(20_000):
        rows = summed_row(m, ones, outer)
        i = undone_blocks.put_touching(
            undone_blocks.Piece(m, Edges(inner, FAR)), ones, rows, FREE_ROWS
        )
        i = undone_blocks.halve_touching(rng, 0, 0, rows, i)
        assert rows[i : i + 2]["pulls"].tolist() == [m // 2, m // 2]
        assert rows[i : i + 2]["ones"].sum() == ones
        assert (rows[i]["kind"] == TOUCHING) != (rows[i + 1]["kind"] == TOUCHING)
        sample.append(numbers[int(rows[i]["ones"]), bool(rows[i]["kind"] == TOUCHING)])
    assert fits(sample, weights) > LEVEL


@pytest.mark.parametrize(
    ("ones", "inner", "outer"), [(5, 2, 4), (5, 1, 3), (6, 4, 5), (5, None, 3), (6, None, 4)]
)
def test_rows_spelled_out_give_all_their_orders_alike(ones, inner, outer):
    """Read one pull at a time: every order that touches only the inner edge, if there is one."""
    rng, m = np.random.default_rng(5), 10
    orders = [o for o in arrangements(m, ones) if (inner or -m) <= walk_of(o).max() < outer]
    numbers = {order: i for i, order in enumerate(orders)}
    one_pull = blocks.Corridor(0.0, 0.0, 0.0, 0.0, 0.5, 1)
    sample = []
    for _ in range(100 * len(orders)):
        rows, active, i = summed_row(m, ones, outer), np.zeros(1, blocks.ARM), FREE_ROWS
        if inner is not None:
            piece = undone_blocks.Piece(m, Edges(inner, FAR))
            i = undone_blocks.put_touching(piece, ones, rows, i)
            assert rows[i]["kind"] == TOUCHING
        order = []
        for n in range(m):
            i = undone_blocks.reread_block(rng, 0, n, one_pull, rows, i, i, active)
            assert active[0]["pulls"] == 1
            order.append(int(active[0]["ones"]))
        sample.append(numbers[tuple(order)])
    assert fits(sample, np.full(len(orders), 1 / len(orders))) > LEVEL


@pytest.mark.parametrize("seed", range(4))
def test_reread_block_follows_the_tape_and_stops_at_the_corridor(seed):
    """Blocks of a long row: never beyond the first touch, none lost, longer than what is safe."""
    longest = 0
    for number in range(100):
        rng = np.random.default_rng([seed, number])
        bits = rng.random((1, 6000)) < 0.5
        tape, active = tape_from_responses(bits), np.zeros(1, blocks.ARM)
        m = int(rng.integers(500, 5000))
        walk = 2 * tape[0, 1 : m + 1] - np.arange(1, m + 1)
        up, down = int(walk.max()) + 1, int(-walk.min()) + 1
        rows = summed_row(m, tape[0, m], up)
        rows[-1]["down"] = down
        i, n = FREE_ROWS, 0
        while n < m:
            ways = rng.uniform(1, 60, 2)
            corridor = blocks.Corridor(*ways, 0.0, 0.0, 0.5, m)
            i = undone_blocks.reread_block(tape, 0, n, corridor, rows, i, i, active)
            pulls = int(active[0]["pulls"])
            moved = tape[0, n + 1 : n + pulls + 1] - tape[0, n] - 0.5 * np.arange(1, pulls + 1)
            where = f"seed [{seed}, {number}], pull {n}"
            assert active[0]["ones"] == tape[0, n + pulls] - tape[0, n], where
            assert (moved[:-1] < ways[0]).all(), where
            assert (moved[:-1] > -ways[1]).all(), where
            longest = max(longest, pulls / min(2 * ways))
            n += pulls
        assert rows[i:]["pulls"].sum() == 0, f"seed [{seed}, {number}]"
    assert longest > 5


def test_halving_a_long_row_stays_in_its_free_rows():
    """Each halving takes a free row: the longest row that may touch is halved down to a word."""
    rng, guarded, free = np.random.default_rng(7), 8, undone_blocks.MIN_FREE_ROWS - 1
    m = WORD_SIZE << (undone_blocks.MIN_FREE_ROWS - 2)
    rows, active = np.zeros(guarded + free + 1, blocks.BLOCK), np.zeros(1, blocks.ARM)
    rows["kind"][:guarded] = -1
    i = guarded + free
    rows[i] = TOUCHING, m, m // 2, m, m, 0, 1, m  # it rises to 1 soon, so that first halves touch
    corridor = blocks.Corridor(blocks.NO_EDGE_DISTANCE, blocks.NO_EDGE_DISTANCE, 0.0, 0.0, 0.5, m)
    i = undone_blocks.reread_block(rng, 0, 0, corridor, rows, i, free, active)
    assert guarded < i <= guarded + 3
    assert (rows["kind"][:guarded] == -1).all()
