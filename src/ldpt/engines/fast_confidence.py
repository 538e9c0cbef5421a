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

from ldpt.engines.blocks import (
    ONES,
    PULLS,
    Corridor,
    new_active,
    open_block,
    rounding_slack,
)
from ldpt.engines.decisions import Arms, boundary, is_undecided
from ldpt.engines.jit import borrowing, compiled
from ldpt.engines.pull_order import (
    join,
    key_after,
    keys_between,
    merge_top,
    pulls_at,
    remove,
)
from ldpt.engines.rereading import part_of_block
from ldpt.engines.sources import Source, draw_one
from ldpt.engines.tournament import NEVER, index_bits, new_tournament, set_value
from ldpt.radii import UNION, Boundary

HORIZON = 10**15  # pulls; an arm that reopens later never does


class State(NamedTuple):
    """What is known about every arm.

    Pulls and sums are those at the arm's last check; ``active`` is the block it is in. A check key
    is the key of the pull after which an undecided arm must be checked, a reopen key is
    ``time << bits | arm`` of the time at which a decided arm is undecided again.
    """

    pulls: np.ndarray
    sums: np.ndarray
    active: np.ndarray
    check_keys: np.ndarray
    reopen_keys: np.ndarray
    bits: int


@compiled
def fixed_confidence_fast(
    source: Source, arms: Arms, edge: Boundary, limit: np.ndarray, pulls: np.ndarray,
    sums: np.ndarray,
) -> int:  # fmt: skip
    """The same law as the literal engine, and on a tape the same run."""
    n_arms = arms.means.size
    bits = index_bits(n_arms)
    mask = (1 << bits) - 1
    check_keys, reopen_keys = new_tournament(bits), new_tournament(bits)
    active = new_active(n_arms)
    state = State(pulls, sums, active, check_keys, reopen_keys, bits)
    frontiers = np.empty(n_arms, np.int64)
    sizes = np.empty(n_arms, np.int64)
    members = np.zeros((n_arms, 1 + (n_arms - 1 >> 6)), np.int64)
    count = 0
    t = n_arms
    for k in range(n_arms):
        pulls[k] = 1
        sums[k] = draw_one(source, k, 0, arms.means[k])
        set_value(reopen_keys, k, (t << bits) + k)
    while True:
        max_pulls = limit[0]
        while reopen_keys[1] >> bits <= t:
            k = reopen_keys[1] & mask
            if check_arm(source, arms, edge, state, k, t, max_pulls):
                count = join(k, pulls[k], bits, count, frontiers, sizes, members)
        if count == 0:
            return t
        if t >= max_pulls:
            settle(source, bits, count, frontiers, members, active, pulls, sums)
            return -1
        top = count - 1
        frontier, size = frontiers[top], sizes[top]
        stop = min(reopen_keys[1] >> bits, max_pulls)
        key = check_keys[1]
        catches_up = top > 0 and key >= frontiers[top - 1]
        if catches_up:
            steps = keys_between(frontier, frontiers[top - 1], members, top, size, bits)
        else:
            steps = 1 + keys_between(frontier, key, members, top, size, bits)
        if t + steps > stop:
            frontiers[top] = key_after(frontier, stop - t, members, top, size, bits)
            t = stop
            continue
        t += steps
        if catches_up:
            count = merge_top(count, sizes, members)
            continue
        frontiers[top] = key + 1
        k = key & mask
        pulls[k] += active[k, PULLS]
        sums[k] += active[k, ONES]
        if not check_arm(source, arms, edge, state, k, t, max_pulls):
            remove(k, members, top)
            sizes[top] -= 1
            if sizes[top] == 0:
                count -= 1


@borrowing
def check_arm(
    source: Source, arms: Arms, edge: Boundary, state: State, k: int, t: int, max_pulls: int
) -> bool:
    """Whether arm k is undecided at time t; open its next block, or set when it reopens."""
    n, s = state.pulls[k], state.sums[k]
    d = s - n * arms.tau
    b = boundary(edge, n, t)
    if -b <= d < b:
        b -= rounding_slack(n)
        more = max(1, max_pulls - t + 1)
        corridor = Corridor(b - d, b + d, 0.0, arms.tau, more)
        open_block(source, k, n, arms.means[k], corridor, state.active)
        set_value(state.check_keys, k, (n + state.active[k, PULLS] << state.bits) + k)
        if state.reopen_keys[(state.reopen_keys.size >> 1) + k] != NEVER:
            set_value(state.reopen_keys, k, NEVER)
        return True
    set_value(state.check_keys, k, NEVER)
    time = reopening_time(edge, n, s, t, arms.tau)
    set_value(state.reopen_keys, k, NEVER if time == NEVER else (time << state.bits) + k)
    return False


@borrowing
def reopening_time(edge: Boundary, n: int, s: int, t: int, tau: float) -> int:
    """First time after t at which a decided arm is undecided again; NEVER if beyond the horizon.

    Found by the very comparison that the literal engine makes: from a guess in steps that double
    until the time is bracketed, then by bisection. Boundaries do not fall in time.
    """
    guess = guessed_time(edge, n, s - n * tau)
    if guess >= HORIZON or (guess == 0 and not is_undecided(edge, n, s, HORIZON, tau)):
        return NEVER
    low, high, step = t, HORIZON, 1  # decided at low, undecided at high
    guess = max(guess, t + 1)
    if is_undecided(edge, n, s, guess, tau):
        high = guess
        while high - step > t and is_undecided(edge, n, s, high - step, tau):
            high -= step
            step *= 2
        low = max(low, high - step)
    else:
        low = guess
        while low + step < HORIZON and not is_undecided(edge, n, s, low + step, tau):
            low += step
            step *= 2
        high = min(high, low + step)
    while high - low > 1:
        middle = (low + high) // 2
        if is_undecided(edge, n, s, middle, tau):
            high = middle
        else:
            low = middle
    return high


@borrowing
def guessed_time(edge: Boundary, n: int, d: float) -> int:
    """About the time at which the boundary reaches |d|; 0 where no closed form is at hand."""
    if edge.family == UNION:  # L(t) = d^2 / (f n)
        return 1 + int(math.exp(min((d * d / (edge.factor * n) - edge.term) / 3.0, 35.0)))
    return 0


@borrowing
def settle(
    source: Source, bits: int, count: int, frontiers: np.ndarray, members: np.ndarray,
    active: np.ndarray, pulls: np.ndarray, sums: np.ndarray,
) -> None:  # fmt: skip
    """Bring every undecided arm to the pulls that it has been served so far."""
    for g in range(count):
        for k in range(pulls.size):
            if members[g, k >> 6] >> (k & 63) & 1:
                served = pulls_at(frontiers[g], k, bits) - pulls[k]
                if served > 0:
                    sums[k] += part_of_block(source, k, pulls[k], served, active, k)
                    pulls[k] += served
