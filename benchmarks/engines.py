"""What a simulated pull costs: literal and fast engine, beside two engines that draw every pull.

    python benchmarks/engines.py [--quick]

prints a table and writes it to benchmarks/engines.csv and engines.md. All figures come from one
process on one core, as processor time, the best of a few repetitions; the ratios are what they are for.
"""

import argparse
import csv
import math
import platform
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np

from ldpt import kernels
from ldpt.instances import Instance, equal_gap
from ldpt.radii import Radius
from ldpt.responses import draw_one

HERE = Path(__file__).parent
TEN = Instance("ten", [0.2, 0.3, 0.35, 0.4, 0.45, 0.55, 0.6, 0.65, 0.7, 0.8], 0.5)
INSTANCES = {1: Instance("one", [0.6], 0.5), 10: TEN, 100: equal_gap(100), 1024: equal_gap(1024)}
EPSILONS = (math.inf, 1.0, 0.1, 0.03, 0.01)
DELTA, BUDGET = 0.1, 10**6
LITERAL_WORK = 3 * 10**8  # pulls times arms that a literal run of Algorithm 2 may take
COLUMNS = (
    "algorithm", "K", "epsilon", "pulls_per_run", "literal_ns_per_pull", "fast_ns_per_pull",
    "ratio", "literal_runs_per_s", "fast_runs_per_s", "uniform_ns_per_pull", "numpy_ns_per_pull",
)  # fmt: skip


def best(run: Callable[[int], float], seconds: float, least: int = 2, most: int = 40) -> float:
    """Least of the values that ``run(seed)`` returns within about so much time."""
    run(0)  # compiled, or read from the cache
    values, start = [], time.perf_counter()
    while len(values) < least or (time.perf_counter() - start < seconds and len(values) < most):
        values.append(run(len(values)))
    return min(values)


def mean(run: Callable[[int], float], seconds: float) -> float:
    """Mean of the values that ``run(seed)`` returns within about so much time."""
    values, start = [run(1)], time.perf_counter()
    while time.perf_counter() - start < seconds:
        values.append(run(len(values) + 1))
    return float(np.mean(values))


def budget_pull(engine: int, instance: Instance, epsilon: float, runs: int, seed: int) -> float:
    """Nanoseconds a pull of Algorithm 1 with budget 10^6."""
    losses = np.empty((runs, 1), np.bool_)
    arguments = (
        np.random.default_rng(seed), engine, instance.private_means(epsilon),
        instance.private_threshold(epsilon), 0.0, np.array([BUDGET]), instance.must_accept,
        instance.must_reject, losses,
    )  # fmt: skip
    start = time.process_time()
    kernels.fixed_budget_losses(*arguments)
    return 1e9 * (time.process_time() - start) / (runs * BUDGET)


def confidence_pull(
    fast: bool, instance: Instance, epsilon: float, limit: int, runs: int, seed: int
) -> tuple[float, float]:
    """Nanoseconds a pull of Algorithm 2 with the printed radius, and pulls a run."""
    radius, n_arms = Radius("printed"), instance.n_arms
    times, (pulls, sums) = np.empty(runs, np.int64), np.empty((2, runs, n_arms), np.int64)
    arguments = (
        np.random.default_rng(seed), fast, instance.private_means(epsilon),
        instance.private_threshold(epsilon), radius.code, radius.level(n_arms, DELTA), radius.rho,
        limit, times, pulls, sums,
    )  # fmt: skip
    start = time.process_time()
    kernels.fixed_confidence_runs(*arguments)
    return 1e9 * (time.process_time() - start) / pulls.sum(), pulls.sum() / runs


@numba.njit
def draw_uniforms(rng: np.random.Generator, draws: int) -> int:
    """One uniform a pull and nothing else: the limit of any engine that draws every pull."""
    total = 0
    for n in range(draws):
        total += draw_one(rng, 0, n, 0.5)
    return total


def uniform_pull(seed: int) -> float:
    start = time.process_time()
    draw_uniforms(np.random.default_rng(seed), 10**6)
    return 1e3 * (time.process_time() - start)


def numpy_pull(algorithm: int, instance: Instance, seed: int, steps: int = 60) -> float:
    """Nanoseconds a pull of an engine that advances many runs at once, a step at a time."""
    n_arms = instance.n_arms
    runs = max(20, 20_000 // n_arms)
    rng, rows = np.random.default_rng(seed), np.arange(runs)
    means, tau, radius = instance.private_means(0.1), 0.5, Radius("printed")
    n = np.ones((runs, n_arms))
    s = (rng.random((runs, n_arms)) < means).astype(float)
    start = time.process_time()
    for t in range(n_arms, n_arms + steps):
        d = s - n * tau
        if algorithm == 1:
            arm = np.argmin(np.abs(d) / np.sqrt(n), axis=1)
        else:
            b = np.sqrt(0.125 * n * (radius.level(n_arms, DELTA) + 3 * math.log(t)))
            arm = np.argmin(np.where((-b <= d) & (d < b), n, np.inf), axis=1)
        s[rows, arm] += rng.random(runs) < means[arm]
        n[rows, arm] += 1
    return 1e9 * (time.process_time() - start) / (runs * steps)


def measure(algorithm: int, n_arms: int, epsilon: float, seconds: float) -> dict[str, float]:
    """Both engines on one problem."""
    instance = INSTANCES[n_arms]
    if algorithm == 1:
        few = max(1, 200 // n_arms)
        literal = best(lambda seed: budget_pull(0, instance, epsilon, 1, seed), seconds)
        fast = best(lambda seed: budget_pull(1, instance, epsilon, few, seed), seconds)
        pulls = float(BUDGET)
    else:
        limit = max(10 * n_arms, LITERAL_WORK // max(n_arms, 10))
        literal = best(
            lambda seed: confidence_pull(False, instance, epsilon, limit, 1, seed)[0], seconds
        )
        once = confidence_pull(True, instance, epsilon, 10**15, 1, 0)
        few = int(np.clip(0.2e9 / (once[0] * once[1]), 1, 300))
        run = lambda seed: confidence_pull(True, instance, epsilon, 10**15, few, seed)  # noqa: E731
        fast = best(lambda seed: run(seed)[0], seconds)
        pulls = run(1)[1]
    return {
        "pulls_per_run": pulls, "literal_ns_per_pull": literal, "fast_ns_per_pull": fast,
        "ratio": literal / fast, "literal_runs_per_s": 1e9 / (literal * pulls),
        "fast_runs_per_s": 1e9 / (fast * pulls),
    }  # fmt: skip


def markdown(rows: list[dict[str, object]]) -> str:
    """The table as Markdown, with the machine below it."""
    shown = [[f"{v:.4g}" if isinstance(v, float) else str(v) for v in row.values()] for row in rows]
    lines = [COLUMNS, ["---"] * len(COLUMNS), *shown]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return (
        f"{table}\n\nAlgorithm 1: budget 10^6, tolerance 0. Algorithm 2: printed radius, delta = {DELTA}; "
        f"literal runs stop after {LITERAL_WORK:.0e} / K pulls, so that their runs per second are "
        f"computed from the cost of a pull. K = 10: means {', '.join(map(str, TEN.means))}; K = 1: mean "
        f"0.6; else half of the arms at 0.4, half at 0.6; threshold 0.5. One core of {platform.machine()}, "
        f"Python {platform.python_version()}, Numba {numba.__version__}, NumPy {np.__version__}.\n"
    )


def main() -> None:
    """Measure everything, print and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one repetition, K up to 10")
    quick = parser.parse_args().quick
    seconds = 0.0 if quick else 1.0
    uniform = best(uniform_pull, seconds)
    rows: list[dict[str, object]] = []
    print(*COLUMNS, sep="\t")
    for algorithm in (1, 2):
        for n_arms in (1, 10) if quick else INSTANCES:
            stepwise = best(lambda seed: numpy_pull(algorithm, INSTANCES[n_arms], seed), seconds)  # noqa: B023
            for epsilon in EPSILONS:
                row = {"algorithm": algorithm, "K": n_arms, "epsilon": f"{epsilon:g}"}
                row |= measure(algorithm, n_arms, epsilon, seconds)
                row |= {"uniform_ns_per_pull": uniform, "numpy_ns_per_pull": stepwise}
                rows.append(row)
                print(
                    *(f"{v:.4g}" if isinstance(v, float) else v for v in row.values()),
                    sep="\t",
                    flush=True,
                )
    if not quick:
        with open(HERE / "engines.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
        (HERE / "engines.md").write_text(markdown(rows))


if __name__ == "__main__":
    main()
