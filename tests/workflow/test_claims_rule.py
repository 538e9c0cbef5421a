"""The rule `claims` in a real run: every claim judged, the headlines there."""

import csv
import json
from pathlib import Path

import pytest

from ldpt.replication.claims.register import ADDED, FALSE, REPAIRED, TRUE, read_register
from tests.conftest import PROJECT

pytestmark = pytest.mark.workflow
SCHEMA = PROJECT / "workflow/schemas/claims.schema.yaml"
HEADLINES = {
    "L2.1": TRUE,
    "T3.1": TRUE,
    "T3.2": ADDED,
    "T4.1": REPAIRED,  # the certificate against the printed radius
    "T4.2": ADDED,
    "T4.1-two": FALSE,
    "X1": TRUE,  # the repairs
    "X2": TRUE,
    "X26": TRUE,  # every private channel is a garbled PrivBern
}


def check_verdicts(results: Path) -> None:
    """The document and the table hold every claim of the register once, with the headlines."""
    registered = read_register(PROJECT / "paper/claims.yaml", SCHEMA)["claims"]
    document = json.loads((results / "claims.json").read_text())
    found = {claim["id"]: claim["verdict"] for claim in document["claims"]}
    assert list(found) == [row["id"] for row in registered]
    assert document["headlines"]["rows"] == len(registered)
    assert {name: found[name] for name in HEADLINES} == HEADLINES
    with (results / "tables/claims.csv").open(encoding="utf-8") as table:
        assert [row["id"] for row in csv.DictReader(table)] == list(found)


def test_claims_rule_judges_every_claim(smoke: Path) -> None:
    check_verdicts(smoke / "results/smoke/results")
