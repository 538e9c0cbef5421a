"""Evidence from exact chains and from the map of errors, with planted opposites."""

from typing import Any

import pandas as pd
import pytest
from scipy.stats import binomtest

from ldpt import exact
from ldpt.claims import measured
from ldpt.claims.error_map import error_map, one_arm
from ldpt.claims.register import REFUTED, REPRODUCED
from ldpt.instances import Instance
from ldpt.simulate import fixed_budget

from .test_register import verdict

GRID = {
    "one_arm": [
        {
            "radii": ["printed", "hoeffding"],
            "thresholds": [0.9],
            "gaps": [0.1],
            "epsilons": [1],
            "deltas": [0.1],
        }
    ],
    "two_arms": [
        {
            "radii": ["printed", "mixture"],
            "thresholds": [0.5],
            "gaps": [0.01],
            "epsilons": [float("inf")],
            "deltas": [0.001],
            "replicates": 10_000,
        }
    ],
}


@pytest.fixture(scope="module")
def failure() -> dict[str, Any]:
    return measured.one_armed_failure()


def test_the_certificate_lies_between_delta_and_the_exact_error(failure: dict[str, Any]) -> None:
    assert failure["delta"] < failure["certified_lower_bound"] <= failure["printed_error"]
    assert failure["printed_error"] == pytest.approx(0.30434, abs=1e-5)
    assert verdict("D7", failure) == REFUTED
    assert verdict("X3", failure) == REPRODUCED


def test_a_certificate_for_the_repaired_radius_turns_the_verdict(failure: dict[str, Any]) -> None:
    problem = Instance("counterexample", [0.95], 0.9)
    repaired = exact.certified_error_lower_bound(problem, 1.0, 0.1, "hoeffding", max_pulls=500)
    assert verdict("D7", failure | {"certified_lower_bound": repaired}) == REPRODUCED
    assert verdict("X3", failure | {"mixture_error": failure["printed_error"]}) == REFUTED


def test_exact_losses_stay_below_every_upper_bound_until_it_is_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    losses = list(measured.exact_losses())
    monkeypatch.setattr(measured, "exact_losses", lambda: losses)
    held = measured.exact_losses_and_upper_bounds()
    assert [verdict(i, held) for i in ("T3.1", "X8", "D51")] == [REPRODUCED] * 3
    cut = measured.exact_losses_and_upper_bounds(scale=1e8)
    assert [verdict(i, cut) for i in ("T3.1", "X8")] == [REFUTED] * 2


def test_worst_exact_loss_stays_above_every_lower_bound_until_it_is_raised() -> None:
    assert verdict("T3.2", measured.exact_losses_and_lower_bounds()) == REPRODUCED
    assert verdict("T3.2", measured.exact_losses_and_lower_bounds(scale=3.0)) == REFUTED


def test_the_map_holds_exact_and_simulated_cells() -> None:
    table = error_map(GRID, rho=10.0, seed=5)
    assert table["method"].tolist() == ["exact", "exact", "simulated", "simulated"]
    assert table["fails"].tolist() == [True, False, True, False]
    chain = exact.fixed_confidence_error(one_arm(0.9, 0.1), 1.0, 0.1, "printed")
    assert table["low"][0] <= chain.error <= table["high"][0]
    found = measured.error_map(table)
    assert verdict("T4.1-map", found | {"exact_printed_failing": 0}) == REPRODUCED
    assert verdict("T4.1-map", found) == REFUTED
    two = measured.simulated_cells(table, n_arms=2)
    assert verdict("T4.1-two", measured.delta_correctness(two, "printed")) == REFUTED
    assert verdict("X2", measured.delta_correctness(two, "mixture")) == REPRODUCED


def test_sampled_losses_and_errors_contradict_only_when_sure() -> None:
    problem = Instance("one-arm", [0.9], 0.5)
    row = {"instance": "one-arm", "epsilon": 1.0, "budget": 1900, "scaled_budget": 65.0}
    row |= {"estimate": 1e-30, "relative_error": 0.1, "reliable": True}
    useless = row | {"estimate": 0.9, "reliable": False}
    table = pd.DataFrame([row, useless])
    assert verdict("T3.1-rare", measured.sampled_losses(table, {"one-arm": problem})) == REPRODUCED
    high = table.assign(estimate=0.5)
    assert verdict("T3.1-rare", measured.sampled_losses(high, {"one-arm": problem})) == REFUTED
    vague = high.assign(relative_error=0.3)
    assert verdict("T3.1-rare", measured.sampled_losses(vague, {"one-arm": problem})) == REPRODUCED
    with pytest.raises(ValueError, match="no reliable estimate"):
        measured.sampled_losses(table.assign(reliable=False), {"one-arm": problem})
    cells = pd.concat([table.assign(radius=r, delta=0.1) for r in ("printed", "mixture")])
    assert verdict("X12", measured.sampled_errors(cells) | {"hoeffding_failing": 0}) == REPRODUCED
    failing = measured.sampled_errors(cells.assign(estimate=0.3))
    assert verdict("X12", failing) == REFUTED
    assert verdict("T4.1-rare", failing) == REFUTED


def test_uniform_allocation_collapses_and_algorithm_1_drifts() -> None:
    assert verdict("X14", measured.collapse_of_uniform_allocation(levels=[0.1])) == REPRODUCED
    assert verdict("X15", measured.drift_of_algorithm_1((2.0, 1.0))) == REPRODUCED
    assert verdict("X15", measured.drift_of_algorithm_1((1.0, 2.0))) == REFUTED


def test_uniform_loss_against_runs() -> None:
    problem = Instance("three", [0.2, 0.45, 0.8], 0.5, 0.1)
    runs = fixed_budget(problem, 1.0, 50, replicates=4000, seed=3, policy="uniform")
    loss = measured.uniform_loss(problem, 1.0, 50)
    assert binomtest(int(runs["loss"].sum()), len(runs), loss).pvalue > 1e-4
