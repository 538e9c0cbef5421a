"""Algorithm 1 without drawing every pull: raise a level, not the pulls.

While some arm's index is at most l, only arms with an index of at most l are pulled. So the moment
comes when every arm has been pulled until its index first exceeded l, and up to then the order of
pulls does not matter: each arm walks to its own first passage over l by itself, in long stretches
(:mod:`ldpt.stretches`). The engine raises l in such windows.

A window that turns out to need more pulls than are left to the next checkpoint is taken back: arms
return to where they were, and the responses already made stay their future, stretch by stretch, to
be refined in smaller windows. Nothing is drawn twice, so nothing is biased. The last few pulls are
made one by one. Memory does not depend on the budget: a window with too many stretches is taken
back as well.
"""

import math

import numpy as np

from ldpt.compiled import compiled
from ldpt.responses import Source, draw_one, draw_sum
from ldpt.rules import arm_index
from ldpt.service import enter, index_bits, leader, new_float_tournament
from ldpt.stretches import (
    ONES,
    PULLS,
    URN,
    WORD,
    certain_length,
    cut_front,
    new_book,
    open_stretch,
    rounding_slack,
    take_from_urn,
)

SHARE = 0.25  # of the pulls left that a window aims at
WINDOW = 24  # pulls an arm below which a window does not pay
LEAST_LEVEL = 0.01


@compiled
def fixed_budget_fast(
    source: Source, means: np.ndarray, tau: float, zeta: float, budgets: np.ndarray,
    pulls: np.ndarray, sums: np.ndarray,
) -> None:  # fmt: skip
    """The same law as the literal engine, and on a tape the same states at all checkpoints."""
    n_arms = means.size
    if n_arms == 1:  # no choice to make
        fixed_budget_uniform(source, means, budgets, pulls, sums)
        return
    n = np.zeros(n_arms, np.int64)
    s = np.zeros(n_arms, np.int64)
    tree = new_float_tournament(index_bits(n_arms))
    book = new_book(n_arms)
    capacity = min(budgets[-1] + 1, 1024 + 64 * n_arms)
    future = np.empty((capacity, WORD + 1), np.int64)
    spare = np.empty((capacity, WORD + 1), np.int64)
    log = np.empty((capacity, WORD + 1), np.int64)
    log_start = np.zeros(n_arms + 1, np.int64)
    head = np.zeros(n_arms, np.int64)  # the arm's future: rows head to tail - 1
    tail = np.zeros(n_arms, np.int64)
    t = 0
    pace = 1.0
    for c in range(budgets.size):
        while t < budgets[c]:
            left = budgets[c] - t
            aim = pace * SHARE * min(left, 4 * t)
            if aim < WINDOW * n_arms:
                stop = t + min(left, 2 * WINDOW * n_arms)
                while t < stop:
                    k = leader(tree) if t >= n_arms else t
                    s[k] += next_response(source, k, n[k], means[k], future, head, tail, book)
                    n[k] += 1
                    enter(tree, k, arm_index(n[k], s[k], tau, zeta))
                    t += 1
                pace = min(1.0, 2.0 * pace)
                continue
            level = max(tree[1], LEAST_LEVEL) * math.sqrt(1.0 + aim / t)
            used = raise_level(
                source, level, left, means, tau, zeta, n, s, tree, book, future, head, tail, log,
                log_start,
            )  # fmt: skip
            if used > left:
                take_back(n, s, future, spare, head, tail, log, log_start)
                future, spare = spare, future
                pace *= 0.25
                continue
            for k in range(n_arms):
                enter(tree, k, arm_index(n[k], s[k], tau, zeta))
            t += used
            if used < 0.5 * aim:
                pace = min(1.0, 2.0 * pace)
        pulls[c] = n
        sums[c] = s


@compiled
def fixed_budget_uniform(
    source: Source, means: np.ndarray, budgets: np.ndarray, pulls: np.ndarray, sums: np.ndarray
) -> None:
    """The baseline that pulls in turn: T // K pulls each, one more for the first T % K arms."""
    n_arms = means.size
    for k in range(n_arms):
        n, s = 0, 0
        for c in range(budgets.size):
            more = budgets[c] // n_arms + (1 if k < budgets[c] % n_arms else 0) - n
            s += draw_sum(source, k, n, more, means[k])
            n += more
            pulls[c, k] = n
            sums[c, k] = s


@compiled
def next_response(
    source: Source, arm: int, n: int, mean: float, future: np.ndarray, head: np.ndarray,
    tail: np.ndarray, book: np.ndarray,
) -> int:  # fmt: skip
    """One response: out of the arm's known future if it has one."""
    if head[arm] < tail[arm]:
        cut_front(source, arm, n, 1, future, head[arm], book)
        if future[head[arm], PULLS] == 0:
            head[arm] += 1
        return book[arm, ONES]
    if book[arm, URN] > 0:
        return take_from_urn(source, arm, n, book)
    return draw_one(source, arm, n, mean)


@compiled
def raise_level(
    source: Source, level: float, left: int, means: np.ndarray, tau: float, zeta: float,
    n: np.ndarray, s: np.ndarray, tree: np.ndarray, book: np.ndarray, future: np.ndarray,
    head: np.ndarray, tail: np.ndarray, log: np.ndarray, log_start: np.ndarray,
) -> int:  # fmt: skip
    """Pull every arm until its index exceeds the level, writing a log; return the pulls needed.

    More than ``left`` means that the window does not fit and must be taken back.
    """
    used, lines = 0, 0
    leaves = tree.size >> 1
    room = log.shape[0] - np.sum(tail - head)  # log and future must fit into one table
    for k in range(n.size):
        log_start[k] = lines
        index = tree[leaves + k]
        while index <= level and used <= left:
            if lines >= room:
                used = left + 1
                break
            next_stretch(
                source, k, n[k], s[k], means[k], tau, zeta, level, left - used + 1, future, head,
                tail, book,
            )  # fmt: skip
            for column in range(WORD + 1):
                log[lines, column] = book[k, column]
            lines += 1
            n[k] += book[k, PULLS]
            s[k] += book[k, ONES]
            used += book[k, PULLS]
            index = arm_index(n[k], s[k], tau, zeta)
    log_start[n.size] = lines
    return used


@compiled
def next_stretch(
    source: Source, k: int, n: int, s: int, mean: float, tau: float, zeta: float, level: float,
    limit: int, future: np.ndarray, head: np.ndarray, tail: np.ndarray, book: np.ndarray,
) -> None:  # fmt: skip
    """Write into the book the arm's next stretch below the level.

    The index is at most l while |d| <= l sqrt(n) - zeta n, and over the next n pulls the right side
    falls by no more than zeta - l / sqrt(8 n) a pull.
    """
    root = math.sqrt(n)
    edge = level * root - zeta * n - rounding_slack(n)
    closing = max(0.0, zeta - level / (2.8285 * root))
    d = s - n * tau
    limit = min(limit, n)
    if head[k] == tail[k]:
        open_stretch(source, k, n, mean, tau, edge - d, edge + d, closing, limit, book)
        return
    row = head[k]
    m = min(certain_length(edge - d, edge + d, closing, tau, limit), future[row, PULLS])
    cut_front(source, k, n, m, future, row, book)
    if future[row, PULLS] == 0:
        head[k] += 1


@compiled
def take_back(
    n: np.ndarray, s: np.ndarray, future: np.ndarray, spare: np.ndarray,
    head: np.ndarray, tail: np.ndarray, log: np.ndarray, log_start: np.ndarray,
) -> None:  # fmt: skip
    """Undo a window: what its log holds becomes the first part of each arm's future, in ``spare``."""
    filled = 0
    for k in range(n.size):
        start = filled
        for line in range(log_start[k], log_start[k + 1]):
            n[k] -= log[line, PULLS]
            s[k] -= log[line, ONES]
            spare[filled] = log[line]
            filled += 1
        for row in range(head[k], tail[k]):
            spare[filled] = future[row]
            filled += 1
        head[k], tail[k] = start, filled
