"""Intervals of mean rewards: their formula, and their level at all times at once."""

import math

import numpy as np
import pytest

from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.privacy import private_mean
from tests.learners.studies import People


def test_estimates_hold_at_all_times_at_once():
    """200 runs, looked at 60 times each, joint level 0.8; more than 65 misses has p < 1e-4."""
    true = np.array([0.1, 0.6])
    times = np.unique(np.geomspace(1, 20_000, 60).astype(int))
    misses = 0
    for seed in range(200):
        sums = People(private_mean(true, 1.0), seed).tapes.cumsum(axis=1)
        missed = False
        for n in times:
            study = FixedBudget(2, 0.5, 0.0, 1.0, budget=10**6)
            study.pulls, study.positives = [n, n], sums[:, n - 1].tolist()
            missed |= any(
                not estimate.low <= mean <= estimate.high
                for mean, estimate in zip(true, study.estimates(0.8), strict=True)
            )
        misses += missed
    assert 0 < misses <= 65
    assert all(estimate.high - estimate.low < 0.2 for estimate in study.estimates())


def test_estimates_are_the_mixture_mapped_back_through_the_mechanism():
    study = FixedConfidence(2, 0.5, 1.0, 0.1)
    study.record_many([(0, 1), (0, 0), (0, 0), (0, 1), (0, 0)] * 40)
    known, unknown = study.estimates()
    shrink = math.tanh(0.5)
    rho = 4 / shrink**2
    width = 200 / 4 + rho
    half = math.sqrt(2 * width * math.log(20 * math.sqrt(width / rho))) / 200
    assert known.answers == 200
    assert known.mean == pytest.approx(0.5 - 0.1 / shrink)
    assert known.low == pytest.approx(max(0, 0.5 - (0.1 + half) / shrink))
    assert known.high == pytest.approx(0.5 + (half - 0.1) / shrink)
    assert (unknown.answers, unknown.low, unknown.high) == (0, 0, 1)
    assert math.isnan(unknown.mean)
    narrow, wide = study.estimates(0.5)[0], study.estimates(0.999)[0]
    assert wide.low <= known.low <= narrow.low < narrow.high < known.high < wide.high


@pytest.mark.parametrize("level", [0, 1, -1, 1.5, math.nan, "0.9", True])
def test_estimates_refuse_a_level_outside_the_unit_interval(level):
    with pytest.raises(ValueError, match="level must"):
        FixedBudget(2, 0.5, 0.0, 1.0, budget=9).estimates(level)


def test_estimates_work_at_an_error_level_that_one_minus_it_cannot_hold():
    learner = FixedConfidence(1, 0.5, epsilon=4.0, delta=1e-20)
    learner.record_many([(0, 1)] * 30)
    (estimate,) = learner.estimates()
    (narrower,) = learner.estimates(level=0.999999)
    assert estimate.low < narrower.low < narrower.high == 1.0
