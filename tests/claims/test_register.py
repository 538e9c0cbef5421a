"""Register and verdicts: a wrong register is refused, and no verdict follows from nothing."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ldpt.claims import register
from ldpt.claims.register import AMENDED, FALSE, NOT_TESTED, SUPPORTED, TRUE, VERDICTS, Claim
from tests.claims import test_chains, test_displays, test_measured
from tests.claims.judging import BY_ID, PROJECT, REGISTER, REGISTERED, SCHEMA, verdict

# --- the register itself --------------------------------------------------------------------------


def test_every_check_of_the_register_has_a_planted_fault() -> None:
    planted = {
        identifier
        for module in (test_displays, test_chains, test_measured)
        for identifier, *_ in module.PLANTED
    }
    assert planted == {claim.id for claim in REGISTERED if claim.file}


def test_rows_without_a_check_are_read_off() -> None:
    assert all((claim.basis == "read off") == (not claim.file) for claim in REGISTERED)
    assert all(
        BY_ID[i].basis == "read off"
        for i in ["D3", "D6", "D9", "D22", "D24", "D26", "D28", "D31", "D33"]
    )


def test_typos_are_roots_of_their_own_level() -> None:
    typos = {claim.id for claim in REGISTERED if claim.level == "typo"}
    assert typos == set(["D1", "D4", "D22", "D24", "D25", "D26", "D29", "D32", "D40", "D42"])
    assert all(BY_ID[name].root == name for name in typos)


def test_one_wrong_constant_is_one_root() -> None:
    assert {claim.id for claim in REGISTERED if claim.root == "D2"} == {"D2", "D3", "D21", "D38"}


def test_own_questions_are_not_counted_as_the_papers() -> None:
    assert all(BY_ID[name].level == "own" for name in ("D14", "D15", "X16", "X20"))
    assert all(claim.level == "own" for claim in REGISTERED if claim.id.startswith("X"))


def test_new_own_claims_say_what_was_explored_before() -> None:
    names = [f"X{n}" for n in (16, 17, 18, 19, 20)]
    assert all("Registered before its paper-scale runs" in BY_ID[n].explored for n in names)


def write_register(folder: Path, change: Callable[[str], str]) -> Path:
    path = folder / "claims.yaml"
    text = change(REGISTER.read_text(encoding="utf-8"))
    assert text != REGISTER.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  - id: D16\n", "  - id: D17\n", "two claims with the id D17"),
        ("basis: measured", "basis: guessed", "'guessed' is not one of"),
        ("level: step", "level: lemma", "'lemma' is not one of"),
        ("    number: largest_deviation\n", "", "'number' is a required property"),
        ("    root: D2\n", "    root: D2\n    verdict: 'false'\n", "'verdict' was unexpected"),
        (", cases: n_tests}", "}", "'cases' is a required property"),
        (", cases: n_tests}", ", cases: cells}", "cases of a tested claim must be n_tests"),
        ("root: D2\n", "root: D99\n", "root 'D99' is not a root of the register"),
        ("root: D2\n", "root: D3\n", "root 'D3' is not a root of the register"),
        ("    root: D14\n    part: own", "    root: T3.1\n    part: own", "not both the paper's"),
        ("level: theorem", "level: statement", "the register"),
        ("    reading: true as printed\n", "", "'reading' is a required property"),
        ("basis: read off", "basis: computed", "is a required property"),
        ("    amendment: If μ_{i} ≠ τ.\n", "", "'amendment' is a dependency of 'amended'"),
    ],
)
def test_read_register_refuses(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = write_register(tmp_path, lambda text: text.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        register.read_register(path, SCHEMA)


def test_read_register_wants_the_five_theorems(tmp_path: Path) -> None:
    """A sixth theorem, or a theorem that is the child of another row, is refused."""
    summary = "    summary: {true as printed: so}\n"

    def sixth(text: str) -> str:
        old = "  - id: D51\n    level: statement\n"
        return text.replace(old, "  - id: D51\n    level: theorem\n" + summary, 1)

    with pytest.raises(ValueError, match=r"the theorems must be the roots .*'D51'"):
        register.read_register(write_register(tmp_path, sixth), SCHEMA)


# --- criteria and verdicts ------------------------------------------------------------------------


def make(printed: str = "value <= 1", amended: str = "", **changes: Any) -> Claim:
    fields = {"level": "step", "root": "C", "part": "text", "where": "here", "basis": "computed"}
    fields |= {"file": "f", "key": "k", "cases": "cases", "number": "value", "meaning": "a value"}
    fields |= {"statement": "s", "amendment": "with 2" if amended else ""} | changes
    return Claim("C", printed=printed, amended=amended, **fields)


def judge(claim: Claim, entry: dict[str, Any]) -> register.Verdict:
    return register.verdicts([claim], {"f": {"k": {"cases": 1} | entry}}, 0.001)[0]


@pytest.mark.parametrize(("value", "expected"), [(0.5, TRUE), (1.5, AMENDED), (2.5, FALSE)])
def test_verdict_follows_from_the_criteria(value: float, expected: str) -> None:
    found = judge(make(amended="value <= 2"), {"value": value, "violating_point": "x = 3"})
    assert found.verdict == expected
    assert found.number == value
    assert ("at x = 3" in found.decided_by) == (expected != TRUE)
    assert found.amendment == ("with 2" if expected == AMENDED else "")


def test_a_meaning_names_numbers_of_the_evidence() -> None:
    claim = make(meaning="a value below {{limit}}")
    assert judge(claim, {"value": 0.5, "limit": 1 / 3}).meaning == "a value below 0.333"
    with pytest.raises(ValueError, match="claim C: the evidence has no number 'limit'"):
        judge(claim, {"value": 0.5})


@pytest.mark.parametrize(("value", "expected"), [(0.5, SUPPORTED), (1.5, FALSE)])
def test_verdicts_calls_a_measured_claim_at_best_supported(value: float, expected: str) -> None:
    assert judge(make(basis="measured"), {"value": value}).verdict == expected


@pytest.mark.parametrize("value", [0.5, 2.5])
def test_verdicts_without_a_case_gives_no_verdict(value: float) -> None:
    found = judge(make(), {"value": value, "cases": 0})
    assert (found.verdict, found.number, found.cases) == (NOT_TESTED, None, 0)


def test_verdicts_with_an_empty_list_of_tests_gives_no_verdict() -> None:
    claim = make("adjusted_p >= test_level", basis="measured", cases="n_tests")
    assert judge(claim, {"value": 0, "tests": []}).verdict == NOT_TESTED
    one = {"value": 0, "tests": [{"where": "a", "p": 0.5}]}
    assert judge(claim, one).verdict == SUPPORTED


def test_verdicts_ignores_an_amendment_without_a_case() -> None:
    claim = make(amended="amended_violations == 0")
    entry = {"value": 2.0, "amended_violations": 0, "amended_cases": 0}
    assert judge(claim, entry).verdict == FALSE
    assert judge(claim, entry | {"amended_cases": 3}).verdict == AMENDED


@pytest.mark.parametrize("claim", [claim for claim in REGISTERED if claim.file], ids=lambda c: c.id)
def test_every_registered_row_without_a_case_is_not_tested(claim: Claim) -> None:
    entry = {"tests": []} if claim.cases == "n_tests" else {claim.cases: 0}
    assert verdict(claim.id, entry) == NOT_TESTED


def test_verdicts_takes_a_read_off_verdict_from_the_register() -> None:
    claim = make("", basis="read off", file="", key="", cases="", number="", meaning="")
    claim = Claim(**(vars(claim) | {"reading": NOT_TESTED, "reason": "no number is given"}))
    found = register.verdicts([claim], {}, 0.001)[0]
    assert (found.verdict, found.decided_by) == (NOT_TESTED, "no number is given")


@pytest.mark.parametrize(
    ("claim", "entry", "message"),
    [
        (make(), {}, "no 'value'"),
        (make(printed="other <= 1"), {"value": 1}, "no number 'other'"),
        (make(), {"value": "nan"}, "no number 'value'"),
        (make(), {"value": math.inf}, "no number 'value'"),
        (make(cases="others"), {"value": 1}, "no number 'others'"),
        (make(printed="value ~ 1"), {"value": 1}, "compares two numbers"),
        # an amendment that cannot be read is an error even where it is not needed
        (make(amended="other <= 2"), {"value": 0.5}, "no number 'other'"),
    ],
)
def test_missing_evidence_is_an_error(claim: Claim, entry: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"claim C: .*{message}"):
        judge(claim, entry)


def test_verdicts_refuses_missing_evidence() -> None:
    with pytest.raises(ValueError, match=r"claim C: evidence f.json has no 'k'"):
        register.verdicts([make()], {"f": {}}, 0.001)


def test_holm_by_hand() -> None:
    assert register.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert register.holm([]) == []


def test_holm_runs_over_the_whole_register() -> None:
    """A p value of .0005 falls alone at level .001, and stands among a thousand tests."""
    small = {"value": 0, "tests": [{"where": "a", "p": 0.0005}]}
    many = {"value": 0, "tests": [{"where": "b", "p": 0.5}] * 1000}
    claim = make("adjusted_p >= test_level", basis="measured", cases="n_tests")
    assert judge(claim, small).verdict == FALSE
    other = make("adjusted_p >= test_level", basis="measured", cases="n_tests", key="many")
    found = register.verdicts([claim, other], {"f": {"k": small, "many": many}}, 0.001)
    assert [v.verdict for v in found] == [SUPPORTED, SUPPORTED]
    assert found[0].raw_p == 0.0005
    assert found[0].adjusted_p == pytest.approx(0.5005)


# --- headlines ------------------------------------------------------------------------------------


def document() -> dict[str, Any]:
    """A document in which every criterion is replaced by one that holds."""
    easy = [
        Claim(**(vars(c) | {"printed": "one >= 1", "amended": "", "cases": "one", "number": "one"}))
        if c.file
        else c
        for c in REGISTERED
    ]
    evidence: dict[str, dict[str, Any]] = {}
    for claim in easy:
        named = dict.fromkeys(re.findall(r"\{\{(\w+)\}\}", claim.meaning), 1)
        entry = evidence.setdefault(claim.file, {}).setdefault(claim.key, {"one": 1})
        entry.update(named)
    return register.as_document(easy, register.verdicts(easy, evidence, 0.001), 0.001)


def test_headlines_count_roots_by_level_and_typos_once() -> None:
    found = document()
    register.validate(found, PROJECT / "workflow/schemas/verdicts.schema.yaml", "the verdicts")
    headlines = found["headlines"]
    assert headlines["typos"] == 10
    assert [row["id"] for row in headlines["theorems"]] == list(register.THEOREMS)
    assert headlines["rows"] == len(REGISTERED) == headlines["paper_rows"] + headlines["own_rows"]
    roots = [claim for claim in REGISTERED if claim.id == claim.root and claim.level != "typo"]
    for level in ("theorem", "statement", "step", "own"):
        assert list(headlines[level]) == list(VERDICTS)
        assert sum(headlines[level].values()) == sum(claim.level == level for claim in roots)
    assert headlines["theorem"][TRUE] == 5  # every criterion was made to hold


@pytest.mark.parametrize(
    ("basis", "wrong"),
    [("measured", TRUE), ("measured", AMENDED), ("computed", SUPPORTED), ("computed", AMENDED)],
)
def test_claims_schema_refuses_a_typed_verdict(basis: str, wrong: str) -> None:
    found = document()
    row = next(row for row in found["claims"] if row["basis"] == basis)
    row["verdict"] = wrong
    with pytest.raises(ValueError, match="the verdicts"):
        register.validate(found, PROJECT / "workflow/schemas/verdicts.schema.yaml", "the verdicts")


def test_verdicts_schema_refuses_a_verdict_from_no_case() -> None:
    found = document()
    row = next(row for row in found["claims"] if row["cases"])
    row["cases"] = 0
    with pytest.raises(ValueError, match="the verdicts"):
        register.validate(found, PROJECT / "workflow/schemas/verdicts.schema.yaml", "the verdicts")


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


def test_every_number_that_a_row_names_is_filled_in() -> None:
    """Names are letters, digits and underscores; another sign would leave the braces standing."""
    for claim in REGISTERED:
        assert "{{" not in re.sub(r"\{\{\w+\}\}", "", claim.meaning), claim.id
