"""Blocks that were made before, and are read again between narrower edges.

An undone window leaves each arm with rows of responses that are known in part: a word bit by bit,
a *summed* block by its ones and by edges that its walk 2 s - n did not touch. To read such a
block again, its first pulls are drawn from their law given all that is known, together with the
answer to a further question: did they touch the narrower edges? Mostly they did not, and are one
block again. Otherwise they become a *touching* row, which is known to touch the inner edges and
not to touch the outer ones. It is halved, with both facts kept, until the part that touches fits
into a word; that is spelled out, response by response. So are the next responses of a summed block
where an edge is so near that only a few could be read at once.

Halves and words are drawn by rejection: ones in random order, whether either half touches an edge
by the reflection principle, until the sample satisfies what is known. So nothing is drawn twice
and nothing is biased.
"""

import math
from typing import NamedTuple

import numpy as np

from ldpt.engines import blocks, tuning
from ldpt.engines.bits import first_bits, popcount
from ldpt.engines.blocks import STEPPED, SUMMED, TOUCHING, Corridor
from ldpt.engines.jit import compiled_without_refcount
from ldpt.engines.sources import OUTER, WORD_SIZE, Edges, Source, draw_part, edges_touched

FREE_ROWS = 32  # in front of an arm's first row, for the halves of touching rows
MIN_FREE_ROWS = 28  # for a piece that may touch


class Piece(NamedTuple):
    """The first pulls of a row, and the edges that they must not touch to be one block."""

    pulls: int
    inner: Edges


@compiled_without_refcount
def reread_block(
    source: Source, arm: int, n: int, corridor: Corridor, rows: np.ndarray, i: int, free: int,
    active: np.ndarray,
) -> int:  # fmt: skip
    """Move the arm's next block out of row i into its active row; return its first row afterwards.

    ``free`` rows before row i are free.
    """
    while True:
        if rows[i].kind == TOUCHING:
            # So short that the touch is soon found by trial.
            if rows[i].pulls <= WORD_SIZE:
                spell_out(source, arm, n, rows, i)
                continue
            i = halve_touching(source, arm, n, rows, i)
            free -= 1
            continue
        # Where only a few pulls fit inside the edges, single responses are cheaper.
        piece = front_piece(corridor, rows, i, free)
        if (
            rows[i].kind == SUMMED
            and piece.pulls < min(tuning.MIN_SPELLED_PIECE, rows[i].pulls)
            and free > 0
        ):
            i = spell_out(source, arm, n, rows, i)
            free -= 1
            continue
        ones, inside = draw_piece(source, arm, n, piece, rows, i)
        if inside:
            break
        # The piece touches the narrower edges: it becomes a row, and is halved in the next round.
        i = put_touching(piece, ones, rows, i)
        free -= 1
    blocks.copy_block(rows, i, active, arm)
    active[arm].pulls, active[arm].ones = piece.pulls, ones
    active[arm].up, active[arm].down = piece.inner.up, piece.inner.down
    drop_front(piece.pulls, ones, rows, i)
    return i + 1 if rows[i].pulls == 0 else i


@compiled_without_refcount
def walk_in_rows(
    corridor: Corridor, rows: np.ndarray, head: int, tail: int, log: np.ndarray, line: int
) -> tuple[int, int, int, int]:
    """Read rows again as long as that takes no draw: words, and blocks whose edges lie inside.

    Up to the first touch of an edge of the corridor. Return the first row afterwards, the number of
    pulls, of ones among them, and the next line of the log, if that has any.
    """
    up, down, rise, fall = blocks.walk_edges(corridor)
    left, pulls, ones = corridor.limit, 0, 0
    while head < tail and left > 0 and not blocks.is_full(log, line):
        m, block_ones = rows[head].pulls, rows[head].ones
        if rows[head].kind == STEPPED:
            word = rows[head].word
            m, _, _ = blocks.read_word(word, min(left, m), blocks.WalkEdges(up, down, rise, fall))
            block_ones = popcount(first_bits(word, m))
        elif (
            rows[head].kind != SUMMED
            or m > left
            or rows[head].up > up - m * max(0.0, rise)
            or rows[head].down > down - m * max(0.0, fall)
        ):
            break
        if blocks.keeps(log):
            blocks.copy_block(rows, head, log, line)
            log[line].pulls, log[line].ones = m, block_ones
            if rows[head].kind == STEPPED:
                log[line].word = first_bits(word, m)
            line += 1
        walk = 2 * block_ones - m
        up -= walk + m * rise
        down += walk - m * fall
        pulls, ones, left = pulls + m, ones + block_ones, left - m
        if m == rows[head].pulls:
            head += 1
        else:
            drop_front(m, block_ones, rows, head)
        if up <= 0.0 or down <= 0.0:
            break
    return head, pulls, ones, line


@compiled_without_refcount
def front_piece(corridor: Corridor, rows: np.ndarray, i: int, free: int) -> Piece:
    """Decide how much of row i to read at once: to an edge, what is safe, or more if it pays."""
    limit = min(corridor.limit, rows[i].pulls)
    outer = Edges(rows[i].up, rows[i].down)
    if rows[i].kind == STEPPED:
        return Piece(blocks.read_word(rows[i].word, limit, blocks.walk_edges(corridor))[0], outer)
    safe = blocks.safe_length(corridor, limit)
    if safe == limit or limit < tuning.MIN_BRIDGED_PIECE or free < MIN_FREE_ROWS:
        return Piece(safe, outer)
    up, down, rise, fall = blocks.walk_edges(corridor)
    rise = max(0.0, rise)
    fall = max(0.0, fall)
    # The walk comes nowhere near an edge of the corridor that lies behind an edge of the row.
    up_is_closed, down_is_closed = outer.up <= up - limit * rise, outer.down <= down - limit * fall
    if up_is_closed and down_is_closed:
        return Piece(limit, outer)
    width = min(up, outer.up) + min(down, outer.down)
    near = min(np.inf if up_is_closed else up, np.inf if down_is_closed else down)
    near = min(near, 0.5 * width)
    drift = max(rise, fall) + abs(2.0 * rows[i].ones / rows[i].pulls - 1.0)
    # Halving a touching row down to a word takes a free row for each halving, and one for itself.
    limit = min(limit, WORD_SIZE << min(free, FREE_ROWS) - 2)
    longer = blocks.bridged_length(
        near, width - near, drift, limit, blocks.touch_ratio(near, False)
    )
    if longer < max(tuning.MIN_BRIDGED_PIECE, 2 * safe):
        return Piece(safe, outer)
    inner_up = outer.up if up_is_closed else min(outer.up, math.ceil(up - longer * rise))
    inner_down = outer.down if down_is_closed else min(outer.down, math.ceil(down - longer * fall))
    return Piece(longer, Edges(inner_up, inner_down))


@compiled_without_refcount
def draw_piece(
    source: Source, arm: int, n: int, piece: Piece, rows: np.ndarray, i: int
) -> tuple[int, bool]:
    """Draw the ones in the first pulls of row i, and whether they stay inside the inner edges.

    Given all that is known: the row does not touch its outer edges, and a touching row touches the
    inner ones, if not in the first pulls then in the others.
    """
    m, inner, total, all_ones = piece.pulls, piece.inner, rows[i].pulls, rows[i].ones
    if rows[i].kind == STEPPED:
        return popcount(first_bits(rows[i].word, m)), True
    outer = Edges(rows[i].up, rows[i].down)
    if m == total and inner.up == outer.up and inner.down == outer.down:
        return all_ones, True
    while True:
        ones = all_ones if m == total else draw_part(source, arm, n, m, all_ones, total)
        first = abs(edges_touched(source, arm, n, m, ones, inner, outer))
        # Not what is known of the row: reject this draw.
        if first == OUTER:
            continue
        if m < total:
            # A touching row that has not touched yet must do so in its second part.
            must_touch = rows[i].kind == TOUCHING and first == 0
            far = shifted(outer, 2 * ones - m)
            near = shifted(inner, 2 * ones - m) if must_touch else far
            second = abs(edges_touched(source, arm, n + m, total - m, all_ones - ones, near, far))
            if second == OUTER or (must_touch and second == 0):
                continue
        return ones, first == 0


@compiled_without_refcount
def drop_front(m: int, ones: int, rows: np.ndarray, i: int) -> None:
    """Take the first m pulls, with so many ones, off row i; its edges are seen from its start."""
    walk = 2 * ones - m
    rows[i].pulls -= m
    rows[i].ones -= ones
    rows[i].up -= walk
    rows[i].down += walk
    rows[i].inner_up -= walk
    rows[i].inner_down += walk
    if rows[i].kind == STEPPED:
        rows[i].word >>= m


@compiled_without_refcount
def split_row(m: int, ones: int, rows: np.ndarray, i: int) -> int:
    """Move the first m pulls of row i, with so many ones, into the row before it; return that."""
    blocks.copy_block(rows, i, rows, i - 1)
    rows[i - 1].pulls, rows[i - 1].ones = m, ones
    drop_front(m, ones, rows, i)
    return i - 1


@compiled_without_refcount
def put_touching(piece: Piece, ones: int, rows: np.ndarray, i: int) -> int:
    """Make the first pulls of row i, which touch their inner edges, a row of their own."""
    if piece.pulls < rows[i].pulls:
        i = split_row(piece.pulls, ones, rows, i)
    rows[i].kind = TOUCHING
    rows[i].inner_up, rows[i].inner_down = piece.inner.up, piece.inner.down
    return i


@compiled_without_refcount
def halve_touching(source: Source, arm: int, n: int, rows: np.ndarray, i: int) -> int:
    """Halve a touching row, at least one half of which touches; return the first row.

    If the first half touches, nothing is kept of what the second does inside the outer edges.
    """
    half = Piece(rows[i].pulls >> 1, Edges(rows[i].inner_up, rows[i].inner_down))
    ones, inside = draw_piece(source, arm, n, half, rows, i)
    i = split_row(half.pulls, ones, rows, i)
    if inside:
        rows[i].kind = SUMMED
        # The touch is in the second half: the first one is now known to stay inside.
        rows[i].up, rows[i].down = half.inner.up, half.inner.down
    else:
        rows[i + 1].kind = SUMMED
    return i


@compiled_without_refcount
def spell_out(source: Source, arm: int, n: int, rows: np.ndarray, i: int) -> int:
    """Draw the first responses of row i one by one, given all that is known; return the first row.

    A row of more than a word is split in front. A touching row must hold at most one word.
    """
    total, all_ones = rows[i].pulls, rows[i].ones
    must_touch = rows[i].kind == TOUCHING
    inner = Edges(rows[i].inner_up, rows[i].inner_down)
    outer = Edges(rows[i].up, rows[i].down)
    m = min(total, WORD_SIZE)
    while True:
        word = np.int64(0)
        ones = 0
        walk = 0
        stays = True
        touches = not must_touch
        for j in range(m):
            response = draw_part(source, arm, n + j, 1, all_ones - ones, total - j)
            word |= np.int64(response) << j
            ones += response
            walk += 2 * response - 1
            touches |= walk >= inner.up or walk <= -inner.down
            if walk >= outer.up or walk <= -outer.down:
                stays = False
                break
        # Rejection keeps the law of the responses given all that is known.
        if not (stays and touches):
            continue
        if m < total:
            # The responses that follow must stay inside the outer edges too.
            rest = shifted(outer, walk)
            if edges_touched(source, arm, n + m, total - m, all_ones - ones, rest, rest) != 0:
                continue
        break
    if m < total:
        i = split_row(m, ones, rows, i)
    rows[i].kind, rows[i].word = STEPPED, word
    return i


@compiled_without_refcount
def shifted(edges: Edges, walk: int) -> Edges:
    """Return the edges as seen from where the walk has come to."""
    return Edges(edges.up - walk, edges.down + walk)
