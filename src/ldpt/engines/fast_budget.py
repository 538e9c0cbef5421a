"""Index policies without comparing all arms for every pull, and without drawing every pull.

A short run is made pull by pull, but the arms are looked through only when another may lead. A long
one is made in two moves, both exact, both in long blocks (:mod:`ldpt.engines.blocks`):

* *excursion*: the arm with the least index is pulled until its index passes the second least. While
  noise dominates, excursions are long.
* *window*: while some arm's index is at most l, only arms with an index of at most l are pulled.
  So the moment comes when every arm has been pulled until its index first exceeded l, and till then
  the order of pulls does not matter: each arm walks to its own first passage over l by itself. Once
  the gaps dominate, excursions are short, but a window raises the level of all arms at once.

A window that turns out to need more pulls than are left to the next checkpoint is undone: arms
return to where they were, and the responses already made stay their future, block by block, to
be cut smaller where needed. Nothing is drawn twice, so nothing is biased. Memory does not depend on
the budget: a window with too many blocks is undone as well.

All this holds for any index; Algorithm 1 and ``lsa`` differ in the edge of a level only
(:func:`ldpt.engines.decisions.squared_edge`).
"""

import math
from typing import NamedTuple

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
from ldpt.engines.decisions import (
    arm_index,
    first_minimum,
    is_clearly_below,
    least_of_others,
    squared_edge,
)
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
from ldpt.policies import IndexRule

SHARE = 0.25  # of the pulls left that a window aims at
WINDOW = 100  # pulls per arm below which a window does not pay
WINDOW_LEVEL = 3.0  # six standard deviations: above, an arm's I is due to its gap
FIRST = 64  # pulls of an excursion that are made one by one, for most are short
SHORT = 256  # pulls per arm up to which jumps do not pay
NOISY = 20_000  # the same while noise dominates
FEW_ARMS = 64  # up to which looking through all arms beats the tournament


class BudgetState(NamedTuple):
    """Where a run stands: pulls and sums, the tournament of indices, blocks begun and to come."""

    n: np.ndarray
    s: np.ndarray
    tree: np.ndarray
    active: np.ndarray
    future: np.ndarray
    head: np.ndarray  # the arm's future: rows head to tail - 1
    tail: np.ndarray


class Undo(NamedTuple):
    """What it takes to undo a window: its blocks, arm after arm, and a table to copy into."""

    log: np.ndarray
    log_start: np.ndarray
    spare: np.ndarray


@compiled
def fixed_budget_fast(
    source: Source, means: np.ndarray, rule: IndexRule, budgets: np.ndarray, pulls: np.ndarray,
    sums: np.ndarray,
) -> None:  # fmt: skip
    """The same law as the literal engine, and on a tape the same states at all checkpoints."""
    if means.size == 1:  # no choice to make
        fixed_budget_uniform(source, means, budgets, pulls, sums)
    elif means.size <= FEW_ARMS and is_short(means, rule, budgets[-1]):
        fixed_budget_in_runs(source, means, rule, budgets, pulls, sums)
    else:
        fixed_budget_in_jumps(source, means, rule, budgets, pulls, sums)


@compiled
def is_short(means: np.ndarray, rule: IndexRule, budget: int) -> bool:
    """Whether a run is better made without jumps; at T pulls I is near sqrt(T / H)."""
    complexity = 0.0
    for mean in means:
        gap = abs(mean - rule.tau) + rule.zeta
        complexity += 1.0 / (gap * gap) if gap > 0.0 else math.inf
    noisy = budget <= WINDOW_LEVEL**2 * complexity
    return budget <= (NOISY if noisy else SHORT) * means.size


@compiled
def fixed_budget_in_runs(
    source: Source, means: np.ndarray, rule: IndexRule, budgets: np.ndarray, pulls: np.ndarray,
    sums: np.ndarray,
) -> None:  # fmt: skip
    """A whole run without a jump: the literal engine's, number for number."""
    n, s = np.zeros(means.size, np.int64), np.zeros(means.size, np.int64)
    index = np.full(means.size, -np.inf)
    t = 0
    for c in range(budgets.size):
        pull_in_runs(source, budgets[c] - t, means, rule, n, s, index)
        t = budgets[c]
        pulls[c] = n
        sums[c] = s


@compiled
def pull_in_runs(
    source: Source, moves: int, means: np.ndarray, rule: IndexRule, n: np.ndarray, s: np.ndarray,
    index: np.ndarray,
) -> None:  # fmt: skip
    """The literal algorithm for so many pulls, but all arms are compared only once per run.

    An arm that has not been pulled has the index minus infinity.
    """
    done = 0
    while done < moves:
        k = first_minimum(index)
        bar = least_of_others(index, k)
        used, index[k] = pull_while_leading(source, k, moves - done, means[k], rule, bar, n, s)
        done += used


@compiled
def pull_while_leading(
    source: Source, k: int, most: int, mean: float, rule: IndexRule, bar: float, n: np.ndarray,
    s: np.ndarray,
) -> tuple[int, float]:  # fmt: skip
    """Pull an arm until its index reaches the bar; how often, at least once, and its index."""
    pulls, ones, stop = n[k], s[k], n[k] + most
    horizon, squared = pulls, -1.0  # up to the horizon, I^2 < squared keeps the index below the bar
    while True:
        ones += draw_one(source, k, pulls, mean)
        pulls += 1
        if pulls > horizon:
            horizon = pulls + (pulls >> 3)
            squared = squared_edge(rule, horizon, bar)
        if pulls < stop and is_clearly_below(rule, pulls, ones, squared):
            continue
        index = arm_index(rule, pulls, ones)
        if pulls == stop or index >= bar:
            break
    used = pulls - n[k]
    n[k], s[k] = pulls, ones
    return used, index


@compiled
def new_state(n_arms: int, capacity: int) -> BudgetState:
    """A run before its first pull."""
    tree = new_float_tournament(index_bits(n_arms))
    for k in range(n_arms):
        set_value(tree, k, -np.inf)  # so that every arm is pulled once, in order
    return BudgetState(
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms, np.int64),
        tree,
        new_active(n_arms),
        np.empty((capacity, WORD + 1), np.int64),
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms, np.int64),
    )


@compiled
def new_undo(n_arms: int, capacity: int) -> Undo:
    """Room for the log of one window."""
    return Undo(
        np.empty((capacity, WORD + 1), np.int64),
        np.zeros(n_arms + 1, np.int64),
        np.empty((capacity, WORD + 1), np.int64),
    )


@compiled
def fixed_budget_in_jumps(
    source: Source, means: np.ndarray, rule: IndexRule, budgets: np.ndarray, pulls: np.ndarray,
    sums: np.ndarray,
) -> None:  # fmt: skip
    """A whole run in excursions and, once the gaps dominate, windows."""
    n_arms = means.size
    capacity = min(budgets[-1] + 1, 1024 + 64 * n_arms)
    state, undo = new_state(n_arms, capacity), new_undo(n_arms, capacity)
    t = 0
    pace = 1.0
    for c in range(budgets.size):
        while t < budgets[c]:
            left = budgets[c] - t
            aim = pace * SHARE * left
            if aim < WINDOW * n_arms or noise_dominates(rule, t / n_arms, state.tree[1]):
                stop = min(budgets[c], t + FIRST * n_arms)
                while t < stop:
                    t += excursion(source, budgets[c] - t, means, rule, state)
                pace = min(1.0, 2.0 * pace)
                continue
            level = level_after(rule, t / n_arms, state.tree[1], min(1.0, aim / t))
            used = raise_level(source, level, left, means, rule, state, undo)
            if used < 0:
                undo_window(state, undo)
                pace *= 0.125
                continue
            for k in range(n_arms):
                set_value(state.tree, k, arm_index(rule, state.n[k], state.s[k]))
            t += used
        pulls[c] = state.n
        sums[c] = state.s


@compiled
def noise_dominates(rule: IndexRule, pulls: float, level: float) -> bool:
    """Whether the least index may be due to noise: I is under WINDOW_LEVEL for that many pulls."""
    return pulls < 1.0 or squared_edge(rule, pulls, level) < WINDOW_LEVEL * WINDOW_LEVEL


@compiled
def level_after(rule: IndexRule, pulls: float, level: float, growth: float) -> float:
    """The level at which arms that follow their means have 1 + growth times as many pulls."""
    if rule.log_weight == 0.0:
        return level * math.sqrt(1.0 + growth)
    more = growth * squared_edge(rule, pulls, level)
    return level + more + rule.log_weight * math.log(1.0 + growth)


@compiled
def excursion(
    source: Source, left: int, means: np.ndarray, rule: IndexRule, state: BudgetState
) -> int:
    """Pull the leader until it leads no more, at most ``left`` times; return how often."""
    k = leader(state.tree)
    level = runner_up_value(state.tree, k)
    used = 0
    if state.head[k] == state.tail[k] and state.active[k, URN] == 0:  # most excursions are short
        used, index = pull_while_leading(
            source, k, min(left, FIRST), means[k], rule, level, state.n, state.s
        )
        if used == left or index >= level:
            set_value(state.tree, k, index)
            return used
    while True:
        next_block(source, k, means[k], rule, level, left - used, state)
        state.n[k] += state.active[k, PULLS]
        state.s[k] += state.active[k, ONES]
        used += state.active[k, PULLS]
        index = arm_index(rule, state.n[k], state.s[k])
        if used == left or index >= level:
            set_value(state.tree, k, index)
            if used == left or leader(state.tree) != k:
                return used


@compiled
def raise_level(
    source: Source, level: float, left: int, means: np.ndarray, rule: IndexRule,
    state: BudgetState, undo: Undo,
) -> int:  # fmt: skip
    """Pull every arm until its index exceeds the level, writing a log; return the pulls needed.

    -1 if that takes more than ``left`` pulls or lines: then the window must be undone.
    """
    used, lines, fits = 0, 0, True
    leaves = state.tree.size >> 1
    room = undo.log.shape[0] - np.sum(state.tail - state.head)  # both must fit into one table
    for k in range(state.n.size):
        undo.log_start[k] = lines
        index = state.tree[leaves + k]
        while index <= level and fits:
            if used == left or lines >= room:
                fits = False
                break
            next_block(source, k, means[k], rule, level, left - used, state)
            for column in range(WORD + 1):
                undo.log[lines, column] = state.active[k, column]
            lines += 1
            state.n[k] += state.active[k, PULLS]
            state.s[k] += state.active[k, ONES]
            used += state.active[k, PULLS]
            index = arm_index(rule, state.n[k], state.s[k])
    undo.log_start[state.n.size] = lines
    return used if fits else -1


@compiled
def next_block(
    source: Source, k: int, mean: float, rule: IndexRule, level: float, limit: int,
    state: BudgetState,
) -> None:  # fmt: skip
    """Write into its active row the arm's next block below the level.

    The index is at most the level while |d| <= e(n), see :func:`edge_of_level`. As e is concave,
    over the next m pulls it falls by no more than (e(n) - e(n + m)) / m per pull.
    """
    n, s = state.n[k], state.s[k]
    limit = min(limit, n)
    edge = edge_of_level(rule, n, level)
    ahead = edge_of_level(rule, n + limit, level)
    while ahead == -np.inf and limit > 1:  # the logarithm alone exceeds the level there
        limit >>= 1
        ahead = edge_of_level(rule, n + limit, level)
    closing = max(0.0, (edge - ahead) / limit) if ahead > -np.inf else 0.0
    edge -= rounding_slack(n)
    d = s - n * rule.tau
    if state.head[k] == state.tail[k]:
        open_block(source, k, n, mean, rule.tau, edge - d, edge + d, closing, limit, state.active)
        return
    row = state.head[k]
    m = safe_length(edge - d, edge + d, closing, rule.tau, limit)
    m = min(m, state.future[row, PULLS])
    cut_front(source, k, n, m, state.future, row, state.active)
    if state.future[row, PULLS] == 0:
        state.head[k] += 1


@compiled
def edge_of_level(rule: IndexRule, n: float, level: float) -> float:
    """e(n): the index is at most the level while |d| <= e(n); minus infinity if it cannot be."""
    squared = squared_edge(rule, n, level)
    return math.sqrt(n * squared) - rule.zeta * n if squared >= 0.0 else -np.inf


@compiled
def undo_window(state: BudgetState, undo: Undo) -> None:
    """Undo a window: its log becomes the first part of each arm's future."""
    filled = 0
    for k in range(state.n.size):
        start = filled
        for line in range(undo.log_start[k], undo.log_start[k + 1]):
            state.n[k] -= undo.log[line, PULLS]
            state.s[k] -= undo.log[line, ONES]
            undo.spare[filled] = undo.log[line]
            filled += 1
        for row in range(state.head[k], state.tail[k]):
            undo.spare[filled] = state.future[row]
            filled += 1
        state.head[k], state.tail[k] = start, filled
    state.future[:filled] = undo.spare[:filled]
