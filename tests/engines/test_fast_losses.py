"""Losses without the states at the budgets.

The statistical test is seeded and fails by chance with probability 1e-4 in each case.
"""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from ldpt.engines import fast_losses
from ldpt.engines.budget_runs import fast_losses as fill_fast_losses
from ldpt.engines.budget_runs import literal_losses
from ldpt.engines.fast_budget import continue_run, new_state, restart, undo_window
from ldpt.engines.indices import LossCriterion, is_loss
from ldpt.engines.jit import compiled
from ldpt.engines.literal_budget import fixed_budget_literal
from ldpt.engines.sources import tape_from_responses
from ldpt.policies import IndexRule
from tests.engines.laws import LEVEL


@compiled
def look_from(tape, start, level, needed, means, rule, criterion, state):
    """Make a run to ``start`` pulls, look ahead from there, and undo it."""
    restart(state)
    continue_run(tape, 0, start, np.inf, means, rule, state)
    before = state.n.copy(), state.s.copy()
    seen = fast_losses.look_ahead(tape, level, needed, means, rule, criterion, state)
    undo_window(rule, state)
    return seen, before, (state.n.copy(), state.s.copy())


@pytest.mark.parametrize("log_weight", [0.0, 0.5])
def test_look_ahead_on_tapes_tells_the_literal_losses(log_weight):
    """A verdict is that of every pull up to its reach, and an open one names a real crossing."""
    seen_verdicts = np.zeros(3, np.int64)
    for number in range(400):
        rng = np.random.default_rng([number, int(2 * log_weight)])
        means, tau = rng.uniform(0.3, 0.7, int(rng.integers(2, 6))), 0.5
        rule, start, needed = IndexRule(tau, 0.0, log_weight), int(rng.integers(60, 400)), 2500
        tape = tape_from_responses(rng.random((means.size, 3000)) < means[:, None])
        judged = rng.random(means.size) < 0.8
        budgets = np.arange(start, start + needed + 1)
        wanted = (means >= tau) ^ (rng.random(means.size) < 0.2)  # so that some runs err all along
        criterion = LossCriterion(budgets, judged & wanted, judged & ~wanted)
        state = new_state(means.size, start + needed)
        level = float(rng.choice([1.0, 4.0, 16.0]))
        seen, before, after = look_from(tape, start, level, needed, means, rule, criterion, state)
        assert [x.tolist() for x in before] == [x.tolist() for x in after]
        seen_verdicts[seen.verdict] += 1
        if seen.verdict == fast_losses.OPEN:
            row, n = tape[seen.arm], seen.crossing
            assert judged[seen.arm]
            assert n > before[0][seen.arm]
            assert (row[n] > n * tau) != (row[n - 1] > (n - 1) * tau)
            continue
        pulls, sums = np.zeros((2, budgets.size, means.size), np.int64)
        fixed_budget_literal(tape, means, rule, budgets, pulls, sums)
        for c in range(seen.reach + 1):
            assert is_loss(pulls[c], sums[c], tau, criterion) == seen.verdict, (number, c)
    assert min(seen_verdicts) > 20


@pytest.mark.parametrize("log_weight", [0.0, 0.5])
def test_losses_at_several_budgets_have_the_joint_law_of_the_literal_engine(log_weight):
    """Which budgets a run errs at, where most losses are found without the states."""
    means, rule = np.array([0.6, 0.4, 0.4]), IndexRule(0.5, 0.0, log_weight)
    budgets = np.array([300, 350, 400, 450, 500])
    criterion = LossCriterion(budgets, means > 0.5, means < 0.5)
    patterns = []
    for fast in (False, True):
        losses, rng = np.empty((100_000, budgets.size), np.bool_), np.random.default_rng(7 + fast)
        if fast:
            fill_fast_losses(rng, means, rule, criterion, losses)
        else:
            sums = np.zeros((budgets.size, means.size), np.int64)
            literal_losses(rng, means, rule, criterion, sums, losses)
        patterns.append(np.bincount(losses @ (1 << np.arange(budgets.size)), minlength=32))
    table = np.array(patterns)
    rare = table.sum(axis=0) < 20
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    assert table.shape[1] > 9
    assert chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue > LEVEL
