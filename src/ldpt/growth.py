"""How the cost of simulations grows with replicates, privacy and arms: exponents of measurements.

``benchmarks/cost_growth.py`` makes the measurements: one axis at a time, all else fixed.
"""

import numpy as np
import pandas as pd

from ldpt.instances import MAX_LISTED_ARMS

QUANTITIES = {"pulls": "pulls", "cpu_seconds": "CPU seconds", "bytes": "bytes"}
AXES = {"replicates": "replicates", "epsilon": "1/ε", "arms": "arms K"}
# A power law holds where privacy is strong, and once there are more than a few arms.
MAX_EPSILON, MIN_ARMS = 0.3, 8


def per_run(table: pd.DataFrame) -> pd.DataFrame:
    """Measurements with x to plot against; a run's own cost, but along the replicates the whole."""
    table = table.assign(x=table["value"].where(table["axis"] != "epsilon", 1 / table["value"]))
    runs = table["replicates"].where(table["axis"] != "replicates", 1)
    for quantity in QUANTITIES:
        table[quantity] = table[quantity] / runs
    return table


def in_range(table: pd.DataFrame, axis: str, quantity: str) -> pd.DataFrame:
    """The measurements along an axis over which a power law is fitted."""
    value = table["value"]
    if axis == "epsilon":
        return table[value <= MAX_EPSILON]
    if axis == "arms":
        return table[value <= MAX_LISTED_ARMS] if quantity == "bytes" else table[value >= MIN_ARMS]
    return table


def exponents(table: pd.DataFrame) -> pd.DataFrame:
    """One row per method, quantity and axis: slope on log scales, with its standard error."""
    rows = []
    for (axis, method), points in per_run(table).groupby(["axis", "method"], sort=False):
        for quantity in QUANTITIES:
            known = in_range(points[points[quantity].notna()], str(axis), quantity)
            slope, error = slope_of(known["x"], known[quantity])
            span = {"from": known["value"].min(), "to": known["value"].max()}
            rows.append(
                {"quantity": quantity, "axis": axis, "method": method,
                 "exponent": slope, "standard_error": error, **span, "points": len(known)}
            )  # fmt: skip
    order = pd.DataFrame(rows)
    return order.sort_values(["quantity", "axis"], key=_order, kind="stable", ignore_index=True)


def slope_of(x: pd.Series, y: pd.Series) -> tuple[float, float]:
    """Least-squares slope of log y on log x and its standard error.

    >>> slope, error = slope_of(pd.Series([1, 10, 100]), pd.Series([2, 200, 20000]))
    >>> round(slope, 6), round(error, 6)
    (2.0, 0.0)
    """
    if len(x) < 3:
        raise ValueError(f"a slope with an error needs at least 3 points, got {len(x)}")
    across, up = np.log(x.to_numpy(float)), np.log(y.to_numpy(float))
    across = across - across.mean()
    spread = float(across @ across)
    slope = float(across @ up) / spread
    residuals = up - up.mean() - slope * across
    return slope, float(np.sqrt(residuals @ residuals / (len(x) - 2) / spread))


def _order(names: pd.Series) -> pd.Series:
    places = {name: place for place, name in enumerate([*QUANTITIES, *AXES])}
    return names.map(places)
