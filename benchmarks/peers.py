"""What a simulated pull costs here and elsewhere, on one problem and in one run.

    python benchmarks/peers.py [--quick | --draw]

measures both engines, the vectorised NumPy code that one would write without them, and plain C
loops (peers.c, where a compiler is found), and checks that their errors and stopping times agree.
It writes benchmarks/peers.csv and, for the manual, benchmarks/peers.md and
docs/pictures/peers.svg. With --quick everything is measured once and nothing is written; --draw
draws again from the table. All times are processor times of one process on one core, the best of
a few repetitions, in turns.
"""

import argparse
import ctypes
import math
import os
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import norm

from ldpt import limits, simulate
from ldpt.instances import Instance, equal_gap
from ldpt.plots import parts, style
from ldpt.text import number

HERE = Path(__file__).parent
PICTURE = HERE.parent / "docs" / "pictures" / "peers.svg"
GROUPS = Instance("three-groups", [0.1] * 3 + [0.35, 0.45, 0.55, 0.65] + [0.9] * 3, 0.5, 0.1)
SEED = 1
SECONDS = 0.3  # of a repetition, about
REPETITIONS = 3
MOST_RUNS = 20_000
NUMPY_RUNS = 1000  # that NumPy advances at once
NUMPY_PULLS = 3 * 10**6  # of all runs, after which a measurement of growth ends
AGREEMENT = 4.0  # standard errors by which two engines may differ

# ns per pull of libraries in their own loops, at K = 10, T = 500, eps = 1 (200 runs), measured
# beside these engines in November 2026; neither is installed here. Their errors are .205 and .185.
RECORDED = {"SMPyBandits 0.9.7": 15_400, "banditpylib (from its repository, no release)": 46_000}


class Case(NamedTuple):
    """Algorithm 1 with a budget, or Algorithm 2 with an error level."""

    problem: Instance
    epsilon: float
    budget: int = 0
    delta: float = math.nan

    @property
    def algorithm(self) -> str:
        return "Algorithm 1" if self.budget else "Algorithm 2"


class Made(NamedTuple):
    """What some runs cost: whether each one errs, its pulls, and the time of all."""

    losses: np.ndarray
    pulls: np.ndarray
    seconds: float

    @property
    def cost(self) -> float:
        """Nanoseconds per pull."""
        return 1e9 * self.seconds / float(self.pulls.sum())


Engine = Callable[[Case, int], Made]
SHARED = "T = 500, ε = 1"  # the case of the recorded values
TABLE = {
    "T = 500, no privacy": Case(GROUPS, math.inf, 500),
    SHARED: Case(GROUPS, 1.0, 500),
    "T = 100 000, ε = 0.1": Case(GROUPS, 0.1, 100_000),
    "Algorithm 2, ε = 1, δ = 0.1": Case(GROUPS, 1.0, delta=0.1),
}


def growing(
    axis: str, values: Iterable[float], case: Callable[[Any], Case]
) -> dict[tuple[str, float], Case]:
    """Return the cases along an axis, all else as it is."""
    return {(axis, value): case(value) for value in values}


def four_times(problem: Instance, epsilon: float) -> Case:
    """Return Algorithm 1 at T = 4 H_eps."""
    return Case(problem, epsilon, math.ceil(4 * problem.complexity(epsilon)))


EPSILONS, ARMS = (4, 2, 1, 0.5, 0.2, 0.1), (2, 4, 8, 16, 32, 64, 128, 256)
GROWTH = [
    growing("1/ε", EPSILONS, lambda epsilon: four_times(GROUPS, epsilon)),
    growing("budget T", (300, 10**3, 10**4, 10**5, 10**6), lambda t: Case(GROUPS, 0.1, t)),
    growing("arms K", ARMS, lambda arms: four_times(equal_gap(arms), 1.0)),
    growing("1/ε", EPSILONS, lambda epsilon: Case(GROUPS, epsilon, delta=0.1)),
    growing("1/δ", (1e-1, 1e-2, 1e-4, 1e-8, 1e-16), lambda delta: Case(GROUPS, 1.0, delta=delta)),
    growing("arms K", ARMS, lambda arms: Case(equal_gap(arms), 1.0, delta=0.1)),
]


def engine(name: str) -> Engine:
    """Return an engine of the package, called as users call it."""

    def make(case: Case, runs: int) -> Made:
        start = time.process_time()
        if case.budget:
            table = simulate.fixed_budget(
                case.problem, case.epsilon, case.budget, runs, SEED, engine=name
            )
            losses, pulls = table["loss"], np.full(runs, case.budget)
        else:
            table = simulate.fixed_confidence(
                case.problem, case.epsilon, case.delta, runs, SEED, engine=name
            )
            losses, pulls = ~table["correct"], table["stopping_time"]
        return Made(np.array(losses), np.array(pulls), time.process_time() - start)

    return make


def with_numpy(case: Case, runs: int, most: int | None = None) -> Made:
    """Advance all runs at once by one pull at a time, for at most so many pulls of each."""
    problem, rng = case.problem, np.random.default_rng(SEED)
    means = problem.private_means(case.epsilon)
    start = time.process_time()
    n = np.ones((runs, problem.n_arms))
    s = (rng.random(n.shape) < means).astype(float)
    if case.budget:
        pulls = np.full(runs, min(case.budget, most or case.budget))
        numpy_budget(case, rng, means, n, s, int(pulls[0]))
    else:
        pulls = numpy_confidence(case, rng, means, n, s, most or limits.NO_LIMIT)
    above = s > n * problem.private_threshold(case.epsilon)
    accept, reject = must(case)
    losses = np.asarray(np.where(above, reject, accept).any(axis=1))
    return Made(losses, pulls, time.process_time() - start)


def numpy_budget(
    case: Case,
    rng: np.random.Generator,
    means: np.ndarray,
    n: np.ndarray,
    s: np.ndarray,
    pulls: int,
) -> None:
    """Make the pulls of Algorithm 1 in all rows; only the index of the pulled arm changes."""
    tau = case.problem.private_threshold(case.epsilon)
    zeta = case.problem.private_tolerance(case.epsilon)
    index, rows = np.abs(s - tau) + zeta, np.arange(len(n))
    for _ in range(pulls - means.size):
        arm = index.argmin(axis=1)
        count, total = n[rows, arm] + 1, s[rows, arm] + (rng.random(rows.size) < means[arm])
        n[rows, arm], s[rows, arm] = count, total
        index[rows, arm] = np.sqrt(count) * (np.abs(total / count - tau) + zeta)


def numpy_confidence(
    case: Case, rng: np.random.Generator, means: np.ndarray, n: np.ndarray, s: np.ndarray, most: int
) -> np.ndarray:
    """Make the pulls of Algorithm 2 in all rows; a row that is decided is taken out."""
    tau = case.problem.private_threshold(case.epsilon)
    term = math.log(4 * means.size / case.delta)
    pulls, rows, count, total = np.full(len(n), most), np.arange(len(n)), n.copy(), s.copy()
    for t in range(means.size, most + 1):
        d = total - tau * count
        width = np.sqrt(0.125 * (term + 3 * math.log(t)) * count)
        undecided = (-width <= d) & (d < width)
        goes_on = undecided.any(axis=1)
        if not goes_on.all() or t == most:
            n[rows], s[rows] = count, total
            pulls[rows[~goes_on]] = t
            rows, count, total = rows[goes_on], count[goes_on], total[goes_on]
            undecided = undecided[goes_on]
        if rows.size == 0 or t == most:
            break
        arm, places = np.where(undecided, count, np.inf).argmin(axis=1), np.arange(rows.size)
        total[places, arm] += rng.random(rows.size) < means[arm]
        count[places, arm] += 1
    return pulls


def must(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Return which arms have to be in the answer, and which must not; Algorithm 2: all of them."""
    problem = case.problem if case.budget else case.problem.strict
    return problem.must_accept, problem.must_reject


class Problem(ctypes.Structure):
    """The problem as peers.c takes it."""

    _fields_ = (
        ("arms", ctypes.c_int64),
        ("means", ctypes.c_void_p),
        ("threshold", ctypes.c_double),
        ("tolerance", ctypes.c_double),
        ("must_accept", ctypes.c_void_p),
        ("must_reject", ctypes.c_void_p),
    )


def with_c(folder: str) -> Engine | None:
    """Compile the C loops in a folder and return their caller; None without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    library = str(Path(folder) / "peers.so")
    options = ["-O3", "-shared", "-fPIC", str(HERE / "peers.c"), "-lm"]
    subprocess.run([compiler, "-o", library, *options], check=True)
    loops = ctypes.CDLL(library)

    def make(case: Case, runs: int) -> Made:
        means = case.problem.private_means(case.epsilon)
        accept, reject = must(case)
        threshold = case.problem.private_threshold(case.epsilon)
        tolerance = case.problem.private_tolerance(case.epsilon)
        places = means.ctypes.data, threshold, tolerance, accept.ctypes.data, reject.ctypes.data
        problem = Problem(means.size, *places)
        losses, pulls = np.zeros(runs, bool), np.full(runs, case.budget)
        rest = ctypes.c_uint64(SEED), ctypes.c_int64(runs), losses.ctypes.data_as(ctypes.c_void_p)
        start = time.process_time()
        if case.budget:
            loops.fixed_budget(problem, ctypes.c_int64(case.budget), *rest)
        else:
            term = ctypes.c_double(math.log(4 * means.size / case.delta))
            filled = pulls.ctypes.data_as(ctypes.c_void_p)
            loops.fixed_confidence(problem, term, *rest, filled)
        return Made(losses, pulls, time.process_time() - start)

    return make


def measure(engines: dict[str, Engine], case: Case, repetitions: int) -> dict[str, Made]:
    """Return the cheapest repetition of each engine; they are measured in turns.

    A shared machine is slow for seconds at a time: in turns, ratios stay what they are.
    """
    runs = {
        name: NUMPY_RUNS if name == "NumPy" else enough_runs(make, case)
        for name, make in engines.items()
    }
    turns = [
        {name: make(case, runs[name]) for name, make in engines.items()} for _ in range(repetitions)
    ]
    return {name: min((turn[name] for turn in turns), key=lambda m: m.cost) for name in engines}


def enough_runs(make: Engine, case: Case) -> int:
    """Return how many runs take as long as a repetition should; calls have a cost of their own."""
    make(case, 1)  # loads compiled code
    runs = 1
    while (spent := make(case, runs).seconds) < SECONDS / 10 and runs < MOST_RUNS:
        runs *= 4
    return int(np.clip(runs * SECONDS / spent, 1, MOST_RUNS))


def check_agreement(label: str, made: dict[str, Made]) -> None:
    """Stop if an engine's errors or pulls differ from those of the first engine."""
    first, *others = made
    for quantity in ("losses", "pulls"):
        for name in others:
            pair = [getattr(made[engine], quantity).astype(float) for engine in (first, name)]
            spread = math.sqrt(np.concatenate(pair).var() * sum(1 / x.size for x in pair))
            difference = abs(pair[0].mean() - pair[1].mean())
            if difference > AGREEMENT * spread:
                raise ValueError(
                    f"{label}: {quantity} of {name} differ from those of {first} by "
                    f"{difference / spread:.1f} standard errors, allowed are {AGREEMENT}"
                )


def rows_of(made: dict[str, Made], **labels: object) -> list[dict[str, object]]:
    """Return a row of the table for each engine."""
    return [
        {
            **labels,
            "engine": name,
            "ns_per_pull": m.cost,
            "runs": m.losses.size,
            "error": m.losses.mean(),
            "mean_pulls": m.pulls.mean(),
            "pulls_se": m.pulls.std() / math.sqrt(m.pulls.size),
        }
        for name, m in made.items()
    ]


def measurements(repetitions: int, folder: str) -> pd.DataFrame:
    """Return all measurements: axis "table", whose values are names, and the axes of growth."""
    engines = {"fast": engine("fast"), "literal": engine("literal"), "NumPy": with_numpy}
    loops = with_c(folder)
    if loops is not None:
        engines["C"] = loops
    rows = []
    for label, case in TABLE.items():
        made = measure(engines, case, repetitions)
        check_agreement(label, made)
        rows += rows_of(made, algorithm=case.algorithm, axis="table", value=label)

    def some_pulls(case: Case, runs: int) -> Made:
        return with_numpy(case, runs, case.problem.n_arms + NUMPY_PULLS // (NUMPY_RUNS * 10))

    for axis in GROWTH:
        for (name, value), case in axis.items():
            made = measure(engines | {"NumPy": some_pulls}, case, repetitions)
            labels = {"algorithm": case.algorithm, "axis": name, "value": value}
            rows += [row | {"error": math.nan} for row in rows_of(made, **labels)]
            print(case.algorithm, name, value, *(f"{n} {m.cost:.3g}" for n, m in made.items()))
    return pd.DataFrame(rows)


# --- the manual -----------------------------------------------------------------------------------


def markdown(table: pd.DataFrame, load: float) -> str:
    """Return costs and errors as Markdown, with notes on the measurement."""
    rows = table[table["axis"] == "table"]
    engines, cases = list(rows["engine"].unique()), list(TABLE)
    found = rows.set_index(["engine", "value"])
    cost = found["ns_per_pull"]
    lines = [["ns per pull", *cases], ["---", *["---:"] * len(cases)]]
    lines += [[name, *(f"{cost[name, case]:.3g}" for case in cases)] for name in engines]
    for name, value in RECORDED.items():
        lines.append([name, *(number(value) if case == SHARED else "" for case in cases)])
    errors = [["error (Algorithm 2: mean pulls)", *cases], ["---", *["---:"] * len(cases)]]
    errors += [[name, *(estimate(found.loc[name, case]) for case in cases)] for name in engines]
    notes = (
        "Processor time of one core, the best of a few repetitions, on three-groups (ten arms). "
        "`fast` and `literal` are the engines of this package. NumPy advances 1000 runs at once by "
        "one pull at a time; C is `benchmarks/peers.c`, compiled with -O3. The libraries were "
        "measured once in November 2026 on this problem, in their own loops: SMPyBandits with "
        "Algorithm 1 as one of its policies, banditpylib with its own.",
        "All engines agree: errors and mean pulls differ by less than four standard errors, or the "
        "benchmark stops. Intervals are at 95 %.",
        f"Measured at a load average of {load:.1f} on {os.cpu_count()} cores. "
        f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}.",
    )
    tables = ["\n".join("| " + " | ".join(row) + " |" for row in rows) for rows in (lines, errors)]
    return "\n\n".join((*tables, *notes)) + "\n"


def estimate(row: pd.Series) -> str:
    """Return the error, or the mean pulls of Algorithm 2, with a 95 % interval."""
    width = norm.ppf(0.975)
    if row["algorithm"] == "Algorithm 2":
        return f"{number(row['mean_pulls'], 5)} ± {width * row['pulls_se']:.0f}"
    error = row["error"]
    if error == 0:
        return f"0 in {number(row['runs'])} runs"
    spread = math.sqrt(error * (1 - error) / row["runs"])
    return f"{error:.4f} ± {width * spread:.4f}"


LOOKS = {
    "fast": {"color": style.INK, "marker": "o", "linewidth": 1.6},
    "literal": {"color": style.INK, "marker": "s", "linewidth": 0.8, "markerfacecolor": "white"},
    "C": {"color": style.FAINT, "marker": "^", "linewidth": 0.8},
    "NumPy": {"color": style.FAINT, "marker": "D", "linewidth": 0.8, "markerfacecolor": "white"},
}


@style.styled
def draw(table: pd.DataFrame) -> Figure:
    """Draw ns per pull along each axis of growth, one curve per engine."""
    rows = table[table["axis"] != "table"]
    axes_of_growth = [(case.algorithm, name) for axis in GROWTH for (name, _), case in
                      list(axis.items())[:1]]  # fmt: skip
    figure, grid = parts.panels(len(GROWTH), 3, 1.75, sharey=True)
    for axes, (algorithm, name) in zip(grid, axes_of_growth, strict=True):
        panel = parts.rows_where(rows, algorithm=algorithm, axis=name)
        for engine, look in LOOKS.items():
            curve = panel[panel["engine"] == engine]
            x = curve["value"].astype(float)
            axes.plot(1 / x if name.startswith("1/") else x, curve["ns_per_pull"], label=engine,
                      markeredgewidth=0.8, markersize=3.5, **look)  # fmt: skip
        parts.log_axes(axes)
        axes.set(title=algorithm, xlabel=name)
    for axes in grid[::3]:
        axes.set_ylabel("ns per pull")
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return figure


def main() -> None:
    """Measure, check, print and save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--quick", action="store_true", help="one repetition, nothing is written")
    which.add_argument("--draw", action="store_true", help="draw again, without measuring")
    options = parser.parse_args()
    if not options.draw:
        with tempfile.TemporaryDirectory() as folder:
            table = measurements(1 if options.quick else REPETITIONS, folder)
        text = markdown(table, os.getloadavg()[2])
        print(text)
        if options.quick:
            return
        table.to_csv(HERE / "peers.csv", index=False)
        (HERE / "peers.md").write_text(text, encoding="utf-8")
    draw(pd.read_csv(HERE / "peers.csv")).savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
