"""Algorithm 2 without drawing every pull.

Each undecided arm is in a block (:mod:`ldpt.engines.blocks`) at the end of which it must be checked
again; until then it is certain to stay undecided, because boundaries only grow with time. The
engine goes from one such end to the next. The time at which it happens follows from the order of
pulls (:mod:`ldpt.engines.pull_order`), without touching the other arms. A decided arm rests until
the growing boundary has overtaken it, at a time that is known when it is decided.
"""

import math
from typing import NamedTuple

import numpy as np

from ldpt.engines import blocks, pull_order, tuning
from ldpt.engines.bits import first_bits, popcount
from ldpt.engines.blocks import NO_EDGE_DISTANCE, STEPPED, Corridor
from ldpt.engines.boundaries import Arms, is_undecided, sides
from ldpt.engines.jit import compiled, compiled_without_refcount
from ldpt.engines.pull_order import Groups, pulls_at
from ldpt.engines.sources import WORD_SIZE, Edges, Source, draw_one
from ldpt.engines.tournament import NEVER, index_bits, runner_up_value, set_value
from ldpt.engines.undone_blocks import Piece, draw_piece
from ldpt.radii import UNION, Boundary

TIME_ROUNDING = 1e-11  # relative error of a closed form of a time, at most
HORIZON = 10**15  # pulls; treat reopening after it as never


class State(NamedTuple):
    """What is known about every arm, in tables that the next run uses again.

    Pulls and sums are those at the arm's last check; ``active`` is the block it is in. A check key
    is the key of the pull after which an undecided arm must be checked, a reopen key is
    ``time << bits | arm`` of the time at which a decided arm is undecided again. A stepped block is
    a walk of several words: row k of ``words``.
    """

    pulls: np.ndarray
    sums: np.ndarray
    active: np.ndarray
    check_keys: np.ndarray
    reopen_keys: np.ndarray
    bits: int
    words: np.ndarray


@compiled
def new_state(n_arms: int) -> State:
    """Return tables for runs of so many arms."""
    bits = index_bits(n_arms)
    return State(
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms, blocks.ARM),
        np.full(2 << bits, NEVER),
        np.full(2 << bits, NEVER),
        bits,
        np.empty((n_arms, tuning.MAX_WORDS), blocks.BLOCK),
    )


@compiled
def fixed_confidence_fast(
    source: Source, arms: Arms, edge: Boundary, max_pulls: int, pulls: np.ndarray,
    sums: np.ndarray,
) -> int:  # fmt: skip
    """Make a run with the law of the literal engine, and on a tape the same run."""
    state = new_state(arms.means.size)
    groups = pull_order.new_groups(arms.means.size)
    time = run_to_decision(source, arms, edge, max_pulls, state, groups)
    pulls[:], sums[:] = state.pulls, state.sums
    return time


@compiled_without_refcount
def run_to_decision(
    source: Source, arms: Arms, edge: Boundary, max_pulls: int, state: State, groups: Groups
) -> int:
    """Make one run: return its stopping time, or -1 if undecided after ``max_pulls``."""
    n_arms, bits = arms.means.size, state.bits
    mask = (1 << bits) - 1
    pulls, sums, active, frontiers = state.pulls, state.sums, state.active, groups.frontiers
    check_keys, reopen_keys = state.check_keys, state.reopen_keys
    blocks.clear_active(active)
    check_keys[:] = NEVER
    reopen_keys[:] = NEVER
    count = 0
    t = n_arms
    for k in range(n_arms):
        pulls[k] = 1
        sums[k] = draw_one(source, k, 0, arms.means[k])
        # The first check of every arm, at time K, is that of an arm that reopens then.
        set_value(reopen_keys, k, (t << bits) + k)
    while True:
        # The boundary of `printed` grows with time: arms that were decided may be so no longer.
        while reopen_keys[1] >> bits <= t:
            k = reopen_keys[1] & mask
            # It has fewer pulls than the others, and the fewest pulls come first.
            alone = pulls_at(frontiers[count - 1], k, bits) - pulls[k] if count > 0 else WORD_SIZE
            t, decided = visit(source, arms, edge, state, k, t, alone, max_pulls)
            if not decided and check_arm(source, arms, edge, state, k, t, max_pulls):
                count = pull_order.join(k, pulls[k], bits, count, groups)
        if count == 0:
            return t
        if t >= max_pulls:
            settle(source, count, groups, state)
            return -1
        # The next event: the top group reaches the group below, or the block of an arm ends.
        top = count - 1
        frontier, key = frontiers[top], check_keys[1]
        catches_up = top > 0 and key >= frontiers[top - 1]
        if catches_up:
            steps = pull_order.keys_between(frontier, frontiers[top - 1], bits, top, groups)
        else:
            steps = 1 + pull_order.keys_between(frontier, key, bits, top, groups)
        t, done = visits_before(source, arms, edge, state, t, steps, frontier, max_pulls)
        # Another arm has reopened and stays undecided: it is served before the rest of this group.
        if done < steps:
            frontiers[top] = pull_order.key_after(frontier, done, bits, top, groups)
            continue
        if catches_up:
            count = pull_order.merge_top(count, groups)
            continue
        frontiers[top] = key + 1
        k = key & mask
        pulls[k] += active[k].pulls
        sums[k] += active[k].ones
        if not check_arm(source, arms, edge, state, k, t, max_pulls):
            count = pull_order.remove(k, count, groups)


@compiled_without_refcount
def visits_before(
    source: Source, arms: Arms, edge: Boundary, state: State, t: int, steps: int, frontier: int,
    max_pulls: int,
) -> tuple[int, int]:  # fmt: skip
    """Make ``steps`` pulls of the top group, and all visits of arms that reopen meanwhile.

    Return the time and how many of these pulls were made: fewer if the run ends before, or if an
    arm that has reopened is still undecided after its visit.
    """
    end = t + steps
    while True:
        reopening = state.reopen_keys[1] >> state.bits
        if end <= min(reopening, max_pulls):
            return end, steps
        # The run ends before any arm reopens, within these pulls.
        if reopening >= max_pulls:
            return max_pulls, steps - (end - max_pulls)
        k = state.reopen_keys[1] & ((1 << state.bits) - 1)
        alone = pulls_at(frontier, k, state.bits) - state.pulls[k]
        time, decided = visit(source, arms, edge, state, k, reopening, alone, max_pulls)
        if not decided:
            return time, steps - (end - reopening)
        end += time - reopening


@compiled_without_refcount
def visit(
    source: Source, arms: Arms, edge: Boundary, state: State, k: int, t: int, alone: int,
    max_pulls: int,
) -> tuple[int, bool]:  # fmt: skip
    """Pull an arm that has just reopened; return the time, and whether it is decided again.

    It is pulled before all others for ``alone`` pulls, or until another arm reopens. Mostly a few
    pulls decide it; they are compared one by one. Otherwise blocks follow.
    """
    pulls, sums, active, tau = state.pulls, state.sums, state.active, arms.tau
    stop = min(t + alone, runner_up_value(state.reopen_keys, k) >> state.bits, max_pulls)
    n, s = pulls[k], sums[k]
    undecided = is_undecided(edge, n, s, t, tau)
    if t < stop:
        # Bit by bit: most visits are too short for a block.
        word, size = active[k].rest, active[k].rest_size
        if size == 0:
            word, size = blocks.next_word(source, k, n, arms.means[k], active)
        m = 0
        most = min(stop - t, size)
        while undecided and m < most:
            s += word & 1
            word >>= 1
            m += 1
            undecided = is_undecided(edge, n + m, s, t + m, tau)
        n, t = n + m, t + m
        pulls[k], sums[k] = n, s
        active[k].rest, active[k].rest_size = word, size - m
    while undecided and t < stop:
        next_block(source, arms, edge, state, k, t, sides(edge, n, t), stop - t)
        n, s, t = n + active[k].pulls, s + active[k].ones, t + active[k].pulls
        pulls[k], sums[k] = n, s
        undecided = is_undecided(edge, n, s, t, tau)
    if undecided:
        return t, False
    set_reopening(edge, state, k, t, tau)
    return t, True


@compiled_without_refcount
def check_arm(
    source: Source, arms: Arms, edge: Boundary, state: State, k: int, t: int, max_pulls: int
) -> bool:
    """Whether arm k is undecided at time t; open its next block, or set when it reopens."""
    n, s = state.pulls[k], state.sums[k]
    d = s - n * arms.tau
    above, below = sides(edge, n, t)
    if -below <= d < above:
        more = max(1, max_pulls - t + 1)
        next_block(source, arms, edge, state, k, t, (above, below), more)
        set_value(state.check_keys, k, (n + state.active[k].pulls << state.bits) + k)
        # A new value costs log K steps in the tree: skip the call where nothing changes.
        if state.reopen_keys[(state.reopen_keys.size >> 1) + k] != NEVER:
            set_value(state.reopen_keys, k, NEVER)
        return True
    set_value(state.check_keys, k, NEVER)
    set_reopening(edge, state, k, t, arms.tau)
    return False


@compiled_without_refcount
def set_reopening(edge: Boundary, state: State, k: int, t: int, tau: float) -> None:
    """Enter the time at which the decided arm k is undecided again."""
    horizon = min(HORIZON, NEVER >> state.bits)  # whose key still fits
    time = reopening_time(edge, state.pulls[k], state.sums[k], t, tau, horizon)
    set_value(state.reopen_keys, k, NEVER if time == NEVER else (time << state.bits) + k)


@compiled_without_refcount
def next_block(
    source: Source, arms: Arms, edge: Boundary, state: State, k: int, t: int,
    heights: tuple[float, float], more: int,
) -> None:  # fmt: skip
    """Write the arm's next block into its active row: one drawn at once, or a walk in words.

    ``heights`` are the boundaries at n and t. They do not fall in time and are concave in n (b^2 is
    f with 2 f f'' <= f'^2, or b is a minimum of lines), so that a walk may go up to the chord of
    b(n, t) over its next pulls, which rises. An infinite height is no edge.
    """
    active, n, mean = state.active, state.pulls[k], arms.means[k]
    d = state.sums[k] - n * arms.tau
    slack = blocks.rounding_slack(n)
    above = min(heights[0], NO_EDGE_DISTANCE)
    below = min(heights[1], NO_EDGE_DISTANCE)
    up, down = above - slack - d, below - slack + d
    rare = blocks.rare_response(mean, up, down, arms.tau) if active[k].urn == 0 else -1
    is_opened, touched = False, 0
    # Boundaries do not fall, so that flat edges at their present heights are on the safe side.
    if rare >= 0 and active[k].rest_size == 0:
        rise = above - blocks.fine_slack(n, above, arms.tau) - d
        fall = below - blocks.fine_slack(n, below, arms.tau) + d
        flat = Corridor(rise, fall, 0.0, 0.0, arms.tau, min(more, n))
        is_opened = blocks.open_equal_block(source, k, n, mean, rare, flat, active)
    elif rare < 0 and min(up, down) >= blocks.NEAREST_BRIDGE:
        flat = Corridor(up, down, 0.0, 0.0, arms.tau, more)
        is_opened, touched = blocks.open_long_block(source, k, n, mean, flat, True, active)
    if is_opened and (touched == 0 or blocks.end_before_touch(source, k, n, touched, active)):
        return
    # The boundary of an arm with many pulls is nearly straight: its chord may be longer.
    words = 1 + (n >> tuning.CHORD_SHIFT) if rare < 0 else 0
    limit = min(more, active[k].rest_size + WORD_SIZE * words)
    later = sides(edge, n + limit, t)
    rise = (min(later[0], NO_EDGE_DISTANCE) - above) / limit
    fall = (min(later[1], NO_EDGE_DISTANCE) - below) / limit
    corridor = Corridor(up, down, -rise, -fall, arms.tau, limit)
    m, ones, _ = blocks.walk_in_words(source, k, n, mean, corridor, True, active, state.words[k], 0)
    active[k].kind, active[k].pulls, active[k].ones = STEPPED, m, ones


@compiled_without_refcount
def reopening_time(edge: Boundary, n: int, s: int, t: int, tau: float, horizon: int) -> int:
    """Return the first time after t at which a decided arm is undecided; NEVER if after horizon.

    Only the boundaries of UNION grow with time. A closed form is within rounding of the time; the
    comparison that the literal engine makes decides, step by step, because boundaries do not fall.
    """
    if edge.family != UNION:
        return NEVER
    d = s - n * tau  # d^2 = f n L(time)
    time = math.exp(min((d * d / (edge.factor * n) - edge.term) / 3.0, 35.0))
    slack = TIME_ROUNDING * time
    if t < time < horizon and int(time - slack) == int(time + slack):
        return 1 + int(time)
    reopening = min(max(t, int(time)) + 1, horizon)
    while reopening > t + 1 and is_undecided(edge, n, s, reopening - 1, tau):
        reopening -= 1
    while not is_undecided(edge, n, s, reopening, tau):
        if reopening == horizon:
            return NEVER
        reopening += 1
    return reopening


@compiled_without_refcount
def settle(source: Source, count: int, groups: Groups, state: State) -> None:
    """Bring every undecided arm to the pulls that it has been served so far."""
    pulls, sums = state.pulls, state.sums
    for g in range(count):
        for k in range(pulls.size):
            if groups.members[g, k >> 6] >> (k & 63) & 1:
                served = pulls_at(groups.frontiers[g], k, state.bits) - pulls[k]
                if served > 0:
                    sums[k] += first_ones(source, k, served, state)
                    pulls[k] += served


@compiled_without_refcount
def first_ones(source: Source, k: int, m: int, state: State) -> int:
    """Return the sum of the first m responses of the arm's block."""
    active, words = state.active, state.words
    if active[k].kind != STEPPED:
        # Of a block drawn at once the sum alone is known: draw its first part given the whole.
        piece = Piece(m, Edges(active[k].up, active[k].down))
        return draw_piece(source, k, state.pulls[k], piece, active, k)[0]
    ones, j = 0, 0
    while m > 0:
        part = min(m, words[k, j].pulls)
        ones += popcount(first_bits(words[k, j].word, part))
        m, j = m - part, j + 1
    return ones
