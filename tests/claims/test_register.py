"""The audit has teeth: plant the opposite of what the paper says, and the verdict changes."""

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scripts.evidence_displays import displays

from ldpt.claims import measured, register
from ldpt.claims.displays import arithmetic as section2
from ldpt.claims.displays import fixed_budget as budget
from ldpt.claims.displays import fixed_confidence as confidence
from ldpt.claims.register import (
    CORRECTED,
    NOT_TESTABLE,
    REFUTED,
    REPRODUCED,
    Claim,
)
from ldpt.instances import Instance

PROJECT = Path(__file__).resolve().parents[2]
REGISTER = PROJECT / "paper/claims.yaml"
SCHEMA = PROJECT / "workflow/schemas/claims.schema.yaml"
LEVEL, REGISTERED = register.read_register(REGISTER, SCHEMA)
BY_ID = {claim.id: claim for claim in REGISTERED}


def verdict(identifier: str, entry: dict[str, Any]) -> str:
    """The verdict on one registered claim by this evidence alone."""
    claim = BY_ID[identifier]
    return register.verdicts([claim], {claim.file: {claim.key: entry}}, LEVEL)[0].verdict


@pytest.fixture(scope="module")
def shown() -> dict[str, dict[str, Any]]:
    """The evidence on all displays, as the workflow computes it."""
    return displays()


# --- the displays: what is found, and that a planted opposite turns it ----------------------------

FOUND = {
    REPRODUCED: "D16 D17 D18 D49 D13 D27 D28 D31 D34 D35 D37 D39 D41 D43 D44 D10 D45 D46 X5 X7",
    CORRECTED: "D1 D12 D19 D2 D3 D20 D21 D22 D23 D24 D4 D25 D26 D29 D30 D5 D6 D33 D36 D48 D8 D38 "
    "D40 D42 D9 D11 D47",
}


@pytest.mark.parametrize(
    ("identifier", "expected"), [(i, v) for v, ids in FOUND.items() for i in ids.split()]
)
def test_verdicts_on_the_displays(
    identifier: str, expected: str, shown: dict[str, dict[str, Any]]
) -> None:
    assert verdict(identifier, shown[BY_ID[identifier].key]) == expected


def leaky(reward: Fraction, x: Fraction) -> Fraction:
    """A mechanism at twice the privacy level it claims."""
    return section2.response_probability(reward, x * x)


PLANTED: list[tuple[str, str, Callable[[], dict[str, Any]]]] = [
    ("D16", REFUTED, lambda: section2.mean_of_response(slope=Fraction(1, 3))),
    ("D17", REFUTED, lambda: section2.privacy_ratio(leaky)),
    ("D1", REPRODUCED, lambda: section2.ratio_for_output_zero(corner=(0, 1))),
    ("D13", REFUTED, lambda: section2.complexity_identity([1.0], power=1)),
    ("D2", REPRODUCED, lambda: budget.sub_gaussian(scale=Fraction(1, 2))),
    ("D2", REFUTED, lambda: budget.sub_gaussian(corrected=Fraction(9, 20))),
    ("D3", REPRODUCED, lambda: budget.fixed_budget_exponent(printed=Fraction(1, 32))),
    ("D20", REPRODUCED, lambda: budget.peeling_scales(budgets=(2, 3, 4))),
    ("D21", REPRODUCED, lambda: budget.maximal_inequality(rate=Fraction(1), factor=2)),
    ("D24", REPRODUCED, lambda: budget.last_line_of_the_proof(rate=Fraction(1, 4))),
    ("D4", REPRODUCED, lambda: budget.half_a_gap(misplaced_root=False)),
    ("D25", REPRODUCED, lambda: budget.index_lower_bound(gap_power=1)),
    ("D26", REPRODUCED, lambda: budget.index_upper_bound(power=1)),
    ("D5", REPRODUCED, lambda: budget.divergence_of_mirrored_arms(coefficient=4)),
    ("D34", REFUTED, lambda: budget.bretagnolle_huber(constant=Fraction(3, 2))),
    ("D35", REFUTED, lambda: budget.channel_contraction(scale=Fraction(1, 12))),
    ("D36", REPRODUCED, lambda: budget.pigeonhole_over_measures(x=Fraction(1))),
    ("X5", REFUTED, lambda: budget.channel_contraction(printed=False, scale=Fraction(9, 10))),
    ("X7", REFUTED, lambda: budget.paired_deviation(share=5.0)),
    ("D38", REPRODUCED, lambda: confidence.hoeffding_on_the_radius(scale=Fraction(2))),
    # a radius ten per cent below the repaired one: 1/2 becomes .81/2
    ("D38", REFUTED, lambda: confidence.hoeffding_on_the_radius(corrected=Fraction(200, 81))),
    ("D39", REFUTED, lambda: confidence.sum_over_rounds(numerator=Fraction(1))),
    ("D43", REFUTED, lambda: confidence.pulls_of_an_arm(divisor=4)),
    ("D9", REPRODUCED, lambda: confidence.effective_complexity(divisor=16)),
    ("D9", REFUTED, lambda: confidence.effective_complexity(corrected=17)),
    ("D10", REFUTED, lambda: confidence.fixed_point(constant=199)),
    ("D11", REPRODUCED, lambda: confidence.mirrored_mean_distance(factor=2)),
    ("D46", REFUTED, lambda: confidence.mirrored_divergence(coefficient=Fraction(3, 2))),
    ("D45", REFUTED, lambda: confidence.binary_divergence_bound(slack=1)),
    ("D47", REFUTED, lambda: confidence.confidence_range(largest=Fraction(1, 2))),
    ("D48", REFUTED, lambda: measured.matching_exponents(largest_small=4.0)),
]


@pytest.mark.parametrize(("identifier", "expected", "plant"), PLANTED)
def test_a_planted_opposite_turns_the_verdict(
    identifier: str, expected: str, plant: Callable[[], dict[str, Any]]
) -> None:
    usual = next(kind for kind, ids in FOUND.items() if identifier in ids.split())
    assert verdict(identifier, plant()) == expected != usual


def test_crossing_probability_against_all_paths() -> None:
    tapes = np.array(np.meshgrid(*[[0, 1]] * 10)).reshape(10, -1).T
    v = np.arange(1, 11)
    walk = 2 * tapes.cumsum(axis=1) - v
    crossed = np.any((walk**2 >= 4 * v)[:, 3:8], axis=1)
    assert budget.crossing_probability(4, 8, 1) == Fraction(int(crossed.sum()), len(tapes))


# --- the register ---------------------------------------------------------------------------------


def test_register_names_every_finding_and_every_check(shown: dict[str, dict[str, Any]]) -> None:
    assert {f"D{n}" for n in range(1, 16)} <= BY_ID.keys()
    assert {claim.key for claim in REGISTERED if claim.file == "displays"} == shown.keys()


def write_register(folder: Path, change: Callable[[str], str]) -> Path:
    path = folder / "claims.yaml"
    text = change(REGISTER.read_text())
    assert text != REGISTER.read_text()
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  - id: D16\n", "  - id: D17\n", "two claims with the id D17"),
        ("kind: simulated", "kind: guessed", "'guessed' is not one of"),
        ("    number: largest_deviation\n", "", "'number' is a dependency of 'evidence'"),
        ("    number: largest_deviation\n", "    verdict: refuted\n", "'verdict' was unexpected"),
    ],
)
def test_a_wrong_register_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = write_register(tmp_path, lambda text: text.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        register.read_register(path, SCHEMA)


# --- criteria and verdicts ------------------------------------------------------------------------


def make(printed: str = "value <= 1", corrected: str = "", **changes: Any) -> Claim:
    fields = {"kind": "bound", "file": "f", "key": "k", "number": "value"} | changes
    return Claim("C", "here", statement="s", printed=printed, corrected=corrected, **fields)


def judge(claim: Claim, entry: dict[str, Any]) -> register.Verdict:
    return register.verdicts([claim], {"f": {"k": entry}}, 0.001)[0]


@pytest.mark.parametrize(
    ("value", "expected"), [(0.5, REPRODUCED), (1.5, CORRECTED), (2.5, REFUTED)]
)
def test_verdict_follows_from_the_criteria(value: float, expected: str) -> None:
    found = judge(make(corrected="value <= 2"), {"value": value, "violating_point": "x = 3"})
    assert found.verdict == expected
    assert found.number == value
    assert ("at x = 3" in found.decided_by) == (expected != REPRODUCED)


def test_a_claim_without_evidence_is_not_testable() -> None:
    claim = Claim("C", "here", "qualitative", "s", reason="no number is given")
    found = register.verdicts([claim], {}, 0.001)[0]
    assert (found.verdict, found.decided_by) == (NOT_TESTABLE, "no number is given")


@pytest.mark.parametrize(
    ("claim", "entry", "message"),
    [
        (make(), {}, "no 'value'"),
        (make(printed="other <= 1"), {"value": 1}, "no number 'other'"),
        (make(), {"value": "nan"}, "no number 'value'"),
        (make(), {"value": math.inf}, "no number 'value'"),
        (make(printed="value ~ 1"), {"value": 1}, "compares two numbers"),
        # a correction that cannot be read is an error even where it is not needed
        (make(corrected="other <= 2"), {"value": 0.5}, "no number 'other'"),
    ],
)
def test_missing_evidence_is_an_error(claim: Claim, entry: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"claim C: .*{message}"):
        judge(claim, entry)


def test_a_missing_entry_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"claim C: evidence f.json has no 'k'"):
        register.verdicts([make()], {"f": {}}, 0.001)


def test_holm_by_hand() -> None:
    assert register.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert register.holm([]) == []


def test_holm_runs_over_the_whole_register() -> None:
    """A p value of .0005 falls alone at level .001, and stands among a thousand tests."""
    small = {"value": 0, "tests": [{"where": "a", "p": 0.0005}]}
    many = {"value": 0, "tests": [{"where": "b", "p": 0.5}] * 1000}
    claim = make("adjusted_p >= level", kind="simulated")
    assert judge(claim, small).verdict == REFUTED
    other = make("adjusted_p >= level", kind="simulated", key="many")
    found = register.verdicts([claim, other], {"f": {"k": small, "many": many}}, 0.001)
    assert [v.verdict for v in found] == [REPRODUCED, REPRODUCED]
    assert found[0].raw_p == 0.0005
    assert found[0].adjusted_p == pytest.approx(0.5005)


def test_the_document_fits_its_schema_and_counts() -> None:
    found = [judge(make(), {"value": 0.5}), judge(make(), {"value": 2.0})]
    document = register.as_document(found, 0.001)
    schema = PROJECT / "workflow/schemas/verdicts.schema.yaml"
    register.validate(document, schema, "the verdicts")
    assert document["counts"] == {REPRODUCED: 1, CORRECTED: 0, REFUTED: 1, NOT_TESTABLE: 0}
    document["claims"][0]["verdict"] = CORRECTED  # typed, without a correction
    with pytest.raises(ValueError, match="the verdicts"):
        register.validate(document, schema, "the verdicts")


# --- stale evidence -------------------------------------------------------------------------------


def test_stale_or_missing_evidence_is_refused(tmp_path: Path) -> None:
    table, path = tmp_path / "table.csv", tmp_path / "measured.json"
    table.write_text("a\n1\n")
    with pytest.raises(ValueError, match=r"measured.json is missing"):
        register.read_evidence(path)
    register.write_evidence(path, {"k": {"value": math.inf}}, "code", [str(table)])
    assert register.read_evidence(path, "code", [str(table)]) == {"k": {"value": "inf"}}
    with pytest.raises(ValueError, match="the code that made it has changed"):
        register.read_evidence(path, "other", [str(table)])
    with pytest.raises(ValueError, match=r"another .*table.csv"):
        register.read_evidence(path, "code", [])
    twin = tmp_path / "twin" / "table.csv"  # same name, other folder, other contents
    twin.parent.mkdir()
    twin.write_text("b\n")
    register.write_evidence(path, {}, "code", [str(table), str(twin)])
    assert register.read_evidence(path, "code", [str(twin), str(table)]) == {}
    table.write_text("a\n2\n")
    with pytest.raises(ValueError, match=r"another .*table.csv"):
        register.read_evidence(path, "code", [str(table), str(twin)])
    json.loads(path.read_text())  # plain JSON, infinities as text


# --- evidence from tables -------------------------------------------------------------------------


def confidence_cells(errors: int, radius: str = "printed") -> pd.DataFrame:
    row = {"instance": "one", "radius": radius, "epsilon": 1.0, "delta": 0.1, "errors": errors}
    row |= {"replicates": 1000, "estimate": errors / 1000, "low": errors / 1000 - 0.02}
    return pd.DataFrame([row, row | {"epsilon": 4.0, "errors": 0, "estimate": 0.0, "low": 0.0}])


@pytest.mark.parametrize(("errors", "expected"), [(100, REPRODUCED), (160, REFUTED)])
def test_delta_correctness_is_tested_by_exact_binomials(errors: int, expected: str) -> None:
    found = measured.delta_correctness(confidence_cells(errors), "printed")
    assert found["cells_above_delta"] == int(errors == 160)
    assert verdict("T4.1", found) == expected


def test_a_radius_without_runs_is_an_error() -> None:
    with pytest.raises(ValueError, match="no run with the radius 'mixture'"):
        measured.delta_correctness(confidence_cells(0), "mixture")


@pytest.mark.parametrize(("shift", "expected"), [(0, REPRODUCED), (2000, REFUTED)])
def test_reward_laws_are_tested_against_the_private_mean(shift: int, expected: str) -> None:
    positives = round(100_000 * (0.5 - 0.2 * math.tanh(0.5))) + shift
    row = {"law": "beta", "mean": 0.3, "epsilon": 1.0, "draws": 100_000, "positives": positives}
    assert verdict("L2.1", measured.reward_laws(pd.DataFrame([row]))) == expected


def error_curves(slower: dict[float, float]) -> pd.DataFrame:
    """Curves exp(-2 x) against x = T/H_eps, stretched by a factor for some epsilons."""
    x = np.linspace(0.1, 4, 30)
    parts = [
        pd.DataFrame(
            {
                "instance": "one",
                "policy": "apt",
                "epsilon": epsilon,
                "budget": np.arange(30),
                "scaled_budget": x,
                "estimate": np.exp(-2 * x / slower.get(epsilon, 1.0)),
            }
        )
        for epsilon in (0.1, 1.0, 4.0)
    ]
    return pd.concat(parts)


@pytest.mark.parametrize(
    ("slower", "expected"), [({}, REPRODUCED), ({4.0: 1.2}, CORRECTED), ({0.1: 1.2}, REFUTED)]
)
def test_collapse_is_judged_by_the_budget_at_equal_error(
    slower: dict[float, float], expected: str
) -> None:
    found = measured.collapse(error_curves(slower))
    assert verdict("D14", found) == expected
    assert found["spread_all"] == pytest.approx(max(slower.values(), default=1.0), rel=1e-6)


def cost_cells(instance: Instance, factors: dict[float, float]) -> pd.DataFrame:
    from ldpt.bounds import fixed_confidence_lower

    rows = []
    for epsilon, factor in factors.items():
        mean = factor * fixed_confidence_lower(instance, epsilon, 0.01, "sharp")
        row = {"instance": instance.name, "radius": "hoeffding", "epsilon": epsilon, "delta": 0.01}
        rows.append(row | {"mean_pulls": mean, "mean_pulls_high": mean})
    return pd.DataFrame(rows)


@pytest.mark.parametrize(("last", "expected"), [(20.0, CORRECTED), (50.0, REPRODUCED)])
def test_near_optimality_is_judged_by_the_spread_over_epsilon(last: float, expected: str) -> None:
    instance = Instance("two", [0.3, 0.6], 0.5)
    cells = cost_cells(instance, {0.1: 10.0, 1.0: 12.0, 4.0: last})
    found = measured.lower_bounds(cells, {"two": instance})
    assert verdict("D15", found) == expected
    assert found["sharp_spread"] == pytest.approx(last / 10)
    assert found["printed_growth"] > 100


def test_a_cost_below_a_lower_bound_refutes_it() -> None:
    instance = Instance("two", [0.3, 0.6], 0.5)
    cells = cost_cells(instance, {0.1: 0.9, 1.0: 2.0})
    lower = measured.lower_bounds(cells, {"two": instance})
    dominates = measured.sharp_lower_bound_dominates({"two": instance}, [0.1, 1.0, 8.0])
    assert verdict("X6", lower | dominates) == REFUTED
    mended = {"least_over_sharp": 1.1, "least_over_privbern": 1.0}
    assert verdict("X6", lower | dominates | mended) == REPRODUCED
    assert verdict("T4.2", measured.lower_bounds(cells, {"two": instance}, scale=1e6)) == REFUTED


def test_expected_pulls_bound_meets_its_own_condition() -> None:
    instance, delta = Instance("two", [0.3, 0.6], 0.5), 0.05
    complexity = instance.complexity(1.0)

    def met(t: float) -> bool:
        return t / 2 - 1 > 2 * complexity * (math.log(8 / delta) + 3 * math.log(t)) + 2

    t0 = math.floor(measured.expected_pulls_bound(instance, 1.0, delta))
    assert all(met(t) for t in (t0, t0 + 1, 2 * t0, 100 * t0))
    assert not met(0.99 * t0)
