"""Every public function keeps its law at the ends of its ranges as well as in their middle."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import PROJECT
from tests.interface import laws
from tests.interface.ranges import DRAWN

API = PROJECT / "docs" / "reference" / "api.md"
SETTINGS = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
)
# Documented names whose ranges another test draws, or that have none.
ELSEWHERE = {
    "ldpt.study.Response": "tests/study/test_messages.py",
    "ldpt.study.Ticket": "tests/study/test_messages.py",
}


@pytest.mark.parametrize("name", laws.LAWS)
def test_law_holds_and_its_strategy_draws_all_ends(name: str) -> None:
    DRAWN.clear()

    @SETTINGS
    @given(st.data())
    def examples(data: st.DataObject) -> None:
        laws.check(name, data.draw)

    examples()
    missing = {range_.name: range_.missing() for range_ in laws.RANGES[name] if range_.missing()}
    assert not missing, "ends of ranges that were never drawn"


def documented_names() -> set[str]:
    """Return the public names of the API reference."""
    text = API.read_text(encoding="utf-8")
    names = set(re.findall(r"autofunction:: (\S+)", text))
    for module, members in re.findall(r"automodule:: (\S+)\n   :members:(.*)", text):
        listed = [name for name in members.replace(",", " ").split() if name]
        names |= {f"{module}.{name}" for name in listed or public_names(module)}
    return names


def public_names(module: str) -> list[str]:
    import importlib

    return list(importlib.import_module(module).__all__)


def test_every_documented_function_has_a_law() -> None:
    names = documented_names()
    assert len(names) > 30
    assert names - laws.LAWS.keys() - ELSEWHERE.keys() == set()
    assert laws.LAWS.keys() - names == set()
