"""Index policies without comparing all arms for every pull, and without drawing every pull.

A run is made in two moves, both exact, both in blocks (:mod:`ldpt.engines.blocks`):

* *window*: while some arm's index is at most l, only arms with an index of at most l are pulled.
  Hence there is a time at which every arm has just passed l, and the order of pulls before it does
  not matter: each arm walks to its first passage over l alone.
* *excursion*: the arm with the least index is pulled until its index passes the second least. The
  last pulls before a checkpoint are made in excursions, because no window ends exactly there.

A window that turns out to need more pulls than are left to the next checkpoint is undone: arms
return to where they were, and responses already drawn are kept and reused, block by block, in
smaller blocks where needed. Nothing is drawn twice, so nothing is biased. Memory does not depend on
the budget: a window with too many blocks is undone as well.

All this holds for any index; Algorithm 1 and ``lsa`` differ in the edge of a level only
(:func:`ldpt.engines.indices.squared_edge`).
"""

import math
from typing import NamedTuple

import numpy as np

from ldpt.engines import blocks, tuning
from ldpt.engines.bits import first_bits, popcount
from ldpt.engines.blocks import NO_EDGE_DISTANCE, STEPPED, Corridor
from ldpt.engines.indices import arm_index, is_clearly_below, squared_edge
from ldpt.engines.jit import compiled, compiled_without_refcount
from ldpt.engines.sources import WORD_SIZE, Source, draw_sum, draw_word
from ldpt.engines.tournament import index_bits, leader, runner_up_value, set_value
from ldpt.engines.undone_blocks import FREE_ROWS, reread_block, walk_in_rows
from ldpt.policies import IndexRule


class BudgetState(NamedTuple):
    """Where a run stands: pulls and sums, the tournament of indices, blocks begun and to come.

    To undo a window takes its log, the blocks of arm after arm, and a table to copy into.
    """

    n: np.ndarray
    s: np.ndarray
    tree: np.ndarray
    active: np.ndarray
    future: np.ndarray
    head: np.ndarray  # the arm's future: rows head to tail - 1
    tail: np.ndarray
    log: np.ndarray
    log_start: np.ndarray
    spare: np.ndarray


@compiled
def new_state(n_arms: int, budget: int) -> BudgetState:
    """Return tables for a run of up to ``budget`` pulls."""
    # A window logs at most one block per pull; a longer log ends the window (:func:`log_room`).
    rows = min(budget + 1, tuning.LOG_ROWS + 64 * n_arms) + 2 * FREE_ROWS * n_arms
    return BudgetState(
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms, np.int64),
        np.full(2 << index_bits(n_arms), np.inf),
        np.zeros(n_arms, blocks.ARM),
        np.empty(rows, blocks.BLOCK),
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms, np.int64),
        np.empty(rows, blocks.BLOCK),
        np.zeros(n_arms + 1, np.int64),
        np.empty(rows, blocks.BLOCK),
    )


@compiled_without_refcount
def restart(state: BudgetState) -> None:
    """Reset the state to that of a run without pulls."""
    state.n[:] = 0
    state.s[:] = 0
    for k in range(state.n.size):
        set_value(state.tree, k, -np.inf)  # so that every arm is pulled once, in order
    forget(state)


@compiled_without_refcount
def forget(state: BudgetState) -> None:
    """Discard the responses that no pull has read; those to come are independent of them.

    What a run has done at a checkpoint is a function of the responses that its pulls have read,
    however the engine came to know it.
    """
    blocks.clear_active(state.active)
    state.head[:] = 0
    state.tail[:] = 0


@compiled
def fixed_budget_fast(
    source: Source, means: np.ndarray, rule: IndexRule, budgets: np.ndarray, pulls: np.ndarray,
    sums: np.ndarray,
) -> None:  # fmt: skip
    """Make a run with the law of the literal engine, and on a tape its states."""
    stages = np.empty((budgets.size, means.size))
    stages[:] = means
    run_to_budgets(source, stages, rule, budgets, new_state(means.size, budgets[-1]), pulls, sums)


@compiled
def run_to_budgets(
    source: Source, stages: np.ndarray, rule: IndexRule, budgets: np.ndarray, state: BudgetState,
    pulls: np.ndarray, sums: np.ndarray,
) -> None:  # fmt: skip
    """Make one run from its first pull; row c of ``pulls`` and ``sums``: the arms at budgets[c].

    The arms have the means stages[c] up to budgets[c].
    """
    restart(state)
    t = 0
    for c in range(budgets.size):
        t = continue_run(source, t, budgets[c], np.inf, stages[c], rule, state)
        pulls[c], sums[c] = state.n, state.s
        # The means may change here: responses drawn ahead would have the old ones.
        forget(state)


@compiled_without_refcount
def continue_run(
    source: Source, t: int, stop: int, enough: float, means: np.ndarray, rule: IndexRule,
    state: BudgetState,
) -> int:  # fmt: skip
    """Advance the run to ``stop`` pulls; keep responses drawn ahead.

    Or until I^2 is ``enough`` for all arms but the leader; return how many pulls have been made.
    """
    n_arms = means.size
    if n_arms == 1:  # no choice to make
        state.s[0] += draw_sum(source, 0, t, stop - t, means[0])
        state.n[0] = stop
        return stop
    escape = complexity(rule, means)
    pace = 1.0
    while t < stop and (t < n_arms or squared_edge(rule, t / n_arms, state.tree[1]) < enough):
        aim = pace * tuning.WINDOW_SHARE * (stop - t)
        if (
            t < n_arms
            or aim < tuning.MIN_WINDOW * n_arms
            or is_noisy(rule, state.tree[1], stop - t, escape)
        ):
            # A window would cost more than it saves, or would probably be undone.
            moves = min(stop - t, tuning.MIN_WINDOW * n_arms)
            t += excursions(source, moves, stop - t, means, rule, state)
            # Windows return to their full length step by step.
            pace = min(1.0, 2.0 * pace)
            continue
        level = level_after(rule, t / n_arms, state.tree[1], min(tuning.MAX_GROWTH, aim / t))
        pulls_of_window = raise_level(source, level, stop - t, means, rule, state)
        # It needs more pulls than are left: undo it and try a shorter one.
        if pulls_of_window < 0:
            undo_window(rule, state)
            pace *= tuning.SHORTER_WINDOW
            continue
        t += pulls_of_window
    return t


@compiled_without_refcount
def is_noisy(rule: IndexRule, level: float, left: int, escape: float) -> bool:
    """Whether a window may well be undone, at a cost: an arm may stay below its level for long.

    Where noise dominates, |d| / sqrt(n) alone takes ever longer to reach a level, and only an arm's
    drift takes it there, after ``escape`` pulls of all arms; with log n in the index it does not.
    """
    return rule.log_weight == 0.0 and level < 1.0 and tuning.CHEAP_UNDO < left < 2.0 * escape


@compiled_without_refcount
def squared_speed(rule: IndexRule, mean: float) -> float:
    """Return I^2 per pull of an arm that follows its mean."""
    speed = abs(mean - rule.tau) + rule.zeta
    return max(speed * speed, 1e-18)


@compiled_without_refcount
def complexity(rule: IndexRule, means: np.ndarray) -> float:
    """Return the pulls after which I^2 is 1 for arms that follow their means."""
    pulls = 0.0
    for k in range(means.size):
        pulls += 1.0 / squared_speed(rule, means[k])
    return pulls


@compiled_without_refcount
def level_after(rule: IndexRule, pulls: float, level: float, growth: float) -> float:
    """Return the level at which arms that follow their means have 1 + growth times the pulls."""
    squared = max(tuning.MIN_SQUARED_INDEX, squared_edge(rule, pulls, level))
    # I^2 grows in proportion to the pulls; log n in the index adds its own growth.
    if rule.log_weight == 0.0:
        return squared * (1.0 + growth)
    return level + growth * squared + rule.log_weight * math.log(1.0 + growth)


@compiled_without_refcount
def excursions(
    source: Source, moves: int, left: int, means: np.ndarray, rule: IndexRule, state: BudgetState
) -> int:
    """Make whole excursions for ``moves`` pulls or more, at most ``left``; return how many.

    Most excursions are short: their first pulls are compared one by one, without a corridor.
    """
    n, s, tree, no_log = state.n, state.s, state.tree, state.log[:0]
    used = 0
    while used < moves:
        k = leader(tree)
        level = runner_up_value(tree, k)
        index = -np.inf
        # Single pulls must not split a block whose sum alone is known.
        if has_no_known_sum(k, state):
            most = min(left - used, tuning.EXCURSION_PULLS)
            used += step_to_level(source, k, means[k], rule, level, most, state)
            index = arm_index(rule, n[k], s[k])
        while used < left and index < level:
            corridor = corridor_below(rule, level, n[k], s[k], left - used)
            used += next_blocks(source, k, means[k], corridor, state, no_log, 0)[0]
            index = arm_index(rule, n[k], s[k])
        set_value(tree, k, index)
    return used


@compiled_without_refcount
def next_blocks(
    source: Source, k: int, mean: float, corridor: Corridor, state: BudgetState, log: np.ndarray,
    line: int,
) -> tuple[int, int]:  # fmt: skip
    """Pull arm k inside its corridor; return how often, and the next line of the log, if any.

    One block of those known already or to be drawn at once, or words until an edge is touched.
    """
    active, n = state.active, state.n[k]
    m, ones = 0, 0
    # Responses of an undone window come first: nothing is drawn twice.
    if state.head[k] < state.tail[k]:
        state.head[k], m, ones, line = walk_in_rows(
            corridor, state.future, state.head[k], state.tail[k], log, line
        )
        if m == 0:
            # The next row reaches beyond the corridor: read it again, in parts.
            free = state.head[k] - (state.tail[k - 1] if k > 0 else 0)
            state.head[k] = reread_block(
                source, k, n, corridor, state.future, state.head[k], free, active
            )
    elif active[k].urn > 0:
        blocks.step_in_urn(source, k, n, corridor, active)
    else:
        # Nothing is known of the next responses: one long block if the edges are far, else words.
        is_opened, edge = False, 0
        if min(corridor.up, corridor.down) >= blocks.NEAREST_BRIDGE:
            is_opened, edge = blocks.open_long_block(source, k, n, mean, corridor, False, active)
        if not is_opened:
            m, ones, line = blocks.walk_in_words(
                source, k, n, mean, corridor, False, active, log, line
            )
        elif edge != 0:
            # The block would touch an edge: the response that does is found one by one.
            blocks.fill_urn(k, edge, active)
            blocks.step_in_urn(source, k, n, corridor, active)
    if m == 0:  # one block, in the active row
        m, ones = active[k].pulls, active[k].ones
        if blocks.keeps(log):
            blocks.copy_block(active, k, log, line)
            line += 1
    state.n[k] += m
    state.s[k] += ones
    return m, line


@compiled_without_refcount
def raise_level(
    source: Source, level: float, left: int, means: np.ndarray, rule: IndexRule, state: BudgetState
) -> int:
    """Pull every arm until its index exceeds the level, writing a log; return the pulls needed.

    -1 if that takes more than ``left`` pulls or lines: then the window must be undone.
    """
    n, s, tree, log_start = state.n, state.s, state.tree, state.log_start
    used, lines = 0, 0
    leaves = tree.size >> 1
    room = log_room(state)
    log = state.log[:room]
    for k in range(n.size):
        log_start[k] = lines
        # Arms pass the level one after the other: their order before that time does not matter.
        index = tree[leaves + k]
        while index <= level:
            if used == left or lines >= room:
                log_start[k + 1 :] = lines
                return -1
            # The index of a young arm moves too much per pull for a corridor.
            if n[k] < tuning.SINGLE_PULLS and has_no_known_sum(k, state):
                m = step_to_level(source, k, means[k], rule, level, left - used, state)
                blocks.copy_block(state.active, k, log, lines)
                lines += 1
            else:
                corridor = corridor_below(rule, level, n[k], s[k], left - used)
                m, lines = next_blocks(source, k, means[k], corridor, state, log, lines)
            used += m
            index = arm_index(rule, n[k], s[k])
        # Only arms that were pulled have a new index.
        if lines > log_start[k]:
            set_value(tree, k, index)
    log_start[n.size] = lines
    return used


@compiled_without_refcount
def log_room(state: BudgetState) -> int:
    """Return the lines that a window may write: log, future and gaps must fit into one table."""
    return max(0, state.log.shape[0] - state.tail[-1] - FREE_ROWS * state.n.size)


@compiled_without_refcount
def has_no_known_sum(k: int, state: BudgetState) -> bool:
    """Whether nothing but its rest is known of the arm's next responses."""
    return state.head[k] == state.tail[k] and state.active[k].urn == 0


@compiled_without_refcount
def step_to_level(
    source: Source, k: int, mean: float, rule: IndexRule, level: float, most: int,
    state: BudgetState,
) -> int:  # fmt: skip
    """Pull arm k up to ``most`` times, in its rest or a new word, until its index is at the level.

    Pulls are compared one by one. They become the arm's block; return their number.
    """
    active = state.active
    if active[k].rest_size == 0:
        active[k].rest = draw_word(source, k, state.n[k], mean)
        active[k].rest_size = WORD_SIZE
    most = min(most, active[k].rest_size)
    m = pulls_to_level(active[k].rest, most, rule, level, state.n[k], state.s[k])
    word = first_bits(active[k].rest, m)
    active[k].kind = STEPPED
    active[k].pulls = m
    active[k].ones = popcount(word)
    active[k].word = word
    active[k].rest >>= m
    active[k].rest_size -= m
    state.n[k] += m
    state.s[k] += active[k].ones
    return m


@compiled_without_refcount
def pulls_to_level(word: int, most: int, rule: IndexRule, level: float, n: int, s: int) -> int:
    """Return the responses until the index reaches the level, or ``most`` if it does not."""
    horizon, squared = n, -1.0  # up to the horizon, I^2 < squared keeps the index below the level
    for m in range(1, most):
        s += word & 1
        word >>= 1
        n += 1
        if n > horizon:
            # One evaluation of the level serves the next n / 8 pulls.
            horizon = n + (n >> 3)
            squared = squared_edge(rule, horizon, level)
        if not is_clearly_below(rule, n, s, squared) and arm_index(rule, n, s) >= level:
            return m
    return most


@compiled_without_refcount
def corridor_below(rule: IndexRule, level: float, n: int, s: int, limit: int) -> Corridor:
    """Return edges between which an arm stays below the level, and for how many pulls they hold.

    The index is at most the level while |d| <= e(n), see :func:`edge_of_level`. As e is concave,
    over the next m pulls it falls by no more than (e(n) - e(n + m)) / m per pull. A clipped index
    is also at most the level while n cap <= e(n), however far d is: then that side has no edge.
    Once this fails, with n growing, it never holds again.
    """
    # A longer chord would lie far below the concave edge, and the corridor would be narrow.
    limit = min(limit, n)
    d = s - n * rule.tau
    slack = blocks.rounding_slack(n)
    cap = rule.cap_above if d > 0.0 else rule.cap_below
    edge = edge_of_level(rule, n, level)
    ahead = edge_of_level(rule, n + limit, level)
    needs_cap = n * cap <= edge - slack < abs(d) + math.sqrt(n)  # no edge, but one near if it had
    while limit > 1 and (
        ahead == -np.inf  # the logarithm alone exceeds the level there
        or (needs_cap and (n + limit) * cap > ahead - slack)
    ):
        limit >>= 1
        ahead = edge_of_level(rule, n + limit, level)
    closing = max(0.0, (edge - ahead) / limit) if ahead > -np.inf else 0.0
    edge, ahead = edge - slack, ahead - slack
    up, up_closing, down, down_closing = edge - d, closing, edge + d, closing
    if n * rule.cap_above <= edge and (n + limit) * rule.cap_above <= ahead:
        up, up_closing = NO_EDGE_DISTANCE, 0.0
    if n * rule.cap_below <= edge and (n + limit) * rule.cap_below <= ahead:
        down, down_closing = NO_EDGE_DISTANCE, 0.0
    return Corridor(up, down, up_closing, down_closing, rule.tau, limit)


@compiled_without_refcount
def edge_of_level(rule: IndexRule, n: float, level: float) -> float:
    """Return e(n): the index is at most the level while |d| <= e(n); -inf if it cannot be."""
    squared = squared_edge(rule, n, level)
    return math.sqrt(n * squared) - rule.zeta * n if squared >= 0.0 else -np.inf


@compiled_without_refcount
def rows_after_undo(state: BudgetState) -> int:
    """Return how many rows log and futures take with free rows in front of every arm."""
    rows = state.log_start[-1]
    for k in range(state.n.size):
        rows += FREE_ROWS + state.tail[k] - state.head[k]
    return rows


@compiled_without_refcount
def undo_window(rule: IndexRule, state: BudgetState) -> None:
    """Undo a window: its log becomes the first part of each arm's future.

    The result fits into the table if anything was logged (:func:`log_room`). If nothing was, and
    the free rows in front of each arm would no longer fit, there is nothing to undo.
    """
    filled = 0
    if state.log_start[-1] == 0 and rows_after_undo(state) > state.spare.shape[0]:
        return
    for k in range(state.n.size):
        # Reading again cuts rows, and the parts need room in front.
        start = filled = filled + FREE_ROWS
        for line in range(state.log_start[k], state.log_start[k + 1]):
            state.n[k] -= state.log[line].pulls
            state.s[k] -= state.log[line].ones
            blocks.copy_block(state.log, line, state.spare, filled)
            filled += 1
        # What the window has not read follows its log.
        for row in range(state.head[k], state.tail[k]):
            blocks.copy_block(state.future, row, state.spare, filled)
            filled += 1
        if state.log_start[k + 1] > state.log_start[k]:
            set_value(state.tree, k, arm_index(rule, state.n[k], state.s[k]))
        state.head[k], state.tail[k] = start, filled
    for row in range(filled):
        blocks.copy_block(state.spare, row, state.future, row)
