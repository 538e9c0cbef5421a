"""Losses of runs so short that every response counts, from tables of whole numbers.

A run of some hundred pulls, such as the classical T = 500 on ten arms, has no blocks to jump over.
It is decided by the argument of :mod:`ldpt.engines.fast_losses`, with two levels that are fixed
before the first run: each arm walks alone to its first passage over the first level, and on to its
first passage over the last. If the arms together take no more pulls than the first budget to pass
the first level, and no fewer than the last budget to pass the last, then at every budget each arm
is somewhere between its two passages. If no estimate that matters crosses the threshold on that
way, the loss at all budgets is known, although nobody knows where the arms are.

An index grows with the distance of s from n tau. So for each level and each n there are two whole
numbers: the index exceeds the level if and only if s is at most the one or at least the other.
Comparing s with a table is the comparison of the literal engine, rounding included.

Otherwise the run is made as every other; what was drawn stays the future of its arm.
"""

import math
from typing import NamedTuple

import numpy as np

from ldpt.engines.blocks import (
    KIND,
    ONES,
    PULLS,
    REST,
    REST_SIZE,
    STEPPED,
    WORD,
)
from ldpt.engines.decisions import OPEN, RIGHT, WRONG, Judge, arm_index, is_wrong_side
from ldpt.engines.fast_budget import BudgetState, edge_of_level, forget, squared_speed
from ldpt.engines.jit import borrowing, compiled
from ldpt.engines.pull_order import popcount
from ldpt.engines.rereading import GAP
from ldpt.engines.sources import WORD_SIZE, Source, draw_word
from ldpt.engines.tournament import set_value
from ldpt.policies import IndexRule

LONGEST = 1000  # pulls of a run up to which single responses are cheaper than blocks
MIN_FIRST, MAX_FIRST = 1.2, 2.2  # I^2 of the first level; below, most runs see a crossing
BEFORE, BEYOND = 0.65, 1.75  # parts of the first and of the last budget at which the levels aim


class Passage(NamedTuple):
    """An arm with n pulls has passed a level if s <= low[n] or s >= high[n]."""

    low: np.ndarray
    high: np.ndarray


class ShortRuns(NamedTuple):
    """Tables by the number of pulls, and what is known of the run at hand."""

    first: Passage
    last: Passage
    below: np.ndarray  # the largest s that does not put the estimate above the threshold
    above: np.ndarray  # the least that does
    words: np.ndarray  # responses of each arm, one row per arm
    starts: np.ndarray  # pulls of each arm at its first passage


@compiled
def new_short_runs(means: np.ndarray, rule: IndexRule, judge: Judge) -> ShortRuns:
    """Tables for runs of this problem; empty if its runs are not short."""
    first, last, n_arms = judge.budgets[0], judge.budgets[-1], means.size
    complexity = 0.0
    for k in range(n_arms):
        complexity += 1.0 / squared_speed(rule, means[k])
    complexity = max(complexity, 1e-9)  # beyond any tolerance that leaves something to learn
    start = min(MAX_FIRST, BEFORE * first / complexity)
    is_short = 1 < n_arms <= first and last <= LONGEST and start >= MIN_FIRST
    size = last + 1 if is_short else 0
    below = np.empty(size, np.int64)
    for n in range(size):
        below[n] = int(n * rule.tau)
    share = complexity / n_arms
    return ShortRuns(
        passage_table(rule, level_at(rule, start, share), below),
        passage_table(rule, level_at(rule, BEYOND * last / complexity, share), below),
        below,
        below + 1,
        np.empty((n_arms, size // WORD_SIZE + 1), np.int64),
        np.zeros(n_arms, np.int64),
    )


@borrowing
def level_at(rule: IndexRule, squared: float, share: float) -> float:
    """The level of an arm at this I^2 whose pulls are an average share of the complexity."""
    if rule.log_weight == 0.0:
        return math.sqrt(squared)
    return squared + rule.log_weight * math.log(max(1.0, squared * share))


@compiled
def passage_table(rule: IndexRule, level: float, below: np.ndarray) -> Passage:
    """For each n, where the index as the engines compute it first exceeds the level."""
    low, high = np.empty(below.size, np.int64), np.empty(below.size, np.int64)
    for n in range(1, below.size):
        edge = edge_of_level(rule, n, level)
        reach = int(min(max(0.0, edge), n + 1.0))
        top = min(n + 1, below[n] + 1 + reach)
        while top > below[n] + 1 and arm_index(rule, n, top - 1) > level:
            top -= 1
        while top <= n and not arm_index(rule, n, top) > level:
            top += 1
        bottom = max(-1, below[n] - reach)
        while bottom < below[n] and arm_index(rule, n, bottom + 1) > level:
            bottom += 1
        while bottom >= 0 and not arm_index(rule, n, bottom) > level:
            bottom -= 1
        low[n], high[n] = bottom, top
    return Passage(low, high)


@borrowing
def judge_short_run(
    source: Source, means: np.ndarray, rule: IndexRule, judge: Judge, short: ShortRuns,
    state: BudgetState,
) -> tuple[int, int]:  # fmt: skip
    """The verdict on all budgets and, if it is open, how many pulls the state has been brought to.

    From there the run is to be made; the responses that are known already are the arms' future.
    """
    n, s, starts = state.n, state.s, short.starts
    first, last = judge.budgets[0], judge.budgets[-1]
    t = 0
    for k in range(n.size):
        n[k], s[k] = walk(source, k, means[k], 0, 0, last, short.first, short.words)
        starts[k] = n[k]
        t += n[k]
    if t > first:
        starts[:] = 1
        return_to_starts(rule, short, state)
        return OPEN, n.size
    reach, is_wrong, crosses = t, False, False
    for k in range(n.size):
        if not (judge.must_accept[k] or judge.must_reject[k]):
            continue  # free to cross
        above = s[k] > short.below[n[k]]
        if not has_passed(short.last, n[k], s[k]):
            edges = Passage(
                short.below if above else short.last.low, short.last.high if above else short.above
            )
            most = last - (t - starts[k])
            n[k], s[k] = walk(source, k, means[k], n[k], s[k], most, edges, short.words)
            reach += n[k] - starts[k]
        if (s[k] > short.below[n[k]]) != above:
            crosses = True
            break
        is_wrong |= is_wrong_side(k, above, judge)
    for k in range(n.size):
        if reach >= last or crosses:
            break
        is_free = not (judge.must_accept[k] or judge.must_reject[k])
        if is_free and not has_passed(short.last, n[k], s[k]):
            most = n[k] + last - reach
            n[k], s[k] = walk(source, k, means[k], n[k], s[k], most, short.last, short.words)
            reach += n[k] - starts[k]
    if crosses or reach < last:
        return_to_starts(rule, short, state)
        return OPEN, t
    return WRONG if is_wrong else RIGHT, last


@borrowing
def has_passed(passage: Passage, n: int, s: int) -> bool:
    """Whether the arm's index exceeds the level."""
    return s <= passage.low[n] or s >= passage.high[n]


@borrowing
def walk(
    source: Source, k: int, mean: float, n: int, s: int, most: int, edges: Passage,
    words: np.ndarray,
) -> tuple[int, int]:  # fmt: skip
    """Pull arm k until its sum is at one of the edges, or it has ``most`` pulls."""
    low, high = edges
    while n < most:
        j = n // WORD_SIZE
        i = n - j * WORD_SIZE
        if i == 0:
            words[k, j] = draw_word(source, k, n, mean)
        word = words[k, j] >> i
        end = min(most, n - i + WORD_SIZE)
        while n < end:
            n += 1
            s += word & 1
            word >>= 1
            if s <= low[n] or s >= high[n]:
                return n, s
    return n, s


@borrowing
def return_to_starts(rule: IndexRule, short: ShortRuns, state: BudgetState) -> None:
    """Bring every arm back to its start; what was drawn of it after that becomes its future."""
    forget(state)
    active, future, filled = state.active, state.future, 0
    for k in range(state.n.size):
        words, last = short.words[k], (state.n[k] - 1) // WORD_SIZE
        start = short.starts[k]
        j, ones = start // WORD_SIZE, 0
        read = start - j * WORD_SIZE
        for place in range(j):
            ones += popcount(words[place])
        filled += GAP
        state.head[k] = filled
        for place in range(j, last + 1):
            word, size = words[place] >> read, WORD_SIZE - read
            ones += popcount(words[place]) - popcount(word)
            read = 0
            if place == last:
                active[k, REST], active[k, REST_SIZE] = word, size
            else:
                future[filled, KIND], future[filled, PULLS] = STEPPED, size
                future[filled, ONES], future[filled, WORD] = popcount(word), word
                filled += 1
        state.tail[k] = filled
        state.n[k], state.s[k] = start, ones
        set_value(state.tree, k, arm_index(rule, start, ones))
