"""A policy and a radius of new families, for learners and the literal engine, in two files."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT

pytestmark = pytest.mark.runs

LITERAL_ONLY = 'frozenset({"learner", "literal"})'
CHANGES = {
    "policies.py": [
        (
            "POLICIES = {\n",
            "DISTANCE = 1\n"
            "POLICIES = {\n"
            '    "nearest": Policy(\n'
            f'        "nearest", 0.0, family=DISTANCE, supports={LITERAL_ONLY}\n'
            "    ),\n",
        ),
        (
            "    d = s - n * rule.tau\n",
            "    d = s - n * rule.tau\n    if rule.family == DISTANCE:\n        return abs(d)\n",
        ),
    ],
    "radii.py": [
        (
            "KINDS = {\n",
            f'ROOT = 4\nKINDS = {{\n    "root": Kind(True, ROOT, 2.0, supports={LITERAL_ONLY}),\n',
        ),
        (
            "    if edge.family == UNION:\n        both",
            "    if edge.family == ROOT:\n"
            "        both = edge.factor * math.sqrt(n * edge.term)\n"
            "        return both, both\n"
            "    if edge.family == UNION:\n        both",
        ),
        (
            "        if family == UNION:\n",
            "        if family == ROOT:\n"
            "            term = math.log(4 * n_arms / delta)\n"
            "            return Boundary(family, factor, term, rho, NO_LINES)\n"
            "        if family == UNION:\n",
        ),
    ],
}
PROGRAM = """
import matplotlib
matplotlib.use("Agg")
import pytest
from ldpt import exact, plots, rare_events, simulate, summarise
from ldpt.config.experiment import build_experiment, load
from ldpt.instances import Instance
from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.replication.publishing.explorer import page_data
from ldpt.study.planning import Request

two = Instance("two", [0.3, 0.8], 0.5)
learners = [FixedBudget(2, 0.5, 0.0, 4.0, 9, "nearest"), FixedConfidence(2, 0.5, 4.0, 0.1, "root")]
for learner in learners:
    while (arm := learner.next_arm()) is not None:
        learner.record(arm, arm)
    assert learner.above == {1}

losses = simulate.fixed_budget(two, [1, 4], [20, 80], 200, 0, ["nearest", "apt"], "literal")
errors = summarise.fixed_budget(losses, two)
cells = errors.set_index(["policy", "epsilon", "budget"])["estimate"]
assert 0 < cells["nearest", 1, 20] < 1
assert cells["nearest", 1, 20] != cells["apt", 1, 20]
runs = simulate.fixed_confidence(two, 4, 0.1, 100, 0, ["root", "mixture"], "literal")
costs = summarise.fixed_confidence(runs, two).set_index("radius")
assert costs.loc["root", "mean_pulls"] > 4 and costs.loc["root", "errors"] < 20
plots.error_curves(errors)
plots.cost(costs.reset_index())

for refused in (
    lambda: simulate.fixed_budget(two, 1, 20, 1, 0, "nearest"),
    lambda: simulate.fixed_confidence(two, 1, 0.1, 1, 0, "root"),
    lambda: exact.fixed_budget_loss(two, 1.0, 9, "nearest"),
    lambda: exact.fixed_confidence_error(Instance("one", [0.8], 0.5), 1.0, 0.1, "root"),
    lambda: rare_events.fixed_budget_error(two, 1.0, 9, 9, 0, "nearest"),
    lambda: rare_events.fixed_confidence_error(two, 1.0, 0.1, 9, 0, "root"),
    lambda: Request(two, [1.0], delta=0.1, methods=["nearest"]),
    lambda: Request(two, [1.0], delta=0.1, methods=["root"]),
    lambda: build_experiment(load() | {"exact_curves": {"studies": [
        {"instances": ["two-arms"], "policies": ["nearest"], "epsilons": [1], "multiples": [2]}
    ]}}),
):
    with pytest.raises(ValueError) as error:
        refused()
    print(error.value)
page = page_data([two], errors, costs.reset_index(), rho=10.0)
assert "nearest" not in {row["name"] for row in page["policies"]}
assert "root" not in {row["name"] for row in page["radii"]}
"""


def test_new_families_run_where_their_rows_say_and_are_refused_elsewhere(tmp_path: Path) -> None:
    package = tmp_path / "src" / "ldpt"
    shutil.copytree(PROJECT / "src" / "ldpt", package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "config/data/config.yaml").unlink()
    shutil.copy(PROJECT / "config/config.yaml", package / "config/data/config.yaml")
    for name, changes in CHANGES.items():
        text = (package / name).read_text(encoding="utf-8")
        for before, after in changes:
            assert text.count(before) == 1, f"{name} must have {before!r} once"
            text = text.replace(before, after)
        (package / name).write_text(text, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "src")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    refusals = done.stdout.splitlines()
    assert len(refusals) == 9, done.stdout
    assert refusals[:2] == [
        "engine must be literal for policy 'nearest', got 'fast'",
        "engine must be literal for radius 'root', got 'fast'",
    ]
    assert all("nearest" in line or "root" in line for line in refusals)
