"""How many pulls of an arm may be made at once because the engine has no choice to make in between.

An arm is described by d = s - n tau. While d stays strictly between two edges, the algorithm
treats the arm the same whatever its responses are, so that their sum is all there is to know. Such
a block of pulls is made in one of three ways, whichever is cheapest where d stands:

* *safe*: one response moves d by at most 1 - tau up or tau down, so that the distance to an edge
  gives a number of pulls after which no sequence of responses can have reached it. One binomial.
* *bridged*: over (distance to the edge)^2 / RATIO pulls the walk rarely gets there. The sum is
  drawn first; whether the walk touched an edge on its way is then drawn with its exact conditional
  probability (:func:`ldpt.engines.sources.touched_edge`). If it did, so is the pull with which it
  first did. The block ends before that pull, whose response is known; of those after it nothing is
  kept but their number and their sum: they are the arm's *urn*, out of which it is pulled next.
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

from ldpt.engines.jit import borrowing, compiled
from ldpt.engines.pull_order import popcount
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
# Further columns of the active table, which has one row per arm: the rest of the arm's last word
# and how many responses it holds; responses in the arm's urn, which come next, and ones among them.
REST, REST_SIZE, URN, URN_ONES = range(ROW, ROW + 4)

SUMMED, STEPPED, TOUCHING = range(3)

WORTH = 300  # a sum drawn at once must span this many pulls to be cheaper than stepping
RATIO = 4.5  # of the squared distance to an edge to the pulls of a bridged block: 3 % touch it
RATIO_ROOT = math.sqrt(RATIO)
WORTH_ROOT = math.sqrt(WORTH)


class Corridor(NamedTuple):
    """The ways that d may go up and down, rounding taken off, before an edge is touched.

    ``closing`` is how much both may shrink per pull, ``limit`` for how many pulls this holds.
    """

    up: float
    down: float
    closing: float
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
    return np.zeros((n_arms, URN_ONES + 1), np.int64)


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
def safe_length(up: float, down: float, closing: float, tau: float, limit: int) -> int:
    """Pulls until the arm must be looked at: before the last of them no edge can be reached."""
    up_speed, down_speed = 1.0 - tau + closing, tau + closing
    rise = up / up_speed if up_speed > 0.0 else math.inf
    fall = down / down_speed if down_speed > 0.0 else math.inf
    free = min(rise, fall, limit - 1.0)
    return 1 + int(free) if free > 0.0 else 1


@borrowing
def bridged_length(near: float, far: float, drift: float, limit: int) -> int:
    """Largest m with near - m drift >= sqrt(RATIO m), the edges being near and far.

    So touches are rare, and touching both edges is next to impossible, as
    :func:`ldpt.engines.sources.reflected_edge` asks for.
    """
    if near < 12.0:
        return 0
    root = 2.0 * near / (RATIO_ROOT + math.sqrt(RATIO + 4.0 * drift * near))
    width = near + far - 2.0 * root * root * drift
    return int(min(root * root, width * width / 60.0, limit)) if width > 0.0 else 0


@borrowing
def two_sided_length(up: float, down: float, rise: float, fall: float, limit: int) -> int:
    """As :func:`bridged_length`, with a drift for each edge."""
    if min(up, down) < 12.0:
        return 0
    near = bridged_length(up, math.inf, rise, limit)
    near = bridged_length(down, math.inf, fall, near)
    width = up + down - near * (rise + fall)
    return int(min(near, width * width / 60.0)) if width > 0.0 else 0


@borrowing
def open_long_block(
    source: Source, arm: int, n: int, mean: float, corridor: Corridor, active: np.ndarray
) -> bool:
    """Write a bridged or a safe block into the active row, if one is worth it; else False.

    The arm has no rest. If a block would begin with a touch, that response becomes its rest.
    """
    limit, urn = min(corridor.limit, 100 * n), active[arm, URN]
    if urn > 0:
        limit = min(limit, urn)
    tau, up, down, closing = corridor.tau, corridor.up, corridor.down, corridor.closing
    near = min(up, down)
    if limit < WORTH or 4.0 * near * near < RATIO * WORTH:
        return False
    # The walk 2 s - n sees d's edges tilted; a flat edge at their nearest end is safe. What such an
    # edge gives up and where the walk drifts count on their own side only.
    tilt, walk = 1.0 - 2.0 * tau, 2.0 * mean - 1.0
    rise, fall = max(0.0, 2.0 * closing + tilt), max(0.0, 2.0 * closing - tilt)
    bridged = two_sided_length(
        2.0 * up, 2.0 * down, rise + max(0.0, walk), fall + max(0.0, -walk), limit
    )
    safe = safe_length(up, down, closing, tau, limit)
    if bridged >= WORTH and bridged > 2 * safe:
        up_edge = math.ceil(2.0 * up - bridged * rise)
        down_edge = math.ceil(2.0 * down - bridged * fall)
        return bridge(source, arm, n, mean, up_edge, down_edge, bridged, active)
    if safe < WORTH:
        return False
    ones = next_sum(source, arm, n, safe, mean, active)
    put_sum(arm, safe, ones, NO_EDGE, NO_EDGE, active)
    return True


@borrowing
def worthwhile_distance(mean: float, corridor: Corridor) -> float:
    """Distance of the walk 2 s - n to its nearest edge from which a block drawn at once pays."""
    drift = abs(1.0 - 2.0 * corridor.tau) + 2.0 * corridor.closing + abs(2.0 * mean - 1.0)
    return WORTH * drift + RATIO_ROOT * WORTH_ROOT


@borrowing
def bridge(
    source: Source, arm: int, n: int, mean: float, up: int, down: int, m: int, active: np.ndarray
) -> bool:
    """Draw the sum of m responses; if their walk touches an edge, end the block before it does.

    False if that leaves no block. How many ones there were is forgotten then, if they came from
    the urn: the first touch was drawn with them, and nothing else depends on them.
    """
    ones = next_sum(source, arm, n, m, mean, active)
    side = touched_edge(source, arm, n, m, ones, up, down)
    if side == 0:
        put_sum(arm, m, ones, up, down, active)
        return True
    edge = up if side > 0 else -down
    first = first_touch(source, arm, n, m, ones, edge)
    if active[arm, URN] == 0:
        active[arm, URN], active[arm, URN_ONES] = m, ones
    last = (side + 1) >> 1  # the response that touches
    put_sum(arm, first - 1, ((first + edge) >> 1) - last, up, down, active)
    active[arm, URN] -= 1
    active[arm, URN_ONES] -= last
    active[arm, REST], active[arm, REST_SIZE] = last, 1
    return first > 1


@borrowing
def next_sum(source: Source, arm: int, n: int, m: int, mean: float, active: np.ndarray) -> int:
    """The sum of the arm's next m responses, out of its urn if it has one."""
    if active[arm, URN] > 0:
        return draw_part(source, arm, n, m, active[arm, URN_ONES], active[arm, URN])
    return draw_sum(source, arm, n, m, mean)


@borrowing
def put_sum(arm: int, m: int, ones: int, up: int, down: int, active: np.ndarray) -> None:
    """Make m responses, of which only the sum and edges not touched are known, the arm's block."""
    active[arm, KIND] = SUMMED
    active[arm, PULLS], active[arm, ONES] = m, ones
    active[arm, UP], active[arm, DOWN] = up, down
    if active[arm, URN] > 0:
        active[arm, URN] -= m
        active[arm, URN_ONES] -= ones


# --- Words


@borrowing
def next_word(source: Source, arm: int, n: int, mean: float, active: np.ndarray) -> tuple[int, int]:
    """The arm's next responses as bits, and how many: a word, or what there is in its urn."""
    left, ones = active[arm, URN], active[arm, URN_ONES]
    if left == 0:
        return draw_word(source, arm, n, mean), WORD_SIZE
    word, size = np.int64(0), min(left, WORD_SIZE)
    for j in range(size):
        response = draw_part(source, arm, n + j, 1, ones, left)
        word |= np.int64(response) << j
        left, ones = left - 1, ones - response
    active[arm, URN], active[arm, URN_ONES] = left, ones
    return word, size


@borrowing
def fill_rest(source: Source, arm: int, n: int, mean: float, active: np.ndarray) -> None:
    """Make sure that the arm's rest holds a response; its first is that of pull n + 1."""
    if active[arm, REST_SIZE] == 0:
        word, size = next_word(source, arm, n, mean, active)
        active[arm, REST], active[arm, REST_SIZE] = word, size


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
    tilt, closing = 1.0 - 2.0 * corridor.tau, 2.0 * corridor.closing
    return WalkEdges(2.0 * corridor.up, 2.0 * corridor.down, closing + tilt, closing - tilt)


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
            word, size = next_word(source, arm, n + pulls, mean, active)
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
            far = worthwhile_distance(mean, corridor) if far == 0.0 else far
            if min(up, down) > far:
                return pulls, ones, line
