"""Loops over runs, and which modules they reach.

Statistical tests are seeded and fail by chance with probability 1e-4 each.
"""

import re

import numpy as np
import pytest

from ldpt.engines.budget_runs import fast_losses, literal_losses, uniform_losses
from ldpt.engines.indices import LossCriterion
from ldpt.engines.literal_budget import fixed_budget_uniform
from ldpt.engines.sources import LaplaceRewards
from ldpt.instances import Instance
from ldpt.policies import IndexRule
from ldpt.provenance.code import code_parts
from tests.conftest import PROJECT


def test_uniform_allocation_pulls_in_turn():
    budgets = np.array([5, 7, 30])
    pulls, sums = np.zeros((2, 3, 3), np.int64)
    fixed_budget_uniform(np.random.default_rng(0), np.array([0.0, 1.0, 1.0]), budgets, pulls, sums)
    assert pulls.tolist() == [[2, 2, 1], [3, 2, 2], [10, 10, 10]]
    assert sums.tolist() == [[0, 2, 1], [0, 2, 2], [0, 10, 10]]


def test_losses_follow_the_rule_of_the_tolerance_band():
    """Arms at 0 and 1 answer for sure; the arm inside the band is free."""
    instance = Instance("band", [0.0, 0.5, 1.0], 0.5, 0.1)
    criterion = LossCriterion(np.array([60]), instance.must_accept, instance.must_reject)
    rng, means, rule = np.random.default_rng(0), np.array(instance.means), IndexRule(0.5, 0.1, 0.0)
    losses, sums = np.ones((50, 1), np.bool_), np.zeros((1, 3), np.int64)
    for order, errs in ((means, False), (means[::-1].copy(), True)):
        fast_losses(rng, order, rule, criterion, losses)
        assert (losses == errs).all()
        literal_losses(rng, order, rule, criterion, sums, losses)
        assert (losses == errs).all()
    uniform_losses(rng, means, 0.5, criterion, losses)
    assert not losses.any()


def test_laplace_noise_of_no_scale_is_the_literal_engine():
    instance = Instance("three", [0.2, 0.45, 0.7], 0.5)
    budgets, means = np.array([50, 400]), np.array(instance.means)
    criterion = LossCriterion(budgets, instance.must_accept, instance.must_reject)
    rule = IndexRule(0.5, 0.0, 0.0)
    plain, noisy, noisier = np.zeros((3, 4000, 2), np.bool_)
    rng = np.random.default_rng(1)
    literal_losses(rng, means, rule, criterion, np.zeros((2, 3), np.int64), plain)
    literal_losses(LaplaceRewards(rng, 1e-9), means, rule, criterion, np.zeros((2, 3)), noisy)
    literal_losses(LaplaceRewards(rng, 2.0), means, rule, criterion, np.zeros((2, 3)), noisier)
    assert abs(plain.mean(axis=0) - noisy.mean(axis=0)).max() < 0.045  # four standard errors
    assert (noisier.mean(axis=0) > noisy.mean(axis=0) + 0.1).all()


@pytest.mark.parametrize(
    ("module", "other"),
    [
        ("budget_runs", "confidence|pull_order|boundaries|radii"),
        ("confidence_runs", "budget|losses|indices|policies"),
    ],
)
def test_an_edit_to_one_algorithm_leaves_the_code_hash_of_the_other(module, other):
    engines = PROJECT / "src" / "ldpt" / "engines"
    assert not [name for name in code_parts(engines / f"{module}.py") if re.search(other, name)]
