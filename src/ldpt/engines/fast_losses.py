"""Whether a run of an index policy errs at its budgets, without finding where it stands there.

A window (:mod:`ldpt.engines.fast_budget`) takes every arm from its first passage over one level to
that over a higher one. At a budget that falls between, each arm is somewhere on its way. If no
estimate crossed the threshold on its way, the answer is the same wherever the arms are, and so is
the loss: it needs no more pulls, nor the order in which the arms were pulled. A window may then
end beyond the budget. Only if a crossing leaves the loss open, the window is undone and the run
made to the very budget. Nothing that was drawn is forgotten, neither then nor at a budget: whether
a window is undone depends on responses after the budget, which must not be drawn again.
"""

import numpy as np

from ldpt.engines.decisions import Judge, is_loss, squared_edge
from ldpt.engines.fast_budget import (
    ABOVE,
    BELOW,
    BOTH,
    BudgetState,
    go_to,
    level_after,
    raise_level,
    restart,
    undo_window,
)
from ldpt.engines.jit import borrowing
from ldpt.engines.sources import Source, draw_sum
from ldpt.policies import IndexRule

FIRST_PULLS = 8  # per arm, made before the first window
DOUBT = 1.0  # I^2 up to which most windows see an estimate cross the threshold
FAR = 2.0  # budgets of more than so many times the pulls made are approached first
APPROACH = 0.7  # part of the way that an approach aims at
DOUBLE = 1.0  # most by which an approach aims to multiply the pulls made so far
BEYOND = 1.15  # multiple of the budget at which a window over it aims

RIGHT, WRONG, OPEN = range(3)


@borrowing
def run_for_losses(
    source: Source, means: np.ndarray, rule: IndexRule, judge: Judge, state: BudgetState,
    losses: np.ndarray,
) -> None:  # fmt: skip
    """One run from its first pull; losses[c]: whether it errs at budgets[c]."""
    budgets, n_arms = judge.budgets, means.size
    restart(state)
    t, c = 0, 0
    while c < budgets.size:
        stop = budgets[c]
        if t == stop:
            losses[c] = is_loss(state.n, state.s, rule.tau, judge)
            c += 1
            continue
        if n_arms == 1:
            state.n[0], state.s[0] = stop, state.s[0] + draw_sum(source, 0, t, stop - t, means[0])
            t = stop
            continue
        first = FIRST_PULLS * n_arms
        if t < first or squared_edge(rule, t / n_arms, state.tree[1]) < DOUBT:
            end = min(stop, first) if t < first else stop
            go_to(source, t, end, means, rule, state)
            t = end
            continue
        approaches = stop > FAR * t
        growth = min(DOUBLE, APPROACH * (stop / t - 1.0)) if approaches else BEYOND * stop / t - 1.0
        level = level_after(rule, t / n_arms, state.tree[1], growth)
        used = raise_level(source, level, 4 * stop, True, means, rule, state)
        if 0 <= used <= stop - t:
            t += used
            continue
        verdict = verdict_of(state.sides, judge) if used > 0 else OPEN
        if verdict == OPEN:
            undo_window(rule, state)
            go_to(source, t, stop, means, rule, state)
            t = stop
            continue
        t += used
        while c < budgets.size and budgets[c] < t:
            losses[c] = verdict == WRONG
            c += 1


@borrowing
def verdict_of(sides: np.ndarray, judge: Judge) -> int:
    """Whether a run errs at every moment of a window or at none, if one is certain."""
    verdict = RIGHT
    for k in range(sides.size):
        side, accept, reject = sides[k], judge.must_accept[k], judge.must_reject[k]
        if (accept and side == BELOW) or (reject and side == ABOVE):
            return WRONG
        if (accept or reject) and side == BOTH:
            verdict = OPEN
    return verdict
