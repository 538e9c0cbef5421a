"""scripts/fixed_confidence_error.py: no marker covers another."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from tests.plots import scripts

figure = scripts.figure("fixed_confidence_error")

HALF = 0.14  # decades that half a marker covers


def cells(count: int, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    estimate = 10.0 ** rng.uniform(-3, 2, count)
    reach = 10.0 ** rng.uniform(0, 1, count)
    rows = {"estimate": estimate, "low": estimate / reach, "high": estimate * reach}
    rows |= {"errors": rng.integers(0, 3, count), "epsilon": rng.choice([0.5, np.inf], count)}
    return pd.DataFrame(rows | {"delta": rng.choice([1e-4, 0.05], count)})


def test_no_two_intervals_of_a_column_touch() -> None:
    table = cells(60)
    table["column"] = figure._columns(table, HALF)
    table["low"] = table["low"].where(table["errors"] > 0, table["high"])
    assert table["column"].nunique() < 30
    for _, column in table.sort_values("low").groupby("column"):
        assert (column["low"].to_numpy()[1:] > column["high"].to_numpy()[:-1]).all()


def test_cells_far_apart_share_the_first_column() -> None:
    rows = {"estimate": [1.0, 10.0], "low": [0.9, 9.0], "high": [1.1, 11.0], "errors": [1, 1]}
    assert figure._columns(pd.DataFrame(rows), HALF).tolist() == [0, 0]


def test_settings_stand_in_columns_of_their_own() -> None:
    table, axes = cells(60), Figure().subplots()
    table["place"] = figure._in_columns(axes, table, HALF)
    ends = table.groupby(["delta", "epsilon"])["place"].agg(["min", "max"])
    assert (ends["min"].to_numpy()[1:] >= ends["max"].to_numpy()[:-1] + 1).all()
    assert [label.get_text() for label in axes.get_xticklabels()] == ["$10^{-4}$", "0.05"]
