"""From tables of runs to estimates with intervals. Proportions: Clopper-Pearson; means: normal."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ldpt.instances import Instance
from ldpt.util.reproducible import log
from ldpt.util.runs import read_runs

__all__ = ["clopper_pearson", "fixed_budget", "fixed_confidence", "mean_interval", "needed_budgets"]

CONFIDENCE = 0.95  # level of every interval
LIMITS = ("estimate", "low", "high")


def over_files(
    paths: Iterable[str],
    method: str,
    problems: Mapping[str, Instance],
    reduce: Callable[[pd.DataFrame, dict[str, Any], float], pd.DataFrame],
) -> pd.DataFrame:
    """Reduce the runs setting by setting, labelled by instance, ``method`` and epsilon."""
    names, parts = ["instance", method, "epsilon"], []
    for path in paths:
        for runs in read_runs(path, names):
            labels = runs[names].iloc[0].to_dict()
            problem = problems[labels["instance"]]
            complexity = problem.complexity(labels["epsilon"])
            parts.append(reduce(runs, labels | {"n_arms": problem.n_arms}, complexity))
    return pd.concat(parts, ignore_index=True)


def clopper_pearson(
    errors: np.ndarray | int, replicates: np.ndarray | int, level: float = CONFIDENCE
) -> tuple[np.ndarray, np.ndarray]:
    """Return exact two-sided limits for proportions: 0 below no error, 1 above only errors."""
    from scipy.special import betaincinv  # scipy.stats would take half a second to import

    errors, replicates = np.asarray(errors), np.asarray(replicates)
    tail = (1 - level) / 2
    low = np.where(
        errors == 0, 0.0, betaincinv(np.maximum(errors, 1), replicates - errors + 1, tail)
    )
    room = np.maximum(replicates - errors, 1)
    high = np.where(errors == replicates, 1.0, betaincinv(errors + 1, room, 1 - tail))
    return low, high


def mean_interval(
    values: np.ndarray, level: float = CONFIDENCE
) -> tuple[float, float, float, float]:
    """Return mean, standard deviation and normal limits for the mean; NaN for too few values."""
    from scipy.special import ndtri

    if len(values) == 0:
        return math.nan, math.nan, math.nan, math.nan
    mean = float(np.mean(values))
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
    reach = float(ndtri(0.5 + level / 2)) * deviation / math.sqrt(len(values))
    return mean, deviation, mean - reach, mean + reach


def fixed_budget(runs: pd.DataFrame, labels: dict[str, Any], complexity: float) -> pd.DataFrame:
    """Return the error probability at each budget with Clopper-Pearson limits, and the labels."""
    counts = runs.groupby("budget", sort=True)["loss"].agg(errors="sum", replicates="size")
    table = counts.reset_index()
    table["scaled_budget"] = table["budget"] / complexity
    table["estimate"] = table["errors"] / table["replicates"]
    table["low"], table["high"] = clopper_pearson(table["errors"], table["replicates"])
    return table.assign(complexity=complexity, **labels)


def fixed_confidence(runs: pd.DataFrame, labels: dict[str, Any], complexity: float) -> pd.DataFrame:
    """Return mean stopping time (normal limits) and error (Clopper-Pearson limits) by delta."""
    rows = [_confidence_row(delta, group) for delta, group in runs.groupby("delta", sort=True)]
    return pd.DataFrame(rows).assign(complexity=complexity, **labels)


def _confidence_row(delta: Any, runs: pd.DataFrame) -> dict[str, Any]:
    stopped = runs.loc[runs["stopping_time"] >= 0, "stopping_time"].to_numpy()
    mean, deviation, least, most = mean_interval(stopped)
    errors = int((~runs["correct"]).sum())
    low, high = clopper_pearson(errors, len(runs))
    return {
        "delta": delta,
        "replicates": len(runs),
        "mean_pulls": mean,
        "mean_pulls_low": least,
        "mean_pulls_high": most,
        "sd_pulls": deviation,
        "quantile_pulls": upper_quantile(runs["stopping_time"].to_numpy(), 1 - float(delta)),
        "errors": errors,
        "estimate": errors / len(runs),
        "low": float(low),
        "high": float(high),
        "undecided": int((runs["stopping_time"] < 0).sum()),
    }


def upper_quantile(stopping_times: np.ndarray, share: float) -> float:
    """Return the least time by which this share of the runs had stopped, or infinity."""
    times = np.where(stopping_times >= 0, stopping_times, math.inf)
    return float(np.sort(times)[min(math.ceil(share * len(times)), len(times)) - 1])


def allocation(pulls: np.ndarray, gaps: np.ndarray, labels: dict[str, Any]) -> pd.DataFrame:
    """Return the mean share of the pulls of each arm beside its share of the complexity."""
    shares = pulls / pulls.sum(axis=1, keepdims=True)
    inverse = 1 / np.square(gaps)
    complexities = inverse / np.sum(inverse)
    rows = []
    for arm, gap in enumerate(gaps):
        mean, _, low, high = mean_interval(shares[:, arm])
        row = {"arm": arm, "gap": gap, "share": complexities[arm], "replicates": len(pulls)}
        rows.append(row | {"mean_pulls": float(pulls[:, arm].mean())})
        rows[-1] |= {"estimate": mean, "low": low, "high": high}
    return pd.DataFrame(rows).assign(**labels)


def crossing(x: np.ndarray, error: np.ndarray, level: float) -> float:
    """Return where a falling error curve passes ``level``, straight in x and log(error), or NaN.

    Points at which no error was seen carry no logarithm and are left out.
    """
    x, error = np.asarray(x, float), np.asarray(error, float)
    seen = error > 0
    x, error = x[seen], error[seen]
    below = np.flatnonzero(error <= level)
    if below.size == 0 or below[0] == 0:
        return math.nan
    after = int(below[0])
    upper, lower = log(error[after - 1]), log(error[after])
    share = (upper - log(level)) / (upper - lower)
    return float(x[after - 1] + share * (x[after] - x[after - 1]))


def needed_budgets(summary: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return the budget at which each curve of a summary falls to this error probability.

    The limits are where the limits of the error pass the level. Curves that do not pass it are
    left out.
    """
    keys, rows = ["instance", "policy", "epsilon"], []
    for key, curve in summary.groupby(keys):
        curve = curve.sort_values("budget")
        budgets = curve["budget"].to_numpy()
        limits = [crossing(budgets, curve[name].to_numpy(), level) for name in LIMITS]
        rows.append((*key, *curve[["n_arms", "complexity"]].iloc[0], *limits))
    table = pd.DataFrame(rows, columns=[*keys, "n_arms", "complexity", *LIMITS])
    return table.dropna(subset=["estimate"]).reset_index(drop=True)
