"""What a simulated pull costs: fast and literal engine, and a plain Python loop.

    python benchmarks/engines.py [--quick]

prints a table and writes it to benchmarks/engines.csv and, for readers, benchmarks/engines.md.
All times are processor times of one process on one core, the best of a few repetitions of the same
runs; with --quick there is one repetition and nothing is written. Ratios are what they are for: all
columns of a row come from one process within a few seconds. ``peers.py`` compares with NumPy and C.
"""

import argparse
import csv
import math
import os
import platform
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np

from ldpt.engines.boundaries import Arms
from ldpt.engines.budget_runs import fast_losses, literal_losses
from ldpt.engines.confidence_runs import Runs, fixed_confidence_runs
from ldpt.engines.indices import LossCriterion
from ldpt.instances import Instance, equal_gap
from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.policies import POLICIES
from ldpt.privacy import PrivBern
from ldpt.radii import Radius

HERE = Path(__file__).parent
TEN = Instance("ten arms", [0.2, 0.3, 0.35, 0.4, 0.45, 0.55, 0.6, 0.65, 0.7, 0.8], 0.5)
GROUPS = Instance("three-groups", [0.1] * 3 + [0.35, 0.45, 0.55, 0.65] + [0.9] * 3, 0.5, 0.1)
DOSES = Instance("dose-finding", [0.05, 0.12, 0.25, 0.4, 0.55, 0.68], 0.3, 0.02)
PAPER_GRID = (0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5, 6, 7, 8)  # multiples of H_eps
DELTA, SEED = 0.1, 1
LITERAL_PULLS = 10**6  # after so many in all a literal measurement ends
PYTHON_PULLS = 300
RUN_SECONDS = 0.5  # of runs in a measurement: single runs differ by more than a factor of ten
NO_LIMIT = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Case:
    """One row: a policy with its budget (None: the paper's grid) or a radius."""

    method: str
    instance: Instance
    epsilon: float
    budget: int | None = None

    @property
    def budgets(self) -> np.ndarray:
        if self.budget is not None:
            return np.array([self.budget])
        grid = np.ceil(np.array(PAPER_GRID) * self.instance.complexity(self.epsilon))
        return np.unique(grid.astype(np.int64))

    @property
    def grid(self) -> str:
        many = self.is_policy and self.budget is None
        return f", {len(self.budgets)} budgets" if many else ""

    @property
    def is_policy(self) -> bool:
        return self.method in POLICIES


BUDGET_CASES = (
    (TEN, 0.1, 10**6),
    (TEN, 0.1, None),
    (DOSES, 0.1, None),
    (TEN, 1.0, 10**5),
    (TEN, 1.0, None),
    (GROUPS, math.inf, 500),
    (GROUPS, math.inf, None),
    (TEN, 0.01, 10**7),
    (equal_gap(100), 0.1, 10**6),
)
CONFIDENCE_CASES = ((TEN, 1.0), (TEN, 0.1), (TEN, 0.01), (equal_gap(100), 0.1))
CASES = (
    *(Case(p, *case) for p in ("apt", "lsa") for case in BUDGET_CASES),
    *(Case(p, TEN, 1.0) for p in ("apt-clipped", "lsa-clipped")),
    *(Case(r, *case) for r in ("printed", "onesided", "coin") for case in CONFIDENCE_CASES),
)


def best(seconds: float, *runs: Callable[[], float]) -> list[float]:
    """Return the least value of each, measured in turns for so much time, at least twice if any.

    In turns, because a shared machine is slow for seconds at a time: ratios stay what they are.
    """
    values, start = [[run() for run in runs]], time.perf_counter()
    while seconds > 0 and (len(values) < 2 or time.perf_counter() - start < seconds):
        values.append([run() for run in runs])
    return [min(column) for column in zip(*values, strict=True)]


def compiled_pull(case: Case, fast: bool, runs: int, limit: int = NO_LIMIT) -> tuple[float, float]:
    """Return nanoseconds per pull and pulls per run of an engine."""
    problem, epsilon = case.instance, case.epsilon
    rng, means = np.random.default_rng(SEED), problem.private_means(epsilon)
    tau = problem.private_threshold(epsilon)
    if case.is_policy:
        budgets = case.budgets
        budgets = budgets[budgets <= max(limit, budgets[0])]
        criterion = LossCriterion(budgets, problem.must_accept, problem.must_reject)
        rule = POLICIES[case.method].rule(problem.threshold, problem.tolerance, epsilon)
        losses = np.empty((runs, budgets.size), np.bool_)
        start = time.process_time()
        if fast:
            fast_losses(rng, means, rule, criterion, losses)
        else:
            sums = np.zeros((budgets.size, means.size), np.int64)
            literal_losses(rng, means, rule, criterion, sums, losses)
        pulls = float(runs * budgets[-1])
    else:
        n_arms = problem.n_arms
        made = Runs(np.empty(runs, np.int64), *np.empty((2, runs, n_arms), np.int64))
        edge = Radius(case.method).at(n_arms, DELTA, problem.threshold, epsilon)
        start = time.process_time()
        fixed_confidence_runs(rng, fast, Arms(means, tau), edge, limit, made)
        pulls = float(made.pulls.sum())
    return 1e9 * (time.process_time() - start) / pulls, pulls / runs


def python_pull(case: Case) -> float:
    """Return nanoseconds per pull of a plain Python loop: learner, reward, device."""
    problem, rng = case.instance, np.random.default_rng(SEED)
    arms, tau = problem.n_arms, problem.threshold
    learner: FixedBudget | FixedConfidence
    if case.is_policy:
        learner = FixedBudget(
            arms, tau, problem.tolerance, case.epsilon, arms + PYTHON_PULLS, policy=case.method
        )
    else:
        with warnings.catch_warnings():  # the printed radius is measured, not used
            warnings.simplefilter("ignore")
            learner = FixedConfidence(arms, tau, case.epsilon, DELTA, case.method)
    device = PrivBern(case.epsilon, rng)
    start = time.process_time()
    while learner.total_pulls < PYTHON_PULLS and (arm := learner.next_arm()) is not None:
        reward = float(rng.random() < problem.means[arm])
        learner.record(arm, int(device.privatise(reward)))
    return 1e9 * (time.process_time() - start) / learner.total_pulls


def measure(case: Case, seconds: float) -> dict[str, str | float]:
    """One row of the table."""
    cost, pulls = compiled_pull(case, True, 1)
    many = int(np.clip(RUN_SECONDS * 1e9 / (cost * pulls), 1, 30_000))
    few = int(np.clip(LITERAL_PULLS / pulls, 1, 3000))
    pulls = compiled_pull(case, True, many)[1]
    fast, literal = best(
        seconds,
        lambda: compiled_pull(case, True, many)[0],
        lambda: compiled_pull(case, False, few, LITERAL_PULLS)[0],
    )
    (plain,) = best(0.0, lambda: python_pull(case))
    return {
        "method": case.method,
        "problem": f"{case.instance.name}, K = {case.instance.n_arms}" + case.grid,
        "epsilon": f"{case.epsilon:g}",
        "pulls per run": pulls,
        "fast, ns per pull": fast,
        "literal": literal,
        "Python": plain,
        "fast, pulls per s": 1e9 / fast,
        "fast, ms per run": 1e-6 * fast * pulls,
        "gain over literal": literal / fast,
    }


def shown(value: str | float) -> str:
    """Return three digits of a measurement; anything else as it is."""
    return f"{value:.3g}" if isinstance(value, float) else value


def markdown(rows: list[dict[str, str | float]], load: float) -> str:
    """Return the table as Markdown, with notes on the measurement."""
    lines = [list(rows[0]), ["---"] * len(rows[0]), *([*map(shown, r.values())] for r in rows)]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    notes = (
        "Processor time of one core, the best of a few repetitions. `apt` is Algorithm 1; "
        f"`printed`, `onesided`, `coin` are radii of Algorithm 2 at delta = {DELTA}. Columns "
        "without a unit are ns per pull: the literal engine makes one pull at a time, Python is a "
        "loop over this package's learners and devices. Rows with many budgets have those of the "
        "paper-scale study.",
        "The fast engines are exact: they jump only over pulls between which the algorithm has no "
        "choice, and on the same tape of responses they make the same run as the literal ones.",
        f"Measured at a load average of {load:.1f} on {os.cpu_count()} cores. "
        f"{platform.machine()}, Python {platform.python_version()}, Numba {numba.__version__}, "
        f"NumPy {np.__version__}.",
    )
    return "\n\n".join((table, *notes)) + "\n"


def main() -> None:
    """Measure everything, print and save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one repetition, nothing is written")
    quick = parser.parse_args().quick
    tiny = Instance("tiny", [0.2, 0.8], 0.5)
    for case in (Case("apt", tiny, math.inf, 10), Case("printed", tiny, math.inf)):
        for fast in (False, True):
            compiled_pull(case, fast, 1, 100)  # so that no measurement includes compiling
    rows = []
    for case in CASES:
        rows.append(measure(case, 0.0 if quick else 6.0))
        print(*map(shown, rows[-1].values()), sep="\t", flush=True)
    if not quick:
        with open(HERE / "engines.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        (HERE / "engines.md").write_text(markdown(rows, os.getloadavg()[2]))


if __name__ == "__main__":
    main()
