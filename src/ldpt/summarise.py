"""From tables of runs to estimates with intervals. Proportions: Clopper-Pearson; means: normal."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ldpt.instances import Instance, check_instance
from ldpt.util.messages import unknown
from ldpt.util.reproducible import log, rounded
from ldpt.util.runs import read_runs

__all__ = ["clopper_pearson", "fixed_budget", "fixed_confidence", "mean_interval", "needed_budgets"]

CONFIDENCE = 0.95  # level of every interval
LIMIT_DIGITS = 12  # of SciPy's inverse, which is exact to 15
LIMITS = ("estimate", "low", "high")


def over_files(
    paths: Iterable[str],
    reduce: Callable[[pd.DataFrame, Sequence[Instance]], pd.DataFrame],
    problems: Sequence[Instance],
) -> pd.DataFrame:
    """Reduce files of runs setting by setting, which takes the memory of one setting."""
    parts = [reduce(runs, problems) for path in paths for runs in read_runs(path)]
    return pd.concat(parts, ignore_index=True)


def clopper_pearson(
    errors: np.ndarray | int, replicates: np.ndarray | int, level: float = CONFIDENCE
) -> tuple[np.ndarray, np.ndarray]:
    """Return exact two-sided limits for proportions: 0 if no run erred, 1 if all did.

    The limits have 12 significant digits, which are the same on every machine.
    """
    from scipy.special import betaincinv  # scipy.stats would take half a second to import

    errors = np.asarray(errors)
    replicates = np.asarray(replicates)
    tail = (1 - level) / 2
    low = np.where(
        errors == 0, 0.0, betaincinv(np.maximum(errors, 1), replicates - errors + 1, tail)
    )
    room = np.maximum(replicates - errors, 1)
    high = np.where(errors == replicates, 1.0, betaincinv(errors + 1, room, 1 - tail))
    return rounded(low, LIMIT_DIGITS), rounded(high, LIMIT_DIGITS)


def mean_interval(
    values: np.ndarray, level: float = CONFIDENCE
) -> tuple[float, float, float, float]:
    """Return mean, standard deviation and normal limits for the mean; NaN for too few values."""
    from scipy.special import ndtri

    if len(values) == 0:
        return math.nan, math.nan, math.nan, math.nan
    mean = float(np.mean(values))
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
    reach = 0.0  # of equal values, also at a level of 1, where the quantile is infinite
    if deviation != 0:
        reach = float(ndtri(0.5 + level / 2)) * deviation / math.sqrt(len(values))
    return mean, deviation, mean - reach, mean + reach


def fixed_budget(runs: pd.DataFrame, problems: Instance | Sequence[Instance] = ()) -> pd.DataFrame:
    """Return the error probability of each setting at each budget, with Clopper-Pearson limits.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs of :func:`ldpt.simulate.fixed_budget`, of one call or of several put together.
    problems : Instance or sequence of Instance
        The problems of the runs. With them the rows also hold ``family``, ``n_arms``,
        ``complexity`` (H_eps) and ``scaled_budget``, the budget in units of it.

    Returns
    -------
    pandas.DataFrame
        ``instance``, ``policy``, ``epsilon``, ``budget``, what is known of the problem,
        ``replicates``, ``errors``, ``estimate``, ``low``, ``high``.

    Examples
    --------
    >>> from ldpt import simulate
    >>> pair = Instance("pair", [0.3, 0.7], 0.5)
    >>> runs = simulate.fixed_budget(pair, [1, math.inf], 80, replicates=1000, seed=1)
    >>> fixed_budget(runs)[["epsilon", "estimate"]]
       epsilon  estimate
    0      1.0     0.211
    1      inf     0.005
    """
    keys = ["instance", "policy", "epsilon"]
    groups = runs.groupby([*keys, "budget"], sort=False)["loss"]
    table = groups.agg(replicates="size", errors="sum").reset_index()
    table = _with_problems(table, problems)
    if "complexity" in table:
        scaled = table["budget"] / table["complexity"]
        table.insert(table.columns.get_loc("complexity") + 1, "scaled_budget", scaled)
    return _with_error_limits(table)


def fixed_confidence(
    runs: pd.DataFrame, problems: Instance | Sequence[Instance] = ()
) -> pd.DataFrame:
    """Return cost and error probability of each setting, with limits.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs of :func:`ldpt.simulate.fixed_confidence`, of one call or of several put together.
    problems : Instance or sequence of Instance
        The problems of the runs. With them the rows also hold ``family``, ``n_arms`` and
        ``complexity``, which is H_eps at tolerance 0.

    Returns
    -------
    pandas.DataFrame
        ``instance``, ``radius``, ``epsilon``, ``delta``, what is known of the problem,
        ``replicates``, ``mean_pulls`` with ``_low`` and ``_high``, ``sd_pulls``,
        ``quantile_pulls``, ``errors``, ``estimate``, ``low``, ``high``, ``undecided``.
    """
    keys = ["instance", "radius", "epsilon", "delta"]
    groups = runs.groupby(keys, sort=False)
    rows = [dict(zip(keys, key, strict=True)) | _cost(part, key[-1]) for key, part in groups]
    table = _with_problems(pd.DataFrame(rows), [problem.strict for problem in _listed(problems)])
    return _with_error_limits(table)


def _listed(problems: Instance | Sequence[Instance]) -> list[Instance]:
    several = [problems] if isinstance(problems, Instance) else problems
    return [check_instance(problem) for problem in several]


def _with_problems(table: pd.DataFrame, problems: Instance | Sequence[Instance]) -> pd.DataFrame:
    """Insert what is known of the problems behind the keys, which end before ``replicates``."""
    known = {problem.name: problem for problem in _listed(problems)}
    if not known:
        return table
    missing = sorted(set(table["instance"]) - set(known))
    if missing:
        raise ValueError(unknown("instance", missing[0], known))
    rows = [known[name] for name in table["instance"]]
    levels = zip(rows, table["epsilon"], strict=True)
    columns = {
        "family": [problem.family for problem in rows],
        "n_arms": [problem.n_arms for problem in rows],
        "complexity": [problem.complexity(epsilon) for problem, epsilon in levels],
    }
    place = table.columns.get_loc("replicates")
    parts = [table.iloc[:, :place], pd.DataFrame(columns), table.iloc[:, place:]]
    return pd.concat(parts, axis=1)


def _with_error_limits(table: pd.DataFrame) -> pd.DataFrame:
    low, high = clopper_pearson(table["errors"], table["replicates"])
    return table.assign(estimate=table["errors"] / table["replicates"], low=low, high=high)


def _cost(runs: pd.DataFrame, delta: float) -> dict[str, Any]:
    """Return stopping times and errors of one setting."""
    stopped = runs.loc[runs["stopping_time"] >= 0, "stopping_time"].to_numpy()
    mean, deviation, least, most = mean_interval(stopped)
    return {
        "replicates": len(runs),
        "mean_pulls": mean,
        "mean_pulls_low": least,
        "mean_pulls_high": most,
        "sd_pulls": deviation,
        "quantile_pulls": upper_quantile(runs["stopping_time"].to_numpy(), 1 - delta),
        "undecided": int((runs["stopping_time"] < 0).sum()),
        "errors": int((~runs["correct"]).sum()),
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
        row |= {"mean_pulls": float(pulls[:, arm].mean())}
        rows.append(labels | row | {"estimate": mean, "low": low, "high": high})
    return pd.DataFrame(rows)


def crossing(x: np.ndarray, error: np.ndarray, level: float) -> float:
    """Return where a falling error curve passes ``level``, straight in x and log(error), or NaN.

    Points without errors are dropped.
    """
    x = np.asarray(x, float)
    error = np.asarray(error, float)
    positive = error > 0
    x, error = x[positive], error[positive]
    below = np.flatnonzero(error <= level)
    if below.size == 0 or below[0] == 0:
        return math.nan
    after = int(below[0])
    upper = log(error[after - 1])
    lower = log(error[after])
    share = (upper - log(level)) / (upper - lower)
    return float(x[after - 1] + share * (x[after] - x[after - 1]))


def needed_budgets(summary: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return the budget at which each curve of a summary falls to this error probability.

    The limits are where the limits of the error pass the level. Curves that do not pass it are
    left out.
    """
    keys, rows = ["instance", "policy", "epsilon"], []
    for key, curve in summary.groupby(keys):
        curve = curve.sort_values("budget", kind="stable")
        budgets = curve["budget"].to_numpy()
        limits = [crossing(budgets, curve[name].to_numpy(), level) for name in LIMITS]
        rows.append((*key, *curve[["n_arms", "complexity"]].iloc[0], *limits))
    table = pd.DataFrame(rows, columns=[*keys, "n_arms", "complexity", *LIMITS])
    return table.dropna(subset=["estimate"]).reset_index(drop=True)
