"""Measure how the cost of simulations grows, and the rates from which ``ldpt plan`` predicts it.

Writes beside itself ``cost_growth.csv`` (pulls, CPU seconds and bytes against replicates, epsilon
and K), ``rates.json`` (rates fitted to them, to peak memory and to file sizes) and
``cost_check.csv`` (simulations of config/large.yaml, cut short: predicted against measured).
CPU time is measured, not wall time, so that other load matters little.
"""

import gc
import json
import math
import multiprocessing
import platform
import random
import re
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from ldpt import config, simulate
from ldpt import cost as run_cost
from ldpt.grid import BudgetRun, ConfidenceRun
from ldpt.instances import MAX_LISTED_ARMS, Instance, equal_gap
from ldpt.io.runs import labelled, write_runs
from ldpt.policies import INDEX_POLICIES, POLICIES
from ldpt.radii import RADII, Radius

HERE = Path(__file__).parent
SEED, DELTA, RHO = 1, 0.1, 10.0
MULTIPLES = {0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10, 12}
CROWDED = Instance("crowded", [0.45] * 7 + [0.55] * 3, 0.5)
UNEVEN = (
    Instance("three-groups", [0.1] * 3 + [0.35, 0.45, 0.55, 0.65] + [0.9] * 3, 0.5),
    Instance("hard-arm", [0.1, 0.52], 0.5),
    Instance("dose-finding", [0.05, 0.12, 0.25, 0.4, 0.55, 0.68], 0.3, 0.02),
)
TILTED = Instance("counterexample", [0.95], 0.9)  # one arm: a policy has no choice to make
METHODS = (*INDEX_POLICIES, *RADII)
REPLICATES = (250, 500, 1000, 2000, 4000)
EPSILONS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, math.inf)
ARMS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
MIN_SECONDS = 0.3  # of CPU time, for a rate that is not noise
FEW, ENOUGH, MANY = 2, 100, 4000  # replicates: a dear setting, for a file's size, at most

ROUNDS = 30  # of a fit, each weighted by the one before

Run = BudgetRun | ConfidenceRun


def setting(method: str, instance: Instance, epsilon: float, replicates: int) -> Run:
    """A simulation as a config would ask for it."""
    if method in POLICIES:
        return BudgetRun(instance.name, method, epsilon, replicates, set(MULTIPLES))
    return ConfidenceRun(instance.name, method, epsilon, replicates, {DELTA})


def table_of(run: Run, instance: Instance) -> pd.DataFrame:
    """The table that the simulation's job writes."""
    if isinstance(run, BudgetRun):
        grid = run.grid(instance)
        return simulate.fixed_budget(instance, run.epsilon, grid, run.replicates, SEED, run.policy)
    radius, parts = Radius(run.radius, RHO), []
    for delta in sorted(run.deltas):
        runs = simulate.fixed_confidence(instance, run.epsilon, delta, run.replicates, SEED, radius)
        if instance.n_arms > MAX_LISTED_ARMS:
            runs = runs[["replicate", "stopping_time", "correct"]]
        runs.insert(0, "delta", delta)
        parts.append(runs)
    return pd.concat(parts, ignore_index=True)


def size_on_disk(table: pd.DataFrame) -> int:
    """Bytes of the file, as the job writes it; its labels take a few bytes more."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.parquet"
        write_runs(str(path), [labelled({}, {name: table[name].to_numpy() for name in table})])
        return path.stat().st_size


def pulls_in(table: pd.DataFrame) -> int:
    """Pulls of all runs together."""
    if "budget" in table:
        return int(table.groupby("replicate")["budget"].max().sum())
    return int(table["stopping_time"].sum())


def measure(run: Run, instance: Instance) -> dict[str, float]:
    """Pulls, CPU seconds of the engine, and bytes beyond an empty file."""
    gc.collect()
    gc.disable()  # a collection takes as long as the shortest of these runs
    start = time.process_time()
    table = table_of(run, instance)
    seconds = time.process_time() - start
    gc.enable()
    size = size_on_disk(table) - size_on_disk(table.head(0))
    size = size if run.replicates >= ENOUGH else math.nan  # a short file is mostly its head
    return {"pulls": pulls_in(table), "cpu_seconds": seconds, "bytes": size}


def long_enough(run: Run, instance: Instance) -> tuple[Run, dict[str, float]]:
    """The same setting with as many replicates as a trustworthy rate needs."""
    while True:
        found = measure(run, instance)
        if found["cpu_seconds"] >= MIN_SECONDS or run.replicates >= MANY:
            return run, found
        run = replace(run, replicates=4 * run.replicates)


def growth() -> pd.DataFrame:
    """One row per measurement along one axis, all else fixed."""
    rows = []

    def add(axis: str, value: float, run: Run, instance: Instance, found: dict[str, float]) -> None:
        method = run.policy if isinstance(run, BudgetRun) else run.radius
        place = {"instance": instance.name, "n_arms": instance.n_arms, "epsilon": run.epsilon}
        rows.append(
            {"axis": axis, "value": value, "method": method, **place,
             "replicates": run.replicates, **found}
        )  # fmt: skip
        print(f"{axis:>10} {value:<8g} {method:<10} {found['cpu_seconds']:.3f} s", flush=True)

    for method in METHODS:
        measure(setting(method, CROWDED, 1.0, 1), CROWDED)  # the engine is compiled and loaded
        for replicates in REPLICATES:
            run = setting(method, CROWDED, 0.5, replicates)
            add("replicates", replicates, run, CROWDED, measure(run, CROWDED))
        for epsilon in EPSILONS:
            first = FEW if method in POLICIES and epsilon < 0.03 else ENOUGH
            run, found = long_enough(setting(method, CROWDED, epsilon, first), CROWDED)
            add("epsilon", epsilon, run, CROWDED, found)
        for n_arms in ARMS:
            instance = equal_gap(n_arms)
            run, found = long_enough(setting(method, instance, 1.0, ENOUGH), instance)
            add("arms", n_arms, run, instance, found)
    return pd.DataFrame(rows)


def fit(features: list[run_cost.Features], found: list[float]) -> run_cost.Features:
    """Rates that are not negative; half of what was found is as bad a miss as twice of it."""
    names = sorted({name for row in features for name in row})
    matrix = np.array([[row.get(name, 0.0) for name in names] for row in features])
    target = np.array(found)
    scale = target
    for _ in range(ROUNDS):
        rates, _ = nnls(matrix / scale[:, None], target / scale)
        scale = np.sqrt(target * np.maximum(matrix @ rates, 0.01 * target))
    return dict(zip(names, (float(f"{rate:.4g}") for rate in rates), strict=True))


def features_of(run: Run, instance: Instance) -> run_cost.Features:
    """What the time of one replicate depends on."""
    if isinstance(run, BudgetRun):
        return run_cost.budget_features(instance, run.epsilon, run.grid(instance), run.policy)
    radius = Radius(run.radius, RHO)
    return run_cost.confidence_features(instance, run.epsilon, DELTA, radius)


def cpu_rates(table: pd.DataFrame) -> dict[str, run_cost.Features]:
    """Seconds a replicate of every method; uneven gaps and baselines are measured here."""
    features: dict[str, list[run_cost.Features]] = {}
    seconds: dict[str, list[float]] = {}

    def add(method: str, run: Run, instance: Instance, spent: float) -> None:
        features.setdefault(method, []).append(features_of(run, instance))
        seconds.setdefault(method, []).append(spent / run.replicates)

    for row in table.itertuples():
        instance = CROWDED if row.instance == "crowded" else equal_gap(row.n_arms)
        run = setting(row.method, instance, row.epsilon, row.replicates)
        add(row.method, run, instance, row.cpu_seconds)
    for method in (*METHODS, "uniform", "laplace"):
        baseline = method not in METHODS
        instances = (equal_gap(2), CROWDED, equal_gap(64)) if baseline else UNEVEN
        if method in RADII:
            instances = (*instances, TILTED)
        for instance in instances:
            for epsilon in (0.5, 2.0) if baseline else (0.01, 0.1, 1.0, math.inf):
                run, found = long_enough(setting(method, instance, epsilon, FEW), instance)
                add(method, run, instance, found["cpu_seconds"])
    return {method: fit(rows, seconds[method]) for method, rows in features.items()}


def peak(run: Run, instance: Instance) -> tuple[float, float, int]:
    """Peak memory (MB), CPU seconds and file size of one job in a process of its own."""
    size = size_on_disk(table_of(run, instance))
    status = Path("/proc/self/status").read_text()  # getrusage would count the parent's memory
    kilobytes = int(re.search(r"VmHWM:\s*(\d+)", status)[1])  # type: ignore[index]
    return kilobytes / 1000, time.process_time(), size


def in_its_own_process(run: Run, instance: Instance) -> tuple[float, float, int]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context) as pool:
        return pool.submit(peak, run, instance).result()


def sizes_of(run: Run, instance: Instance) -> run_cost.Features:
    if isinstance(run, BudgetRun):
        return run_cost.budget_sizes(run.replicates, run.grid(instance))
    radius = Radius(run.radius, RHO)
    return run_cost.confidence_sizes(
        instance, run.epsilon, sorted(run.deltas), run.replicates, radius
    )


def wide_job(
    n_arms: int, epsilon: float, replicates: int, deltas: set[float]
) -> tuple[Run, Instance]:
    """Many replicates that are soon over."""
    instance = equal_gap(n_arms, 0.4)
    return ConfidenceRun(instance.name, "mixture", epsilon, replicates, deltas), instance


def size_rates() -> dict[str, dict[str, run_cost.Features]]:
    """Memory and disk: jobs with much data and little work, each in its own process."""
    several = {0.2, 0.1, 0.05, 0.01}
    jobs: dict[str, list[tuple[Run, Instance]]] = {
        "fixed_budget": [
            (setting("uniform", CROWDED, 1.0, replicates), CROWDED)
            for replicates in (1, 20_000, 100_000, 400_000)
        ],
        "fixed_confidence": [
            wide_job(2, math.inf, 1, {DELTA}),
            wide_job(2, math.inf, 400_000, {DELTA}),
            wide_job(10, math.inf, 200_000, {DELTA}),
            wide_job(10, math.inf, 100_000, several),
            wide_job(10, 0.1, 10_000, {DELTA}),
            wide_job(128, math.inf, 20_000, {DELTA}),
            wide_job(128, math.inf, 10_000, several),
        ],
    }
    memory, disk, start = {}, {}, math.inf
    for algorithm, list_of_jobs in jobs.items():
        features = [sizes_of(run, instance) for run, instance in list_of_jobs]
        found = [in_its_own_process(run, instance) for run, instance in list_of_jobs]
        in_memory = [{k: v for k, v in row.items() if k != "bit"} for row in features]
        on_disk = [{k: row[k] for k in ("job", "row", "bit") if k in row} for row in features]
        memory[algorithm] = fit(in_memory, [one[0] for one in found])
        disk[algorithm] = fit(on_disk, [one[2] for one in found])
        start = min(start, found[0][1])
        print(algorithm, [f"{one[0]:.0f} MB {one[2]} bytes" for one in found], flush=True)
    return {"memory": memory, "disk": disk, "start": {"job": {"job": round(start, 2)}}}


def check(name: str = "config/large.yaml", count: int = 20, strict: int = 4) -> pd.DataFrame:
    """Some simulations of a config with few replicates: predicted and measured cost.

    ``count`` of all of them, and ``strict`` of those at the strongest privacy, which cost most.
    """
    run_cost.measured.cache_clear()
    study = config.study(config.load(HERE.parent / name))
    runs: list[Run] = [*study.fixed_budget, *study.fixed_confidence]
    least = min(run.epsilon for run in runs)
    choice = random.Random(SEED)
    chosen = choice.sample([run for run in runs if run.epsilon > least], count)
    chosen += choice.sample([run for run in runs if run.epsilon == least], strict)
    rows = []
    for run in chosen:
        instance = study.instances[run.instance]
        measure(replace(run, replicates=1), instance)  # the engine is loaded
        slice_, found = long_enough(replace(run, replicates=FEW), instance)
        rates = run_cost.measured()
        is_budget = isinstance(slice_, BudgetRun)
        cost = (
            run_cost.budget_cost(slice_, instance)
            if is_budget
            else run_cost.confidence_cost(
                slice_, instance, Radius(slice_.radius, **study.constants)
            )
        )
        start = rates["cpu"]["job"]["job"]
        rows.append(
            {
                "instance": run.instance,
                "method": slice_.policy if is_budget else slice_.radius,
                "epsilon": run.epsilon,
                "planned": run.replicates,
                "replicates": slice_.replicates,
                "pulls_predicted": cost.pulls,
                "pulls": found["pulls"],
                "cpu_predicted": cost.cpu_seconds - start,
                "cpu_seconds": found["cpu_seconds"],
            }
        )
    return pd.DataFrame(rows)


def main() -> None:
    table = growth()
    table.to_csv(HERE / "cost_growth.csv", index=False, float_format="%.6g")
    sizes = size_rates()
    cpu = {**cpu_rates(table), **sizes.pop("start")}
    rates = {"machine": platform.processor() or platform.machine(), "cpu": cpu, **sizes}
    (HERE.parent / "src/ldpt/data/rates.json").write_text(json.dumps(rates, indent=1) + "\n")
    checked = check()
    checked.to_csv(HERE / "cost_check.csv", index=False, float_format="%.6g")
    print(checked.to_string())


if __name__ == "__main__":
    main()
