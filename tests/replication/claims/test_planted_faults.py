"""Every check of the register finds a planted fault: evidence as it is, and with the fault."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.replication.claims import test_budget, test_chains, test_confidence, test_held_out
from tests.replication.claims.judging import verdict

MODULES = (test_chains, test_confidence, test_budget, test_held_out)
PLANTED = [plant for module in MODULES for plant in module.PLANTED]


@pytest.mark.parametrize(("identifier", "usual", "evidence", "expected", "plant"), PLANTED)
def test_a_planted_fault_turns_the_verdict(
    identifier: str,
    usual: str,
    evidence: Callable[[], dict[str, Any]],
    expected: str,
    plant: Callable[[], dict[str, Any]],
) -> None:
    assert verdict(identifier, evidence()) == usual
    assert verdict(identifier, plant()) == expected != usual
