"""Helpers that all evidence shares.

Every function of the modules beside this one returns a flat dictionary of numbers. A number NAME
may come with its limits, NAME_low and NAME_high. ``tests`` has one exact binomial test per setting;
a small p value speaks against the statement, and the correction for their number is made over the
whole register. Where there is nothing to test, the number of cases is 0: "not tested".
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ldpt.instances import Instance
from ldpt.util.reproducible import exp, log

Evidence = dict[str, Any]
Instances = Mapping[str, Instance]
Points = Iterable[Sequence[Any]]
MIN_STANDARD_ERRORS = 5.0  # standard errors: an estimate this far above a bound contradicts it


# --- what simulated claims are tested on ----------------------------------------------------------


class Measurements(NamedTuple):
    """The problems, and the tables of one run."""

    problems: Instances
    budget: pd.DataFrame
    confidence: pd.DataFrame
    mechanism: pd.DataFrame
    error_map: pd.DataFrame
    rare_budget: pd.DataFrame
    rare_confidence: pd.DataFrame
    tapes: pd.DataFrame
    surveys: pd.DataFrame
    optimum: pd.DataFrame

    @property
    def two_arms(self) -> pd.DataFrame:
        """The simulated part of the map of errors: an easy and a hard arm."""
        return self.error_map[self.error_map["family"] == "two-arms"]

    @property
    def tested(self) -> pd.DataFrame:
        """All settings in which errors of Algorithm 2 were simulated."""
        return pd.concat([self.confidence, self.two_arms], ignore_index=True)

    def losses_of(self, family: str) -> pd.DataFrame:
        """Return the losses on a family; ``skewed`` and ``new`` were drawn after their claims."""
        return self.budget[self.budget["family"] == family]

    def costs_of(self, family: str) -> pd.DataFrame:
        """Return the costs of Algorithm 2 on a family."""
        return self.confidence[self.confidence["family"] == family]


Checks = dict[str, Callable[[Measurements], Evidence]]  # by the key of a row's evidence


# --- statements about every point of a grid -------------------------------------------------------


def check(
    name: str,
    points: Points,
    printed: Callable[..., Any],
    amended: Callable[..., Any] | None = None,
    hypothesis: Callable[..., bool] = lambda *point: True,
) -> Evidence:
    """Return at how many points a statement fails, as printed and as amended.

    Parameters
    ----------
    name
        Format of the name of a point, as in ``"mu = {}, tau = {}"``.
    points
        The grid.
    printed, amended
        Whether the statement holds at a point, as printed and, if it is amended, with the
        amendment.
    hypothesis
        Whether the amended statement is about this point.
    """
    points = list(points)
    admitted = [point for point in points if hypothesis(*point)] if amended else []
    return counted(cases(name, points, printed), cases(name, admitted, amended or printed))


def cases(name: str, points: Points, holds: Callable[..., Any]) -> Iterator[tuple[str, bool]]:
    """Yield the name of each point and whether a statement holds there."""
    for point in points:
        yield name.format(*point), bool(holds(*point))


def counted(
    printed: Iterable[tuple[str, bool]], amended: Iterable[tuple[str, bool]] = ()
) -> Evidence:
    """Return cases and violations of a statement as printed and as amended."""
    printed = list(printed)
    amended = list(amended)
    failing = [name for name, holds in printed if not holds]
    return {
        "cases": len(printed),
        "violations": len(failing),
        "violating_point": failing[0] if failing else "",
        "amended_cases": len(amended),
        "amended_violations": sum(not holds for _, holds in amended),
    }


# --- statistics of tables -------------------------------------------------------------------------


def ratio_to(value: float, bound: float) -> float:
    """Return the ratio to a lower bound; one that is 0 or negative says nothing."""
    return value / bound if bound > 0 else math.inf


# --- intervals of medians, means and extremes -----------------------------------------------------

DRAWS = 2000
NORMAL = 1.959964  # two-sided at 95 %


def log_deviation(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the standard deviation of the logarithm from limits at 95 %."""
    return log(high / low) / (2 * NORMAL)


def bootstrap(
    name: str, statistic: Callable[[np.ndarray], np.ndarray], values: np.ndarray, sds: np.ndarray
) -> Evidence:
    """Return a positive statistic of independent estimates under a name, with limits at 95 %.

    A parametric bootstrap: the logarithm of every estimate is drawn from a normal law, and the
    quantiles are reflected at the value, so that the upward bias of a maximum lowers its limits.

    Parameters
    ----------
    name
        Of the number; its limits are NAME_low and NAME_high.
    statistic
        Of logarithms of the estimates, over the last axis.
    values, sds
        The estimates, and the standard deviations of their logarithms. Without any, all is NaN.
    """
    if not len(values):
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"), math.nan)
    logs = log(np.asarray(values, float))
    noise = np.random.default_rng(0).standard_normal((DRAWS, len(logs)))
    point = float(statistic(logs))
    low, high = 2 * point - np.quantile(statistic(logs + sds * noise), [0.975, 0.025])
    # an interval holds its estimate
    low = min(float(low), point)
    high = max(float(high), point)
    return {name: exp(point), f"{name}_low": exp(low), f"{name}_high": exp(high)}


def widest(series: Sequence[np.ndarray], name: str) -> Evidence:
    """Return the largest ratio of two values of one series, each with rows (value, low, high).

    A ratio is at least 1, and so is its lower limit.
    """
    cells = np.concatenate([np.empty((0, 3)), *series])
    ends = np.cumsum([len(rows) for rows in series])[:-1]

    def spread(logs: np.ndarray) -> np.ndarray:
        parts = np.split(logs, ends, axis=-1)
        return np.max([np.ptp(part, axis=-1) for part in parts], axis=0)

    evidence = bootstrap(name, spread, cells[:, 0], log_deviation(cells[:, 1], cells[:, 2]))
    return evidence | {f"{name}_low": max(1.0, evidence[f"{name}_low"])} if len(cells) else evidence


def median(logs: np.ndarray) -> np.ndarray:
    """Return the median over the last axis."""
    return np.median(logs, axis=-1)


def geometric_mean(logs: np.ndarray) -> np.ndarray:
    """Return the mean over the last axis, the logarithm of the geometric mean."""
    return np.mean(logs, axis=-1)
