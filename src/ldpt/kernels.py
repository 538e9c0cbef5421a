"""Compiled engines for both algorithms.

Every function here works on the *private* means, threshold and tolerance: an arm's responses are
i.i.d. Bernoulli(mu_eps) whatever its rewards are (Lemma 2.1), so nothing else is needed.

Literal engines draw one response a pull and read like the paper's listings. An arm with n pulls and
s positive responses is described by d = s - n tau alone.
"""

import math

import numpy as np
from numba import njit

from ldpt.radii import boundary
from ldpt.responses import draw_one
from ldpt.service import (
    NEVER,
    enter,
    index_bits,
    join,
    key_after,
    keys_between,
    merge_top,
    new_tournament,
    pulls_at,
    remove,
)
from ldpt.stretches import ONES, PULLS, new_book, open_stretch, part_of_stretch, rounding_slack

LITERAL, FAST, UNIFORM = 0, 1, 2


@njit(cache=True)
def arm_index(n, s, tau, zeta):
    """Index of Algorithm 1: sqrt(n) (|tau - s/n| + zeta), written so that mirrored arms tie."""
    root = math.sqrt(n)
    return abs(s - n * tau) / root + zeta * root


@njit(cache=True)
def is_undecided(code, n, s, t, tau, level, rho):
    """Whether Algorithm 2 would still change its mind about the arm if it moved by its radius."""
    d = s - n * tau
    b = boundary(code, n, t, level, rho)
    return -b <= d < b


@njit(cache=True)
def first_minimum(values):
    """Position of the smallest value, the lowest one among ties."""
    best = 0
    for k in range(1, values.size):
        if values[k] < values[best]:
            best = k
    return best


# --- Algorithm 1 (fixed budget), pull by pull


@njit(cache=True)
def fixed_budget_literal(source, means, tau, zeta, budgets, pulls, sums):
    """One run of Algorithm 1; row c of ``pulls`` and ``sums`` is the state after budgets[c] pulls."""
    n_arms = means.size
    n = np.zeros(n_arms, np.int64)
    s = np.zeros(n_arms, np.int64)
    index = np.zeros(n_arms)
    t = 0
    for c in range(budgets.size):
        while t < budgets[c]:
            arm = t if t < n_arms else first_minimum(index)
            n[arm] += 1
            s[arm] += draw_one(source, arm, n[arm] - 1, means[arm])
            index[arm] = arm_index(n[arm], s[arm], tau, zeta)
            t += 1
        pulls[c] = n
        sums[c] = s


@njit(cache=True)
def fixed_budget_fast(source, means, tau, zeta, budgets, pulls, sums):
    """Same law as :func:`fixed_budget_literal`."""
    fixed_budget_literal(source, means, tau, zeta, budgets, pulls, sums)


@njit(cache=True)
def fixed_budget_uniform(rng, means, budgets, pulls, sums):
    """Round-robin baseline: T // K pulls each, one more for the first T % K arms."""
    n_arms = means.size
    for c in range(budgets.size):
        for k in range(n_arms):
            n = budgets[c] // n_arms + (1 if k < budgets[c] % n_arms else 0)
            n_before = pulls[c - 1, k] if c > 0 else 0
            s_before = sums[c - 1, k] if c > 0 else 0
            pulls[c, k] = n
            sums[c, k] = s_before
            if n > n_before:
                sums[c, k] += rng.binomial(n - n_before, means[k])


@njit(cache=True)
def fixed_budget_laplace(rng, means, tau, zeta, scale, budgets, pulls, sums):
    """Algorithm 1 on Bernoulli rewards with Laplace noise instead of PrivBern responses.

    The noise is centred, so means, threshold and tolerance are the raw ones and sums are floats.
    """
    n_arms = means.size
    n = np.zeros(n_arms, np.int64)
    s = np.zeros(n_arms)
    index = np.zeros(n_arms)
    t = 0
    for c in range(budgets.size):
        while t < budgets[c]:
            arm = t if t < n_arms else first_minimum(index)
            n[arm] += 1
            if rng.random() < means[arm]:
                s[arm] += 1.0
            s[arm] += rng.laplace(0.0, scale)
            index[arm] = arm_index(n[arm], s[arm], tau, zeta)
            t += 1
        pulls[c] = n
        sums[c] = s


# --- Algorithm 2 (fixed confidence), pull by pull


@njit(cache=True)
def fixed_confidence_literal(source, means, tau, code, level, rho, max_pulls, pulls, sums):
    """One run of Algorithm 2: its stopping time, or -1 if undecided after ``max_pulls``."""
    n_arms = means.size
    for k in range(n_arms):
        pulls[k] = 1
        sums[k] = draw_one(source, k, 0, means[k])
    t = n_arms
    while True:
        arm = -1
        for k in range(n_arms):
            if (arm < 0 or pulls[k] < pulls[arm]) and is_undecided(
                code, pulls[k], sums[k], t, tau, level, rho
            ):
                arm = k
        if arm < 0:
            return t
        if t >= max_pulls:
            return -1
        sums[arm] += draw_one(source, arm, pulls[arm], means[arm])
        pulls[arm] += 1
        t += 1


@njit(cache=True)
def fixed_confidence_fast(source, means, tau, code, level, rho, max_pulls, pulls, sums):
    """Same law as :func:`fixed_confidence_literal`, and on a tape the same run."""
    n_arms = means.size
    bits = index_bits(n_arms)
    mask = (1 << bits) - 1
    book = new_book(n_arms)
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
        enter(wakes, k, (t << bits) + k)
    while True:
        while wakes[1] >> bits <= t:
            k = wakes[1] & mask
            if look(source, k, t, means[k], tau, code, level, rho, max_pulls, pulls[k], sums[k],
                    bits, looks, wakes, book):  # fmt: skip
                count = join(k, pulls[k], bits, count, frontiers, sizes, members)
        if count == 0:
            return t
        if t >= max_pulls:
            close_books(source, bits, count, frontiers, members, book, pulls, sums)
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
        pulls[k] += book[k, PULLS]
        sums[k] += book[k, ONES]
        if not look(source, k, t, means[k], tau, code, level, rho, max_pulls, pulls[k], sums[k],
                    bits, looks, wakes, book):  # fmt: skip
            remove(k, members, top)
            sizes[top] -= 1
            if sizes[top] == 0:
                count -= 1


@njit(cache=True)
def look(source, k, t, mean, tau, code, level, rho, max_pulls, n, s, bits, looks, wakes, book):
    """Look at an arm at time t: open its next stretch if it is undecided, else let it sleep."""
    d = s - n * tau
    b = boundary(code, n, t, level, rho)
    if -b <= d < b:
        b -= rounding_slack(n)
        open_stretch(source, k, n, mean, tau, b - d, b + d, max_pulls - t + 1, book)
        enter(looks, k, (n + book[k, PULLS] << bits) + k)
        if wakes[(wakes.size >> 1) + k] != NEVER:
            enter(wakes, k, NEVER)
        return True
    enter(looks, k, NEVER)
    enter(wakes, k, wake_key(k, bits, code, n, s, t, tau, level, rho))
    return False


@njit(cache=True)
def wake_key(arm, bits, code, n, s, t, tau, level, rho):
    """First time after t at which a decided arm is undecided again, as time << bits | arm.

    The boundary passes |d| when L(t) = d^2 / (scale n); the guess is then put right by the very
    comparison that the literal engine makes. The mixture's boundary ignores t: never.
    """
    if code == 2:
        return NEVER
    d = s - n * tau
    scale = 0.125 if code == 0 else 0.5
    guess = math.exp(min((d * d / (scale * n) - level) / 3.0, 700.0))
    if guess >= NEVER >> (bits + 1):
        return NEVER
    time = max(t + 1, int(guess))
    while time > t + 1 and is_undecided(code, n, s, time - 1, tau, level, rho):
        time -= 1
    while not is_undecided(code, n, s, time, tau, level, rho):
        time += 1
    return (time << bits) + arm


@njit(cache=True)
def close_books(source, bits, count, frontiers, members, book, pulls, sums):
    """Bring every undecided arm to the pulls that it has been served so far."""
    for g in range(count):
        for k in range(pulls.size):
            if members[g, k >> 6] >> (k & 63) & 1:
                served = pulls_at(frontiers[g], k, bits) - pulls[k]
                if served > 0:
                    sums[k] += part_of_stretch(source, k, pulls[k], served, book)
                    pulls[k] += served


# --- Many runs


@njit(cache=True)
def is_loss(pulls, sums, tau, must_accept, must_reject):
    """Loss of Algorithm 1's answer {k : s_k > n_k tau}; arms inside the tolerance band are free."""
    for k in range(pulls.size):
        returned = sums[k] > pulls[k] * tau
        if (must_accept[k] and not returned) or (must_reject[k] and returned):
            return True
    return False


@njit(cache=True, nogil=True)
def fixed_budget_losses(
    rng, engine_code, means, tau, zeta, budgets, must_accept, must_reject, losses
):
    """Fill losses[r, c]: whether run r errs at budgets[c]; the engine is LITERAL, FAST or UNIFORM."""
    pulls = np.zeros((budgets.size, means.size), np.int64)
    sums = np.zeros((budgets.size, means.size), np.int64)
    for r in range(losses.shape[0]):
        if engine_code == LITERAL:
            fixed_budget_literal(rng, means, tau, zeta, budgets, pulls, sums)
        elif engine_code == FAST:
            fixed_budget_fast(rng, means, tau, zeta, budgets, pulls, sums)
        else:
            fixed_budget_uniform(rng, means, budgets, pulls, sums)
        for c in range(budgets.size):
            losses[r, c] = is_loss(pulls[c], sums[c], tau, must_accept, must_reject)


@njit(cache=True, nogil=True)
def laplace_losses(rng, means, tau, zeta, scale, budgets, must_accept, must_reject, losses):
    """Fill losses[r, c] for the Laplace baseline."""
    pulls = np.zeros((budgets.size, means.size), np.int64)
    sums = np.zeros((budgets.size, means.size))
    for r in range(losses.shape[0]):
        fixed_budget_laplace(rng, means, tau, zeta, scale, budgets, pulls, sums)
        for c in range(budgets.size):
            losses[r, c] = is_loss(pulls[c], sums[c], tau, must_accept, must_reject)


@njit(cache=True, nogil=True)
def fixed_confidence_runs(
    rng, fast, means, tau, code, level, rho, max_pulls, stopping_times, pulls, sums
):
    """Fill a row a run: stopping time (-1 if undecided at ``max_pulls``), pulls and sums by arm."""
    for r in range(stopping_times.size):
        if fast:
            stopping_times[r] = fixed_confidence_fast(
                rng, means, tau, code, level, rho, max_pulls, pulls[r], sums[r]
            )
        else:
            stopping_times[r] = fixed_confidence_literal(
                rng, means, tau, code, level, rho, max_pulls, pulls[r], sums[r]
            )
