"""How many pulls of an arm may be made at once because the engine has no choice to make in between.

An arm is described by d = s - n tau. While d stays strictly between two edges, the algorithm
treats the arm the same whatever its responses are, so that only their sum matters. Such
a block of pulls is made in one of four ways, the cheapest for the current d:

* *safe*: one response moves d by at most 1 - tau up or tau down, so that the distance to an edge
  gives a number of pulls after which no sequence of responses can have reached it. One binomial.
* *bridged*: over a fraction of the squared distance to the edge, in pulls, the walk rarely gets
  there. The sum is drawn first; whether the walk touched an edge on its way is then drawn with
  its exact conditional probability (:func:`ldpt.engines.sources.edges_touched`). If it did, the
  responses of that block are the arm's *urn*, see below.
* *stepped*: close to an edge, responses come in words (:func:`ldpt.engines.sources.draw_word`);
  tables over bytes tell which of them can touch an edge, and only those are read bit by bit. What
  is left of a word after a touch stays with the arm as its rest.
* *equal*: where ones are rare, as near a threshold of 10^-9, the responses before the next one are
  zeros. How many is geometric; where these zeros come to an edge is known. The same for zeros.

A bridged block is longer than a safe one by a factor of about sqrt(n): this is what makes
eps -> 0 cheap. All four are exact.

A block is a row of a table (:data:`BLOCK`); tables are passed with the number of the row.
``read_once`` says that blocks are never read again, as in Algorithm 2: then touches cost less.
"""

import math
from typing import NamedTuple

import numpy as np

from ldpt.engines import tuning
from ldpt.engines.bits import first_bits, popcount
from ldpt.engines.jit import compiled_without_refcount
from ldpt.engines.sources import (
    NO_EDGE,
    WORD_SIZE,
    Edges,
    Source,
    draw_part,
    draw_sum,
    draw_wait,
    draw_word,
    edges_touched,
    first_touch,
)

# A block of responses as one row of a table. Which fields mean something depends on its kind.
BLOCK = np.dtype(
    [
        ("kind", np.int64),  # SUMMED, STEPPED or TOUCHING
        ("pulls", np.int64),
        ("ones", np.int64),
        ("up", np.int64),  # SUMMED, TOUCHING: edges that the walk 2 s - n did not touch
        ("down", np.int64),
        ("word", np.int64),  # STEPPED: the responses as bits
        ("inner_up", np.int64),  # TOUCHING: inner edges, one of which the walk did touch
        ("inner_down", np.int64),
    ]
)
# One row per arm: the block that it is in, and what is known of the responses that follow. First
# comes its rest, what is left of its last word; then its urn, responses of which only the number
# and the ones are known. Until the walk reaches the mirror, ones and zeros of the urn are swapped
# (:func:`fill_urn`).
ARM = np.dtype(
    [
        *BLOCK.descr,
        ("rest", np.int64),
        ("rest_size", np.int64),
        ("urn", np.int64),
        ("urn_ones", np.int64),
        ("mirror", np.int64),  # signed distance of the walk to the mirror; 0 if there is none
    ]
)

SUMMED, STEPPED, TOUCHING = range(3)

MAX_STRETCH = 100  # pulls of a block per pull of its arm, for which rounding_slack holds
WIDTH_RATIO = 60.0  # squared width of a corridor per pull: touching both edges is impossible
MIN_BLOCK_ROOT = math.sqrt(tuning.MIN_BLOCK)
NEAREST_BRIDGE = 0.5 * math.sqrt(tuning.TOUCH_RATIO_REREAD[0] * tuning.MIN_BLOCK)  # in d
NO_EDGE_DISTANCE = float(NO_EDGE)  # distance to an edge that is not there


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
    """Return highest, minus lowest and last value of the walk 2 s - n over each byte."""
    bits = np.arange(256)[:, None] >> np.arange(8) & 1
    walks = np.cumsum(2.0 * bits - 1.0, axis=1)
    return np.stack([walks.max(axis=1), -walks.min(axis=1), walks[:, -1]], axis=1)


BYTE_WALKS = _byte_walks()
HIGHEST, LOWEST, END = range(3)


@compiled_without_refcount
def clear_active(active: np.ndarray) -> None:
    """Forget what is known of every arm's next responses."""
    for arm in range(active.size):
        active[arm].rest_size = active[arm].urn = active[arm].mirror = 0


@compiled_without_refcount
def copy_block(source: np.ndarray, i: int, target: np.ndarray, j: int) -> None:
    """Copy the block of row i into row j; either table may be one of arms."""
    target[j].kind = source[i].kind
    target[j].pulls = source[i].pulls
    target[j].ones = source[i].ones
    target[j].up = source[i].up
    target[j].down = source[i].down
    target[j].word = source[i].word
    target[j].inner_up = source[i].inner_up
    target[j].inner_down = source[i].inner_down


@compiled_without_refcount
def keeps(log: np.ndarray) -> bool:
    """Whether blocks are to be logged: a log without rows keeps none."""
    return log.shape[0] > 0


@compiled_without_refcount
def is_full(log: np.ndarray, line: int) -> bool:
    """Whether a log that keeps blocks has no line left."""
    return line == log.shape[0] > 0


@compiled_without_refcount
def rounding_slack(n: int) -> float:
    """Return more than rounding can move d or an edge within MAX_STRETCH n pulls (n < 10^13)."""
    return 1e-6 + 1e-13 * n


@compiled_without_refcount
def fine_slack(n: int, height: float, tau: float) -> float:
    """Return more than rounding can move d, or an edge at this height, within n more pulls."""
    return 1e-11 * (1.0 + height) + tuning.ROUNDING * n * tau


@compiled_without_refcount
def safe_length(corridor: Corridor, limit: int) -> int:
    """Return the largest block that cannot cross an edge before its last pull."""
    up_speed = 1.0 - corridor.tau + corridor.up_closing
    down_speed = corridor.tau + corridor.down_closing
    rise = corridor.up / up_speed if up_speed > 0.0 else math.inf
    fall = corridor.down / down_speed if down_speed > 0.0 else math.inf
    free = min(rise, fall, limit - 1.0)
    return 1 + int(free) if free > 0.0 else 1


@compiled_without_refcount
def touch_ratio(near: float, read_once: bool) -> float:
    """Return the ratio of the squared distance to an edge to the pulls of a block; at least 3.

    It keeps touches rare: 8 % of the blocks at 3, 3 % at 4.5, 0.2 % at 10. They must be rarer where
    they cost more, which is for longer blocks, and where an urn is emptied one by one instead of
    being halved.
    """
    least, growth, start = tuning.TOUCH_RATIO_READ_ONCE if read_once else tuning.TOUCH_RATIO_REREAD
    return least if near <= start else least + growth * math.log(near / start)


@compiled_without_refcount
def bridged_length(near: float, far: float, drift: float, limit: int, ratio: float) -> int:
    """Return the largest m with near - m drift >= sqrt(ratio m), the edges being near and far.

    Touching both edges is kept next to impossible, as
    :func:`ldpt.engines.sources.reflected_edges` asks for.
    """
    if near < tuning.MIN_BRIDGE_DISTANCE:
        return 0
    root = 2.0 * near / (math.sqrt(ratio) + math.sqrt(ratio + 4.0 * drift * near))
    width = near + far - 2.0 * root * root * drift
    return int(min(root * root, width * width / WIDTH_RATIO, limit)) if width > 0.0 else 0


@compiled_without_refcount
def two_sided_length(
    up: float, down: float, rise: float, fall: float, limit: int, read_once: bool
) -> int:
    """Return :func:`bridged_length`, with a drift for each edge."""
    near = bridged_length(up, math.inf, rise, limit, touch_ratio(up, read_once))
    near = bridged_length(down, math.inf, fall, near, touch_ratio(down, read_once))
    width = up + down - near * (rise + fall)
    return int(min(near, width * width / WIDTH_RATIO)) if width > 0.0 else 0


@compiled_without_refcount
def open_long_block(
    source: Source, arm: int, n: int, mean: float, corridor: Corridor, read_once: bool,
    active: np.ndarray,
) -> tuple[bool, int]:  # fmt: skip
    """Draw a bridged or a safe block into the active row, out of the arm's urn if it has one.

    Return whether such a block is worth it, which it is not while the arm has a rest, and the
    signed edge that its walk touches. If that is not 0, the row describes responses to come, not a
    block that was made. Callers ask only where both edges are NEAREST_BRIDGE away or more.
    """
    limit = min(corridor.limit, MAX_STRETCH * n)
    if active[arm].urn > 0:
        limit = min(limit, active[arm].urn)
    up, down = corridor.up, corridor.down
    if active[arm].rest_size > 0 or limit < tuning.MIN_BLOCK:
        return False, 0
    # The walk 2 s - n sees d's edges tilted; a flat edge at their nearest end is safe. What such an
    # edge gives up and where the walk drifts count on their own side only.
    edges = walk_edges(corridor)
    walk = 2.0 * mean - 1.0
    rise = max(0.0, edges.rise)
    fall = max(0.0, edges.fall)
    m = two_sided_length(
        2.0 * up, 2.0 * down, rise + max(0.0, walk), fall + max(0.0, -walk), limit, read_once
    )
    safe = safe_length(corridor, limit)
    up_edge = math.ceil(2.0 * up - m * rise)
    down_edge = math.ceil(2.0 * down - m * fall)
    # A safe block of about that length needs no draw of touches.
    if m < tuning.MIN_BLOCK or m <= 2 * safe:
        m, up_edge, down_edge = safe, NO_EDGE, NO_EDGE
    if m < tuning.MIN_BLOCK:
        return False, 0
    if active[arm].urn > 0:
        ones = draw_part(source, arm, n, m, active[arm].urn_ones, active[arm].urn)
    else:
        ones = draw_sum(source, arm, n, m, mean)
    active[arm].kind = SUMMED
    active[arm].pulls, active[arm].ones = m, ones
    active[arm].up, active[arm].down = up_edge, down_edge
    ends = Edges(up_edge, down_edge)
    side = edges_touched(source, arm, n, m, ones, ends, ends)
    # Only a block that is made takes its responses out of the urn.
    if side == 0 and active[arm].urn > 0:
        active[arm].urn -= m
        active[arm].urn_ones -= ones
    return True, up_edge if side > 0 else -down_edge if side < 0 else 0


@compiled_without_refcount
def rare_response(mean: float, up: float, down: float, tau: float) -> int:
    """Return the response that is rare from the arm and at the threshold; -1 if there is none.

    So rare that the next one is farther away than a safe block reaches.
    """
    if max(mean, tau) < tuning.RARE and up * mean < 1.0:
        return 1
    return 0 if min(mean, tau) > 1.0 - tuning.RARE and down * (1.0 - mean) < 1.0 else -1


@compiled_without_refcount
def open_equal_block(
    source: Source, arm: int, n: int, mean: float, rare: int, corridor: Corridor,
    active: np.ndarray,
) -> bool:  # fmt: skip
    """Draw into the active row the responses before the next rare one, as far as an edge.

    All are equal, so that d goes towards one edge, in known steps. If no rare response comes before
    that edge, nothing is known of those beyond: a geometric number has no memory. Otherwise the
    rare response becomes the arm's rest. Return False if it is the next one: there is no block.
    """
    ahead, behind, step = corridor.down, corridor.up, corridor.tau
    if rare == 0:
        ahead, behind, step = corridor.up, corridor.down, 1.0 - corridor.tau
    free = corridor.limit - 1.0
    if step > 0.0:
        free = min(free, ahead / step)
    # So near the edge behind, rounding may decide.
    m = 1 + int(free) if min(ahead, behind, free) > 0.0 else 1
    wait = draw_wait(source, arm, n, m, mean, rare)
    active[arm].kind = SUMMED
    active[arm].pulls, active[arm].ones = wait, 0 if rare == 1 else wait
    active[arm].up = active[arm].down = NO_EDGE
    if wait < m:
        active[arm].rest, active[arm].rest_size = rare, 1
    return wait > 0


@compiled_without_refcount
def worthwhile_distance(mean: float, corridor: Corridor, read_once: bool) -> float:
    """Return the distance of the walk 2 s - n to an edge from which a block drawn at once pays."""
    closing = max(0.0, corridor.up_closing, corridor.down_closing)
    drift = abs(1.0 - 2.0 * corridor.tau) + 2.0 * closing + abs(2.0 * mean - 1.0)
    ratio = touch_ratio(tuning.MIN_BLOCK * drift + 4.0 * MIN_BLOCK_ROOT, read_once)
    return tuning.MIN_BLOCK * drift + math.sqrt(ratio) * MIN_BLOCK_ROOT


# --- Words


class WalkEdges(NamedTuple):
    """A corridor as the walk w = 2 s - n sees it.

    After m pulls, d touches the upper edge if w + m ``rise`` >= ``up``, and the lower one if
    -w + m ``fall`` >= ``down``.
    """

    up: float
    down: float
    rise: float
    fall: float


@compiled_without_refcount
def walk_edges(corridor: Corridor) -> WalkEdges:
    """Return the edges of the walk 2 s - n."""
    tilt = 1.0 - 2.0 * corridor.tau
    rise, fall = 2.0 * corridor.up_closing + tilt, 2.0 * corridor.down_closing - tilt
    return WalkEdges(2.0 * corridor.up, 2.0 * corridor.down, rise, fall)


@compiled_without_refcount
def read_word(word: int, most: int, edges: WalkEdges) -> tuple[int, float, float]:
    """Return the responses up to the first touch, or ``most``, and the ways to the edges then.

    A byte is read bit by bit only if its highest or lowest point could touch an edge.
    """
    up, down, rise, fall = edges
    byte_rise = 8.0 * max(0.0, rise)
    byte_fall = 8.0 * max(0.0, fall)
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


@compiled_without_refcount
def walk_in_words(
    source: Source, arm: int, n: int, mean: float, corridor: Corridor, read_once: bool,
    active: np.ndarray, log: np.ndarray, line: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Pull the arm word by word until it touches an edge, or is so far from both that a jump pays.

    Each word becomes a line of the log, if that has any; the walk ends when it is full. Return the
    number of pulls, of ones among them, and the next line.
    """
    edges = walk_edges(corridor)
    up, down = edges.up, edges.down
    far, left, pulls, ones = 0.0, corridor.limit, 0, 0
    while True:
        word, size = active[arm].rest, active[arm].rest_size
        if size == 0:
            word, size = next_word(source, arm, n + pulls, mean, active)
        m, up, down = read_word(word, min(left, size), WalkEdges(up, down, edges.rise, edges.fall))
        front = first_bits(word, m)
        active[arm].rest, active[arm].rest_size = word >> m, size - m
        pulls = pulls + m
        ones = ones + popcount(front)
        left = left - m
        if keeps(log):
            log[line].kind = STEPPED
            log[line].pulls = m
            log[line].ones = popcount(front)
            log[line].word = front
            line += 1
        if up <= 0.0 or down <= 0.0 or left == 0 or is_full(log, line):
            return pulls, ones, line
        # Most walks end before: the distance is computed only for those that last.
        if left >= tuning.MIN_BLOCK:
            far = worthwhile_distance(mean, corridor, read_once) if far == 0.0 else far
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


@compiled_without_refcount
def fill_urn(arm: int, edge: int, active: np.ndarray) -> None:
    """Put the responses of the arm's block, which touches the edge, into its urn.

    A walk that touches the edge and comes back is the mirror image, from the touch on, of one that
    ends beyond: fill the urn for the latter and swap ones and zeros at the touch.
    """
    m, ones = active[arm].pulls, active[arm].ones
    end = 2 * ones - m
    came_back = end < edge if edge > 0 else end > edge
    active[arm].urn = m
    active[arm].urn_ones = m - ones + edge if came_back else ones
    active[arm].mirror = edge if came_back else 0


@compiled_without_refcount
def step_in_urn(source: Source, arm: int, n: int, corridor: Corridor, active: np.ndarray) -> None:
    """Take single responses from the urn until an edge is touched or the urn is empty."""
    word, m = 0, 0
    moved, up, down = 0.0, corridor.up, corridor.down
    while m < min(corridor.limit, WORD_SIZE) and active[arm].urn > 0:
        response = take_from_urn(source, arm, n + m, active)
        word |= response << m
        moved += response - corridor.tau
        m += 1
        up -= corridor.up_closing
        down -= corridor.down_closing
        if moved >= up or moved <= -down:
            break
    active[arm].kind = STEPPED
    active[arm].pulls = m
    active[arm].ones = popcount(word)
    active[arm].word = word


@compiled_without_refcount
def take_from_urn(source: Source, arm: int, n: int, active: np.ndarray) -> int:
    """Take one response out of the urn."""
    response = draw_part(source, arm, n, 1, active[arm].urn_ones, active[arm].urn)
    active[arm].urn -= 1
    active[arm].urn_ones -= response
    if active[arm].mirror != 0:
        active[arm].mirror -= 2 * response - 1
        if active[arm].mirror == 0:
            active[arm].urn_ones = active[arm].urn - active[arm].urn_ones
    return response


@compiled_without_refcount
def end_before_touch(source: Source, arm: int, n: int, edge: int, active: np.ndarray) -> bool:
    """Cut the block, which touches the edge, before the touch; False if that leaves no block.

    The response that touches becomes the arm's rest. How many ones a block out of an urn holds is
    forgotten: the first touch was drawn with them, and nothing else depends on them.
    """
    m, ones = active[arm].pulls, active[arm].ones
    # At the touch the walk stands on the edge: its length gives the ones before.
    first = first_touch(source, arm, n, m, ones, edge)
    touching = 1 if edge > 0 else 0
    before = ((first + edge) >> 1) - touching  # ones
    if active[arm].urn == 0:
        active[arm].urn, active[arm].urn_ones = m, ones
    active[arm].mirror = 0
    active[arm].urn -= first
    active[arm].urn_ones -= before + touching
    active[arm].rest, active[arm].rest_size = touching, 1
    active[arm].pulls, active[arm].ones = first - 1, before
    return first > 1


@compiled_without_refcount
def next_word(source: Source, arm: int, n: int, mean: float, active: np.ndarray) -> tuple[int, int]:
    """Return the arm's next responses as bits, and how many: a word, or what its urn holds."""
    if active[arm].urn == 0:
        return draw_word(source, arm, n, mean), WORD_SIZE
    word = np.int64(0)
    size = min(active[arm].urn, WORD_SIZE)
    for j in range(size):
        word |= np.int64(take_from_urn(source, arm, n + j, active)) << j
    return word, size
