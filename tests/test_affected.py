"""`make quick` runs the tests that a change can break."""

from tests.affected import affected_tests


def test_a_changed_module_affects_its_own_tests_and_those_of_what_imports_it() -> None:
    affected = affected_tests({"src/ldpt/summarise.py"})
    assert {"tests/test_summarise.py", "tests/commands/test_cli.py"} <= set(affected)
    assert "tests/test_privacy.py" not in affected


def test_a_changed_script_test_or_configuration_affects_what_depends_on_it() -> None:
    assert "tests/plots/test_hero.py" in affected_tests({"scripts/hero.py"})
    assert "tests/study/test_study.py" in affected_tests({"tests/study/people.py"})
    assert len(affected_tests({"tests/conftest.py"})) > 80
    assert len(affected_tests({"README.md"})) < 10
