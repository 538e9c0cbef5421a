"""`make quick` runs the tests that a change can break, and CONTRIBUTING names them."""

import re

import pytest

from tests.affected import affected_tests
from tests.conftest import PROJECT


def test_a_changed_module_affects_its_own_tests_and_those_of_what_imports_it() -> None:
    affected = affected_tests({"src/ldpt/summarise.py"})
    assert {"tests/test_summarise.py", "tests/commands/test_cli.py"} <= set(affected)
    assert "tests/test_privacy.py" not in affected


def test_a_changed_script_test_or_configuration_affects_what_depends_on_it() -> None:
    assert "tests/plots/test_hero.py" in affected_tests({"scripts/hero.py"})
    assert "tests/study/test_study.py" in affected_tests({"tests/study/people.py"})
    assert len(affected_tests({"tests/conftest.py"})) > 80
    assert len(affected_tests({"README.md"})) < 10


TABLE = re.compile(
    r"^\| (?P<what>an? [^|]+|records[^|]+) \| (?P<edit>[^|]+) \| (?P<tests>[^|]+) \|$", re.M
)
ROWS = [
    (row["what"], re.findall(r"`([^`]+)`", row["edit"]), re.findall(r"`([^`]+)`", row["tests"]))
    for row in TABLE.finditer((PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("what", "places", "tests"), ROWS, ids=[row[0] for row in ROWS])
def test_contributing_says_where_to_change_what(
    what: str, places: list[str], tests: list[str]
) -> None:
    """The places exist, and an edit of a Python module there runs the tests that are named."""
    assert [place for place in places + tests if not (PROJECT / place).exists()] == []
    files = [
        file for place in places for file in [PROJECT / place, *(PROJECT / place).rglob("*.py")]
    ]
    edited = {file.relative_to(PROJECT).as_posix() for file in files if file.suffix == ".py"}
    affected = affected_tests(edited)
    named = [test for test in tests if not test.startswith("tests/workflow")]
    assert [name for name in named if not any(file.startswith(name) for file in affected)] == []
