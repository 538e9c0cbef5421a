"""CONTRIBUTING.md, followed literally in a copy of the project: what it adds runs everywhere."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

from ldpt.engines.cache import source_digest
from tests.conftest import PROJECT, snakemake

pytestmark = pytest.mark.runs

BLOCK = re.compile(
    r"(?:New\s+file\s+`(?P<new>[^`]+)`"
    r"|In\s+`(?P<file>[^`]+)`,\s+(?P<side>below|above)\s+`(?P<line>[^`]+)`)"
    r"\n```\w+\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
COMMAND = re.compile(r"^```bash\nsnakemake --cores 2 (?P<arguments>.+)\n```$", re.MULTILINE)
CONTRIBUTING = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CONFIG = "config/my-trial.yaml"
CONFIGURED = ("--configfile", CONFIG)
BUDGETS = "results/my-trial/results/summaries/fixed_budget.csv"


class Step(NamedTuple):
    """One code block: a new file, or lines to insert below or above a line of a file."""

    file: str
    text: str
    line: str = ""
    below: bool = True

    def apply(self, folder: Path) -> None:
        path = folder / self.file
        if not self.line:
            assert not path.exists(), f"{self.file} is there already"
            path.write_text(self.text, encoding="utf-8")
            return
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        found = [number for number, text in enumerate(lines) if text.strip() == self.line]
        assert len(found) == 1, f"{self.file} must have one line {self.line!r}"
        place = found[0] + self.below
        path.write_text("".join([*lines[:place], self.text, *lines[place:]]), encoding="utf-8")


def documented_steps() -> list[Step]:
    return [
        Step(
            found["new"] or found["file"],
            found["text"],
            found["line"] or "",
            found["side"] != "above",
        )
        for found in BLOCK.finditer(CONTRIBUTING)
    ]


STEPS = documented_steps()


@pytest.fixture(scope="module")
def extended(copy_project: Callable[[str], Path]) -> Path:
    """A copy of the project with every documented step, in which both algorithms have run."""
    folder = copy_project("extended")
    for step in STEPS:
        step.apply(folder)
    (command,) = COMMAND.findall(CONTRIBUTING)
    done = snakemake(folder, BUDGETS, *command.split())
    assert done.returncode == 0, done.stderr[-4000:]
    return folder


def python(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    """Run a program with the package of the copy."""
    environment = os.environ | {"PYTHONPATH": str(folder / "src")}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_contributing_has_only_steps_and_the_command_as_code_blocks() -> None:
    blocks = CONTRIBUTING.count("\n```") // 2
    assert len(STEPS) == blocks - 2 == 8, "one block is the way of a number, one the command"


def test_the_new_key_has_a_range(extended: Path) -> None:
    (extended / "config" / "wrong.yaml").write_text("figures: {trial: 2}\n")
    done = snakemake(extended, "--dry-run", *CONFIGURED, "config/wrong.yaml")
    assert done.returncode == 1
    assert "config: figures.trial: 2 must be less than 1" in done.stdout + done.stderr


def test_extended_study_draws_the_new_figure_with_its_facts(extended: Path) -> None:
    root = extended / "results" / "my-trial"
    assert (root / "figures" / "my_trial.pdf").read_bytes().startswith(b"%PDF")
    facts = json.loads((root / "results" / "captions" / "my_trial.json").read_text())
    assert facts["replicates"] == 500
    assert facts["ratio"] > 1.5, "cautious costs more than onesided"
    caption = (root / "results" / "captions" / "my_trial.rst").read_text()
    assert "500 runs" in caption
    budgets = pd.read_csv(extended / BUDGETS)
    assert set(budgets["policy"]) == {"apt", "steady"}


def test_documented_rows_compile_no_engine_again(extended: Path) -> None:
    for name in ("budget_runs.py", "confidence_runs.py"):
        paths = (folder / "src" / "ldpt" / "engines" / name for folder in (extended, PROJECT))
        assert len({source_digest(path) for path in paths}) == 1


BOTH_ENGINES = """
import math
from scipy.stats import binomtest, ks_2samp
from ldpt import exact
from ldpt.instances import Instance
from ldpt.simulate import fixed_budget, fixed_confidence

two, stops = Instance("two", [0.2, 0.6], 0.5), []
loss = exact.fixed_budget_loss(two, 2.0, 40, "steady")
for engine in ("literal", "fast"):
    runs = fixed_budget(two, 2.0, [40], 2000, seed=3, policy="steady", engine=engine)
    assert binomtest(int(runs["loss"].sum()), 2000, loss).pvalue > 1e-4
    runs = fixed_confidence(two, 2.0, 0.1, 1000, seed=3, radius="cautious", engine=engine)
    assert binomtest(int((~runs["correct"]).sum()), 1000, 0.1, "greater").pvalue > 1e-4
    stops.append(runs["stopping_time"])
assert ks_2samp(*stops).pvalue > 1e-4
"""


def test_both_engines_run_the_new_policy_and_radius_with_the_same_law(extended: Path) -> None:
    """Five tests at level 1e-4 each, seeds fixed."""
    done = python(extended, BOTH_ENGINES)
    assert done.returncode == 0, done.stderr


OTHER_ENTRANCES = """
from ldpt import exact
from ldpt.config import experiment as config
from ldpt import rare_events as rare
from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.study.planning import Request, make_plan

trial = config.build_experiment(config.load("config/my-trial.yaml")).instances["my-trial"]
one = type(trial)("one", [0.9], 0.5)
assert exact.fixed_confidence_error(one, 1.0, 0.1, "cautious").error < 0.1
sampled = rare.fixed_confidence_error(one, 1.0, 0.1, 200, seed=1, radius="cautious")
assert 0 < sampled.probability < 0.1
plan = make_plan(Request(trial, [4.0], delta=0.1, methods=["steady", "cautious"], replicates=20))
assert set(plan.cost["method"]) == {"steady", "cautious"}
FixedBudget(2, 0.5, 0.0, 1.0, 9, policy="steady").record(0, 1)
FixedConfidence(2, 0.5, 1.0, 0.1, radius="cautious").record(0, 1)
"""


def test_learners_planner_exact_chains_and_rare_events_take_the_new_rows(extended: Path) -> None:
    done = python(extended, OTHER_ENTRANCES)
    assert done.returncode == 0, done.stderr


def test_the_extended_study_draws_its_figures_without_a_target(extended: Path) -> None:
    done = snakemake(extended, *CONFIGURED)
    assert done.returncode == 0, done.stderr[-4000:]
    figures = {path.stem for path in (extended / "results/my-trial/figures").glob("*.pdf")}
    assert figures >= {"bounds", "fixed_budget_collapse", "fixed_budget_error"}
