"""What the tests of claims share: the register, and a verdict from planted evidence."""

from pathlib import Path
from typing import Any

from ldpt.claims import register

PROJECT = Path(__file__).resolve().parents[2]
REGISTER = PROJECT / "paper/claims.yaml"
SCHEMA = PROJECT / "workflow/schemas/claims.schema.yaml"
TEST_LEVEL, REGISTERED = register.read_register(REGISTER, SCHEMA)
BY_ID = {claim.id: claim for claim in REGISTERED}


def judged(identifier: str, entry: dict[str, Any]) -> register.Verdict:
    """What becomes of one registered claim by this evidence alone."""
    claim = BY_ID[identifier]
    return register.verdicts([claim], {claim.file: {claim.key: entry}}, TEST_LEVEL)[0]


def verdict(identifier: str, entry: dict[str, Any]) -> str:
    """The verdict on one registered claim by this evidence alone."""
    return judged(identifier, entry).verdict
