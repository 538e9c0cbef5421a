"""What the tests of claims share: the register, and a verdict from planted evidence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ldpt.replication.claims import register

PROJECT = Path(__file__).resolve().parents[3]
REGISTER = PROJECT / "paper/claims.yaml"
SCHEMA = PROJECT / "workflow/schemas/claims.schema.yaml"
VERDICTS_SCHEMA = PROJECT / "workflow/schemas/verdicts.schema.yaml"
CONTENT = register.read_register(REGISTER, SCHEMA)
REGISTERED = CONTENT["claims"]
BY_ID = {row["id"]: row for row in REGISTERED}

# claim, verdict as it is, evidence as it is, verdict with a fault, evidence with the fault
Plant = tuple[str, str, Callable[[], dict[str, Any]], str, Callable[[], dict[str, Any]]]


def source(row: dict[str, Any]) -> str:
    """Evidence file of a row, empty if it is read off."""
    return row.get("evidence", {}).get("file", "")


def judged(identifier: str, entry: dict[str, Any]) -> dict[str, Any]:
    """What becomes of one registered claim by this evidence alone."""
    row = BY_ID[identifier]
    evidence = {source(row): {row["evidence"]["key"]: entry}}
    return register.judge(CONTENT | {"claims": [row]}, evidence)["claims"][0]


def verdict(identifier: str, entry: dict[str, Any]) -> str:
    """The verdict on one registered claim by this evidence alone."""
    return judged(identifier, entry)["verdict"]
