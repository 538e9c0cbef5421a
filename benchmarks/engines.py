"""What a simulated pull costs: literal and fast engine, beside two engines that draw every pull.

    python benchmarks/engines.py [--quick]

prints a table and writes it to benchmarks/engines.csv and engines.md. All figures come from one
process on one core, as processor time, the best of a few repetitions of the same runs. Ratios are
what they are for.
"""

import argparse
import csv
import math
import platform
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numba
import numpy as np

from ldpt.engines import loops
from ldpt.engines.decisions import Arms
from ldpt.engines.sources import draw_one
from ldpt.instances import Instance, equal_gap
from ldpt.radii import Radius

HERE = Path(__file__).parent
TEN = Instance("ten", [0.2, 0.3, 0.35, 0.4, 0.45, 0.55, 0.6, 0.65, 0.7, 0.8], 0.5)
INSTANCES = {1: Instance("one", [0.6], 0.5), 10: TEN, 100: equal_gap(100), 1024: equal_gap(1024)}
EPSILONS = (math.inf, 1.0, 0.1, 0.03, 0.01)
DELTA, BUDGET, SEED = 0.1, 10**6, 1
LITERAL_PULLS = 3 * 10**8  # times 1 / K: after so many a literal run of Algorithm 2 is cut off
COLUMNS = (
    "algorithm", "K", "epsilon", "pulls_per_run", "literal_ns_per_pull", "fast_ns_per_pull",
    "ratio", "literal_runs_per_s", "fast_runs_per_s", "uniform_ns_per_pull", "numpy_ns_per_pull",
)  # fmt: skip


def best(run: Callable[[], float], seconds: float, least: int = 2, most: int = 40) -> float:
    """Least of the values that ``run`` returns within about so much time."""
    values, start = [], time.perf_counter()
    while len(values) < least or (time.perf_counter() - start < seconds and len(values) < most):
        values.append(run())
    return min(values)


def compile_engines() -> None:
    """So that no measurement includes compiling."""
    for engine in (loops.LITERAL, loops.FAST):
        budget_pull(engine, INSTANCES[1], math.inf, 1)
        confidence_pull(bool(engine), INSTANCES[1], math.inf, 100, 1)
    uniform_pull()


def budget_pull(engine: int, instance: Instance, epsilon: float, runs: int) -> float:
    """Nanoseconds a pull of Algorithm 1 with budget 10^6."""
    losses = np.empty((runs, 1), np.bool_)
    arguments = (
        np.random.default_rng(SEED), engine, instance.private_means(epsilon),
        instance.private_threshold(epsilon), 0.0, np.array([BUDGET]), instance.must_accept,
        instance.must_reject, losses,
    )  # fmt: skip
    start = time.process_time()
    loops.fixed_budget_losses(*arguments)
    return 1e9 * (time.process_time() - start) / (runs * BUDGET)


def confidence_pull(
    fast: bool, instance: Instance, epsilon: float, limit: int, runs: int
) -> tuple[float, float]:
    """Nanoseconds a pull of Algorithm 2 with the printed radius, and pulls a run."""
    radius, n_arms = Radius("printed"), instance.n_arms
    times, (pulls, sums) = np.empty(runs, np.int64), np.empty((2, runs, n_arms), np.int64)
    arguments = (
        np.random.default_rng(SEED), fast,
        Arms(instance.private_means(epsilon), instance.private_threshold(epsilon)),
        radius.at(n_arms, DELTA, instance.threshold, epsilon), np.array([limit]),
        loops.Runs(times, pulls, sums),
    )  # fmt: skip
    start = time.process_time()
    loops.fixed_confidence_runs(*arguments)
    return 1e9 * (time.process_time() - start) / pulls.sum(), pulls.sum() / runs


@numba.njit
def draw_uniforms(rng: np.random.Generator, draws: int) -> int:
    """One uniform a pull and nothing else: the limit of any engine that draws every pull."""
    total = 0
    for n in range(draws):
        total += draw_one(rng, 0, n, 0.5)
    return total


def uniform_pull() -> float:
    start = time.process_time()
    draw_uniforms(np.random.default_rng(SEED), 10**6)
    return 1e3 * (time.process_time() - start)


def numpy_pull(algorithm: int, instance: Instance, steps: int = 60) -> float:
    """Nanoseconds a pull of an engine that advances many runs at once, a step at a time."""
    n_arms = instance.n_arms
    runs = max(20, 20_000 // n_arms)
    rng, rows = np.random.default_rng(SEED), np.arange(runs)
    means, tau = instance.private_means(0.1), 0.5
    edge = Radius("printed").at(n_arms, DELTA, 0.5, 0.1)
    n = np.ones((runs, n_arms))
    s = (rng.random((runs, n_arms)) < means).astype(float)
    start = time.process_time()
    for t in range(n_arms, n_arms + steps):
        d = s - n * tau
        if algorithm == 1:
            arm = np.argmin(np.abs(d) / np.sqrt(n), axis=1)
        else:
            b = np.sqrt(edge.factor * n * (edge.term + 3 * math.log(t)))
            arm = np.argmin(np.where((-b <= d) & (d < b), n, np.inf), axis=1)
        s[rows, arm] += rng.random(runs) < means[arm]
        n[rows, arm] += 1
    return 1e9 * (time.process_time() - start) / (runs * steps)


def measure(algorithm: int, n_arms: int, epsilon: float, seconds: float) -> dict[str, float]:
    """Both engines on one problem."""
    instance = INSTANCES[n_arms]
    if algorithm == 1:
        many = max(1, 400 // n_arms)
        literal = best(lambda: budget_pull(loops.LITERAL, instance, epsilon, 1), seconds)
        fast = best(lambda: budget_pull(loops.FAST, instance, epsilon, many), seconds)
        pulls = float(BUDGET)
    else:
        limit = 10**15 if n_arms == 10 else LITERAL_PULLS // n_arms
        cost, pulls = confidence_pull(True, instance, epsilon, 10**15, 1)
        few = int(np.clip(1e6 / pulls, 1, 300))
        many = int(np.clip(0.3e9 / (cost * pulls), 1, 300))
        literal = best(
            lambda: confidence_pull(False, instance, epsilon, limit, few)[0], seconds, least=1
        )
        fast = best(lambda: confidence_pull(True, instance, epsilon, 10**15, many)[0], seconds)
        pulls = confidence_pull(True, instance, epsilon, 10**15, many)[1]
    return {
        "pulls_per_run": pulls, "literal_ns_per_pull": literal, "fast_ns_per_pull": fast,
        "ratio": literal / fast, "literal_runs_per_s": 1e9 / (literal * pulls),
        "fast_runs_per_s": 1e9 / (fast * pulls),
    }  # fmt: skip


def shown(value: object) -> str:
    """Four digits of a measurement; anything else as it is."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def markdown(rows: list[dict[str, object]]) -> str:
    """The table as Markdown, and what was measured."""
    lines = [COLUMNS, ["---"] * len(COLUMNS), *(map(shown, row.values()) for row in rows)]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    means = ", ".join(map(str, TEN.means))
    notes = (
        f"Algorithm 1: budget {BUDGET:.0e}, tolerance 0. Algorithm 2: printed radius, delta = "
        f"{DELTA}; literal runs on other than 10 arms are cut off after {LITERAL_PULLS:.0e} / K "
        "pulls, and runs per second follow from the cost of a pull.",
        f"K = 10: means {means}; K = 1: mean 0.6; else half of the arms at 0.4, half at 0.6; "
        "threshold 0.5. uniform: one uniform draw a pull and nothing else. numpy: many runs "
        "advanced a pull at a time by array operations.",
        f"One core of {platform.machine()}, Python {platform.python_version()}, "
        f"Numba {numba.__version__}, NumPy {np.__version__}.",
    )
    return "\n\n".join((table, *notes)) + "\n"


def main() -> None:
    """Measure everything, print and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one repetition, K up to 10")
    quick = parser.parse_args().quick
    seconds = 0.0 if quick else 1.0
    compile_engines()
    uniform = best(uniform_pull, seconds)
    rows: list[dict[str, object]] = []
    print(*COLUMNS, sep="\t")
    for algorithm in (1, 2):
        for n_arms in (1, 10) if quick else INSTANCES:
            stepwise = best(partial(numpy_pull, algorithm, INSTANCES[n_arms]), seconds)
            for epsilon in EPSILONS:
                row = {"algorithm": algorithm, "K": n_arms, "epsilon": f"{epsilon:g}"}
                row |= measure(algorithm, n_arms, epsilon, seconds)
                row |= {"uniform_ns_per_pull": uniform, "numpy_ns_per_pull": stepwise}
                rows.append(row)
                print(*map(shown, row.values()), sep="\t", flush=True)
    if not quick:
        with open(HERE / "engines.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
        (HERE / "engines.md").write_text(markdown(rows))


if __name__ == "__main__":
    main()
