"""Evidence on the mechanism and on Algorithm 2, from tables, with planted opposites."""

import math
from typing import Any

import pandas as pd
import pytest

from ldpt import bounds
from ldpt.instances import Instance, equal_gap
from ldpt.replication.claims import confidence
from ldpt.replication.claims.register import ADDED, FALSE, NOT_TESTED, SUPPORTED, TRUE, UNDECIDED
from tests.replication.claims.judging import Plant, judged, verdict

PROBLEMS = {
    "two": Instance("two", [0.3, 0.6], 0.5),
    "three-groups": Instance("three-groups", [0.3, 0.6], 0.5),
    "equal-gap-8": equal_gap(8),
    "migraine": Instance("migraine", [0.1, 0.3], 0.2),
}


# --- tables that hold what is claimed, and tables that do not -------------------------------------


def mechanism(shift: int = 0) -> dict[str, Any]:
    positives = round(100_000 * (0.5 - 0.2 * math.tanh(0.5))) + shift
    row = {"law": "beta", "mean": 0.3, "epsilon": 1.0, "draws": 100_000, "positives": positives}
    return confidence.reward_laws(pd.DataFrame([row]))


def error_cells(errors: int, radius: str) -> pd.DataFrame:
    row = {"instance": "one", "radius": radius, "epsilon": 1.0, "delta": 0.1, "errors": errors}
    row |= {"replicates": 1000, "estimate": errors / 1000, "low": errors / 1000 - 0.02}
    return pd.DataFrame([row, row | {"epsilon": 4.0, "errors": 0, "estimate": 0.0, "low": 0.0}])


def delta_correct(errors: int, radius: str) -> dict[str, Any]:
    return confidence.delta_correctness(error_cells(errors, radius), radius)


def error_map(ratio: float) -> dict[str, Any]:
    """Two settings per radius, exact and simulated, whose error is this many times delta."""
    rows = [
        {"radius": radius, "method": method, "error_over_delta": ratio, "fails": ratio > 1}
        for radius in confidence.RADII
        for method in ("exact", "simulated")
    ]
    return confidence.error_map(pd.DataFrame(rows))


def sampled_errors(estimate: float, relative_error: float = 0.1) -> dict[str, Any]:
    row = {"estimate": estimate, "relative_error": relative_error, "reliable": True, "delta": 0.1}
    useless = row | {"estimate": 0.9, "reliable": False}
    rows = [cell | {"radius": radius} for radius in confidence.RADII for cell in (row, useless)]
    return confidence.sampled_errors(pd.DataFrame(rows))


def cost_cells(
    factors: dict[float, float],
    radii: dict[str, float],
    instance: str = "two",
    delta: float = 0.01,
    width: float = 0.001,
) -> pd.DataFrame:
    """Mean pulls as a factor of Theorem D, by epsilon, times a factor for the radius."""
    rows = []
    for epsilon, factor in factors.items():
        for radius, times in radii.items():
            bound = bounds.fixed_confidence_lower(PROBLEMS[instance], epsilon, delta, "reduction")
            mean = factor * times * bound
            row = {"instance": instance, "radius": radius, "epsilon": epsilon, "delta": delta}
            limits = {"mean_pulls_low": mean * (1 - width), "mean_pulls_high": mean * (1 + width)}
            rows.append(row | {"mean_pulls": mean, "quantile_pulls": 2 * mean} | limits)
    return pd.DataFrame(rows)


def one_of_ten(errors: int) -> dict[str, Any]:
    return confidence.one_of_ten(error_cells(errors, "printed").assign(instance="one-of-ten"))


HOEFFDING = {"hoeffding": 1.0}
ALL = {"printed": 4.0, "hoeffding": 20.0, "mixture": 3.9, "onesided": 3.0, "coin": 2.9}


def lower(factors: dict[float, float], scale: float = 1.0, **options: Any) -> dict[str, Any]:
    return confidence.lower_bounds(cost_cells(factors, HOEFFDING, **options), PROBLEMS, scale)


def reduction(factor: float) -> dict[str, Any]:
    two = {"two": PROBLEMS["two"]}
    dominates = confidence.reduction_dominates(two, [0.1, 1.0, 8.0])
    return lower({0.1: factor, 1.0: 2.0}) | dominates


def quantiles(factor: float) -> dict[str, Any]:
    cells = cost_cells({1.0: factor}, {"printed": 1.0})
    return confidence.stopping_time_quantiles(cells, PROBLEMS)


def expected(scale: float = 1.0) -> dict[str, Any]:
    cells = cost_cells({0.1: 1.1, 1.0: 1.1}, dict.fromkeys(confidence.VALID_RADII, 1.0))
    return confidence.expected_cost_bounds(cells, PROBLEMS, scale)


def many_arms(scale: float = 1.0) -> dict[str, Any]:
    cells = cost_cells({1.0: 2.0}, HOEFFDING, "equal-gap-8")
    return confidence.many_arms(cells, PROBLEMS, scale)


def decoupled(scale: float = 1.0) -> dict[str, Any]:
    cells = cost_cells({1.0: 4.0}, {"coin": 1.0, "hoeffding": 1e-6}, "equal-gap-8")
    return confidence.decoupled(cells, PROBLEMS, scale)


def raised(at_small_epsilon: float = 1.0) -> dict[str, Any]:
    return confidence.privacy_raises_the_cost(cost_cells({0.1: at_small_epsilon, 1.0: 1.0}, ALL))


def compared(**changes: float) -> dict[str, Any]:
    return confidence.cost_of_radii(cost_cells({0.1: 1.0, 1.0: 1.0}, ALL | changes))


def surveys(mean_answers: float = 300, verdict_found: str = "below") -> dict[str, Any]:
    row = {"radius": "coin", "answers": 1000, "mean_answers": mean_answers, "threshold": 0.3}
    row |= {"estimate": 0.1, "verdict": verdict_found, "orders": 100}
    row |= {"low_answers": 0.8 * mean_answers, "high_answers": 1.2 * mean_answers}
    return confidence.surveys(pd.DataFrame([row, row | {"radius": "onesided"}]))


PLANTED: list[Plant] = [
    ("L2.1-laws", SUPPORTED, mechanism, FALSE, lambda: mechanism(shift=2000)),
    *(
        (name, usual, lambda r=radius: delta_correct(100, r), FALSE,
         lambda r=radius: delta_correct(160, r))
        for name, usual, radius in (
            ("T4.1-runs", SUPPORTED, "printed"), ("T4.1-two", SUPPORTED, "printed"),
            ("X1", TRUE, "hoeffding"), ("X2", TRUE, "mixture"),
            ("X20", TRUE, "onesided"), ("X30", TRUE, "coin"),
        )
    ),
    ("T4.1-ten", SUPPORTED, lambda: one_of_ten(100), FALSE, lambda: one_of_ten(160)),
    ("T4.1-map", TRUE, lambda: error_map(0.5), FALSE, lambda: error_map(1.5)),
    ("T4.1-rare", SUPPORTED, lambda: sampled_errors(0.01), FALSE, lambda: sampled_errors(0.3)),
    ("T4.1-cost", ADDED, lambda: quantiles(10.0), FALSE, lambda: quantiles(1e4)),
    ("T4.1-cost", ADDED, lambda: quantiles(10.0), TRUE,
     lambda: quantiles(10.0) | {"bound_at_far_threshold": 2.0}),
    ("D61", SUPPORTED, raised, FALSE, lambda: raised(0.001)),
    ("T4.2-runs", SUPPORTED, lambda: lower({1.0: 9.0}), FALSE, lambda: lower({1.0: 9.0}, 1e6)),
    ("D15", SUPPORTED, lambda: lower({0.1: 9.0, 1.0: 20.0}), FALSE,
     lambda: lower({0.1: 9.0, 1.0: 30.0})),
    ("D15", SUPPORTED, lambda: lower({0.1: 9.0, 1.0: 20.0}), UNDECIDED,
     lambda: lower({0.1: 9.0, 1.0: 27.1}, width=0.1)),
    ("X6", TRUE, lambda: reduction(1.1), FALSE, lambda: reduction(0.9)),
    ("X9", TRUE, expected, FALSE, lambda: expected(1e3)),
    ("X22", TRUE, expected, FALSE, lambda: expected(10.0)),
    ("X32", TRUE, expected, FALSE, lambda: expected(10.0)),
    ("X23", TRUE, many_arms, FALSE, lambda: many_arms(1e3)),
    ("X28", TRUE, decoupled, FALSE, lambda: decoupled(1e3)),
    ("X4", SUPPORTED, compared, FALSE, lambda: compared(mixture=4.1)),
    ("X40", SUPPORTED, compared, FALSE, lambda: compared(coin=3.5)),
    ("X45", SUPPORTED, surveys, FALSE, lambda: surveys(mean_answers=600)),
    ("X45", SUPPORTED, surveys, FALSE, lambda: surveys(verdict_found="above")),
]  # fmt: skip


# --- the numbers themselves -----------------------------------------------------------------------


def test_evidence_of_no_run_gives_no_verdict() -> None:
    nothing = confidence.delta_correctness(error_cells(0, "printed"), "onesided")
    assert verdict("X20", nothing) == NOT_TESTED
    mixture = confidence.cost_of_radii(cost_cells({1.0: 1.0}, {"mixture": 1.0}))
    assert verdict("X40", mixture) == NOT_TESTED


def test_sampled_errors_contradict_only_when_sure() -> None:
    assert verdict("T4.1-rare", sampled_errors(0.3, relative_error=0.3)) == SUPPORTED


def test_tests_say_what_they_would_find() -> None:
    found = delta_correct(100, "coin")
    assert found["detects_least"] == found["detects_largest"] == pytest.approx(1.48, abs=0.03)


def test_lower_bounds_tell_the_level_of_near_optimality_for_every_radius() -> None:
    found = confidence.lower_bounds(cost_cells({0.1: 1.0, 1.0: 2.0, 4.0: 4.0}, ALL), PROBLEMS)
    for radius, times in ALL.items():
        names = [f"{radius}_{word}_over_reduction" for word in ("least", "median", "largest")]
        assert [found[name] for name in names] == pytest.approx([times, 2 * times, 4 * times])
    assert found["reduction_spread"] == found["coin_spread"] == pytest.approx(4.0)


def test_stopping_time_quantiles_take_quantiles_and_not_means() -> None:
    cells = cost_cells({1.0: 10.0}, {"printed": 1.0})
    assert verdict("T4.1-cost", confidence.stopping_time_quantiles(cells, PROBLEMS)) == ADDED
    late = cells.assign(quantile_pulls=1e9)  # the mean stays what it was
    assert verdict("T4.1-cost", confidence.stopping_time_quantiles(late, PROBLEMS)) == FALSE


def test_verdicts_carry_the_number_and_its_meaning() -> None:
    found = judged("X40", compared())
    assert found["number"] == pytest.approx(2.9 / 3.0)
    assert "median ratio of mean pulls" in found["meaning"]
    assert found["evidence"]["largest_onesided_over_mixture"] == pytest.approx(3.0 / 3.9)


def test_many_arms_compares_with_the_closed_form_of_equal_gaps() -> None:
    learned = bounds.bernoulli_kl(0.99, 0.01 / 8)
    shrink = math.tanh(0.5)
    apart = bounds.bernoulli_kl(0.5 + 0.1 * shrink, 0.5 - 0.1 * shrink)
    cells = cost_cells({1.0: 2.0}, HOEFFDING, "equal-gap-8")
    expected_ratio = cells["mean_pulls_high"][0] / (8 * learned / apart)
    assert many_arms()["least_over_bound"] == pytest.approx(expected_ratio)
