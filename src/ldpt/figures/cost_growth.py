"""How does the cost of simulations grow with replicates, privacy and the number of arms?"""

from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldpt import growth
from ldpt.figures import elements
from ldpt.instances import MAX_LISTED_ARMS

AXES = {
    "replicates": "replicates\n(whole simulation)",
    "epsilon": "privacy level ε\n(one run)",
    "arms": "number of arms $K$\n(one run)",
}


class Data(NamedTuple):
    """``costs``: axis, value, method, epsilon and the quantities; ``exponents`` of their growth."""

    costs: pd.DataFrame
    exponents: pd.DataFrame


def prepare(measurements: str) -> Data:
    """Costs of a run, and how they grow along each axis."""
    table = pd.read_csv(measurements)
    return Data(growth.per_run(table), growth.exponents(table))


def draw(data: Data) -> Figure:
    """Pulls, CPU seconds and bytes (rows) against replicates, epsilon and K (columns)."""
    figure, grid = elements.panels(9, 3, 1.5)
    panels = iter(grid)
    for quantity, label in growth.QUANTITIES.items():
        for axis, scope in AXES.items():
            axes = next(panels)
            rows = elements.rows_where(data.costs, axis=axis).dropna(subset=[quantity])
            _panel(axes, rows.assign(estimate=rows[quantity]), axis)
            slopes = elements.rows_where(data.exponents, quantity=quantity, axis=axis)["exponent"]
            axes.set_title(_exponents(slopes))
            axes.set_ylabel(label if axis == "replicates" else "")
            axes.set_xlabel(scope if quantity == "bytes" else "")
    methods = elements.methods_of(data.costs)
    handles = [elements.marker_handle(m, elements.method_name(m)) for m in methods]
    elements.method_legend(figure, handles, columns=min(3, len(handles)))
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, axis: str) -> None:
    """One quantity along one axis, one curve per method."""
    x_of: Any = float
    elements.log_axes(axes, "y")
    if axis == "epsilon":
        x_of = elements.epsilon_axis(axes, rows["value"])
    elif axis == "arms":
        elements.arms_axis(axes, rows["value"].astype(int))
    else:
        elements.log_axes(axes, "x")
        elements.fine_ticks(axes, "x")
    rows = rows.assign(low=rows["estimate"], high=rows["estimate"])
    for method, curve in rows.groupby("method", sort=False):
        x = [x_of(value) for value in curve["value"]]
        elements.points_by_epsilon(axes, x, curve, str(method))


def _exponents(slopes: pd.Series) -> str:
    words = "exponents" if " " in _span(slopes) else "exponent"
    return f"{words} {_span(slopes)}".replace("-", "−")


def _span(values: pd.Series) -> str:
    """The least and the largest of some exponents."""
    low, high = f"{values.min():.2f}", f"{values.max():.2f}"
    return low if low == high else f"{low} to {high}"


def facts(data: Data) -> dict[str, Any]:
    """The least and the largest exponent over the methods, by quantity and axis."""
    found: dict[str, Any] = {
        "most_epsilon": growth.MAX_EPSILON,
        "least_arms": growth.MIN_ARMS,
        "most_arms": MAX_LISTED_ARMS,
    }
    for (quantity, axis), rows in data.exponents.groupby(["quantity", "axis"]):
        found[f"{quantity}_{axis}"] = _span(rows["exponent"])
    speed = elements.rows_where(data.exponents, quantity="cpu_seconds", axis="epsilon")
    by_method = speed.set_index("method")["exponent"].round(2)
    return {**found, "apt_speed": by_method["apt"], "mixture_speed": by_method["mixture"]}
