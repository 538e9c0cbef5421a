"""The displays of the paper: what is found, and that a planted fault turns every verdict."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ldpt.replication.claims import displays
from ldpt.replication.claims.register import ADDED, FALSE, REPAIRED, TRUE
from tests.replication.claims.judging import BY_ID, REGISTERED, source, verdict

FOUND = {
    TRUE: "L2.1 D17 D18 D53 D13 D55 D56 D34 D35 D41 D10 D45 D46 X26",
    ADDED: "D19 D23 D30 D52 D59 D60 D47",
    REPAIRED: "D2 D20 D21 D5 D36 D38",
    FALSE: "D12",
}
HALF = Fraction(1, 2)
# claim, verdict with the fault, faulty evidence
PLANTED: list[tuple[str, str, Callable[[], dict[str, Any]]]] = [
    ("L2.1", FALSE, lambda: displays.lemma_2_1(slope=Fraction(1, 3))),
    ("L2.1", FALSE, lambda: displays.lemma_2_1(strength=2)),
    ("D17", FALSE, lambda: displays.privacy_ratio(strength=2)),
    ("D18", FALSE, lambda: displays.definition_at_the_extremes(smallest=Fraction(2))),
    ("D53", FALSE, lambda: displays.variance_of_the_estimate(power=2)),
    ("D59", TRUE, lambda: displays.private_order(displays.EXPONENTIALS)),
    ("D19", TRUE, lambda: displays.objective_set_has_no_loss(strict=True)),
    ("D13", FALSE, lambda: displays.complexity_identity(power=1)),
    ("D12", TRUE, lambda: displays.theorem_4_1_at_epsilon_zero(x=Fraction(2))),
    ("D2", TRUE, lambda: displays.sub_gaussian(scale=HALF)),
    ("D2", FALSE, lambda: displays.sub_gaussian(amended=Fraction(9, 20))),
    ("D20", TRUE, lambda: displays.peeling_scales(budgets=(2, 3, 4, 8))),
    ("D21", TRUE, lambda: displays.maximal_inequality(rate=1, factor=2)),
    ("D23", TRUE, lambda: displays.union_term(factor=1)),
    ("D30", TRUE, lambda: displays.rejected_below_threshold(tolerances=[Fraction(0)])),
    ("D30", FALSE, lambda: displays.rejected_below_threshold(share=Fraction(3, 4))),
    ("D55", FALSE, lambda: displays.pulls_of_other_arms(scale=8)),
    ("D56", FALSE, lambda: displays.accepted_above_threshold(share=Fraction(3, 4))),
    ("D5", TRUE, lambda: displays.divergence_of_mirrored_arms(coefficient=4)),
    ("D34", FALSE, lambda: displays.bretagnolle_huber(constant=Fraction(3, 2))),
    ("D35", FALSE, lambda: displays.channel_contraction(scale=Fraction(1, 12))),
    ("D36", TRUE, lambda: displays.pigeonhole_over_measures(x=Fraction(1))),
    ("D52", TRUE, lambda: displays.other_answer_is_an_error(least_gap=Fraction(1, 20))),
    ("X26", FALSE, lambda: displays.channel_simulation(excess=Fraction(11, 10))),
    ("D38", TRUE, lambda: displays.hoeffding_on_the_radius(scale=Fraction(2))),
    # a radius ten per cent below the repaired one: 1/2 becomes .81/2
    ("D38", FALSE, lambda: displays.hoeffding_on_the_radius(amended=Fraction(200, 81))),
    ("D41", FALSE, lambda: displays.termination_is_correct(slack=Fraction(1, 10))),
    ("D10", FALSE, lambda: displays.fixed_point(constant=498)),
    ("D10", FALSE, lambda: displays.fixed_point(needed=(127, 54))),
    ("D45", FALSE, lambda: displays.binary_divergence_bound(slack=1)),
    ("D46", FALSE, lambda: displays.mirrored_divergence(coefficient=Fraction(3, 2))),
    ("D47", FALSE, lambda: displays.confidence_range(largest=HALF)),
    (
        "D60",
        TRUE,
        lambda: displays.other_environment_has_another_answer(at_threshold=False),
    ),
]


@pytest.fixture(scope="module")
def shown() -> dict[str, dict[str, Any]]:
    """The evidence on all displays, as the workflow computes it."""
    return {check.__name__: check() for check in displays.CHECKS}


def test_every_check_belongs_to_a_row(shown: dict[str, dict[str, Any]]) -> None:
    rows = [row for row in REGISTERED if source(row) == "displays"]
    assert {row["evidence"]["key"] for row in rows} == shown.keys()
    listed = {identifier for ids in FOUND.values() for identifier in ids.split()}
    assert listed == {row["id"] for row in rows}


@pytest.mark.parametrize(
    ("identifier", "expected"), [(i, v) for v, ids in FOUND.items() for i in ids.split()]
)
def test_verdict_on_a_display(
    identifier: str, expected: str, shown: dict[str, dict[str, Any]]
) -> None:
    assert verdict(identifier, shown[BY_ID[identifier]["evidence"]["key"]]) == expected


@pytest.mark.parametrize(("identifier", "expected", "plant"), PLANTED)
def test_a_planted_fault_turns_the_verdict(
    identifier: str, expected: str, plant: Callable[[], dict[str, Any]]
) -> None:
    usual = next(kind for kind, ids in FOUND.items() if identifier in ids.split())
    assert verdict(identifier, plant()) == expected != usual


def test_peeling_scales_are_reached_at_four_budgets_only(shown: dict[str, dict[str, Any]]) -> None:
    found = shown["peeling_scales"]
    reached = found["cases"] - found["violations"]
    assert (reached, found["largest_budget_reached"]) == (4, 8)


def test_the_constants_36_and_499_stand(shown: dict[str, dict[str, Any]]) -> None:
    assert 498.89 < shown["fixed_point"]["least_constant"] < 498.91


def test_crossing_probability_against_all_paths() -> None:
    tapes = np.array(np.meshgrid(*[[0, 1]] * 10)).reshape(10, -1).T
    v = np.arange(1, 11)
    walk = 2 * tapes.cumsum(axis=1) - v
    crossed = np.any((walk**2 >= 4 * v)[:, 3:8], axis=1)
    assert displays.crossing_probability(4, 8, 1) == Fraction(int(crossed.sum()), len(tapes))
