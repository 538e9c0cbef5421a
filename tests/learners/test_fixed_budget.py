"""Index policies as learners: against the literal engine pull by pull, and within their budget."""

import math

import numpy as np
import pytest

from ldpt.engines import loops
from ldpt.learners import FixedBudget
from ldpt.policies import INDEX_POLICIES
from ldpt.privacy import private_mean
from ldpt.study.messages import Ticket
from tests.learners.studies import MEANS, People, one_by_one, respond


@pytest.mark.parametrize("tolerance", [0.0, 0.1])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, math.inf])
@pytest.mark.parametrize("threshold", [0.3, 0.5])
@pytest.mark.parametrize("policy", INDEX_POLICIES)
def test_fixed_budget_follows_the_literal_engine_pull_by_pull(
    policy, threshold, epsilon, tolerance
):
    means = private_mean(np.array(MEANS), epsilon)
    budget, n_arms = 300, len(MEANS)
    learner = FixedBudget(n_arms, threshold, tolerance, epsilon, budget, policy=policy)
    rule = learner.policy.rule(learner.threshold, learner.tolerance, learner.epsilon)
    steps = np.arange(1, budget + 1)
    pulls, sums = np.zeros((2, budget, n_arms), np.int64)
    loops.fixed_budget_literal(np.random.default_rng(11), means, rule, steps, pulls, sums)
    rng = np.random.default_rng(11)
    for step in range(budget):
        arm = learner.next_arm()
        learner.record(arm, respond(rng, means, arm))
        assert learner.pulls == pulls[step].tolist()
        assert learner.positives == sums[step].tolist()
    assert learner.next_arm() is None
    assert learner.above == set(np.flatnonzero(sums[-1] > pulls[-1] * learner.private_threshold))


def test_next_arm_breaks_ties_to_the_lowest_arm_and_starts_with_unpulled_ones():
    learner = FixedBudget(3, 0.5, 0.0, math.inf, budget=12)
    order = []
    for _ in range(3):
        order.append(learner.next_arm())
        learner.record(order[-1], 1)
    assert order == [0, 1, 2]
    assert learner.next_arm() == 0


def test_index_of_mirrored_arms_ties_exactly():
    learner = FixedBudget(2, 0.5, 0.1, 1.0, budget=10)
    learner.record_many([(0, 0), (1, 1)])
    assert learner.index(0) == learner.index(1)
    assert learner.next_arm() == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        *(
            ({"n_arms": bad}, f"^n_arms must be a whole number from 1 to 1000000, got {bad!r}$")
            for bad in (0, 2.5, math.inf, math.nan, "3", True, None, 10**7)
        ),
        *(
            ({"threshold": bad}, rf"^threshold must be a number in \[0, 1\], got {bad!r}$")
            for bad in (1.2, 2, -1, math.nan, "0.5", None, True)
        ),
        ({"epsilon": 0}, "^epsilon must be positive"),
        ({"epsilon": 1e-20}, r"^epsilon must be at least 1e-09 \(.*\), got 1e-20$"),
        *(
            ({"tolerance": bad}, rf"^tolerance must be a number in \[0, 1\], got {bad!r}$")
            for bad in (-0.1, math.nan, math.inf, "0")
        ),
        *(
            ({"budget": bad}, f"^budget must be a whole number from 6 to {2**53}, got {bad!r}$")
            for bad in (5, 6.5, math.nan, math.inf, "6", True, 10**20)
        ),
        ({"policy": "best"}, "^policy must be one of apt, lsa, got 'best'"),
        ({"study": 3}, "^study must be a name, got a int"),
    ],
)
def test_bad_parameters_of_fixed_budget_are_named(arguments, complaint):
    good = {"n_arms": 3, "threshold": 0.5, "tolerance": 0.1, "epsilon": 1.0, "budget": 6}
    FixedBudget(**good)
    with pytest.raises(ValueError, match=complaint):
        FixedBudget(**{**good, **arguments})


@pytest.mark.parametrize("policy", INDEX_POLICIES)
@pytest.mark.parametrize("batch", [1, 7, 100])
def test_fixed_budget_never_overspends_and_one_at_a_time_is_the_policy_itself(policy, batch):
    people = People(private_mean(np.array(MEANS), 4.0), 8)
    study = FixedBudget(len(MEANS), 0.5, 0.1, 4.0, budget=60, policy=policy)
    while tickets := study.next_arms(batch):
        assert study.total_pulls + len(study.outstanding) <= 60
        study.record_many([(ticket, people.answer(ticket)) for ticket in tickets])
    assert study.total_pulls == 60
    assert study.finished
    if batch == 1:
        reference = FixedBudget(len(MEANS), 0.5, 0.1, 4.0, budget=60, policy=policy)
        assert study.history == one_by_one(reference, people.tapes.astype(int).tolist()).history


def test_next_arms_may_ask_the_whole_budget_and_asks_again_after_give_up():
    study = FixedBudget(2, 0.5, 0.0, 1.0, budget=6)
    tickets = study.next_arms(50)
    assert [ticket.arm for ticket in tickets] == [0, 1, 0, 1, 0, 1]
    assert study.next_arm() is None
    assert study.next_arms(5) == []
    assert not study.finished
    study.give_up(tickets[0])
    assert study.next_arms(5) == [Ticket(0, 3)]


def test_record_counts_nothing_after_the_end():
    learner = FixedBudget(1, 0.5, 0.0, 1.0, budget=3)
    assert learner.record_many([(0, 1)] * 5) == 3
    assert learner.finished
    with pytest.raises(ValueError, match="the run is over after 3 responses"):
        learner.record(0, 1)
    assert learner.pulls == [3]


def test_stop_early_gives_the_answer_of_a_smaller_budget():
    people = People(private_mean(np.array(MEANS), 4.0), 2).tapes.astype(int).tolist()
    whole = one_by_one(FixedBudget(len(MEANS), 0.5, 0.0, 4.0, budget=40), people)
    study = FixedBudget(len(MEANS), 0.5, 0.0, 4.0, budget=1000)
    study.record_many(whole.history)
    sides = study.stop_early()
    assert study.above == whole.above == {arm for arm in sides if sides[arm] == "above"}
