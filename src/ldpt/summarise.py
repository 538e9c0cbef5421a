"""From tables of runs to estimates with intervals. Proportions: Clopper-Pearson; means: normal."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ldpt.checks import check_number
from ldpt.io.messages import shown
from ldpt.io.runs import read_runs

CONFIDENCE = 0.95  # level of every interval
LIMITS = ("estimate", "low", "high")


def over_files(
    paths: Iterable[str], how: str, reduce: Callable[[pd.DataFrame, dict[str, Any]], pd.DataFrame]
) -> pd.DataFrame:
    """Reduce the runs of one setting after the other: labels are instance, ``how`` and epsilon.

    Parameters
    ----------
    paths : iterable of str
        Files of runs.
    how : {"policy", "radius"}
        Name of the second label.
    reduce : callable
        From the runs of one setting and its labels to rows.

    Returns
    -------
    pandas.DataFrame
        All rows, one setting after the other.
    """
    names = ["instance", how, "epsilon"]
    parts = [
        reduce(runs, labels_of(runs, names)) for path in paths for runs in read_runs(path, names)
    ]
    return pd.concat(parts, ignore_index=True)


def labels_of(runs: pd.DataFrame, names: Sequence[str]) -> dict[str, Any]:
    """The one value of each of these columns; a table of several settings is an error.

    Parameters
    ----------
    runs : pandas.DataFrame
        Runs of one setting.
    names : sequence of str
        Columns.

    Returns
    -------
    dict
        Values by column.

    Raises
    ------
    ValueError
        If a column has several values.
    """
    found = runs[list(names)].drop_duplicates()
    if len(found) != 1:
        raise ValueError(f"{', '.join(names)} must have one value each, got {len(found)} settings")
    return found.iloc[0].to_dict()


def _numbers(name: str, values: object) -> np.ndarray:
    """Numbers as an array; text, objects and lists of different lengths are none."""
    try:
        found = np.asarray(values)
    except ValueError:
        found = np.array([None])
    if found.size and found.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be numbers, got {shown(values)}")
    return found if found.size else np.empty(0)


def clopper_pearson(
    errors: np.ndarray | int, replicates: np.ndarray | int, level: float = CONFIDENCE
) -> tuple[np.ndarray, np.ndarray]:
    """Exact two-sided limits for a proportion; with no error the lower one is 0.

    Parameters
    ----------
    errors, replicates : int or array_like
        Counts.
    level : float
        Confidence level.

    Returns
    -------
    low, high : ndarray
        Limits; the upper one is 1 if all replicates are errors.

    Raises
    ------
    ValueError
        If there are more errors than replicates, or no replicates, or something is no number.
    """
    from scipy.special import betaincinv  # as scipy.stats, half a second sooner

    errors, replicates = _numbers("errors", errors), _numbers("replicates", replicates)
    tail = (1 - check_number("level", level, 0, 1)) / 2
    if not np.all((errors >= 0) & (errors <= replicates) & (replicates >= 1)):
        raise ValueError(
            f"errors must be from 0 to replicates, and these at least 1, got {shown(errors)} of "
            f"{shown(replicates)}"
        )
    low = np.where(
        errors == 0, 0.0, betaincinv(np.maximum(errors, 1), replicates - errors + 1, tail)
    )
    room = np.maximum(replicates - errors, 1)
    high = np.where(errors == replicates, 1.0, betaincinv(errors + 1, room, 1 - tail))
    return low, high


def mean_interval(
    values: np.ndarray, level: float = CONFIDENCE
) -> tuple[float, float, float, float]:
    """Mean, standard deviation, and normal limits for the mean.

    Parameters
    ----------
    values : ndarray
        A sample.
    level : float
        Confidence level.

    Returns
    -------
    mean, deviation, low, high : float
        NaN where there are too few values.

    Raises
    ------
    ValueError
        If the values are not a list of numbers, or the level is not a number in [0, 1].
    """
    from scipy.special import ndtri

    level = check_number("level", level, 0, 1)
    if _numbers("values", values).ndim != 1:
        raise ValueError(f"values must be a list of numbers, got {shown(values)}")
    if len(values) == 0:
        return math.nan, math.nan, math.nan, math.nan
    mean = float(np.mean(values))
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
    reach = float(ndtri(0.5 + level / 2)) * deviation / math.sqrt(len(values))
    return mean, deviation, mean - reach, mean + reach


def fixed_budget(runs: pd.DataFrame, labels: dict[str, Any], complexity: float) -> pd.DataFrame:
    """Error probability at each budget: estimate with Clopper-Pearson limits.

    Parameters
    ----------
    runs : pandas.DataFrame
        What :func:`ldpt.simulate.fixed_budget` returns.
    labels : dict
        Columns to add, each with one value.
    complexity : float
        H_eps.

    Returns
    -------
    pandas.DataFrame
        One row per budget: ``budget``, ``errors``, ``replicates``, ``scaled_budget``, ``estimate``,
        ``low``, ``high``, ``complexity`` and the labels.
    """
    counts = runs.groupby("budget", sort=True)["loss"].agg(errors="sum", replicates="size")
    table = counts.reset_index()
    table["scaled_budget"] = table["budget"] / complexity
    table["estimate"] = table["errors"] / table["replicates"]
    table["low"], table["high"] = clopper_pearson(table["errors"], table["replicates"])
    return table.assign(complexity=complexity, **labels)


def fixed_confidence(runs: pd.DataFrame, labels: dict[str, Any], complexity: float) -> pd.DataFrame:
    """Mean stopping time (normal limits) and error probability (Clopper-Pearson) by delta.

    Parameters
    ----------
    runs : pandas.DataFrame
        What :func:`ldpt.simulate.fixed_confidence` returns, with a column ``delta``.
    labels : dict
        Columns to add, each with one value.
    complexity : float
        H_eps with tolerance 0.

    Returns
    -------
    pandas.DataFrame
        One row per delta: ``mean_pulls`` with limits, deviation and quantile, ``errors``,
        ``estimate``, ``low``, ``high``, ``undecided``, ``complexity`` and the labels.
    """
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
    """Smallest time by which this share of the runs had stopped; infinite if fewer did.

    Parameters
    ----------
    stopping_times : ndarray
        Negative where a run had not stopped.
    share : float
        In (0, 1].

    Returns
    -------
    float
        Pulls.

    Raises
    ------
    ValueError
        If the times are not a list of numbers with at least one, or the share is not in (0, 1].
    """
    stopping_times = _numbers("stopping_times", stopping_times)
    if stopping_times.ndim != 1 or stopping_times.size == 0:
        raise ValueError(f"stopping_times must be a list of numbers, got {shown(stopping_times)}")
    if not check_number("share", share, 0, 1) > 0:
        raise ValueError(f"share must be above 0, got {share}")
    times = np.where(stopping_times >= 0, stopping_times, math.inf)
    return float(np.sort(times)[min(math.ceil(share * len(times)), len(times)) - 1])


def allocation(pulls: np.ndarray, gaps: np.ndarray, labels: dict[str, Any]) -> pd.DataFrame:
    """Mean share of the pulls (rows: runs, columns: arms) beside the share of the complexity.

    Parameters
    ----------
    pulls : ndarray
        Pulls of each arm.
    gaps : ndarray
        Gaps of the arms, all positive.
    labels : dict
        Columns to add, each with one value.

    Returns
    -------
    pandas.DataFrame
        One row per arm: ``arm``, ``gap``, ``share`` (of the complexity), ``replicates``,
        ``mean_pulls``, ``estimate``, ``low``, ``high`` (share of the pulls) and the labels.
    """
    shares = pulls / pulls.sum(axis=1, keepdims=True)
    complexities = gaps**-2.0 / np.sum(gaps**-2.0)
    rows = []
    for arm, gap in enumerate(gaps):
        mean, _, low, high = mean_interval(shares[:, arm])
        row = {"arm": arm, "gap": gap, "share": complexities[arm], "replicates": len(pulls)}
        rows.append(row | {"mean_pulls": float(pulls[:, arm].mean())})
        rows[-1] |= {"estimate": mean, "low": low, "high": high}
    return pd.DataFrame(rows).assign(**labels)


def mechanism(counts: pd.DataFrame) -> pd.DataFrame:
    """Mean response of each reward law with Clopper-Pearson limits.

    Parameters
    ----------
    counts : pandas.DataFrame
        Columns ``positives`` and ``draws``.

    Returns
    -------
    pandas.DataFrame
        The same rows with ``estimate``, ``low`` and ``high``.
    """
    low, high = clopper_pearson(counts["positives"], counts["draws"])
    return counts.assign(estimate=counts["positives"] / counts["draws"], low=low, high=high)


def crossing(x: np.ndarray, error: np.ndarray, level: float) -> float:
    """Where a falling error curve passes ``level``, straight in x and log(error); NaN if nowhere.

    Points with no error seen carry no logarithm and are left out.

    Parameters
    ----------
    x : array_like
        Points in increasing order.
    error : array_like
        Error probability at each.
    level : float
        Error probability to find.

    Returns
    -------
    float
        The point, or NaN.

    Raises
    ------
    ValueError
        If points and errors are not two lists of numbers of the same length, or the level is not
        in (0, 1].
    """
    x, error = _numbers("x", x).astype(float), _numbers("error", error).astype(float)
    if x.ndim != 1 or x.shape != error.shape:
        raise ValueError(f"x and error must have the same length, got {x.shape}, {error.shape}")
    if not check_number("level", level, 0, 1) > 0:
        raise ValueError(f"level must be above 0, got {level}")
    seen = error > 0
    x, error = x[seen], error[seen]
    below = np.flatnonzero(error <= level)
    if below.size == 0 or below[0] == 0:
        return math.nan
    after = int(below[0])
    upper, lower = math.log(error[after - 1]), math.log(error[after])
    share = (upper - math.log(level)) / (upper - lower)
    return float(x[after - 1] + share * (x[after] - x[after - 1]))


def needed_budgets(summary: pd.DataFrame, level: float) -> pd.DataFrame:
    """The budget at which each curve of a fixed-budget summary falls to this error probability.

    The limits are where the limits of the error pass the level. Curves that do not pass it are
    left out.

    Parameters
    ----------
    summary : pandas.DataFrame
        What :func:`fixed_budget` returns, for any number of settings.
    level : float
        Error probability.

    Returns
    -------
    pandas.DataFrame
        One row per curve: ``instance``, ``policy``, ``epsilon``, ``n_arms``, ``complexity``, and
        the budget as ``estimate``, ``low``, ``high``.
    """
    rows = []
    for (instance, policy, epsilon), curve in summary.groupby(["instance", "policy", "epsilon"]):
        curve = curve.sort_values("budget")
        labels = {"instance": instance, "policy": policy, "epsilon": epsilon}
        budgets = curve["budget"].to_numpy()
        limits = {name: crossing(budgets, curve[name].to_numpy(), level) for name in LIMITS}
        rows.append(labels | curve[["n_arms", "complexity"]].iloc[0].to_dict() | limits)
    return pd.DataFrame(rows).dropna(subset=["estimate"]).reset_index(drop=True)
