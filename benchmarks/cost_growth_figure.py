"""Draw how the cost of simulations grows with replicates, privacy and the number of arms.

``benchmarks/cost_growth.py`` makes the measurements, one axis at a time, all else fixed. This
script draws ``benchmarks/cost_growth.png``.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt.instances import MAX_LISTED_ARMS
from ldpt.plots import parts, style

QUANTITIES = {"pulls": "pulls", "cpu_seconds": "CPU seconds", "bytes": "bytes"}
AXIS_NAMES = {"replicates": "replicates", "epsilon": "1/ε", "arms": "arms K"}
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
    """Return the measurements along an axis over which a power law is fitted."""
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
    places = {name: place for place, name in enumerate([*QUANTITIES, *AXIS_NAMES])}
    return names.map(places)


AXES = {
    "replicates": "replicates\n(whole simulation)",
    "epsilon": "privacy level ε\n(one run)",
    "arms": "number of arms $K$\n(one run)",
}


class Data(NamedTuple):
    """``costs``: axis, value, method, epsilon and the quantities; ``exponents`` of growth."""

    costs: pd.DataFrame
    exponents: pd.DataFrame


def prepare(measurements: str | Path) -> Data:
    """Costs of a run, and how they grow along each axis."""
    table = pd.read_csv(measurements)
    return Data(per_run(table), exponents(table))


def draw(data: Data) -> Figure:
    """Draw pulls, CPU seconds and bytes (rows) against replicates, epsilon and K (columns)."""
    figure, grid = parts.panels(9, 3, 1.5)
    panels = iter(grid)
    for quantity, label in QUANTITIES.items():
        for axis, scope in AXES.items():
            axes = next(panels)
            rows = parts.rows_where(data.costs, axis=axis).dropna(subset=[quantity])
            _panel(axes, rows.assign(estimate=rows[quantity]), axis)
            slopes = parts.rows_where(data.exponents, quantity=quantity, axis=axis)["exponent"]
            axes.set_title(_exponents(slopes))
            axes.set_ylabel(label if axis == "replicates" else "")
            axes.set_xlabel(scope if quantity == "bytes" else "")
    parts.method_legend(figure, parts.method_handles(data.costs["method"]))
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, axis: str) -> None:
    """One quantity along one axis, one curve per method."""
    x_of: Any = float
    parts.log_axes(axes, "y")
    if axis == "epsilon":
        x_of = parts.epsilon_axis(axes, rows["value"])
    elif axis == "arms":
        parts.arms_axis(axes, rows["value"].astype(int))
    else:
        parts.log_axes(axes, "x")
        parts.fine_ticks(axes, "x")
    rows = rows.assign(low=rows["estimate"], high=rows["estimate"])
    parts.method_curves(axes, rows, "method", "value", x_of)


def _exponents(slopes: pd.Series) -> str:
    words = "exponents" if " " in _span(slopes) else "exponent"
    return f"{words} {_span(slopes)}".replace("-", "−")


def _span(values: pd.Series) -> str:
    """Return the least and the largest of some exponents."""
    low, high = f"{values.min():.2f}", f"{values.max():.2f}"
    return low if low == high else f"{low} to {high}"


if __name__ == "__main__":
    folder = Path(__file__).parent
    with style.context():
        draw(prepare(folder / "cost_growth.csv")).savefig(folder / "cost_growth.png")
