"""The rule `claims` in a real run: every claim judged, the headlines there."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
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
    table = pd.read_csv(results / "tables/claims.csv")
    assert table["id"].tolist() == list(found)
    for name in ("number", "cases", "adjusted_p"):
        values = [claim[name] for claim in document["claims"]]
        np.testing.assert_array_equal(table[name], np.array(values, dtype=float))


def test_claims_rule_judges_every_claim(smoke: Path) -> None:
    check_verdicts(smoke / "results/smoke/results")
