"""Register and verdicts: a wrong register is refused; no evidence gives no verdict."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ldpt.replication.claims import budget, chains, coin, confidence, displays, held_out, register
from ldpt.replication.claims.register import (
    ADDED,
    FALSE,
    NOT_TESTED,
    REPAIRED,
    SUPPORTED,
    TRUE,
    UNDECIDED,
    VERDICTS,
)
from tests.replication.claims import (
    test_budget,
    test_chains,
    test_confidence,
    test_displays,
    test_held_out,
)
from tests.replication.claims.judging import (
    BY_ID,
    CONTENT,
    PROJECT,
    REGISTER,
    REGISTERED,
    SCHEMA,
    VERDICTS_SCHEMA,
    source,
    verdict,
)

# --- the register itself --------------------------------------------------------------------------


def test_every_check_of_the_register_has_a_planted_fault() -> None:
    modules = (test_displays, test_chains, test_confidence, test_budget, test_held_out)
    planted = {identifier for module in modules for identifier, *_ in module.PLANTED}
    assert planted == {row["id"] for row in REGISTERED if source(row)}


CHECKS = {
    "displays": {check.__name__ for check in displays.CHECKS},
    "chains": chains.CHECKS.keys() | coin.CHECKS.keys(),
    "measured": confidence.CHECKS.keys() | budget.CHECKS.keys() | held_out.CHECKS.keys(),
}


def test_every_row_names_a_check_and_every_check_has_a_row() -> None:
    named = {(row["evidence"]["file"], row["evidence"]["key"]) for row in REGISTERED if source(row)}
    assert named <= {(file, key) for file, keys in CHECKS.items() for key in keys}


def test_ids_are_unique() -> None:
    assert len(BY_ID) == len(REGISTERED)


@pytest.mark.parametrize("row", REGISTERED, ids=lambda row: row["id"])
def test_every_name_in_a_row_is_known(row: dict[str, Any]) -> None:
    root = BY_ID[row["root"]]
    assert root["root"] == root["id"]
    assert (row["level"] == "own") == (root["level"] == "own")
    assert row.get("statistic") in {None, *CONTENT["statistics"]}
    if "adjusted_p" in row.get("printed", ""):
        assert row["evidence"]["cases"] == "n_tests"


def test_theorems_are_roots() -> None:
    theorems = [row for row in REGISTERED if row["level"] == "theorem"]
    assert [row["id"] for row in theorems] == THEOREMS
    assert all(row["root"] == row["id"] for row in theorems)


THEOREMS = ["L2.1", "T3.1", "T3.2", "T4.1", "T4.2"]


def test_typos_are_roots_of_their_own_level() -> None:
    typos = {row["id"] for row in REGISTERED if row["level"] == "typo"}
    assert typos == set(
        ["D1", "D4", "D8", "D22", "D24", "D25", "D26", "D29", "D32", "D40", "D42", "D71", "D72"]
    )
    assert all(BY_ID[name]["root"] == name for name in typos)


@pytest.mark.parametrize(
    ("root", "rows"),
    [
        ("D2", "D2 D3 D38"),  # one wrong constant
        ("D19", "D19 D52 D60"),  # a mean at the threshold
    ],
)
def test_one_cause_is_one_root(root: str, rows: str) -> None:
    assert {row["id"] for row in REGISTERED if row["root"] == root} == set(rows.split())


def test_own_questions_are_not_counted_as_the_papers() -> None:
    for row in REGISTERED:
        assert (row["level"] == "own") == (row["id"][0] in "XS" or row["id"] in OWN_QUESTIONS)


OWN_QUESTIONS = ("D14", "D14-small", "D15")


def test_every_proof_is_a_section_of_the_appendix() -> None:
    proofs = (PROJECT / "paper/proofs.typ").read_text(encoding="utf-8")
    named = set(re.findall(r"^== .*<(proof-[a-z-]+)>$", proofs, re.MULTILINE))
    assert {row["proof"] for row in REGISTERED if "proof" in row} <= named


def test_no_row_tells_its_history() -> None:
    assert not re.search(r"[Uu]ntil release|referee|in commit", REGISTER.read_text("utf-8"))


def write_register(folder: Path, change: Callable[[str], str]) -> Path:
    path = folder / "claims.yaml"
    text = change(REGISTER.read_text(encoding="utf-8"))
    assert text != REGISTER.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("basis: measured", "basis: guessed", "'guessed' is not one of"),
        ("level: step", "level: lemma", "'lemma' is not one of"),
        ("    number: largest_deviation\n", "", "'number' is a required property"),
        ("    root: D2\n", "    root: D2\n    verdict: 'false'\n", "'verdict' was unexpected"),
        (", cases: n_tests}", "}", "'cases' is a required property"),
        ("level: theorem", "level: statement", "the register"),
        ("    reading: true as printed\n", "", "'reading' is a required property"),
        ("basis: read off", "basis: computed", "is a required property"),
        ("    amendment: If μ_{i} ≠ τ.\n", "", "'amendment' is a dependency of 'amended'"),
        ("    repair: hypothesis\n", "", "'repair' is a dependency of 'amended'"),
        ("    proof: proof-upper\n", "", "'proof' is a required property"),
        ("    statistic: two-sided\n", "", "'statistic' is a required property"),
    ],
)
def test_read_register_refuses(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = write_register(tmp_path, lambda text: text.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        register.read_register(path, SCHEMA)


# --- criteria and verdicts ------------------------------------------------------------------------

Row = dict[str, Any]


def make(printed: str = "value <= 1", key: str = "k", cases: str = "cases", **changes: Any) -> Row:
    row = {"id": "C", "level": "step", "root": "C", "part": "text", "where": "here"}
    row |= {"basis": "computed", "statement": "s", "number": "value", "meaning": "a value"}
    row |= {"printed": printed, "evidence": {"file": "f", "key": key, "cases": cases}}
    return row | changes


def repaired(amended: str = "value <= 2", repair: str = "correction") -> Row:
    return make(amended=amended, amendment="with 2", repair=repair)


def judge_all(rows: list[Row], evidence: dict[str, Any]) -> list[Row]:
    return register.judge(CONTENT | {"claims": rows, "test_level": 0.001}, evidence)["claims"]


def judge(row: Row, entry: dict[str, Any]) -> Row:
    return judge_all([row], {"f": {"k": {"cases": 1} | entry}})[0]


@pytest.mark.parametrize("repair", ["correction", "hypothesis"])
@pytest.mark.parametrize(("value", "expected"), [(0.5, TRUE), (1.5, None), (2.5, FALSE)])
def test_verdict_follows_from_the_criteria(value: float, expected: str | None, repair: str) -> None:
    """The same numbers give one class for a missing hypothesis and another for a wrong constant."""
    kind = {"correction": REPAIRED, "hypothesis": ADDED}[repair]
    found = judge(repaired(repair=repair), {"value": value, "violating_point": "x = 3"})
    assert found["verdict"] == (expected or kind)
    assert found["number"] == value
    assert ("at x = 3" in found["decided_by"]) == (expected != TRUE)
    assert found["amendment"] == ("" if expected else "with 2")


def test_a_meaning_names_numbers_of_the_evidence() -> None:
    row = make(meaning="a value below {{limit}}")
    assert judge(row, {"value": 0.5, "limit": 1 / 3})["meaning"] == "a value below 0.333"
    with pytest.raises(ValueError, match="claim C: the evidence has no number 'limit'"):
        judge(row, {"value": 0.5})


@pytest.mark.parametrize(("value", "expected"), [(0.5, SUPPORTED), (1.5, FALSE)])
def test_a_measured_claim_is_at_best_supported(value: float, expected: str) -> None:
    assert judge(make(basis="measured"), {"value": value})["verdict"] == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.5, 0.9, SUPPORTED), (1.1, 1.3, FALSE), (0.9, 1.1, UNDECIDED)],
)
def test_an_interval_that_contains_the_limit_decides_nothing(
    low: float, high: float, expected: str
) -> None:
    row = make("value_high <= 1", basis="measured", contradicted="value_low > 1")
    found = judge(row, {"value": 1.0, "value_low": low, "value_high": high})
    assert found["verdict"] == expected
    assert found["interval"] == [low, high]


@pytest.mark.parametrize("value", [0.5, 2.5])
def test_no_case_gives_no_verdict(value: float) -> None:
    found = judge(make(), {"value": value, "cases": 0})
    assert (found["verdict"], found["number"], found["cases"]) == (NOT_TESTED, None, 0)


def test_an_empty_list_of_tests_gives_no_verdict() -> None:
    row = make("adjusted_p >= test_level", cases="n_tests", basis="measured")
    assert judge(row, {"value": 0, "tests": []})["verdict"] == NOT_TESTED
    one = {"value": 0, "tests": [{"where": "a", "p": 0.5}]}
    assert judge(row, one)["verdict"] == SUPPORTED


def test_an_amendment_without_a_case_is_ignored() -> None:
    row = repaired("amended_violations == 0")
    entry = {"value": 2.0, "amended_violations": 0, "amended_cases": 0}
    assert judge(row, entry)["verdict"] == FALSE
    assert judge(row, entry | {"amended_cases": 3})["verdict"] == REPAIRED


@pytest.mark.parametrize("row", [r for r in REGISTERED if source(r)], ids=lambda r: r["id"])
def test_every_registered_row_without_a_case_is_not_tested(row: Row) -> None:
    cases = row["evidence"]["cases"]
    assert verdict(row["id"], {"tests": []} if cases == "n_tests" else {cases: 0}) == NOT_TESTED


def test_a_read_off_verdict_is_taken_from_the_register() -> None:
    row = make(basis="read off", reading=NOT_TESTED, reason="no number is given")
    for name in ("evidence", "printed", "number", "meaning"):
        del row[name]
    (found,) = judge_all([row], {})
    assert (found["verdict"], found["decided_by"]) == (NOT_TESTED, "no number is given")


@pytest.mark.parametrize(
    ("row", "entry", "message"),
    [
        (make(), {}, "no 'value'"),
        (make(printed="other <= 1"), {"value": 1}, "no number 'other'"),
        (make(), {"value": "nan"}, "no number 'value'"),
        (make(), {"value": math.inf}, "no number 'value'"),
        (make(cases="others"), {"value": 1}, "no number 'others'"),
        (make(printed="value ~ 1"), {"value": 1}, "compares two numbers"),
        # an amendment that cannot be read is an error even where it is not needed
        (repaired("other <= 2"), {"value": 0.5}, "no number 'other'"),
    ],
)
def test_missing_evidence_is_an_error(row: Row, entry: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"claim C: .*{message}"):
        judge(row, entry)


def test_judge_refuses_missing_evidence() -> None:
    with pytest.raises(ValueError, match=r"claim C: evidence f.json has no 'k'"):
        judge_all([make()], {"f": {}})


def test_holm_by_hand() -> None:
    assert register.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert register.holm([]) == []


def test_holm_runs_over_the_whole_register() -> None:
    """A p value of .0005 falls alone at level .001, and stands among a thousand tests."""
    small = {"value": 0, "tests": [{"where": "a", "p": 0.0005}]}
    many = {"value": 0, "tests": [{"where": "b", "p": 0.5}] * 1000}
    row = make("adjusted_p >= test_level", cases="n_tests", basis="measured")
    assert judge(row, small)["verdict"] == FALSE
    other = make("adjusted_p >= test_level", "many", "n_tests", basis="measured", id="D")
    found = judge_all([row, other], {"f": {"k": small, "many": many}})
    assert [v["verdict"] for v in found] == [SUPPORTED, SUPPORTED]
    assert found[0]["adjusted_p"] == pytest.approx(0.5005)


# --- the document ---------------------------------------------------------------------------------


def document() -> dict[str, Any]:
    """A document in which every criterion is replaced by one that holds."""
    easy, evidence = [], {}
    for row in REGISTERED:
        if source(row):
            row = {k: v for k, v in row.items() if k not in ("amended", "contradicted", "repair")}
            row |= {"printed": "one >= 1", "number": "one"}
            row["evidence"] = row["evidence"] | {"cases": "one"}
            detects = CONTENT["statistics"].get(row.get("statistic"), {}).get("detects", "")
            texts = [row["meaning"], detects, *row.get("summary", {}).values()]
            entry = evidence.setdefault(source(row), {}).setdefault(row["evidence"]["key"], {})
            entry |= {"one": 1} | dict.fromkeys(re.findall(r"\{\{(\w+)\}\}", " ".join(texts)), 1)
        easy.append(row)
    return register.judge(CONTENT | {"claims": easy}, evidence)


def test_headlines_count_roots_by_level_and_typos_once() -> None:
    found = document()
    register.validate(found, VERDICTS_SCHEMA, "the verdicts")
    headlines = found["headlines"]
    assert headlines["typos"] == 13
    assert [row["id"] for row in headlines["theorems"]] == THEOREMS
    assert headlines["rows"] == len(REGISTERED) == headlines["paper_rows"] + headlines["own_rows"]
    roots = [r for r in REGISTERED if r["id"] == r["root"] and r["level"] != "typo"]
    for level in ("theorem", "statement", "step", "own"):
        assert list(headlines[level]) == list(VERDICTS)
        assert sum(headlines[level].values()) == sum(r["level"] == level for r in roots)
    assert headlines["theorem"][TRUE] == 5  # every criterion was made to hold


@pytest.mark.parametrize(
    ("basis", "wrong"),
    [("measured", TRUE), ("measured", ADDED), ("computed", SUPPORTED), ("computed", REPAIRED)],
)
def test_claims_schema_refuses_a_typed_verdict(basis: str, wrong: str) -> None:
    found = document()
    row = next(row for row in found["claims"] if row["basis"] == basis)
    row["verdict"] = wrong
    with pytest.raises(ValueError, match="the verdicts"):
        register.validate(found, VERDICTS_SCHEMA, "the verdicts")


def test_verdicts_schema_refuses_a_verdict_from_no_case() -> None:
    found = document()
    row = next(row for row in found["claims"] if row["cases"])
    row["cases"] = 0
    with pytest.raises(ValueError, match="the verdicts"):
        register.validate(found, VERDICTS_SCHEMA, "the verdicts")


def test_every_measured_row_says_what_would_have_been_found() -> None:
    for row in document()["claims"]:
        assert bool(row["detects"]) == bool(row["statistic"]), row["id"]
        assert row["statistic"] or row["basis"] != "measured"


def test_write_evidence_is_plain_json(tmp_path: Path) -> None:
    register.write_evidence(tmp_path / "e.json", {"k": {"value": math.inf, "n": (1, 2)}})
    assert json.loads((tmp_path / "e.json").read_text()) == {"k": {"value": "inf", "n": [1, 2]}}


def test_every_number_that_a_row_names_is_filled_in() -> None:
    """Names are letters, digits and underscores; another sign would leave the braces standing."""
    for row in REGISTERED:
        for text in (row.get("meaning", ""), *row.get("summary", {}).values()):
            assert "{{" not in re.sub(r"\{\{\w+\}\}", "", text), row["id"]
        assert "{{" not in row.get("amendment", "") + row.get("reason", ""), row["id"]
