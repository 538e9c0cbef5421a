"""What all evidence from tables shares.

Every function of :mod:`ldpt.claims.confidence`, :mod:`ldpt.claims.budget` and
:mod:`ldpt.claims.held_out` takes tables and returns a flat dictionary of numbers. A number NAME may
come with its limits, NAME_low and NAME_high. ``tests`` has one exact binomial test per setting; a
small p value speaks against the statement, and the correction for their number is made over the
whole register. Where there is nothing to test, the number of cases is 0: "not tested".
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ldpt.instances import Instance

Evidence = dict[str, Any]
Instances = Mapping[str, Instance]
SURELY = 5.0  # standard errors: an estimate this far above a bound contradicts it
STRICTEST = 1e-6  # level of a single test when Holm's method has about a thousand to correct


def rows_of(table: pd.DataFrame) -> Iterator[Any]:
    """Return the rows as named tuples."""
    return iter(table.itertuples(index=False))


def ratio_to(value: float, bound: float) -> float:
    """Return the ratio to a lower bound; one that is 0 or negative says nothing."""
    return value / bound if bound > 0 else math.inf


def widest(found: Sequence[tuple[float, float, float, str]], name: str) -> Evidence:
    """Return the largest of (value, low, high, where) under a name, with limits and place.

    The limits are the largest lower and the largest upper one: the largest value is at least the
    first and at most the second if all intervals hold.
    """
    if not found:
        return {name: math.nan, f"{name}_low": math.nan, f"{name}_high": math.nan}
    value, _, _, where = max(found)
    return {
        name: value,
        f"{name}_low": max(low for _, low, _, _ in found),
        f"{name}_high": max(high for _, _, high, _ in found),
        f"{name}_at": where,
    }


def spread(
    values: Iterable[tuple[float, float, float]], where: str
) -> tuple[float, float, float, str]:
    """Return largest over smallest of several (value, low, high), with limits.

    The lower limit compares the best-separated pair, the upper one the outermost limits.
    """
    points, lows, highs = (np.array(column, float) for column in zip(*values, strict=True))
    low = max(1.0, float(lows.max() / highs.min()))
    return float(points.max() / points.min()), low, float(highs.max() / lows.min()), where


def median(values: Sequence[float]) -> float:
    """Return the median; NaN of nothing."""
    return float(np.median(values)) if len(values) else math.nan


def detectable(replicates: int, delta: float) -> float:
    """Return the error over delta that one test at ``STRICTEST`` rejects half of the time."""
    from scipy.stats import binom

    return float(binom.isf(STRICTEST, replicates, delta) + 1) / (replicates * delta)
