"""How many pulls of an arm may be made at once because the engine has no choice to make in between.

An arm is described by d = s - n tau. While d stays strictly between two edges, the algorithm
treats the arm the same whatever its responses are, so that their sum is all there is to know. Such
a block of pulls is made in one of three ways, whichever is cheapest where d stands:

* *safe*: one response moves d by at most 1 - tau up or tau down, so that the distance to an edge
  gives a number of pulls after which no sequence of responses can have reached it. One binomial.
* *bridged*: over several times fewer pulls than the squared distance to the edge the walk rarely
  gets there. The sum is drawn first; whether the walk touched an edge on its way is then drawn with
  its exact conditional probability (:func:`ldpt.engines.sources.touched_edge`). If it did, the
  responses of that block are the arm's *urn*, see below.
* *stepped*: close to an edge, responses come in words (:func:`ldpt.engines.sources.draw_word`);
  tables over bytes tell which of them can touch an edge, and only those are read bit by bit. What
  is left of a word after a touch stays with the arm as its rest.

A bridged block is longer than a safe one by a factor of about sqrt(n): this is what makes
eps -> 0 cheap. All three are exact.

A block is a row of whole numbers; tables of them are passed with the number of the row.
"""

import math
from typing import NamedTuple

import numpy as np

from ldpt.engines.bits import popcount
from ldpt.engines.jit import borrowing, compiled
from ldpt.engines.sources import (
    NO_EDGE,
    WORD_SIZE,
    Source,
    draw_part,
    draw_sum,
    draw_word,
    first_touch,
    touched_edge,
)

# Columns of a block: its kind, pulls and ones; the edges that its walk did not touch, if it was
# summed; its responses as bits, if it was stepped; inner edges that it did touch, if it is known
# for that (:mod:`ldpt.engines.rereading`).
KIND, PULLS, ONES, UP, DOWN, WORD, INNER_UP, INNER_DOWN = range(8)
ROW = 8
# Further columns of the active table, which has one row per arm: responses left in the arm's urn,
# ones among them as seen up to the mirror, the walk's signed way to the mirror (0: none ahead); the
# rest of the arm's last word, which comes before the urn, and how many responses it holds.
URN, URN_ONES, URN_MIRROR, REST, REST_SIZE = range(ROW, ROW + 5)

SUMMED, STEPPED, TOUCHING = range(3)

WORTH = 300  # a sum drawn at once must span this many pulls to be cheaper than stepping
WORTH_ROOT = math.sqrt(WORTH)
FAR = float(NO_EDGE)  # distance to an edge that is not there
NOT_WORTH, OPENED, TOUCHED = range(3)  # answers of open_long_block


class Corridor(NamedTuple):
    """How far d may go up and down, rounding taken off, before an edge is touched.

    Each distance may shrink by its ``closing`` per pull (a negative one: it grows); this holds for
    ``limit`` pulls.
    """

    up: float
    down: float
    up_closing: float
    down_closing: float
    tau: float
    limit: int


def _byte_walks() -> np.ndarray:
    """The walk 2 s - n over the 8 responses of each byte: highest, minus lowest, last value."""
    bits = np.arange(256)[:, None] >> np.arange(8) & 1
    walks = np.cumsum(2.0 * bits - 1.0, axis=1)
    return np.stack([walks.max(axis=1), -walks.min(axis=1), walks[:, -1]], axis=1)


BYTE_WALKS = _byte_walks()
HIGHEST, LOWEST, END = range(3)


@compiled
def new_active(n_arms: int) -> np.ndarray:
    """The active table: one row per arm, the block it is in, its urn and its rest."""
    return np.zeros((n_arms, REST_SIZE + 1), np.int64)


@borrowing
def copy_row(source: np.ndarray, i: int, target: np.ndarray, j: int) -> None:
    """Make row j of the target equal to row i; ``target[j] = source[i]`` would allocate a copy."""
    for column in range(ROW):
        target[j, column] = source[i, column]


@borrowing
def rounding_slack(n: int) -> float:
    """More than rounding can move d or an edge between here and 100 n pulls (n < 10^12)."""
    return 1e-6 + 1e-13 * n


@borrowing
def safe_length(corridor: Corridor, limit: int) -> int:
    """Return the largest block that cannot cross an edge before its last pull."""
    up_speed = 1.0 - corridor.tau + corridor.up_closing
    down_speed = corridor.tau + corridor.down_closing
    rise = corridor.up / up_speed if up_speed > 0.0 else math.inf
    fall = corridor.down / down_speed if down_speed > 0.0 else math.inf
    free = min(rise, fall, limit - 1.0)
    return 1 + int(free) if free > 0.0 else 1


@borrowing
def touch_ratio(near: float, is_halved: bool) -> float:
    """Ratio of the squared distance to an edge to the pulls of a block; at least 3.

    It keeps touches rare: 8 % of the blocks at 3, 3 % at 4.5, 0.2 % at 10. They must be rarer where
    they cost more, which is for longer blocks, and where an urn is emptied one by one instead of
    being halved.
    """
    if not is_halved:
        return 3.0 + 3.0 * math.log(max(1.0, near / 12.0))
    return 4.5 if near < 300.0 else 4.5 + 2.5 * math.log(near / 300.0)


@borrowing
def bridged_length(near: float, far: float, drift: float, limit: int, ratio: float) -> int:
    """Largest m with near - m drift >= sqrt(ratio m), the edges being near and far.

    Touching both edges is kept next to impossible, as
    :func:`ldpt.engines.sources.reflected_edge` asks for.
    """
    if near < 12.0:
        return 0
    root = 2.0 * near / (math.sqrt(ratio) + math.sqrt(ratio + 4.0 * drift * near))
    width = near + far - 2.0 * root * root * drift
    return int(min(root * root, width * width / 60.0, limit)) if width > 0.0 else 0


@borrowing
def two_sided_length(
    up: float, down: float, rise: float, fall: float, limit: int, is_halved: bool
) -> int:
    """As :func:`bridged_length`, with a drift for each edge."""
    if min(up, down) < 12.0:
        return 0
    near = bridged_length(up, math.inf, rise, limit, touch_ratio(up, is_halved))
    near = bridged_length(down, math.inf, fall, near, touch_ratio(down, is_halved))
    width = up + down - near * (rise + fall)
    return int(min(near, width * width / 60.0)) if width > 0.0 else 0


@borrowing
def open_long_block(
    source: Source, arm: int, n: int, mean: float, corridor: Corridor, is_halved: bool,
    active: np.ndarray,
) -> int:  # fmt: skip
    """Write a bridged or a safe block into the active row, if one is worth it.

    TOUCHED if a bridged block was drawn and its walk touches one of its edges: then the block is
    not the arm's, but what is known about its urn. The arm has no rest.
    """
    limit = min(corridor.limit, 100 * n)
    if active[arm, URN] > 0:
        limit = min(limit, active[arm, URN])
    up, down = corridor.up, corridor.down
    near = min(up, down)
    if limit < WORTH or near * near < 0.75 * WORTH:  # less than half of what a bridge takes
        return NOT_WORTH
    # The walk 2 s - n sees d's edges tilted; a flat edge at their nearest end is safe. What such an
    # edge gives up and where the walk drifts count on their own side only.
    edges, walk = walk_edges(corridor), 2.0 * mean - 1.0
    rise, fall = max(0.0, edges.rise), max(0.0, edges.fall)
    bridged = two_sided_length(
        2.0 * up, 2.0 * down, rise + max(0.0, walk), fall + max(0.0, -walk), limit, is_halved
    )
    safe = safe_length(corridor, limit)
    if bridged >= WORTH and bridged > 2 * safe:
        ones = next_sum(source, arm, n, bridged, mean, active)
        up_edge = math.ceil(2.0 * up - bridged * rise)
        down_edge = math.ceil(2.0 * down - bridged * fall)
        put_sum(arm, bridged, ones, up_edge, down_edge, active)
        side = touched_edge(source, arm, n, bridged, ones, up_edge, down_edge)
        if side == 0:
            return OPENED
        active[arm, URN_MIRROR] = up_edge if side > 0 else -down_edge
        return TOUCHED
    if safe < WORTH:
        return NOT_WORTH
    ones = next_sum(source, arm, n, safe, mean, active)
    put_sum(arm, safe, ones, NO_EDGE, NO_EDGE, active)
    return OPENED


@borrowing
def worthwhile_distance(mean: float, corridor: Corridor, is_halved: bool) -> float:
    """Distance of the walk 2 s - n to its nearest edge from which a block drawn at once pays."""
    closing = max(corridor.up_closing, corridor.down_closing)
    drift = abs(1.0 - 2.0 * corridor.tau) + 2.0 * closing + abs(2.0 * mean - 1.0)
    ratio = touch_ratio(WORTH * drift + 4.0 * WORTH_ROOT, is_halved)
    return WORTH * drift + math.sqrt(ratio) * WORTH_ROOT


@borrowing
def put_sum(arm: int, m: int, ones: int, up: int, down: int, active: np.ndarray) -> None:
    """Make m responses, of which only the sum and edges not touched are known, the arm's block."""
    active[arm, KIND] = SUMMED
    active[arm, PULLS], active[arm, ONES] = m, ones
    active[arm, UP], active[arm, DOWN] = up, down


# --- Words


@borrowing
def fill_rest(source: Source, arm: int, n: int, mean: float, active: np.ndarray) -> None:
    """Make sure that the arm's rest holds a response; its first is that of pull n + 1."""
    if active[arm, REST_SIZE] == 0:
        active[arm, REST] = draw_word(source, arm, n, mean)
        active[arm, REST_SIZE] = WORD_SIZE


@borrowing
def take_from_rest(arm: int, m: int, active: np.ndarray) -> None:
    """Make the first m responses of the rest the arm's block."""
    word = active[arm, REST] & ((np.int64(1) << m) - 1)
    active[arm, KIND] = STEPPED
    active[arm, PULLS] = m
    active[arm, ONES] = popcount(word)
    active[arm, WORD] = word
    active[arm, REST] >>= m
    active[arm, REST_SIZE] -= m


@borrowing
def pulls_to_edge(word: int, most: int, corridor: Corridor) -> int:
    """Responses in the word up to the first that touches an edge, or ``most`` if none does."""
    return read_word(word, most, walk_edges(corridor))[0]


class WalkEdges(NamedTuple):
    """A corridor as the walk w = 2 s - n sees it.

    After m pulls, d touches the upper edge if w + m ``rise`` >= ``up``, and the lower one if
    -w + m ``fall`` >= ``down``.
    """

    up: float
    down: float
    rise: float
    fall: float


@borrowing
def walk_edges(corridor: Corridor) -> WalkEdges:
    """The edges of the walk 2 s - n."""
    tilt = 1.0 - 2.0 * corridor.tau
    rise, fall = 2.0 * corridor.up_closing + tilt, 2.0 * corridor.down_closing - tilt
    return WalkEdges(2.0 * corridor.up, 2.0 * corridor.down, rise, fall)


@borrowing
def read_word(word: int, most: int, edges: WalkEdges) -> tuple[int, float, float]:
    """Responses up to the first that touches an edge, or ``most``; ways to the edges after them.

    A byte is read bit by bit only if its highest or lowest point could touch an edge.
    """
    up, down, rise, fall = edges
    byte_rise, byte_fall = 8.0 * max(0.0, rise), 8.0 * max(0.0, fall)
    m = 0
    while m < most:
        byte = word >> m & 255
        if (
            m + 8 <= most
            and BYTE_WALKS[byte, HIGHEST] + byte_rise < up
            and BYTE_WALKS[byte, LOWEST] + byte_fall < down
        ):
            up -= BYTE_WALKS[byte, END] + 8.0 * rise
            down += BYTE_WALKS[byte, END] - 8.0 * fall
            m += 8
            continue
        for _ in range(min(8, most - m)):
            step = 2.0 * (word >> m & 1) - 1.0
            up -= step + rise
            down += step - fall
            m += 1
            if up <= 0.0 or down <= 0.0:
                return m, up, down
    return m, up, down


@borrowing
def walk_in_words(
    source: Source, arm: int, n: int, mean: float, corridor: Corridor, active: np.ndarray,
    log: np.ndarray, line: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Pull the arm word by word until it touches an edge, or is so far from both that a jump pays.

    Each word becomes a line of the log, if that has any; the walk ends when it is full. Return the
    number of pulls, of ones among them, and the next line.
    """
    edges = walk_edges(corridor)
    up, down = edges.up, edges.down
    far, left, pulls, ones = 0.0, corridor.limit, 0, 0
    while True:
        word, size = active[arm, REST], active[arm, REST_SIZE]
        if size == 0:
            word, size = draw_word(source, arm, n + pulls, mean), WORD_SIZE
        m, up, down = read_word(word, min(left, size), WalkEdges(up, down, edges.rise, edges.fall))
        front = word & ((np.int64(1) << m) - 1)
        active[arm, REST], active[arm, REST_SIZE] = word >> m, size - m
        pulls, ones, left = pulls + m, ones + popcount(front), left - m
        if log.shape[0] > 0:
            log[line, KIND], log[line, PULLS], log[line, ONES] = STEPPED, m, popcount(front)
            log[line, WORD] = front
            line += 1
        if up <= 0.0 or down <= 0.0 or left == 0 or line == log.shape[0] > 0:
            return pulls, ones, line
        if left >= WORTH:
            far = worthwhile_distance(mean, corridor, False) if far == 0.0 else far
            if min(up, down) > far:
                return pulls, ones, line


# --- The urn: responses of which only the number and the sum are known, and, up to the mirror, that
# their walk touches an edge.
#
# Algorithm 1 may have to read its blocks again, so it empties an urn response by response: a block
# that ends beside an edge which it does not touch would take very long to read again. Algorithm 2
# never reads a block twice: it draws the pull with which the walk first touches the edge, and ends
# its block before that pull. Nothing is left to know of the responses after it but their number
# and their sum: their urn has no mirror, and sums are drawn out of it as well.


@borrowing
def fill_urn(arm: int, m: int, ones: int, edge: int, active: np.ndarray) -> None:
    """Put m responses into the urn, conditioned on their walk having touched the edge.

    A walk that touches the edge and comes back is the mirror image, from the touch on, of one that
    ends beyond: fill the urn for the latter and swap ones and zeros at the touch.
    """
    end = 2 * ones - m
    came_back = end < edge if edge > 0 else end > edge
    active[arm, URN] = m
    active[arm, URN_ONES] = m - ones + edge if came_back else ones
    active[arm, URN_MIRROR] = edge if came_back else 0


@borrowing
def step_in_urn(source: Source, arm: int, n: int, corridor: Corridor, active: np.ndarray) -> None:
    """Single responses from the urn until an edge is touched or the urn is empty."""
    word, m = 0, 0
    moved, up, down = 0.0, corridor.up, corridor.down
    while m < min(corridor.limit, WORD_SIZE) and active[arm, URN] > 0:
        response = take_from_urn(source, arm, n + m, active)
        word |= response << m
        moved += response - corridor.tau
        m += 1
        up -= corridor.up_closing
        down -= corridor.down_closing
        if moved >= up or moved <= -down:
            break
    active[arm, KIND] = STEPPED
    active[arm, PULLS] = m
    active[arm, ONES] = popcount(word)
    active[arm, WORD] = word


@borrowing
def take_from_urn(source: Source, arm: int, n: int, active: np.ndarray) -> int:
    """One response out of the urn."""
    response = draw_part(source, arm, n, 1, active[arm, URN_ONES], active[arm, URN])
    active[arm, URN] -= 1
    active[arm, URN_ONES] -= response
    if active[arm, URN_MIRROR] != 0:
        active[arm, URN_MIRROR] -= 2 * response - 1
        if active[arm, URN_MIRROR] == 0:
            active[arm, URN_ONES] = active[arm, URN] - active[arm, URN_ONES]
    return response


@borrowing
def end_before_touch(source: Source, arm: int, n: int, active: np.ndarray) -> bool:
    """Cut the block that touches its edge before the touch; False if that leaves no block.

    The response that touches becomes the arm's rest. How many ones a block out of an urn holds is
    forgotten: the first touch was drawn with them, and nothing else depends on them.
    """
    m, ones, edge = active[arm, PULLS], active[arm, ONES], active[arm, URN_MIRROR]
    first = first_touch(source, arm, n, m, ones, edge)
    touching = 1 if edge > 0 else 0
    before = ((first + edge) >> 1) - touching  # ones
    if active[arm, URN] == 0:
        active[arm, URN], active[arm, URN_ONES] = m, ones
    active[arm, URN_MIRROR] = 0
    active[arm, URN] -= first
    active[arm, URN_ONES] -= before + touching
    active[arm, REST], active[arm, REST_SIZE] = touching, 1
    active[arm, PULLS], active[arm, ONES] = first - 1, before
    return first > 1


@borrowing
def next_sum(source: Source, arm: int, n: int, m: int, mean: float, active: np.ndarray) -> int:
    """The sum of the arm's next m responses, out of its urn if it has one."""
    if active[arm, URN] > 0:
        return draw_part(source, arm, n, m, active[arm, URN_ONES], active[arm, URN])
    return draw_sum(source, arm, n, m, mean)


@borrowing
def take_sum(arm: int, active: np.ndarray) -> None:
    """Take the arm's block out of its urn, if it has one."""
    if active[arm, URN] > 0:
        active[arm, URN] -= active[arm, PULLS]
        active[arm, URN_ONES] -= active[arm, ONES]


@borrowing
def next_word(source: Source, arm: int, n: int, mean: float, active: np.ndarray) -> tuple[int, int]:
    """The arm's next responses as bits, and how many: a word, or what there is in its urn."""
    if active[arm, URN] == 0:
        return draw_word(source, arm, n, mean), WORD_SIZE
    word, size = np.int64(0), min(active[arm, URN], WORD_SIZE)
    for j in range(size):
        word |= np.int64(take_from_urn(source, arm, n + j, active)) << j
    return word, size
