"""Every public function keeps its law at the ends of its ranges as well as in their middle."""

import inspect
import pydoc
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import PROJECT
from tests.interface import laws
from tests.interface.ranges import ARGUMENTS, Range

API = PROJECT / "docs" / "reference" / "api.md"
# Documented names whose ranges another test draws, or that have none.
ELSEWHERE = {
    "ldpt.study.Response": "tests/study/test_messages.py",
    "ldpt.study.Ticket": "tests/study/test_messages.py",
    "ldpt.study.inference.Estimate": "tests/study/test_inference.py",
    "ldpt.study.inference.Verdict": "tests/study/test_inference.py",
    "ldpt.study.planning.Request": "tests/study/test_plan.py",
    "ldpt.study.planning.make_plan": "tests/study/test_plan.py",
    "ldpt.config.experiment.load": "tests/test_config.py",
    "ldpt.config.experiment.build_experiment": "tests/test_config.py",
    "ldpt.results.Results": "tests/test_results.py",
    "ldpt.results.open_run": "tests/test_results.py",
    "ldpt.results.with_privacy": "tests/test_results.py",
    "ldpt.summarise.fixed_budget": "tests/test_summarise.py",
    "ldpt.summarise.fixed_confidence": "tests/test_summarise.py",
    "ldpt.summarise.needed_budgets": "tests/test_summarise.py",
    **{
        f"ldpt.plots.charts.{name}": "tests/plots/test_any_config.py"
        for name in ("calibration", "collapse", "cost", "error_curves", "error_map")
    },
}

# Arguments of which laws draw the middle alone.
SLOW = {
    "ldpt.study.planning.plan": {"threshold"},
    "ldpt.rare_events.fixed_budget_error": {"replicates"},
    "ldpt.rare_events.fixed_confidence_error": {"replicates"},
}


def examples(name: str, count: int, pin: tuple[Range, Any] | None = None) -> bool:
    """Check examples of a law, the same ones in every run; return whether the pin was drawn."""
    drawn = False

    @settings(
        max_examples=count,
        derandomize=True,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(st.data())
    def run(data: st.DataObject) -> None:
        nonlocal drawn
        drawn |= laws.check(name, data.draw, pin)

    run()
    return drawn


@pytest.mark.parametrize("name", laws.LAWS)
def test_law_holds(name: str) -> None:
    examples(name, 40)


@pytest.mark.parametrize("name", laws.LAWS)
def test_law_holds_at_every_end_of_its_ranges(name: str) -> None:
    for range_ in laws.RANGES[name]:
        for end in range_.ends:
            assert examples(name, 4, (range_, end)), f"{name} never draws {range_.name}"


@pytest.mark.parametrize("name", laws.LAWS)
def test_a_law_draws_the_ends_of_all_arguments(name: str) -> None:
    """But for those with which legal calls take minutes."""
    arguments = set(inspect.signature(pydoc.locate(name)).parameters)  # type: ignore[arg-type]
    arguments -= SLOW.get(name, set())
    needed = [ARGUMENTS[argument] for argument in arguments if argument in ARGUMENTS]
    assert [range_.name for range_ in needed if range_ not in laws.RANGES[name]] == []


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
    assert [file for file in ELSEWHERE.values() if not (PROJECT / file).is_file()] == []
