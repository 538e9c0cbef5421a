"""Compile what tests share by use, so that neither a second process nor a copy does it again."""

import sys

import numpy as np

from ldpt import exact
from ldpt import rare_events as rare
from ldpt.engines.boundaries import Arms
from ldpt.engines.fast_budget import fixed_budget_fast, new_state
from ldpt.engines.fast_confidence import fixed_confidence_fast
from ldpt.engines.fast_losses import run_for_losses
from ldpt.engines.indices import LossCriterion
from ldpt.engines.literal_budget import fixed_budget_literal
from ldpt.engines.literal_confidence import fixed_confidence_literal
from ldpt.engines.sources import tape_from_responses
from ldpt.instances import Instance
from ldpt.policies import IndexRule
from ldpt.radii import Radius
from ldpt.replication.claims import tapes


def compile_chains_and_sampling() -> None:
    one, two = Instance("one", [0.9], 0.5), Instance("two", [0.1, 0.9], 0.5)
    for problem in (one, two):
        exact.fixed_budget_loss(problem, 4.0, 4)
        exact.fixed_budget_loss(problem, 4.0, 4, "uniform")
    exact.optimal_loss([0.4, 0.4], 4.0, 4)
    for radius in ("onesided", "coin"):
        exact.fixed_confidence_error(one, 4.0, 0.5, radius, max_pulls=10)
    rare.fixed_budget_error(two, 4.0, 10, 10, seed=1)
    rare.fixed_confidence_error(two, 4.0, 0.5, 10, seed=1, radius="coin")


def compile_engines_on_tapes() -> None:
    means, rule, budgets = np.array([0.2, 0.8]), IndexRule(0.5, 0.0, 0.5), np.array([20])
    tape, above = tape_from_responses(np.ones((2, 200), np.bool_)), means > 0.5
    pulls, sums = np.zeros((2, 1, 2), np.int64)
    for engine in (fixed_budget_literal, fixed_budget_fast):
        engine(tape, means, rule, budgets, pulls, sums)
    criterion, losses = LossCriterion(budgets, above, ~above), np.empty(1, np.bool_)
    run_for_losses(tape, means, rule, criterion, new_state(2, 20), losses)
    edge = Radius("printed").at(2, 0.1, 0.5, np.inf)
    for engine in (fixed_confidence_literal, fixed_confidence_fast):
        engine(tape, Arms(means, 0.5), edge, 20, pulls[0], sums[0])
    tapes.play(np.ones((1, 2, 20)), 20)


if __name__ == "__main__":
    {"chains": compile_chains_and_sampling, "tapes": compile_engines_on_tapes}[sys.argv[1]]()
