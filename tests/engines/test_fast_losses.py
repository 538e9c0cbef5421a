"""Losses without the states at the budgets.

The statistical test is seeded and fails by chance with probability 1e-4 in each case.
"""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from ldpt.engines import fast_losses, loops
from ldpt.engines.decisions import Judge
from ldpt.engines.fast_budget import ABOVE, BELOW, BOTH
from ldpt.policies import IndexRule
from tests.engines.laws import LEVEL


def test_verdict_is_open_only_where_a_crossing_matters():
    judge = Judge(np.array([1]), np.array([True, False, False]), np.array([False, True, False]))
    cases = {
        (ABOVE, BELOW, BOTH): fast_losses.RIGHT,  # the last arm is free
        (BELOW, BOTH, BOTH): fast_losses.WRONG,  # whatever the second arm does
        (BOTH, ABOVE, ABOVE): fast_losses.WRONG,
        (BOTH, BELOW, ABOVE): fast_losses.OPEN,
        (ABOVE, BOTH, BELOW): fast_losses.OPEN,
    }
    for sides, verdict in cases.items():
        assert fast_losses.verdict_of(np.array(sides), judge) == verdict, sides


@pytest.mark.parametrize("log_weight", [0.0, 0.5])
def test_losses_at_several_budgets_have_the_joint_law_of_the_literal_engine(log_weight):
    """Which budgets a run errs at, where most losses are found without the states."""
    means, rule = np.array([0.6, 0.4, 0.4]), IndexRule(0.5, 0.0, log_weight)
    budgets = np.array([300, 350, 400, 450, 500])
    judge = Judge(budgets, means > 0.5, means < 0.5)
    patterns = []
    for fast in (False, True):
        losses = np.empty((100_000, budgets.size), np.bool_)
        loops.index_losses(np.random.default_rng(7 + fast), fast, means, rule, judge, losses)
        patterns.append(np.bincount(losses @ (1 << np.arange(budgets.size)), minlength=32))
    table = np.array(patterns)
    rare = table.sum(axis=0) < 20
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    assert table.shape[1] > 9
    assert chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue > LEVEL
