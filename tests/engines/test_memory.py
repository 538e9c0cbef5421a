"""No engine reads or writes outside its arrays.

Compiled code does not check its indices. This test compiles the engine of index policies with
checks, in another process with its own cache, and makes runs that fill their tables: the tables
are smaller than those of a simulation, so that short runs do what otherwise takes 10^6 pulls.
"""

import os
import subprocess
import sys

PROGRAM = """
import numpy as np
from ldpt.engines.fast_budget import new_state, run_to_budgets
from ldpt.policies import IndexRule

def run(rng, means, rule, budget, state):
    pulls, sums = np.zeros((2, 1, means.size), np.int64)
    run_to_budgets(rng, means[None], rule, np.array([budget]), state, pulls, sums)

for seed in (*range(40), 591, 810, 1184):  # release 2.2.0 left its tables with the last three
    rng = np.random.default_rng(seed)
    tau, n_arms = float(rng.choice([0.5, 0.9, 0.95, 0.98])), int(rng.integers(2, 4))
    means = np.clip(tau + rng.choice([-0.02, -0.01, 0.01, 0.002, -0.002, 0.05], n_arms), 0, 1)
    rule = IndexRule(tau, 0.0, float(rng.choice([0, 0.5])))
    rows, budget = int(rng.choice([1, 50, 200])), int(rng.choice([20_000, 100_000, 400_000]))
    run(rng, means, rule, budget, new_state(n_arms, rows))

from ldpt.privacy import private_mean
means, tau = private_mean(np.array([0.979, 1.0]), 4.0), private_mean(0.98, 4.0)
state = new_state(2, 3_000_000)
for seed in range(10):
    run(np.random.default_rng(seed), means, IndexRule(tau, 0.0, 0.5), 3_000_000, state)
print("no index out of bounds")
"""


def test_runs_that_fill_their_tables_stay_inside_them(tmp_path):
    options = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0", "NUMBA_CACHE_DIR": str(tmp_path)}
    environment = os.environ | options | {"PYTHONWARNINGS": "ignore"}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True
    )
    assert (run.returncode, run.stdout) == (0, "no index out of bounds\n"), run.stderr[-500:]
