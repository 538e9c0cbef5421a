"""Algorithm 2 without drawing every pull.

Each undecided arm is in a block (:mod:`ldpt.engines.blocks`) at the end of which it must be looked
at; until then it is certain to stay undecided, because boundaries only grow with time. The engine
goes from one such end to the next. The time at which it happens follows from the order of pulls
(:mod:`ldpt.engines.pull_order`), without touching the other arms. A decided arm sleeps until the
growing boundary has overtaken it, at a time that is known when it is decided.
"""

import math

import numpy as np

from ldpt.engines.blocks import ONES, PULLS, new_active, open_block, part_of_block, rounding_slack
from ldpt.engines.decisions import is_undecided
from ldpt.engines.jit import compiled
from ldpt.engines.pull_order import (
    join,
    key_after,
    keys_between,
    merge_top,
    pulls_at,
    remove,
)
from ldpt.engines.sources import Source, draw_one
from ldpt.engines.tournament import NEVER, index_bits, new_tournament, set_value
from ldpt.radii import boundary


@compiled
def fixed_confidence_fast(
    source: Source, means: np.ndarray, tau: float, code: int, level: float, rho: float,
    max_pulls: int, pulls: np.ndarray, sums: np.ndarray,
) -> int:  # fmt: skip
    """The same law as the literal engine, and on a tape the same run."""
    n_arms = means.size
    bits = index_bits(n_arms)
    mask = (1 << bits) - 1
    active = new_active(n_arms)
    looks = new_tournament(bits)  # key of the pull after which the arm must be looked at
    wakes = new_tournament(bits)  # time << bits | arm: when a decided arm is undecided again
    frontiers = np.empty(n_arms, np.int64)
    sizes = np.empty(n_arms, np.int64)
    members = np.zeros((n_arms, 1 + (n_arms - 1 >> 6)), np.int64)
    count = 0
    t = n_arms
    for k in range(n_arms):
        pulls[k] = 1
        sums[k] = draw_one(source, k, 0, means[k])
        set_value(wakes, k, (t << bits) + k)
    while True:
        while wakes[1] >> bits <= t:
            k = wakes[1] & mask
            if look(source, k, t, means[k], tau, code, level, rho, max_pulls, pulls[k], sums[k],
                    bits, looks, wakes, active):  # fmt: skip
                count = join(k, pulls[k], bits, count, frontiers, sizes, members)
        if count == 0:
            return t
        if t >= max_pulls:
            close_books(source, bits, count, frontiers, members, active, pulls, sums)
            return -1
        top = count - 1
        frontier, size = frontiers[top], sizes[top]
        limit = min(wakes[1] >> bits, max_pulls)
        key = looks[1]
        catches_up = top > 0 and key >= frontiers[top - 1]
        if catches_up:
            steps = keys_between(frontier, frontiers[top - 1], members, top, size, bits)
        else:
            steps = 1 + keys_between(frontier, key, members, top, size, bits)
        if t + steps > limit:
            frontiers[top] = key_after(frontier, limit - t, members, top, size, bits)
            t = limit
            continue
        t += steps
        if catches_up:
            count = merge_top(count, sizes, members)
            continue
        frontiers[top] = key + 1
        k = key & mask
        pulls[k] += active[k, PULLS]
        sums[k] += active[k, ONES]
        if not look(source, k, t, means[k], tau, code, level, rho, max_pulls, pulls[k], sums[k],
                    bits, looks, wakes, active):  # fmt: skip
            remove(k, members, top)
            sizes[top] -= 1
            if sizes[top] == 0:
                count -= 1


@compiled
def look(
    source: Source, k: int, t: int, mean: float, tau: float, code: int, level: float, rho: float,
    max_pulls: int, n: int, s: int, bits: int, looks: np.ndarray, wakes: np.ndarray,
    active: np.ndarray,
) -> bool:  # fmt: skip
    """Look at an arm at time t: open its next block if it is undecided, else let it sleep."""
    d = s - n * tau
    b = boundary(code, n, t, level, rho)
    if -b <= d < b:
        b -= rounding_slack(n)
        open_block(source, k, n, mean, tau, b - d, b + d, 0.0, max_pulls - t + 1, active)
        set_value(looks, k, (n + active[k, PULLS] << bits) + k)
        if wakes[(wakes.size >> 1) + k] != NEVER:
            set_value(wakes, k, NEVER)
        return True
    set_value(looks, k, NEVER)
    set_value(wakes, k, wake_key(k, bits, code, n, s, t, tau, level, rho))
    return False


@compiled
def wake_key(
    arm: int, bits: int, code: int, n: int, s: int, t: int, tau: float, level: float, rho: float
) -> int:
    """First time after t at which a decided arm is undecided again, as time << bits | arm.

    The boundary passes |d| when L(t) = d^2 / (scale n); the guess is then put right by the very
    comparison that the literal engine makes. The mixture's boundary ignores t: never.
    """
    if code == 2:
        return NEVER
    d = s - n * tau
    scale = 0.125 if code == 0 else 0.5
    guess = math.exp(min((d * d / (scale * n) - level) / 3.0, 700.0))
    if guess >= 1e15:
        return NEVER
    time = max(t + 1, int(guess))
    while time > t + 1 and is_undecided(code, n, s, time - 1, tau, level, rho):
        time -= 1
    while not is_undecided(code, n, s, time, tau, level, rho):
        time += 1
    return (time << bits) + arm


@compiled
def close_books(
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
