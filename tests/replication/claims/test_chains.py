"""Evidence from exact chains, with planted opposites."""

import math
from typing import Any

import pytest
from scipy.stats import binomtest

from ldpt.instances import Instance
from ldpt.policies import POLICIES, index
from ldpt.replication.certificate import certified_error_lower_bound
from ldpt.replication.claims import chains, coin
from ldpt.replication.claims.register import ADDED, FALSE, REPAIRED, SUPPORTED, TRUE
from ldpt.simulate import fixed_budget
from tests.replication.claims.judging import Plant, verdict

FAILURE = {
    "delta": 0.1,
    "certificates": 1,
    "valid_chains": 3,
    "certified_lower_bound": 0.3,
    "largest_valid_error": 0.01,
    "hoeffding_error": 0.001,
    "printed_error": 0.3,
    "first_zero": 0.29,
    "distance": 0.68,
    "printed_radius": 0.67,
}
FAR = {0.5: [1.0], 0.9: [1.0, 0.95]}  # arms that a few pulls decide
ONE_LOSS = [(Instance("one", [0.9], 0.5), 1.0, 1900, 1e-80)]
PLANTED: list[Plant] = [
    (
        "X24-model",
        SUPPORTED,
        chains.drift_limit,
        FALSE,
        lambda: chains.drift_limit(weight=0.5),  # the index of lsa
    ),
    ("T4.1", REPAIRED, lambda: FAILURE, FALSE, lambda: FAILURE | {"hoeffding_error": 0.2}),
    ("T4.1", REPAIRED, lambda: FAILURE, TRUE, lambda: FAILURE | {"certified_lower_bound": 0.05}),
    (
        "T4.2",
        ADDED,
        chains.confidence_lower_bounds,
        FALSE,
        lambda: chains.confidence_lower_bounds(scale=1e4),
    ),
    ("T3.2", ADDED, chains.lower_bounds, FALSE, lambda: chains.lower_bounds(scale=4.0)),
    ("T3.2", ADDED, chains.lower_bounds, TRUE, lambda: chains.lower_bounds(degenerate=())),
    ("D57", ADDED, chains.lower_bounds, TRUE, lambda: chains.lower_bounds(degenerate=())),
    ("D57", ADDED, chains.lower_bounds, FALSE, lambda: chains.lower_bounds(scale=4.0)),
    (
        "T3.1",
        TRUE,
        lambda: chains.upper_bounds(losses=ONE_LOSS),
        FALSE,
        lambda: chains.upper_bounds(losses=ONE_LOSS, scale=1e90),
    ),
    (
        "X8",
        TRUE,
        lambda: chains.upper_bounds(losses=ONE_LOSS),
        FALSE,
        lambda: chains.upper_bounds(losses=ONE_LOSS, scale=1e90),
    ),
    (
        "D51",
        TRUE,
        lambda: chains.upper_bounds(losses=ONE_LOSS),
        FALSE,
        lambda: chains.upper_bounds(losses=[(*ONE_LOSS[0][:3], 0.9)]),
    ),
    (
        "X14",
        FALSE,  # because of two-arms
        lambda: chains.uniform_collapse([0.2, 0.1]),
        TRUE,
        lambda: chains.uniform_collapse([0.2, 0.1], chains.UNIFORM[:3]),
    ),
    (
        "X44",
        TRUE,
        lambda: chains.upper_bounds(losses=ONE_LOSS),
        FALSE,
        lambda: chains.upper_bounds(losses=ONE_LOSS, scale=1e90),
    ),
    *(
        (
            name,
            TRUE,
            lambda p=policy: chains.upper_bounds(p, [p], ONE_LOSS),
            FALSE,
            lambda p=policy: chains.upper_bounds(p, [p], ONE_LOSS, scale=1e90),
        )
        for name, policy in (("X35", "apt-clipped"), ("X36", "lsa-clipped"))
    ),
    ("X29", TRUE, chains.budget_reduction, FALSE, lambda: chains.budget_reduction(scale=4.0)),
    ("X31", TRUE, lambda: coin.coin_boundary(thresholds=[0.9]), FALSE,
     lambda: coin.coin_boundary(0.05, [0.9])),
    ("X34", TRUE, lambda: coin.coin_limit((1e-1, 1e-3)), FALSE,
     lambda: coin.coin_limit((1e-3, 1e-1))),
    *(
        (name, FALSE, lambda: coin.one_arm_flatness(arms=FAR), TRUE,
         lambda: coin.one_arm_flatness([1.0], FAR))
        for name in ("X18", "X33")
    ),
    (
        "X21",
        TRUE,
        lambda: chains.upper_bounds("lsa", ["lsa"], ONE_LOSS),
        FALSE,
        lambda: chains.upper_bounds("lsa", ["lsa"], ONE_LOSS, scale=1e90),
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def failure() -> dict[str, Any]:
    return chains.one_armed_failure()


def test_certified_error_lower_bound_is_between_delta_and_the_exact_error(
    failure: dict[str, Any],
) -> None:
    assert failure["delta"] < failure["certified_lower_bound"] <= failure["printed_error"]
    assert failure["printed_error"] == pytest.approx(0.30434, abs=1e-5)
    assert verdict("T4.1", failure) == REPAIRED


def test_a_certificate_for_the_repaired_radius_turns_the_verdict(failure: dict[str, Any]) -> None:
    problem = chains.COUNTEREXAMPLE
    repaired = certified_error_lower_bound(problem, 1.0, 0.1, 1 / 2, max_pulls=500)
    assert verdict("T4.1", failure | {"certified_lower_bound": repaired}) == TRUE


def test_upper_bounds_hold_at_exact_losses_of_one_and_two_arms() -> None:
    found = chains.upper_bounds()
    assert [verdict(i, found) for i in ("T3.1", "X8", "D51")] == [TRUE] * 3
    assert found["printed_several"] > 0  # more than plain Hoeffding on one arm


@pytest.mark.parametrize("policy", ["apt", "lsa"])
def test_on_the_pairs_of_the_exact_losses_a_clip_changes_no_index(policy: str) -> None:
    for problem in chains.PAIRS:
        plain, clipped = (
            POLICIES[name].rule(problem.threshold, problem.tolerance, math.inf)
            for name in (policy, f"{policy}-clipped")
        )
        assert all(
            index(plain, n, s) == index(clipped, n, s) for n in range(1, 320) for s in range(n + 1)
        )


def test_upper_bounds_that_are_vacuous_say_nothing() -> None:
    found = chains.upper_bounds(losses=[(ONE_LOSS[0][0], 1.0, 20, 0.5)])
    assert found["printed_informative"] == 0


def test_blind_answers_refute_theorem_3_2_in_degenerate_cases_only() -> None:
    found = chains.lower_bounds()
    assert found["violations"] > 0 == found["amended_violations"]
    assert found["corrected_is_stronger"]


def test_worst_losses_of_blind_answers() -> None:
    problem = Instance("at the threshold", [0.5], 0.5, 0.1)
    found = dict(chains.worst_losses(problem, 1.0, 4))
    assert found["always reject"] == 0.0  # the mean .6 of B^0 is not above .6
    assert found["always accept"] == 1.0


def test_uniform_loss_against_runs() -> None:
    problem = Instance("three", [0.2, 0.45, 0.8], 0.5, 0.1)
    runs = fixed_budget(problem, 1.0, 50, replicates=4000, seed=3, policy="uniform")
    loss = chains.uniform_loss(problem, 1.0, 50)
    assert binomtest(int(runs["loss"].sum()), len(runs), loss).pvalue > 1e-4
