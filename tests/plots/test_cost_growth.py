"""Exponents of measurements that were made up to have them, and the figure of those kept."""

import pandas as pd
import pytest

from ldpt.instances import MAX_LISTED_ARMS
from ldpt.plots import style
from tests.conftest import PROJECT
from tests.plots import scripts
from tests.plots.tables import overlapping

growth = scripts.load("benchmarks/cost_growth_figure.py")


def powers(axis: str, values: list[float], exponent: float) -> pd.DataFrame:
    """Measurements at 100 replicates whose cost a run is value to a power."""
    replicates = [int(value) for value in values] if axis == "replicates" else [100] * len(values)
    cost = [value**exponent for value in values]
    whole = [c if axis == "replicates" else 100 * c for c in cost]
    columns = {"pulls": whole, "cpu_seconds": whole, "bytes": whole}
    return pd.DataFrame(
        {"axis": axis, "value": values, "method": "apt", "replicates": replicates, **columns}
    )


def exponent(table: pd.DataFrame) -> float:
    found = growth.exponents(table)
    assert found["quantity"].tolist() == list(growth.QUANTITIES)
    assert found["exponent"].max() == pytest.approx(found["exponent"].min())
    assert found["standard_error"].max() < 1e-9
    return found["exponent"].iloc[0]


def test_exponents_use_the_whole_cost_along_the_replicates():
    assert exponent(powers("replicates", [10, 100, 1000], 1.0)) == pytest.approx(1.0)


def test_exponents_use_a_run_along_the_arms_and_leave_out_few_arms():
    """Bytes count only as long as the pulls of each arm are kept."""
    table = powers("arms", [2, 4, 8, 16, 64, 256], 1.2)
    table.loc[table["value"] < growth.MIN_ARMS, ["pulls", "cpu_seconds"]] = 1e6
    table.loc[table["value"] > MAX_LISTED_ARMS, "bytes"] = 7.0
    assert exponent(table) == pytest.approx(1.2)


def test_cost_that_falls_with_epsilon_grows_with_privacy():
    table = powers("epsilon", [0.003, 0.03, 0.3, 3.0, float("inf")], -2.0)
    table.loc[table["value"] > growth.MAX_EPSILON, list(growth.QUANTITIES)] = 7.0
    assert exponent(table) == pytest.approx(2.0)


def test_scatter_shows_in_the_standard_error():
    slope, error = growth.slope_of(pd.Series([1, 2, 4, 8]), pd.Series([1, 2.2, 3.8, 8.4]))
    assert slope == pytest.approx(1.0, abs=3 * error)
    assert 0.01 < error < 0.1


def test_two_points_have_no_error():
    with pytest.raises(ValueError, match="at least 3 points, got 2"):
        growth.slope_of(pd.Series([1, 2]), pd.Series([1, 2]))


def test_cost_growth_figure_has_no_text_over_text():
    data = growth.prepare(str(PROJECT / "benchmarks" / "cost_growth.csv"))
    with style.context():
        assert overlapping(growth.draw(data)) == []


def test_exponents_of_the_measurements_are_as_expected():
    """Along the replicates everything in proportion; pulls with the square of privacy."""
    found = growth.exponents(pd.read_csv(PROJECT / "benchmarks" / "cost_growth.csv"))
    slopes = found.set_index(["quantity", "axis"])["exponent"].sort_index()
    assert slopes["pulls", "replicates"].between(0.98, 1.02).all()
    assert slopes["pulls", "epsilon"].between(1.95, 2.2).all()
    assert (slopes["cpu_seconds", "epsilon"] < 1.3).all()
