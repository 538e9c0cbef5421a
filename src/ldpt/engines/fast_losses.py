"""Whether a run of an index policy errs at its budgets, without finding where it stands there.

As long as some index is at most l, no arm is pulled beyond its first passage over l. So if the arms
together take T pulls or more to pass l, each of them is, after T pulls, somewhere between where it
is now and its first passage. If no estimate crosses the threshold on that way, the answer is the
same wherever the arms are, and so is the loss at every budget up to T. To see that, a *look ahead*
walks each arm in long blocks past its first passage; where exactly that is, is not needed. That it
takes T pulls to pass l is certain once so many pulls of some arms are known not to touch l; those
of the hardest arms are enough.

If a crossing leaves the loss open, the look ahead is undone and the run goes on as in
:mod:`ldpt.engines.fast_budget`, to the next budget or until another look ahead is likely to
succeed. Responses that were drawn are kept, then and at a budget: whether a look ahead settles a
loss depends on responses after the budget, which must not be drawn again.
"""

from typing import NamedTuple

import numpy as np

from ldpt.engines import tuning
from ldpt.engines.blocks import NO_EDGE_DISTANCE, Corridor, rounding_slack, worthwhile_distance
from ldpt.engines.fast_budget import (
    BudgetState,
    complexity,
    continue_run,
    corridor_below,
    level_after,
    log_room,
    next_blocks,
    restart,
    squared_speed,
    undo_window,
)
from ldpt.engines.indices import (
    OPEN,
    RIGHT,
    WRONG,
    LossCriterion,
    arm_index,
    is_loss,
    is_wrong_side,
    squared_edge,
)
from ldpt.engines.jit import compiled_without_refcount
from ldpt.engines.sources import WORD_SIZE, Source
from ldpt.policies import IndexRule


class LookAheadState(NamedTuple):
    """A verdict on all budgets up to ``reach`` more pulls.

    If it is open, the estimate of ``arm`` crosses the threshold with pull ``crossing``.
    """

    verdict: int
    reach: int
    arm: int
    crossing: int


@compiled_without_refcount
def run_for_losses(
    source: Source, means: np.ndarray, rule: IndexRule, criterion: LossCriterion,
    state: BudgetState, losses: np.ndarray,
) -> None:  # fmt: skip
    """Make one run from its first pull; losses[c]: whether it errs at budgets[c]."""
    budgets, n_arms = criterion.budgets, means.size
    t, c = 0, 0
    restart(state)
    enough = tuning.LOOK_AHEAD_FROM
    arm, crossing = 0, 0  # the next crossing that is known
    while c < budgets.size:
        stop = budgets[c]
        if t == stop:
            losses[c] = is_loss(state.n, state.s, rule.tau, criterion)
            c += 1
            continue
        # The larger the least index, the rarer are estimates that cross the threshold.
        quiet = squared_edge(rule, t / n_arms, state.tree[1]) if t >= n_arms else 0.0
        if quiet >= enough:
            # A known crossing ahead leaves later budgets open: aim at the next one only.
            target = budgets[-1] if state.n[arm] >= crossing else stop
            level = level_after(
                rule, t / n_arms, state.tree[1], tuning.LOOK_AHEAD_REACH * target / t - 1.0
            )
            outlook = look_ahead(source, level, target - t, means, rule, criterion, state)
            # Settled up to the last budget: no further pull can change a loss.
            if outlook.verdict != OPEN and outlook.reach == budgets[-1] - t:
                losses[c:] = outlook.verdict == WRONG
                return
            undo_window(rule, state)
            if outlook.verdict == OPEN:
                arm, crossing = outlook.arm, outlook.crossing
                if target > stop:
                    continue
            elif t + outlook.reach >= stop:
                while c < budgets.size and budgets[c] <= t + outlook.reach:
                    losses[c] = outlook.verdict == WRONG
                    c += 1
                continue
            # Try again only when crossings have become rarer.
            enough = tuning.LOOK_AHEAD_GROWTH * quiet
        t = continue_run(source, t, stop, enough, means, rule, state)


@compiled_without_refcount
def look_ahead(
    source: Source, level: float, needed: int, means: np.ndarray, rule: IndexRule,
    criterion: LossCriterion, state: BudgetState,
) -> LookAheadState:  # fmt: skip
    """Walk arms past their first passage over the level, writing a log, and watch their sides."""
    n, s, tree = state.n, state.s, state.tree
    leaves = tree.size >> 1
    room = log_room(state)
    log, log_start = state.log[:room], state.log_start
    reach, lines, some_wrong, is_wrong = 0, 0, False, False
    crossed, crossing = -1, 0
    hardness = complexity(rule, means)
    for k in range(n.size):
        some_wrong |= is_wrong_side(k, is_above(rule, n[k], s[k]), criterion)
    for k in range(n.size):
        log_start[k] = lines
        start = n[k]
        above = is_above(rule, n[k], s[k])
        index = tree[leaves + k]
        speed = squared_speed(rule, means[k])
        is_watched = criterion.must_accept[k] or criterion.must_reject[k]
        # Arms that expect few pulls add little to the reach: only their sides are watched.
        counts = n.size > tuning.MIN_PULL_SHARE * speed * hardness and reach < needed
        while index <= level and n[k] - start < needed and (is_watched or counts):
            if lines >= room:
                log_start[k + 1 :] = lines
                return LookAheadState(OPEN, 0, k, n[k] + 1)
            left = needed - (n[k] - start)
            if counts:
                corridor = corridor_below(rule, level, n[k], s[k], left)
                near = 2.0 * min(corridor.up, corridor.down)
                if n[k] > tuning.MIN_BLOCK and near < worthwhile_distance(
                    means[k], corridor, False
                ):
                    # Blocks get short near the edge: count what there is, then only watch.
                    counts = False
                    reach += n[k] - start
                    continue
            else:
                # Without an edge the arm jumps as far as its drift takes to the level.
                more = int(min(float(left), squared_edge(rule, n[k], level) / speed)) - n[k]
                more = min(left, max(WORD_SIZE, more, n[k] >> 2))
                corridor = Corridor(NO_EDGE_DISTANCE, NO_EDGE_DISTANCE, 0.0, 0.0, rule.tau, more)
            if is_watched:
                corridor = on_side(corridor, rule, n[k], s[k])
            _, lines = next_blocks(source, k, means[k], corridor, state, log, lines)
            index = arm_index(rule, n[k], s[k])
            if is_watched and is_above(rule, n[k], s[k]) != above:
                is_watched = False
                if crossed < 0:
                    crossed, crossing = k, n[k]
                # No arm is on its wrong side: this crossing alone can make the answer wrong.
                if not some_wrong:
                    log_start[k + 1 :] = lines
                    return LookAheadState(OPEN, 0, crossed, crossing)
        if counts:
            reach += n[k] - start
        is_wrong |= is_watched and is_wrong_side(k, above, criterion)
    log_start[n.size] = lines
    reach = min(reach, needed)  # what comes after that was not watched
    if is_wrong:
        return LookAheadState(WRONG, reach, crossed, crossing)
    return LookAheadState(OPEN if crossed >= 0 else RIGHT, reach, crossed, crossing)


@compiled_without_refcount
def is_above(rule: IndexRule, n: int, s: int) -> bool:
    """Whether the arm would be returned."""
    return s > n * rule.tau


@compiled_without_refcount
def on_side(corridor: Corridor, rule: IndexRule, n: int, s: int) -> Corridor:
    """Return the part of the corridor in which the arm stays on its side of the threshold."""
    d = s - n * rule.tau
    slack = rounding_slack(n)
    up = corridor.up if d > 0.0 else min(corridor.up, -d - slack)
    down = min(corridor.down, d - slack) if d > 0.0 else corridor.down
    return Corridor(
        up, down, corridor.up_closing, corridor.down_closing, corridor.tau, corridor.limit
    )
