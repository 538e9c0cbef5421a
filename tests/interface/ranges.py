"""Documented ranges of arguments, with their ends."""

import math
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st


class Range:
    """A documented range of an argument: a name, its ends, and a strategy for its middle."""

    def __init__(self, name: str, ends: Sequence[Any], middle: st.SearchStrategy[Any]) -> None:
        self.name = name
        self.ends = list(ends)
        self.strategy = st.one_of(st.sampled_from(self.ends), middle)


def floats(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False, allow_infinity=False)


BEFORE_ONE = math.nextafter(1.0, 0.0)
LEAST = 5e-324  # the least positive double

EPSILON = Range("epsilon", [1e-9, 1e-4, 40.0, 1e300, math.inf], floats(0.02, 12.0))
DELTA = Range("delta", [1e-300, 1e-12, 0.5, 0.9, BEFORE_ONE], floats(0.001, 0.4))
UNIT = Range("unit", [0.0, LEAST, 1e-9, 0.5, BEFORE_ONE, 1.0], floats(0.0, 1.0))
TOLERANCE = Range("tolerance", [0.0, LEAST, 1e-9, 1.0], floats(0.0, 0.3))
ARMS = Range("arms", [1, 30], st.integers(2, 4))
REPLICATES = Range("replicates", [1, 2], st.integers(3, 40))
SEED = Range("seed", [0, 2**64 - 1], st.integers(0, 2**32))
CONSTANT = Range("constant of a radius", [1e-100, 1e100], floats(1e-3, 30.0))
SHARE = Range("share", [0.0, math.nextafter(0.5, 0.0)], floats(0.0, 0.4))
SCORE = Range("end of a scale", [-1e12, -1.0, 0.0, 1e12 - 1], floats(-100.0, 100.0))
STEPS = Range("steps of a scale", [1, 1000], st.integers(2, 20))
LEVEL = Range("level", [1e-12, BEFORE_ONE], floats(0.5, 0.99))
COUNT = Range("count", [0, 1, 10**6], st.integers(2, 400))

# The range of an argument by its name: the law of every function that has it draws its ends.
ARGUMENTS = {
    "mean": UNIT,
    "threshold": UNIT,
    "tolerance": TOLERANCE,
    "epsilon": EPSILON,
    "delta": DELTA,
    "n_arms": ARMS,
    "replicates": REPLICATES,
    "seed": SEED,
    "level": LEVEL,
    "noncompliance": SHARE,
    "rho": CONSTANT,
    "prior_gap": CONSTANT,
}

# What no argument of that kind may be; drawn now and then in the place of a legal value.
BAD_NUMBERS = [math.nan, -1.0, 2.5e308, -math.inf, "1", None, True, 10**400]
