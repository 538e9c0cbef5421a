"""Algorithm 1 without looking at every arm for every pull, and without drawing every pull.

A short run is made pull by pull, but the arms are looked through only when another may lead. A long
one is made in two moves, both exact, both in long blocks (:mod:`ldpt.engines.blocks`):

* *excursion*: the arm with the least index is pulled until its index passes the second least. While
  noise rules, excursions are long.
* *window*: while some arm's index is at most l, only arms with an index of at most l are pulled.
  So the moment comes when every arm has been pulled until its index first exceeded l, and till then
  the order of pulls does not matter: each arm walks to its own first passage over l by itself. Once
  the gaps rule, excursions are short, but a window raises the level of all arms at once.

A window that turns out to need more pulls than are left to the next checkpoint is taken back: arms
return to where they were, and the responses already made stay their future, block by block, to
be cut smaller where needed. Nothing is drawn twice, so nothing is biased. Memory does not depend on
the budget: a window with too many blocks is taken back as well.
"""

import math

import numpy as np

from ldpt.engines.blocks import (
    ONES,
    PULLS,
    URN,
    WORD,
    cut_front,
    new_active,
    open_block,
    rounding_slack,
    safe_length,
)
from ldpt.engines.decisions import arm_index, first_minimum, is_clearly_below, least_of_others
from ldpt.engines.jit import compiled
from ldpt.engines.reference import fixed_budget_uniform
from ldpt.engines.sources import Source, draw_one
from ldpt.engines.tournament import (
    index_bits,
    leader,
    new_float_tournament,
    runner_up_value,
    set_value,
)

SHARE = 0.25  # of the pulls left that a window aims at
WINDOW = 100  # pulls an arm below which a window does not pay
WINDOW_LEVEL = 3.0  # six standard deviations: above, an arm's index is due to its gap
FIRST = 64  # pulls of an excursion that are made one by one, for most are short
SHORT = 256  # pulls an arm up to which jumps do not pay
NOISY = 20_000  # the same while noise rules
FEW_ARMS = 64  # up to which looking through all arms beats the tournament


@compiled
def fixed_budget_fast(
    source: Source, means: np.ndarray, tau: float, zeta: float, budgets: np.ndarray,
    pulls: np.ndarray, sums: np.ndarray,
) -> None:  # fmt: skip
    """The same law as the literal engine, and on a tape the same states at all checkpoints."""
    if means.size == 1:  # no choice to make
        fixed_budget_uniform(source, means, budgets, pulls, sums)
    elif means.size <= FEW_ARMS and is_short(means, tau, zeta, budgets[-1]):
        fixed_budget_in_runs(source, means, tau, zeta, budgets, pulls, sums)
    else:
        fixed_budget_in_jumps(source, means, tau, zeta, budgets, pulls, sums)


@compiled
def is_short(means: np.ndarray, tau: float, zeta: float, budget: int) -> bool:
    """Whether a run is better made without jumps; at T pulls the indices are near sqrt(T / H)."""
    complexity = 0.0
    for mean in means:
        gap = abs(mean - tau) + zeta
        complexity += 1.0 / (gap * gap) if gap > 0.0 else math.inf
    noisy = budget <= WINDOW_LEVEL**2 * complexity
    return budget <= (NOISY if noisy else SHORT) * means.size


@compiled
def fixed_budget_in_runs(
    source: Source, means: np.ndarray, tau: float, zeta: float, budgets: np.ndarray,
    pulls: np.ndarray, sums: np.ndarray,
) -> None:  # fmt: skip
    """A whole run without a jump: the literal engine's, number for number."""
    n, s = np.zeros(means.size, np.int64), np.zeros(means.size, np.int64)
    index = np.full(means.size, -1.0)
    t = 0
    for c in range(budgets.size):
        pull_in_runs(source, budgets[c] - t, means, tau, zeta, n, s, index)
        t = budgets[c]
        pulls[c] = n
        sums[c] = s


@compiled
def pull_in_runs(
    source: Source, moves: int, means: np.ndarray, tau: float, zeta: float, n: np.ndarray,
    s: np.ndarray, index: np.ndarray,
) -> None:  # fmt: skip
    """The literal algorithm for so many pulls, but arms are looked through once a run.

    An arm that has not been pulled has a negative index.
    """
    done = 0
    while done < moves:
        k = first_minimum(index)
        bar = least_of_others(index, k)
        used, index[k] = pull_while_leading(source, k, moves - done, means[k], tau, zeta, bar, n, s)
        done += used


@compiled
def pull_while_leading(
    source: Source, k: int, most: int, mean: float, tau: float, zeta: float, bar: float,
    n: np.ndarray, s: np.ndarray,
) -> tuple[int, float]:  # fmt: skip
    """Pull an arm until its index reaches the bar; how often, at least once, and its index."""
    pulls, ones, stop = n[k], s[k], n[k] + most
    while True:
        ones += draw_one(source, k, pulls, mean)
        pulls += 1
        if pulls < stop and is_clearly_below(pulls, ones, tau, zeta, bar):
            continue
        index = arm_index(pulls, ones, tau, zeta)
        if pulls == stop or index >= bar:
            break
    used = pulls - n[k]
    n[k], s[k] = pulls, ones
    return used, index


@compiled
def fixed_budget_in_jumps(
    source: Source, means: np.ndarray, tau: float, zeta: float, budgets: np.ndarray,
    pulls: np.ndarray, sums: np.ndarray,
) -> None:  # fmt: skip
    """A whole run in excursions and, once the gaps rule, windows."""
    n_arms = means.size
    n = np.zeros(n_arms, np.int64)
    s = np.zeros(n_arms, np.int64)
    tree = new_float_tournament(index_bits(n_arms))
    active = new_active(n_arms)
    capacity = min(budgets[-1] + 1, 1024 + 64 * n_arms)
    future = np.empty((capacity, WORD + 1), np.int64)
    spare = np.empty((capacity, WORD + 1), np.int64)
    log = np.empty((capacity, WORD + 1), np.int64)
    log_start = np.zeros(n_arms + 1, np.int64)
    head = np.zeros(n_arms, np.int64)  # the arm's future: rows head to tail - 1
    tail = np.zeros(n_arms, np.int64)
    t = 0
    pace = 1.0
    for k in range(n_arms):
        set_value(tree, k, -1.0)  # so that every arm is pulled once, in order
    for c in range(budgets.size):
        while t < budgets[c]:
            left = budgets[c] - t
            aim = pace * SHARE * left
            if tree[1] < WINDOW_LEVEL or aim < WINDOW * n_arms:
                stop = min(budgets[c], t + FIRST * n_arms)
                while t < stop:
                    t += excursion(
                        source, budgets[c] - t, means, tau, zeta, n, s, tree, active, future, head,
                        tail,
                    )  # fmt: skip
                pace = min(1.0, 2.0 * pace)
                continue
            level = tree[1] * math.sqrt(1.0 + min(1.0, aim / t))
            used = raise_level(
                source, level, left, means, tau, zeta, n, s, tree, active, future, head, tail, log,
                log_start,
            )  # fmt: skip
            if used < 0:
                undo_window(n, s, future, spare, head, tail, log, log_start)
                future, spare = spare, future
                pace *= 0.125
                continue
            for k in range(n_arms):
                set_value(tree, k, arm_index(n[k], s[k], tau, zeta))
            t += used
        pulls[c] = n
        sums[c] = s


@compiled
def excursion(
    source: Source, left: int, means: np.ndarray, tau: float, zeta: float, n: np.ndarray,
    s: np.ndarray, tree: np.ndarray, active: np.ndarray, future: np.ndarray, head: np.ndarray,
    tail: np.ndarray,
) -> int:  # fmt: skip
    """Pull the leader until it leads no more, at most ``left`` times; return how often."""
    k = leader(tree)
    level = runner_up_value(tree, k)
    used = 0
    if head[k] == tail[k] and active[k, URN] == 0:  # most excursions are short
        used, index = pull_while_leading(
            source, k, min(left, FIRST), means[k], tau, zeta, level, n, s
        )
        if used == left or index >= level:
            set_value(tree, k, index)
            return used
    while True:
        next_block(
            source,
            k,
            n[k],
            s[k],
            means[k],
            tau,
            zeta,
            level,
            left - used,
            future,
            head,
            tail,
            active,
        )
        n[k] += active[k, PULLS]
        s[k] += active[k, ONES]
        used += active[k, PULLS]
        index = arm_index(n[k], s[k], tau, zeta)
        if used == left or index >= level:
            set_value(tree, k, index)
            if used == left or leader(tree) != k:
                return used


@compiled
def raise_level(
    source: Source, level: float, left: int, means: np.ndarray, tau: float, zeta: float,
    n: np.ndarray, s: np.ndarray, tree: np.ndarray, active: np.ndarray, future: np.ndarray,
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
            next_block(
                source, k, n[k], s[k], means[k], tau, zeta, level, left - used, future, head,
                tail, active,
            )  # fmt: skip
            for column in range(WORD + 1):
                log[lines, column] = active[k, column]
            lines += 1
            n[k] += active[k, PULLS]
            s[k] += active[k, ONES]
            used += active[k, PULLS]
            index = arm_index(n[k], s[k], tau, zeta)
    log_start[n.size] = lines
    return used if fits else -1


@compiled
def next_block(
    source: Source, k: int, n: int, s: int, mean: float, tau: float, zeta: float, level: float,
    limit: int, future: np.ndarray, head: np.ndarray, tail: np.ndarray, active: np.ndarray,
) -> None:  # fmt: skip
    """Write into its active row the arm's next block below the level.

    The index is at most l while |d| <= l sqrt(n) - zeta n, and over the next n pulls the right side
    falls by no more than zeta - l / sqrt(8 n) a pull.
    """
    root = math.sqrt(n)
    edge = level * root - zeta * n - rounding_slack(n)
    closing = max(0.0, zeta - level / (2.8285 * root))
    d = s - n * tau
    limit = min(limit, n)
    if head[k] == tail[k]:
        open_block(source, k, n, mean, tau, edge - d, edge + d, closing, limit, active)
        return
    row = head[k]
    m = min(safe_length(edge - d, edge + d, closing, tau, limit), future[row, PULLS])
    cut_front(source, k, n, m, future, row, active)
    if future[row, PULLS] == 0:
        head[k] += 1


@compiled
def undo_window(
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
