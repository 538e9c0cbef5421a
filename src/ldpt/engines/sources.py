"""Where an engine's responses come from: a random generator, or a tape that was written before.

An engine may ask for one response, for a word of WORD_SIZE responses, for the sum of the next m,
for the sum of m out of a block whose total it knows already, which edges the walk touched on its
way through such a block, or where it first touched one, or how many equal responses come next. A
generator answers by drawing (a binomial, a hypergeometric, the reflection principle, a geometric
number); a tape answers by looking. The same engine therefore
runs on both, and two engines can be compared response by response.

A tape is the matrix of running sums: ``tape[k, n]`` is the sum of the first n responses of arm k.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ldpt.engines import tuning
from ldpt.engines.arithmetic import log1p
from ldpt.engines.jit import compiled_without_refcount, next_uint64

Source = Any  # a np.random.Generator or a tape, and for draw_one LaplaceRewards

WORD_SIZE = 62  # responses in a word, the next one in its lowest bit
LEAST_DRAW = 2.0**-53  # step of a uniform draw
NO_CHANCE = 40.0  # e^-40 is less than one step of a uniform draw, 2^-53
NO_WEIGHT = 1e-20  # both tails beyond such weights hold less than rounding leaves
TWO_PI = 2.0 * math.pi
NO_EDGE = 1 << 50  # farther than a walk goes
INNER, OUTER = 1, 2  # answers of edges_touched

STIRLING_ERRORS = np.array(
    [0.0]
    + [
        math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2.0 * math.pi)
        for n in range(1, 16)
    ]
)


class Edges(NamedTuple):
    """Where the walk 2 s - n ends, above and below its start."""

    up: int
    down: int


def tape_from_responses(responses: np.ndarray) -> np.ndarray:
    """Return the tape of a matrix of 0/1 responses, one row per arm."""
    return np.pad(np.cumsum(responses, axis=1, dtype=np.int64), ((0, 0), (1, 0)))


class LaplaceRewards(NamedTuple):
    """A source of rewards with Laplace noise, for the literal engine only."""

    rng: np.random.Generator
    scale: float


# --- What an engine may request from a source. Numba knows the type of a source when it compiles,
# and drops the other branch.


@compiled_without_refcount
def draw_one(source: Source, arm: int, n: int, mean: float) -> float:
    """Return the response of the arm's pull number n + 1, or its reward with Laplace noise."""
    if hasattr(source, "random"):
        return 1 if source.random() < mean else 0
    if hasattr(source, "scale"):
        reward = 1.0 if source.rng.random() < mean else 0.0
        return reward + source.rng.laplace(0.0, source.scale)
    return source[arm, n + 1] - source[arm, n]


@compiled_without_refcount
def draw_word(source: Source, arm: int, n: int, mean: float) -> int:
    """Return the responses of the arm's next WORD_SIZE pulls after n, as bits.

    Beyond the end of a tape they are zeros.
    """
    if hasattr(source, "random"):
        return bernoulli_word(source, mean)
    word = np.int64(0)
    for j in range(min(WORD_SIZE, source.shape[1] - 1 - n)):
        word |= (source[arm, n + j + 1] - source[arm, n + j]) << j
    return word


@compiled_without_refcount
def draw_sum(source: Source, arm: int, n: int, m: int, mean: float) -> int:
    """Return the sum of the arm's next m responses after n."""
    if hasattr(source, "random"):
        return binomial(source, m, mean)
    return source[arm, n + m] - source[arm, n]


@compiled_without_refcount
def draw_part(source: Source, arm: int, n: int, m: int, ones: int, total: int) -> int:
    """Return the sum of the next m responses, given that the next ``total`` hold ``ones`` ones."""
    if hasattr(source, "random"):
        return hypergeometric(source, m, ones, total)
    return source[arm, n + m] - source[arm, n]


@compiled_without_refcount
def edges_touched(
    source: Source, arm: int, n: int, m: int, ones: int, inner: Edges, outer: Edges
) -> int:
    """Whether the walk 2 s - n, started at 0, touched an outer edge, else an inner one, or none.

    OUTER, INNER or 0; negative if the edge is a lower one. Known: the next m responses hold
    ``ones`` ones. No inner edge lies beyond its outer one. If both sides were touched, a tape names
    the first one; a generator leaves that case out (see :func:`reflected_edges`).
    """
    if hasattr(source, "random"):
        return reflected_edges(source, m, ones, inner, outer)
    side = edge_on_tape(source, arm, n, m, outer)
    return OUTER * side if side != 0 else INNER * edge_on_tape(source, arm, n, m, inner)


@compiled_without_refcount
def first_touch(source: Source, arm: int, n: int, m: int, ones: int, edge: int) -> int:
    """Return the pull after n with which the walk 2 s - n, started at 0, first comes to the edge.

    Known: the next m responses hold ``ones`` ones, and touch the edge.
    """
    if hasattr(source, "random"):
        return halved_touch(source, m, ones, edge)
    j = 1
    while 2 * (source[arm, n + j] - source[arm, n]) - j != edge:
        j += 1
    return j


@compiled_without_refcount
def draw_wait(source: Source, arm: int, n: int, m: int, mean: float, rare: int) -> int:
    """Return how many of the arm's next m responses precede the first that equals ``rare``."""
    if hasattr(source, "random"):
        return geometric(source, m, mean if rare == 1 else 1.0 - mean)
    j = 0
    while j < m and source[arm, n + j + 1] - source[arm, n + j] != rare:
        j += 1
    return j


@compiled_without_refcount
def uniform(rng: np.random.Generator) -> float:
    """Return what ``rng.random()`` does, at a third of its price in compiled code."""
    return (next_uint64(rng.bit_generator) >> np.uint64(11)) * LEAST_DRAW


# --- Words


@compiled_without_refcount
def bernoulli_word(rng: np.random.Generator, mean: float) -> int:
    """Draw WORD_SIZE independent responses, exact for every double.

    A response is 1 if a uniform number is less than the mean, which the first binary digit in which
    the two differ decides. One random word gives a digit of all uniform numbers at once; half of
    the responses are decided by each, so that about seven words make 62 responses.
    """
    undecided = (np.int64(1) << WORD_SIZE) - 1
    ones = np.int64(0)
    while undecided != 0 and mean > 0.0:
        word = np.int64(next_uint64(rng.bit_generator))
        # The next binary digit of the mean: doubling is exact.
        mean *= 2.0
        if mean >= 1.0:
            mean -= 1.0
            # Digit 1: a uniform number with digit 0 is less than the mean.
            ones |= undecided & ~word
            undecided &= word
        else:
            undecided &= ~word
    return ones


# --- Sums


@compiled_without_refcount
def binomial(rng: np.random.Generator, m: int, mean: float) -> int:
    """Draw the sum of m responses."""
    # NumPy's sampler has a set-up that few responses do not pay for.
    if m > tuning.MAX_ONE_BY_ONE:
        return rng.binomial(m, mean)
    ones = 0
    for _ in range(m):
        if uniform(rng) < mean:
            ones += 1
    return ones


@compiled_without_refcount
def geometric(rng: np.random.Generator, m: int, chance: float) -> int:
    """Draw how many of m responses precede the first one of this chance, by inversion."""
    if chance * m < LEAST_DRAW:
        return m
    return int(min(log1p(-uniform(rng)) / log1p(-chance), float(m)))


@compiled_without_refcount
def hypergeometric(rng: np.random.Generator, m: int, ones: int, total: int) -> int:
    """Draw the ones among the first m of ``total`` responses in random order, ``ones`` of them 1.

    The first m and the ones are two random sets, and so are their complements. If one of the four
    is small, go through its members; otherwise invert the distribution function.
    """
    if min(m, total - m) <= tuning.MAX_ONE_BY_ONE:
        if 2 * m > total:
            return ones - overlap(rng, total - m, ones, total)
        return overlap(rng, m, ones, total)
    if ones <= tuning.MAX_ONE_BY_ONE:
        return overlap(rng, ones, m, total)
    if total - ones <= tuning.MAX_ONE_BY_ONE:
        return m - overlap(rng, total - ones, m, total)
    return hypergeometric_from_mode(rng, m, ones, total)


@compiled_without_refcount
def overlap(rng: np.random.Generator, few: int, members: int, total: int) -> int:
    """Draw how many of a few out of ``total`` are among the members, one by one."""
    left = members
    for drawn in range(few):
        if left == 0:
            break
        if uniform(rng) * (total - drawn) < left:
            left -= 1
    return members - left


@compiled_without_refcount
def hypergeometric_from_mode(rng: np.random.Generator, m: int, ones: int, total: int) -> int:
    """Invert outwards from the mode: about as many steps as the spread is wide."""
    mode = int((m + 1.0) * (ones + 1.0) / (total + 2.0))
    weight = hypergeometric_weight(mode, m, ones, total)
    left = uniform(rng) - weight
    # products of whole numbers would exceed 64 bits
    size = float(m)
    successes = float(ones)
    others = float(total - ones) - size
    low = float(mode)
    high = float(mode)
    low_weight, high_weight = weight, weight
    while left > 0.0:
        # Ratios of neighbouring weights: no factorials in the loop.
        high_weight *= (successes - high) * (size - high) / ((high + 1.0) * (others + high + 1.0))
        low_weight *= low * (others + low) / ((successes - low + 1.0) * (size - low + 1.0))
        high += 1.0
        low -= 1.0
        left -= high_weight
        if left <= 0.0:
            return int(high)
        left -= low_weight
        if high_weight + low_weight < NO_WEIGHT:  # residual probability from rounding
            return mode
    return int(low)


@compiled_without_refcount
def hypergeometric_weight(x: int, m: int, ones: int, total: int) -> float:
    """Return the probability of x ones among the first m; relative error about 1e-14 at any size.

    By Stirling's formula for the nine factorials of a table of two rows and columns, with the
    deviances of its cells (Loader 2000): differences of lgamma lose all digits at totals of 10^13.
    """
    rest, zeros = total - m, total - ones
    log_weight = stirling_error(m) + stirling_error(rest) + stirling_error(ones)
    log_weight += stirling_error(zeros) - stirling_error(total)
    square = TWO_PI**3 * m * rest * (float(ones) * zeros / total)
    for cell, row, column in (
        (x, m, ones),
        (m - x, m, zeros),
        (ones - x, rest, ones),
        (zeros - m + x, rest, zeros),
    ):
        log_weight -= stirling_error(cell) + deviance(cell, row / total * column)
        if cell > 0:
            square /= TWO_PI * cell
    return math.sqrt(square) * math.exp(log_weight)


@compiled_without_refcount
def stirling_error(n: float) -> float:
    """Return log n! minus Stirling's formula without its series; 0 at 0 (n is whole)."""
    if n < STIRLING_ERRORS.size:
        return STIRLING_ERRORS[int(n)]
    square = 1.0 / (n * float(n))
    series = 1 / 1260 - square * (1 / 1680 - square / 1188)
    return (1 / 12 - square * (1 / 360 - square * series)) / n


@compiled_without_refcount
def deviance(x: float, mean: float) -> float:
    """Return x log(x / mean) + mean - x, by a series where the two are close."""
    if x == 0:
        return mean
    difference = x - mean
    if abs(difference) >= 0.1 * (x + mean):
        return x * math.log(x / mean) - difference
    # The two terms nearly cancel: sum the series of their difference instead.
    ratio = difference / (x + mean)
    value, term = difference * ratio, 2.0 * x * ratio
    j = 1.0
    while True:
        term *= ratio * ratio
        j += 2.0
        longer = value + term / j
        if longer == value:
            return value
        value = longer


# --- Edges


@compiled_without_refcount
def edge_on_tape(tape: np.ndarray, arm: int, n: int, m: int, edges: Edges) -> int:
    """Return the first edge touched by the walk on the tape."""
    for j in range(1, m + 1):
        walk = 2 * (tape[arm, n + j] - tape[arm, n]) - j
        if walk >= edges.up:
            return 1
        if walk <= -edges.down:
            return -1
    return 0


@compiled_without_refcount
def reflected_edges(rng: np.random.Generator, m: int, ones: int, inner: Edges, outer: Edges) -> int:
    """Draw which of two pairs of edges a walk of m steps with ``ones`` up-steps touched.

    All orders of the steps are equally likely, so by reflection the walk that ends at x < up
    touched ``up`` with probability C(m, rises of a walk to 2 up - x) / C(m, ones); the same below.
    A walk that touches an outer edge touches the inner one before, so that one uniform number
    answers both questions.
    Blocks keep m below min(up, down)^2 / 3 and (up + down)^2 / 60. Then a walk that touches both
    sides and ends between them has probability under e^-44, far less than one step of a uniform
    draw (2^-53): that case alone is left out.
    """
    end = 2 * ones - m
    if end >= outer.up or end <= -outer.down:
        return OUTER if end >= outer.up else -OUTER
    side = 1 if end >= inner.up else -1 if end <= -inner.down else 0
    # Mostly so, and without a random number.
    if side == 0 and cannot_touch(m, end, inner):
        return 0
    u = uniform(rng)
    if side == 0:
        side = edge_below(u, m, ones, inner)
    if side == 0:
        return 0
    outer_side = edge_below(u, m, ones, outer)
    return OUTER * outer_side if outer_side != 0 else INNER * side


@compiled_without_refcount
def halved_touch(rng: np.random.Generator, m: int, ones: int, edge: int) -> int:
    """Draw the first touch of an edge by a walk of m steps that is known to touch it.

    A walk that touches the edge and comes back is the mirror image, from the touch on, of one that
    ends beyond, and those touch it for certain. So the walk is halved: where it is in the middle is
    drawn, and by reflection whether it has touched before; the half with the first touch is, or
    mirrors, a walk that ends beyond the edge again. The other half is discarded.
    """
    # Mirror a lower edge, then a walk that comes back: it ends at or beyond an upper edge.
    if edge < 0:
        ones, edge = m - ones, -edge
    if 2 * ones - m < edge:
        ones = m - ones + edge
    before = 0
    while m > tuning.MAX_ONE_BY_ONE:
        half = m >> 1
        front = hypergeometric(rng, half, ones, m)
        middle = 2 * front - half
        if middle >= edge:
            m, ones = half, front
        elif edge_below(uniform(rng), half, front, Edges(edge, NO_EDGE)) != 0:
            m, ones = half, half - front + edge
        else:
            before, edge, m, ones = before + half, edge - middle, m - half, ones - front
    walk = 0
    while walk < edge:
        # Few steps are left: draw them one by one, without replacement.
        rises = uniform(rng) * m < ones
        walk += 1 if rises else -1
        ones -= rises
        m -= 1
        before += 1
    return before


@compiled_without_refcount
def cannot_touch(m: int, end: int, edges: Edges) -> bool:
    """Whether no uniform draw is small enough for a walk to the end to touch an edge."""
    return min(touch_exponent(m, end, edges.up), touch_exponent(m, -end, edges.down)) > NO_CHANCE


@compiled_without_refcount
def edge_below(u: float, m: int, ones: int, edges: Edges) -> int:
    """Return the edge that a walk which ends inside touches if a uniform draw is u: 1, -1 or 0.

    The upper one below its probability, the lower one from there to the sum of the two. The bounds
    of :func:`touch_exponent` save most computations of a probability.
    """
    end = 2 * ones - m
    rise = touch_exponent(m, end, edges.up)
    fall = touch_exponent(m, -end, edges.down)
    if u >= math.exp(-rise) + math.exp(-fall):
        return 0
    risen = touch_probability(m, ones, edges.up) if rise < NO_CHANCE else 0.0
    if u < risen:
        return 1
    fallen = touch_probability(m, m - ones, edges.down) if fall < NO_CHANCE else 0.0
    return -1 if u < risen + fallen else 0


@compiled_without_refcount
def touch_exponent(m: int, end: int, edge: int) -> float:
    """Return x such that :func:`touch_probability` is at most e^-x, without computing it.

    From log C(m, h + j) - log C(m, h + i) <= -(j^2 - i^2) 2 / (m + 1) with h = m / 2.
    """
    return 2.0 * edge * (edge - end) / (m + 1.0)


@compiled_without_refcount
def touch_probability(m: int, ones: int, edge: int) -> float:
    """Return the chance that a walk of m steps, ``ones`` of them up, touched the edge above it."""
    ratio = 1.0
    for i in range(1, edge - (2 * ones - m) + 1):
        # A quotient of binomial coefficients, factor by factor: each of them would overflow.
        ratio *= (m - ones - i + 1) / (ones + i)
        if ratio <= 0.0:
            return 0.0
    return ratio
