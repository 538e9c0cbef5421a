"""Losses of short runs from tables.

The statistical test is seeded and fails by chance with probability 1e-4 in each case.
"""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from ldpt.engines import loops
from ldpt.engines.decisions import OPEN, Judge, arm_index, is_loss
from ldpt.engines.fast_budget import go_on, new_state
from ldpt.engines.fast_losses import run_for_losses
from ldpt.engines.jit import compiled
from ldpt.engines.short_runs import judge_short_run, new_short_runs, passage_table
from ldpt.engines.sources import tape_from_responses
from ldpt.instances import Instance
from ldpt.policies import INDEX_POLICIES, POLICIES, IndexRule
from ldpt.simulate import fixed_budget
from tests.engines.laws import LEVEL


@compiled
def run_on(tape, t, stop, means, rule, state):
    """Go on with a run on a tape."""
    go_on(tape, t, stop, np.inf, means, rule, state)


@pytest.mark.parametrize("log_weight", [0.0, 0.5])
@pytest.mark.parametrize("tau", [0.0, 0.07, 0.3, 0.5, 0.9, 1.0])
def test_passage_table_is_the_comparison_of_indices(tau, log_weight):
    below = (np.arange(121) * tau).astype(np.int64)
    for zeta in (0.0, 0.013, 0.2):
        rule = IndexRule(tau, zeta, log_weight)
        for level in (0.5, 1.0, 1.37, 4.0):  # some indices equal a level
            low, high = passage_table(rule, level, below)
            for n in range(1, 121):
                passed = [arm_index(rule, n, s) > level for s in range(n + 1)]
                assert passed == [s <= low[n] or s >= high[n] for s in range(n + 1)], (rule, n)


def easy_problem(seed, policy):
    """A problem with short runs, budgets for it, and some arms that are judged by a wrong truth."""
    rng = np.random.default_rng(seed)
    n_arms, tau = int(rng.integers(2, 9)), float(rng.choice([0.5, 0.5, 0.3, 0.61]))
    side = rng.choice([-1, 1], n_arms)
    means = np.clip(tau + side * rng.uniform(0.05, 0.45, n_arms), 0, 1)
    rule = POLICIES[policy].rule(tau, float(rng.choice([0.0, 0.05, 0.1, 0.1])), np.inf)
    complexity = np.sum((np.abs(means - tau) + rule.zeta) ** -2.0)
    first = max(2 * n_arms, int(rng.uniform(1.9, 5) * complexity))
    last = first + int(rng.integers(0, 200))
    budgets = np.unique(np.append(rng.integers(first, last + 1, 3), [first, last]))
    judged, wanted = rng.random(n_arms) < 0.7, (side > 0) ^ (rng.random(n_arms) < 0.1)
    judge = Judge(budgets, judged & wanted, judged & ~wanted)
    run = 25 if rng.random() < 0.25 else 1  # runs of equal responses pass both levels at once
    responses = rng.random((n_arms, 1500 // run)) < means[:, None]
    return means, rule, judge, tape_from_responses(np.repeat(responses, run, axis=1))


@pytest.mark.parametrize("policy", INDEX_POLICIES)
def test_losses_and_states_on_tapes_are_those_of_the_literal_engine(policy):
    """Verdicts of all kinds; where one is open, the run goes on with the same responses."""
    verdicts, late_starts = np.zeros(3, np.int64), 0
    for number in range(1500):
        means, rule, judge, tape = easy_problem([number, 3], policy)
        budgets, n_arms = judge.budgets, means.size
        short = new_short_runs(means, rule, judge)
        if short.below.size == 0:
            continue
        pulls, sums = np.zeros((2, budgets.size, n_arms), np.int64)
        loops.fixed_budget_literal(tape, means, rule, budgets, pulls, sums)
        pairs = zip(pulls, sums, strict=True)
        expected = [is_loss(n, s, rule.tau, judge) for n, s in pairs]
        state = new_state(n_arms, budgets[-1])
        losses = np.empty(budgets.size, np.bool_)
        run_for_losses(tape, means, rule, judge, short, state, losses)
        assert losses.tolist() == expected, number
        verdict, t = judge_short_run(tape, means, rule, judge, short, state)
        verdicts[verdict] += 1
        if verdict == OPEN:
            late_starts += t == n_arms
            assert state.n.sum() == t
            run_on(tape, t, budgets[-1], means, rule, state)
            assert (state.n.tolist(), state.s.tolist()) == (pulls[-1].tolist(), sums[-1].tolist())
    assert min(verdicts) > 50
    assert late_starts > 3


@pytest.mark.parametrize("policy", INDEX_POLICIES)
def test_losses_of_short_runs_have_the_joint_law_of_the_literal_engine(policy):
    means, rule = np.array([0.75, 0.7, 0.3, 0.25, 0.5]), POLICIES[policy].rule(0.5, 0.08, np.inf)
    budgets = np.array([400, 420, 480])
    judge = Judge(budgets, means > 0.45, means < 0.45)  # the last arm errs half of the time
    assert new_short_runs(means, rule, judge).below.size > 0
    patterns = []
    for fast in (False, True):
        losses = np.empty((200_000, budgets.size), np.bool_)
        loops.index_losses(np.random.default_rng(11 + fast), fast, means, rule, judge, losses)
        patterns.append(np.bincount(losses @ (1 << np.arange(budgets.size)), minlength=8))
    table = np.array(patterns)
    assert np.count_nonzero(table.sum(axis=0) > 20) > 3
    assert chi2_contingency(table[:, table.sum(axis=0) > 20]).pvalue > LEVEL


def test_an_arm_beyond_both_levels_at_once_is_not_pulled_further():
    """One response takes the easy arms past the last level, so that the last arm is pulled on."""
    means, budgets = np.array([0.01] * 19 + [0.75]), np.array([67])
    rule = POLICIES["apt"].rule(0.01, 0.7316, np.inf)
    judge = Judge(budgets, means > 0.7416, means < 0)
    responses = np.zeros((20, 200), np.int64)
    responses[:19, 2] = responses[19, 6] = 1
    tape, state = tape_from_responses(responses), new_state(20, 67)
    short = new_short_runs(means, rule, judge)
    assert short.below.size > 0
    pulls, sums = np.zeros((2, 1, 20), np.int64)
    loops.fixed_budget_literal(tape, means, rule, budgets, pulls, sums)
    losses = np.empty(1, np.bool_)
    run_for_losses(tape, means, rule, judge, short, state, losses)
    assert losses[0] == is_loss(pulls[0], sums[0], rule.tau, judge)


@pytest.mark.parametrize("engine", ["fast", "literal"])
@pytest.mark.parametrize("tolerance", [5.0, 1e18, 1e20])
def test_absurd_tolerances_leave_nothing_to_lose(tolerance, engine):
    problem = Instance("wide", [0.2, 0.8], 0.5, tolerance)
    runs = fixed_budget(problem, np.inf, [100, 500], 10, 1, engine=engine)
    assert not runs["loss"].any()


def test_runs_with_fewer_pulls_than_arms_are_not_short():
    means = np.full(9, 0.9)
    judge = Judge(np.array([8, 9]), means > 0.5, means < 0.5)
    short = new_short_runs(means, IndexRule(0.0, 1.0, 0.0), judge)
    assert short.below.size == 0
