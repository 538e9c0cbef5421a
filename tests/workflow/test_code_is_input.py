"""An edit to a script re-runs its rule; what no script reaches, or a touch, re-runs none."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import PROJECT, snakemake

pytestmark = pytest.mark.runs

# The shortest chain that ends in a figure, and no engine to compile.
TARGET = "results/smoke/figures/privacy_cost.png"
CONFIG = ("--configfile", "config/smoke.yaml")


@pytest.fixture(scope="module")
def made(copy_project: Callable[[str], Path]) -> Path:
    folder = copy_project("code")
    done = snakemake(folder, TARGET, *CONFIG)
    assert done.returncode == 0, done.stderr[-4000:]
    return folder


def pending(folder: Path) -> set[str]:
    """The rules that a run would carry out now."""
    plan = snakemake(folder, TARGET, "--dry-run", *CONFIG)
    assert plan.returncode == 0, plan.stderr[-4000:]
    return set(re.findall(r"^ *(?:local)?rule (\w+):", plan.stdout + plan.stderr, re.MULTILINE))


@pytest.fixture
def edit(made: Path) -> Callable[[str, Callable[[str], str]], None]:
    """Change a file of the copy for the length of a test."""
    before: dict[Path, str] = {}

    def change(name: str, how: Callable[[str], str]) -> None:
        path = made / name
        before[path] = path.read_text()
        path.write_text(how(before[path]))

    yield change
    for path, text in before.items():
        path.write_text(text)


@pytest.mark.parametrize(
    ("script", "rules"),
    [
        ("scripts/simulate_mechanism.py", {"simulate_mechanism", "privacy_cost"}),
        ("scripts/privacy_cost.py", {"privacy_cost"}),
    ],
)
def test_edit_re_runs_exactly_the_rules_that_reach_it(
    made: Path, edit: Callable, script: str, rules: set[str]
) -> None:
    edit(script, lambda text: text + "\nEDITED = True\n")
    assert pending(made) == rules


def test_finished_run_with_comments_touches_and_edits_elsewhere_has_nothing_to_do(
    made: Path, edit: Callable
) -> None:
    edit("scripts/privacy_cost.py", lambda text: text + "\n# a remark\n")
    (made / "scripts/simulate_mechanism.py").touch()
    for module in (
        "scripts/scaling_arms.py",
        "src/ldpt/privacy.py",
        "src/ldpt/engines/budget_runs.py",
        "src/ldpt/provenance/trace.py",
    ):
        edit(module, lambda text: text + "\nEDITED = True  # a remark\n")
    assert pending(made) == set()


def test_rules_declare_no_ancient_input() -> None:
    """Behind a job that has to run, Snakemake would not see what else has changed or is gone."""
    rules = (PROJECT / "workflow" / "rules").glob("*.smk")
    assert [rule.name for rule in rules if "ancient(" in rule.read_text()] == []
