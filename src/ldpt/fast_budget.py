"""Algorithm 1 without drawing every pull.

Two moves, both exact, both in long stretches (:mod:`ldpt.stretches`):

* *excursion*: the arm with the least index is pulled until its index passes the second least. While
  noise rules, excursions are long.
* *window*: while some arm's index is at most l, only arms with an index of at most l are pulled.
  So the moment comes when every arm has been pulled until its index first exceeded l, and till then
  the order of pulls does not matter: each arm walks to its own first passage over l by itself. Once
  the gaps rule, excursions are short, but a window raises the level of all arms at once.

A window that turns out to need more pulls than are left to the next checkpoint is taken back: arms
return to where they were, and the responses already made stay their future, stretch by stretch, to
be cut smaller where needed. Nothing is drawn twice, so nothing is biased. Memory does not depend on
the budget: a window with too many stretches is taken back as well.
"""

import math

import numpy as np

from ldpt.compiled import compiled
from ldpt.literal import fixed_budget_literal, fixed_budget_uniform
from ldpt.responses import Source, draw_one
from ldpt.rules import arm_index, first_minimum
from ldpt.service import enter, index_bits, leader, new_float_tournament, runner_up_value
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
WINDOW = 100  # pulls an arm below which a window does not pay
WINDOW_LEVEL = 3.0  # six standard deviations: above, an arm's index is due to its gap
LONG = 20.0  # pulls below which an excursion is not worth a jump
BATCH = 32  # pulls an arm that are made one by one before thinking again
SHORT = 256  # pulls an arm up to which a run is simply made pull by pull
FEW_ARMS = 64  # up to which looking through all arms beats the tournament


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
    if n_arms <= FEW_ARMS and budgets[-1] <= SHORT * n_arms:  # nothing to gain
        fixed_budget_literal(source, means, tau, zeta, budgets, pulls, sums)
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
    run_length = 0.0  # of late: pulls before another arm leads
    for c in range(budgets.size):
        while t < budgets[c]:
            left = budgets[c] - t
            aim = pace * SHARE * left
            if tree[1] < WINDOW_LEVEL or aim < WINDOW * n_arms or t < n_arms:
                if run_length < LONG:
                    moves = min(left, BATCH * n_arms)
                    runs = pull_one_by_one(
                        source, t, t + moves, means, tau, zeta, n, s, tree, book, future, head, tail
                    )
                    t += moves
                else:
                    start, runs = t, 0
                    while runs < n_arms and t < budgets[c]:
                        t += excursion(
                            source, budgets[c] - t, means, tau, zeta, n, s, tree, book, future,
                            head, tail,
                        )  # fmt: skip
                        runs += 1
                    moves = t - start
                run_length += 0.5 * (moves / runs - run_length)
                pace = min(1.0, 2.0 * pace)
                continue
            level = tree[1] * math.sqrt(1.0 + min(1.0, aim / t))
            used = raise_level(
                source, level, left, means, tau, zeta, n, s, tree, book, future, head, tail, log,
                log_start,
            )  # fmt: skip
            if used < 0:
                take_back(n, s, future, spare, head, tail, log, log_start)
                future, spare = spare, future
                pace *= 0.125
                continue
            for k in range(n_arms):
                enter(tree, k, arm_index(n[k], s[k], tau, zeta))
            t += used
        pulls[c] = n
        sums[c] = s


@compiled
def pull_one_by_one(
    source: Source, t: int, stop: int, means: np.ndarray, tau: float, zeta: float, n: np.ndarray,
    s: np.ndarray, tree: np.ndarray, book: np.ndarray, future: np.ndarray, head: np.ndarray,
    tail: np.ndarray,
) -> int:  # fmt: skip
    """The literal algorithm from t to ``stop`` pulls; return how often the pulled arm changed."""
    n_arms = n.size
    if n_arms <= FEW_ARMS and t >= n_arms and nothing_known(head, tail, book):
        return pull_without_tree(source, stop - t, means, tau, zeta, n, s, tree)
    last, runs = -1, 0
    while t < stop:
        k = t if t < n_arms else leader(tree)
        runs += k != last
        last = k
        if tail[k] - head[k] + book[k, URN] > 0:
            s[k] += known_response(source, k, n[k], book, future, head, tail)
        else:
            s[k] += draw_one(source, k, n[k], means[k])
        n[k] += 1
        enter(tree, k, arm_index(n[k], s[k], tau, zeta))
        t += 1
    return runs


@compiled
def pull_without_tree(
    source: Source, moves: int, means: np.ndarray, tau: float, zeta: float, n: np.ndarray,
    s: np.ndarray, tree: np.ndarray,
) -> int:  # fmt: skip
    """The same for few arms of which nothing is known in advance."""
    leaves = tree.size >> 1
    index = tree[leaves : leaves + n.size].copy()
    last, runs = -1, 0
    for _ in range(moves):
        k = first_minimum(index)
        runs += k != last
        last = k
        s[k] += draw_one(source, k, n[k], means[k])
        n[k] += 1
        index[k] = arm_index(n[k], s[k], tau, zeta)
    for k in range(n.size):
        enter(tree, k, index[k])
    return runs


@compiled
def nothing_known(head: np.ndarray, tail: np.ndarray, book: np.ndarray) -> bool:
    """Whether no response is known that has not been used."""
    known = 0
    for k in range(head.size):
        known += tail[k] - head[k] + book[k, URN]
    return known == 0


@compiled
def known_response(
    source: Source, k: int, n: int, book: np.ndarray, future: np.ndarray, head: np.ndarray,
    tail: np.ndarray,
) -> int:  # fmt: skip
    """One response out of the arm's future or, after it, out of its urn."""
    if head[k] == tail[k]:
        return take_from_urn(source, k, n, book)
    cut_front(source, k, n, 1, future, head[k], book)
    if future[head[k], PULLS] == 0:
        head[k] += 1
    return book[k, ONES]


@compiled
def excursion(
    source: Source, left: int, means: np.ndarray, tau: float, zeta: float, n: np.ndarray,
    s: np.ndarray, tree: np.ndarray, book: np.ndarray, future: np.ndarray, head: np.ndarray,
    tail: np.ndarray,
) -> int:  # fmt: skip
    """Pull the leader until it leads no more, at most ``left`` times; return how often."""
    k = leader(tree)
    level = runner_up_value(tree, k)
    used = 0
    while True:
        next_stretch(
            source, k, n[k], s[k], means[k], tau, zeta, level, left - used, future, head, tail, book
        )
        n[k] += book[k, PULLS]
        s[k] += book[k, ONES]
        used += book[k, PULLS]
        index = arm_index(n[k], s[k], tau, zeta)
        if used == left or index >= level:
            enter(tree, k, index)
            if used == left or leader(tree) != k:
                return used


@compiled
def raise_level(
    source: Source, level: float, left: int, means: np.ndarray, tau: float, zeta: float,
    n: np.ndarray, s: np.ndarray, tree: np.ndarray, book: np.ndarray, future: np.ndarray,
    head: np.ndarray, tail: np.ndarray, log: np.ndarray, log_start: np.ndarray,
) -> int:  # fmt: skip
    """Pull every arm until its index exceeds the level, writing a log; return the pulls needed.

    -1 if that takes more than ``left`` pulls or lines: then the window must be taken back.
    """
    used, lines, fits = 0, 0, True
    leaves = tree.size >> 1
    room = log.shape[0] - np.sum(tail - head)  # log and future must fit into one table
    for k in range(n.size):
        log_start[k] = lines
        index = tree[leaves + k]
        while index <= level and fits:
            if used == left or lines >= room:
                fits = False
                break
            next_stretch(
                source, k, n[k], s[k], means[k], tau, zeta, level, left - used, future, head,
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
    return used if fits else -1


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
    """Undo a window: its log becomes the first part of each arm's future, written to ``spare``."""
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
