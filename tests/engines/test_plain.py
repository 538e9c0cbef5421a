"""Without Numba, or with its compiler switched off: plain Python, and the same numbers."""

import os
import subprocess
import sys

import pytest

from tests.conftest import PROJECT

NO_PACKAGE = "import sys; sys.modules['numba'] = None\n"
COUNT_ONES = """
from ldpt.engines.bits import popcount

assert (popcount(-1), popcount(6)) == (64, 2)
"""
SETTINGS = [
    ("without Numba", NO_PACKAGE + COUNT_ONES, {}),
    ("without its compiler", "", {"NUMBA_DISABLE_JIT": "1"}),
]
EVERYTHING_BUT_COIN = """
import numpy as np
import ldpt
from ldpt import bounds, exact, inference, simulate, study
from ldpt.engines.sources import uniform
from ldpt.instances import Instance
from ldpt.learners import FixedConfidence

print(uniform(np.random.default_rng(3)))
problem = Instance("mine", means=[0.2, 0.8], threshold=0.5)
for module in ldpt.__all__:
    getattr(ldpt, module)
print(simulate.fixed_confidence(problem, 2.0, 0.1, 3, 5, "onesided", engine="literal").to_csv())
print(simulate.fixed_budget(problem, 2.0, [7, 50], 3, 5, engine="literal").to_csv())
print(exact.fixed_budget_loss(problem, 1.0, 8))
print(bounds.fixed_confidence_lower(problem, 1.0, 0.1))
print(inference.decide({"a": (60, 50), "b": (60, 9)}, 0.5, 2.0, 0.1, radius="hoeffding"))
learner = FixedConfidence(2, 0.5, 2.0, 0.1, radius="mixture")
responses = np.random.default_rng(3)
while (arm := learner.next_arm()) is not None:
    learner.record(arm, int(responses.random() < (0.3, 0.7)[arm]))
print(learner.above)
try:
    simulate.fixed_budget(problem, 1.0, [5], 3, 1)
except ValueError as error:
    print(error)
"""
COIN = """
from ldpt.inference import decide

print(decide({"a": (60, 50), "b": (60, 9)}, 0.5, 2.0, 0.1))
"""
NEEDED = (
    "the fast engine needs the package numba and no NUMBA_DISABLE_JIT; "
    "engine='literal' runs without, slowly\n"
)


def output(program: str, variables: dict[str, str]) -> str:
    """Run a program, and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=PROJECT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_plain_python_gives_the_numbers_of_compiled_code() -> None:
    """And says in one line what the fast engine needs."""
    expected = output(EVERYTHING_BUT_COIN, {})
    assert len(expected.splitlines()) > 15
    for name, before, variables in SETTINGS:
        assert output(before + EVERYTHING_BUT_COIN, variables) == expected + NEEDED, name


@pytest.mark.runs
def test_boundary_of_coin_is_equal_in_plain_python() -> None:
    assert output(NO_PACKAGE + COIN, {}) == output(COIN, {})
