"""Evidence from tables of simulations, with planted opposites."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ldpt import bounds
from ldpt.claims import measured
from ldpt.claims.register import FALSE, NOT_TESTED, SUPPORTED, TRUE
from ldpt.instances import Instance, equal_gap
from tests.claims.judging import judged, verdict

TWO = Instance("two", [0.3, 0.6], 0.5)
PROBLEMS = {
    "two": TWO,
    "one-arm": Instance("one-arm", [0.9], 0.5),
    "equal-gap-8": equal_gap(8),
}


# --- tables that hold what is claimed, and tables that do not -------------------------------------


def mechanism(shift: int = 0) -> dict[str, Any]:
    positives = round(100_000 * (0.5 - 0.2 * math.tanh(0.5))) + shift
    row = {"law": "beta", "mean": 0.3, "epsilon": 1.0, "draws": 100_000, "positives": positives}
    return measured.reward_laws(pd.DataFrame([row]))


def error_cells(errors: int, radius: str) -> pd.DataFrame:
    row = {"instance": "one", "radius": radius, "epsilon": 1.0, "delta": 0.1, "errors": errors}
    row |= {"replicates": 1000, "estimate": errors / 1000, "low": errors / 1000 - 0.02}
    return pd.DataFrame([row, row | {"epsilon": 4.0, "errors": 0, "estimate": 0.0, "low": 0.0}])


def delta_correct(errors: int, radius: str) -> dict[str, Any]:
    return measured.delta_correctness(error_cells(errors, radius), radius)


def error_map(ratio: float) -> dict[str, Any]:
    """Two cells per radius, exact and simulated, whose error is this many times delta."""
    rows = [
        {"radius": radius, "method": method, "error_over_delta": ratio, "fails": ratio > 1}
        for radius in measured.RADII
        for method in ("exact", "simulated")
    ]
    return measured.error_map(pd.DataFrame(rows))


def sampled_errors(estimate: float, relative_error: float = 0.1) -> dict[str, Any]:
    row = {"estimate": estimate, "relative_error": relative_error, "reliable": True, "delta": 0.1}
    useless = row | {"estimate": 0.9, "reliable": False}
    rows = [cell | {"radius": radius} for radius in measured.RADII for cell in (row, useless)]
    return measured.sampled_errors(pd.DataFrame(rows))


def sampled_losses(
    estimate: float, relative_error: float = 0.1, policy: str = "apt"
) -> dict[str, Any]:
    versions = measured.UPPER_VERSIONS if policy == "apt" else ["lsa"]
    row = {"instance": "one-arm", "epsilon": 1.0, "budget": 1900, "scaled_budget": 65.0}
    row |= {"estimate": estimate, "relative_error": relative_error, "reliable": True}
    useless = row | {"estimate": 0.9, "reliable": False}
    table = pd.DataFrame([row, useless]).assign(policy=policy)
    return measured.sampled_losses(table, PROBLEMS, policy=policy, versions=versions)


def budget_losses(errors: int, budget: int = 1900) -> dict[str, Any]:
    row = {"instance": "one-arm", "policy": "apt", "epsilon": 1.0, "budget": budget}
    table = pd.DataFrame([row | {"errors": errors, "replicates": 1000}])
    return measured.budget_upper_bounds(table, PROBLEMS)


def error_curves(slower: dict[float, float], policy: str = "apt") -> pd.DataFrame:
    """Curves exp(-2 x) against x = T/H_eps, stretched by a factor for some epsilons."""
    x = np.linspace(0.1, 4, 30)
    parts = [
        pd.DataFrame(
            {
                "instance": "one",
                "policy": policy,
                "epsilon": epsilon,
                "budget": np.arange(30),
                "scaled_budget": x,
                "estimate": np.exp(-2 * x / slower.get(epsilon, 1.0)),
            }
        )
        for epsilon in (0.1, 0.25, 1.0, 4.0)
    ]
    return pd.concat(parts)


def collapsed(slower: dict[float, float], policy: str = "apt") -> dict[str, Any]:
    return measured.collapse(error_curves(slower, policy), policy)


def new_problems(lsa: int, apt: int = 200, cells: int = 10, lost: int = 0) -> dict[str, Any]:
    """So many cells with these errors of 1000, in the first ``lost`` of which they are swapped."""
    rows = []
    for cell in range(cells):
        row = {"instance": f"new-{cell}", "epsilon": 1.0, "budget": 100, "scaled_budget": 1.0}
        errors = (apt, lsa) if cell >= lost else (lsa, apt)
        for policy, n in zip(("apt", "lsa"), errors, strict=True):
            rows.append(row | {"policy": policy, "errors": n, "estimate": n / 1000})
    return measured.new_problems(pd.DataFrame(rows).assign(replicates=1000))


def cost_cells(
    factors: dict[float, float], radii: dict[str, float], instance: str = "two"
) -> pd.DataFrame:
    """Mean pulls as a factor of the sharp bound, by epsilon, times a factor for the radius."""
    rows = []
    for epsilon, factor in factors.items():
        for radius, times in radii.items():
            sharp = bounds.fixed_confidence_lower(PROBLEMS[instance], epsilon, 0.01, "sharp")
            mean = factor * times * sharp
            row = {"instance": instance, "radius": radius, "epsilon": epsilon, "delta": 0.01}
            pulls = {"mean_pulls": mean, "mean_pulls_high": mean, "quantile_pulls": 2 * mean}
            rows.append(row | pulls)
    return pd.DataFrame(rows)


HOEFFDING = {"hoeffding": 1.0}
ALL = {"printed": 4.0, "hoeffding": 20.0, "mixture": 4.0, "onesided": 3.0}


def lower(factors: dict[float, float], scale: float = 1.0) -> dict[str, Any]:
    return measured.lower_bounds(cost_cells(factors, HOEFFDING), PROBLEMS, scale)


def sharp(factor: float) -> dict[str, Any]:
    dominates = measured.sharp_lower_bound_dominates({"two": TWO}, [0.1, 1.0, 8.0])
    return lower({0.1: factor, 1.0: 2.0}) | dominates


def quantiles(factor: float) -> dict[str, Any]:
    cells = cost_cells({1.0: factor}, {"printed": 1.0})
    return measured.stopping_time_quantiles(cells, PROBLEMS)


def expected(scale: float = 1.0) -> dict[str, Any]:
    cells = cost_cells({0.1: 1.1, 1.0: 1.1}, dict.fromkeys(measured.VALID_RADII, 1.0))
    return measured.expected_cost_bounds(cells, PROBLEMS, scale)


def many_arms(scale: float = 1.0) -> dict[str, Any]:
    cells = cost_cells({1.0: 2.0}, HOEFFDING, "equal-gap-8")
    return measured.many_arms(cells, PROBLEMS, scale)


def flat(largest: float) -> dict[str, Any]:
    cells = cost_cells({0.01: 3.0, 1.0: 3.1, math.inf: largest}, {"onesided": 1.0})
    return measured.onesided_flat(cells, PROBLEMS)


def raised(at_small_epsilon: float = 1.0) -> dict[str, Any]:
    return measured.privacy_raises_the_cost(cost_cells({0.1: at_small_epsilon, 1.0: 1.0}, ALL))


def compared(**changes: float) -> dict[str, Any]:
    return measured.cost_of_radii(cost_cells({0.1: 1.0, 1.0: 1.0}, ALL | changes))


def appendix(violations: int) -> dict[str, Any]:
    row = {"cases": 300, "violations": violations, "largest_ratio": 0.9}
    names = ["apt: some arm", "lsa: some arm", "Lemma Y: an index"]
    return measured.appendix_checks(pd.DataFrame([row | {"statement": name} for name in names]))


# claim, verdict as it is, evidence as it is, verdict with a fault, evidence with the fault
Plant = tuple[str, str, Callable[[], dict[str, Any]], str, Callable[[], dict[str, Any]]]
PLANTED: list[Plant] = [
    ("L2.1-laws", SUPPORTED, mechanism, FALSE, lambda: mechanism(shift=2000)),
    ("T3.1-runs", SUPPORTED, lambda: budget_losses(0), FALSE, lambda: budget_losses(500)),
    ("T3.1-rare", SUPPORTED, lambda: sampled_losses(1e-80), FALSE, lambda: sampled_losses(0.5)),
    ("X13", SUPPORTED, lambda: sampled_losses(1e-80), FALSE, lambda: sampled_losses(0.5)),
    ("X21-rare", SUPPORTED, lambda: sampled_losses(1e-80, policy="lsa"), FALSE,
     lambda: sampled_losses(0.5, policy="lsa")),
    *(
        (name, usual, lambda r=radius: delta_correct(100, r), FALSE,
         lambda r=radius: delta_correct(160, r))
        for name, usual, radius in (
            ("T4.1-runs", SUPPORTED, "printed"), ("T4.1-two", SUPPORTED, "printed"),
            ("X1", TRUE, "hoeffding"), ("X2", TRUE, "mixture"), ("X20", TRUE, "onesided"),
        )
    ),
    *(
        (name, TRUE, lambda: error_map(0.5), FALSE, lambda: error_map(1.5))
        for name in ("T4.1-map", "X11", "X20-map")
    ),
    *(
        (name, SUPPORTED, lambda: sampled_errors(0.01), FALSE, lambda: sampled_errors(0.3))
        for name in ("T4.1-rare", "X12", "X20-rare")
    ),
    ("T4.1-cost", TRUE, lambda: quantiles(10.0), FALSE, lambda: quantiles(1e4)),
    ("T4.1-cost-36", TRUE, lambda: quantiles(10.0), FALSE, lambda: quantiles(1e4)),
    ("D61", SUPPORTED, raised, FALSE, lambda: raised(0.001)),
    ("T4.2-runs", SUPPORTED, lambda: lower({1.0: 9.0}), FALSE, lambda: lower({1.0: 9.0}, 1e6)),
    ("D15", SUPPORTED, lambda: lower({0.1: 9.0, 1.0: 20.0}), FALSE,
     lambda: lower({0.1: 9.0, 1.0: 30.0})),
    ("X6", TRUE, lambda: sharp(1.1), FALSE, lambda: sharp(0.9)),
    ("X9", TRUE, expected, FALSE, lambda: expected(1e3)),
    ("X22", TRUE, expected, FALSE, lambda: expected(10.0)),
    ("X23", TRUE, many_arms, FALSE, lambda: many_arms(1e3)),
    ("D14", SUPPORTED, lambda: collapsed({}), FALSE, lambda: collapsed({4.0: 1.2})),
    ("D14-small", SUPPORTED, lambda: collapsed({4.0: 1.2}), FALSE, lambda: collapsed({0.1: 1.2})),
    ("X16", SUPPORTED, lambda: collapsed({}, "lsa"), FALSE, lambda: collapsed({0.1: 1.2}, "lsa")),
    ("X16-half", SUPPORTED, lambda: collapsed({1.0: 1.2}, "lsa"), FALSE,
     lambda: collapsed({0.1: 1.2}, "lsa")),
    ("X17", SUPPORTED, lambda: new_problems(50, lost=1), FALSE, lambda: new_problems(50, lost=2)),
    ("X18", SUPPORTED, lambda: flat(3.2), FALSE, lambda: flat(3.4)),
    ("X4", SUPPORTED, compared, FALSE, lambda: compared(mixture=5.0)),
    ("X10", SUPPORTED, compared, FALSE, lambda: compared(hoeffding=40.0)),
    ("X19", SUPPORTED, compared, FALSE, lambda: compared(onesided=4.5)),
    ("X7", TRUE, lambda: appendix(0)["erring_tapes"], FALSE, lambda: appendix(1)["erring_tapes"]),
    ("X25", TRUE, lambda: appendix(0)["exact_chains"], FALSE, lambda: appendix(1)["exact_chains"]),
]  # fmt: skip


@pytest.mark.parametrize(("identifier", "usual", "evidence", "expected", "plant"), PLANTED)
def test_a_planted_fault_turns_the_verdict(
    identifier: str,
    usual: str,
    evidence: Callable[[], dict[str, Any]],
    expected: str,
    plant: Callable[[], dict[str, Any]],
) -> None:
    assert verdict(identifier, evidence()) == usual
    assert verdict(identifier, plant()) == expected != usual


def test_measured_vacuous_bound_gives_no_verdict() -> None:
    """The printed bound is above 1 at a small budget: then a loss of 1 cannot contradict it."""
    vacuous = budget_losses(1000, budget=50)
    assert bounds.fixed_budget_upper(PROBLEMS["one-arm"], 1.0, 50) > 1
    assert verdict("T3.1-runs", vacuous) == NOT_TESTED
    rare = pd.DataFrame(
        [{"instance": "one-arm", "epsilon": 1.0, "budget": 50, "scaled_budget": 2.0}]
    ).assign(estimate=0.9, relative_error=0.01, reliable=True, policy="apt")
    assert verdict("T3.1-rare", measured.sampled_losses(rare, PROBLEMS)) == NOT_TESTED


def test_measured_evidence_of_no_run_gives_no_verdict() -> None:
    assert verdict("X20", measured.delta_correctness(error_cells(0, "printed"), "onesided")) == (
        NOT_TESTED
    )
    assert verdict("X16", measured.collapse(error_curves({}), "lsa")) == NOT_TESTED
    assert verdict("X17", measured.new_problems(error_curves({}).assign(errors=1))) == NOT_TESTED
    assert verdict("X17", new_problems(lsa=200)) == NOT_TESTED  # no cell differs
    assert verdict("X19", measured.cost_of_radii(cost_cells({1.0: 1.0}, {"mixture": 1.0}))) == (
        NOT_TESTED
    )


def test_sampled_estimates_contradict_only_when_sure() -> None:
    assert verdict("T3.1-rare", sampled_losses(0.5, relative_error=0.3)) == SUPPORTED
    assert verdict("T4.1-rare", sampled_errors(0.3, relative_error=0.3)) == SUPPORTED


def test_onesided_flat_needs_the_whole_range_of_epsilon() -> None:
    cells = cost_cells({0.1: 1.0, 1.0: 2.0, math.inf: 1.0}, {"onesided": 1.0})
    assert measured.onesided_flat(cells, PROBLEMS)["series"] == 0


def test_lower_bounds_tell_the_level_of_near_optimality_for_every_radius() -> None:
    found = measured.lower_bounds(cost_cells({0.1: 1.0, 1.0: 2.0, 4.0: 4.0}, ALL), PROBLEMS)
    for radius, times in ALL.items():
        levels = [found[f"{radius}_{word}_over_sharp"] for word in ("least", "median", "largest")]
        assert levels == pytest.approx([times, 2 * times, 4 * times])
    assert found["sharp_spread"] == pytest.approx(4.0)
    assert found["printed_growth"] > 100


def test_stopping_time_quantiles_take_quantiles_and_not_means() -> None:
    cells = cost_cells({1.0: 10.0}, {"printed": 1.0})
    assert verdict("T4.1-cost", measured.stopping_time_quantiles(cells, PROBLEMS)) == TRUE
    late = cells.assign(quantile_pulls=1e9)  # the mean stays what it was
    assert verdict("T4.1-cost", measured.stopping_time_quantiles(late, PROBLEMS)) == FALSE


def test_collapse_finds_the_widest_spread() -> None:
    assert collapsed({4.0: 1.2})["spread_all"] == pytest.approx(1.2, rel=1e-6)
    assert collapsed({4.0: 1.2})["spread_small"] == pytest.approx(1.0, rel=1e-6)


def test_new_problems_report_the_worst_price() -> None:
    found = new_problems(50, lost=1)
    assert (found["differing"], found["better"], found["worse"]) == (10, 9, 1)
    assert found["worst_error_ratio"] == pytest.approx(4.0)


def budget_curve(policy: str, errors: list[int]) -> pd.DataFrame:
    """Errors of 1000 runs at T = 100 and 200 on one new problem."""
    budgets = [100, 200][: len(errors)]
    table = pd.DataFrame({"budget": budgets, "errors": errors, "policy": policy})
    table = table.assign(instance="new-1", epsilon=1.0, replicates=1000)
    return table.assign(estimate=table["errors"] / 1000, scaled_budget=table["budget"] / 100)


@pytest.mark.parametrize(
    ("lsa", "expected"),
    [
        ([200, 50], 0.75),  # halfway down in logarithms: 100 of 1000 at T = 150
        ([80, 10], 0.5),  # already below at the smallest budget
        ([400, 200], 1.5),  # one more halving needed beyond the largest
    ],
)
def test_budget_ratios_compare_budgets_at_equal_errors(lsa: list[int], expected: float) -> None:
    apt = budget_curve("apt", [300, 100])
    (found,) = measured.budget_ratios(apt, budget_curve("lsa", lsa))
    assert found == pytest.approx(expected)


def test_verdicts_carry_the_number_and_its_meaning() -> None:
    found = judged("X19", compared())
    assert found.number == pytest.approx(0.75)
    assert "median ratio of mean pulls" in found.meaning
    assert found.evidence["largest_onesided_over_mixture"] == pytest.approx(0.75)


def test_many_arms_compares_with_the_closed_form_of_equal_gaps() -> None:
    learned = bounds.bernoulli_kl(0.99, 0.01 / 8)
    apart = math.tanh(0.5) ** 2 * bounds.bernoulli_kl(0.6, 0.4)
    cells = cost_cells({1.0: 2.0}, HOEFFDING, "equal-gap-8")
    expected_ratio = cells["mean_pulls_high"][0] / (8 * learned / apart)
    assert many_arms()["least_over_bound"] == pytest.approx(expected_ratio)
