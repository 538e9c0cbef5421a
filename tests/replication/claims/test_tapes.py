"""The statements of the appendix on random tapes and exact chains, and planted faults."""

import math

import numpy as np
import pytest

from ldpt.learners import FixedBudget
from ldpt.policies import POLICIES
from ldpt.replication.claims import lemmas, tapes

COLUMNS = ["statement", "cases", "violations", "largest_ratio"]


@pytest.fixture(scope="module")
def small_check():
    return tapes.check_tapes(seed=3, erring_runs=150)


def violations(table, policy, statement):
    return table.set_index("statement").violations[f"{policy}: {tapes.STATEMENTS[statement]}"]


def test_every_tape_statement_holds_on_erring_runs(small_check):
    assert list(small_check.columns) == COLUMNS
    assert len(small_check) == len(tapes.POLICIES_CHECKED) * len(tapes.STATEMENTS)
    assert (small_check.cases >= 150).all()
    assert small_check.violations.sum() == 0
    assert small_check.largest_ratio.between(0.1, 1 + tapes.ROUNDING).all()


def test_check_tapes_is_a_function_of_its_seed(small_check):
    assert tapes.check_tapes(seed=3, erring_runs=150).equals(small_check)


def test_tape_statements_are_violated_by_a_wrong_index():
    """Another policy is played than the statement is about."""
    others = {"apt": "lsa", "lsa": "apt", "apt-clipped": "lsa", "lsa-clipped": "apt"}
    table = tapes.check_tapes(seed=3, erring_runs=300, played=others)
    for policy in tapes.POLICIES_CHECKED:
        assert violations(table, policy, 1) > 0
    assert sum(violations(table, policy, 2) for policy in tapes.POLICIES_CHECKED) > 0


def test_wrong_shares_violate_the_pigeonhole(monkeypatch):
    right = tapes.shares_of
    monkeypatch.setattr(tapes, "shares_of", lambda *problem: 1.1 * right(*problem))
    assert violations(tapes.check_tapes(seed=3, erring_runs=150), "lsa", 0) > 0


def test_pulling_the_largest_index_lets_the_second_smallest_fall():
    index = np.random.default_rng(1).random((20, 3, 50))
    assert tapes.play(index, 50)[2].max() == 0
    assert tapes.play(index, 50, largest=True)[2].max() > 0


def test_shares_solve_their_equations():
    rng = np.random.default_rng(2)
    for policy in tapes.POLICIES_CHECKED:
        problem = tapes.draw_problem(rng)
        rule = problem.rules[policy]
        gaps = tapes.gaps_of(problem.means, rule)
        shares = tapes.shares_of(gaps, problem.budget - gaps.size, rule.log_weight)
        level = shares * gaps**2 + rule.log_weight * np.log(shares)
        assert shares.sum() == pytest.approx(problem.budget - gaps.size)
        assert np.ptp(level) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("policy", tapes.POLICIES_CHECKED)
def test_runs_are_those_of_the_learner(policy):
    rng = np.random.default_rng(4)
    budget, n_arms = 120, 4
    responses = rng.random((5, n_arms, budget)) < rng.random(n_arms)[:, None]
    positions = np.arange(1, budget + 1)
    rule = POLICIES[policy].rule(0.4, 0.05, math.inf)
    distance = responses.cumsum(axis=2) - positions * 0.4
    squares = tapes.squared_index(rule, distance, positions)
    pulls, _, _ = tapes.play(squares + rule.log_weight * np.log(positions), budget)
    for run in range(5):
        learner = FixedBudget(n_arms, 0.4, 0.05, math.inf, budget, policy=policy)
        while (arm := learner.next_arm()) is not None:
            learner.record(arm, int(responses[run, arm, learner.pulls[arm]]))
        assert list(learner.pulls) == pulls[run].tolist()


def test_chains_stay_below_their_bounds():
    table = lemmas.check_chains(chains=4)
    assert list(table.columns) == COLUMNS
    assert table.statement.tolist() == list(lemmas.CHAINS)
    assert (table.violations == 0).all()
    assert table.largest_ratio.between(0.01, 1).all()


def test_exact_inequalities_are_violated_by_a_doubled_exponent():
    assert (lemmas.check_chains(chains=12, exponent=2.0).violations > 0).all()


def test_probability_of_a_chain_is_exact():
    """A fair walk visits -1 within 3 steps with probability 5/8."""
    chain = lemmas.Chain(0.5, 0.5, 3, lambda n, d: True, lambda n, d: d <= -0.5)
    assert lemmas.probability(chain) == 5 / 8
    late = lemmas.Chain(0.5, 0.5, 3, lambda n, d: (n == 2) & (d >= 1), lambda n, d: d <= 0.5)
    assert lemmas.probability(late) == 1 / 8
