"""The rule `claims` in a real run: every claim judged, the headlines there, stale refused."""

import csv
import json
from pathlib import Path

import pytest
from scripts.claims import judge

from ldpt.claims.register import AMENDED, FALSE, SUPPORTED, TRUE, read_register
from tests.conftest import PROJECT

pytestmark = pytest.mark.workflow
SCHEMA = PROJECT / "workflow/schemas/claims.schema.yaml"
HEADLINES = {
    "L2.1": TRUE,
    "T3.1": TRUE,
    "T3.2": AMENDED,
    "T4.1": FALSE,  # the certificate against the printed radius
    "T4.2": AMENDED,
    "T4.1-two": FALSE,
    "X1": TRUE,  # the repairs
    "X2": TRUE,
    "D15": SUPPORTED,  # near-optimal at every eps
}


def check_verdicts(results: Path) -> None:
    """The document and the table hold every claim of the register once, with the headlines."""
    _, registered = read_register(PROJECT / "paper/claims.yaml", SCHEMA)
    document = json.loads((results / "claims.json").read_text())
    found = {claim["id"]: claim["verdict"] for claim in document["claims"]}
    assert list(found) == [claim.id for claim in registered]
    assert document["headlines"]["rows"] == len(registered)
    assert {name: found[name] for name in HEADLINES} == HEADLINES
    with (results / "tables/claims.csv").open(encoding="utf-8") as table:
        assert [row["id"] for row in csv.DictReader(table)] == list(found)


def test_claims_rule_judges_every_claim(smoke: Path) -> None:
    check_verdicts(smoke / "results/smoke/results")


def test_evidence_from_another_table_is_refused(
    smoke: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A summary changed behind the workflow's back must not pass as the one that was tested."""
    check_staleness(smoke / "results/smoke/results", tmp_path, monkeypatch)


def check_staleness(results: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)  # the script names its schemas from there
    evidence = sorted((results / "evidence").glob("*.json"))
    made_from = {path.stem: json.loads(path.read_text())["made_from"] for path in evidence}
    code = {name: made["code"] for name, made in made_from.items()}
    names = made_from["measured"]["sources"]  # folder and file; results/ itself holds one
    tables = {n: (results.parent if n.startswith("results/") else results) / n for n in names}

    def verdicts() -> int:
        sources = {"measured": [str(path) for path in tables.values()]}
        judgement = judge("paper/claims.yaml", [str(path) for path in evidence], code, sources)
        return len(judgement["claims"])

    assert verdicts() > 0
    changed = folder / "summaries" / "mechanism.csv"
    changed.parent.mkdir()
    changed.write_text(tables["summaries/mechanism.csv"].read_text() + "\n")
    tables["summaries/mechanism.csv"] = changed
    with pytest.raises(ValueError, match=r"measured.json is stale: .* summaries/mechanism.csv"):
        verdicts()
