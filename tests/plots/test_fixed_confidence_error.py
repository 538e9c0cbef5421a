"""scripts/fixed_confidence_error.py: which settings count as broken, and what is drawn."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from ldpt.plots import style
from ldpt.radii import RADII
from tests.plots import scripts
from tests.plots.tables import cut_off, overlapping

figure = scripts.figure("fixed_confidence_error")


def setting(radius: str, delta: float, estimate: float, low: float, high: float) -> dict[str, Any]:
    where = {"instance": "two", "radius": radius, "epsilon": 1.0, "delta": delta}
    return where | {"estimate": estimate, "low": low, "high": high, "errors": 10 * (estimate > 0)}


@pytest.fixture
def data(tmp_path: Path) -> Any:
    simulated = [setting(radius, 0.1, 0.05, 0.04, 0.06) for radius in RADII]
    simulated += [
        setting("printed", 0.01, 0.02, 0.015, 0.03),  # broken
        setting("printed", 0.001, 0.002, 0.0005, 0.004),  # above, but perhaps by chance
        setting("printed", 0.05, 0.0, 0.0, 0.02),  # no error, and the limit is below delta
        setting("coin", 0.05, 0.0, 0.0, 0.09),  # no error, and too few runs to say anything
    ]
    exact = [
        setting(radius, delta, delta / 3, delta / 3, delta / 3)
        | {"instance": "one", **figure.ONE_ARM}
        for radius in RADII
        for delta in (0.1, 0.01)
    ]
    files = {
        "summary": pd.DataFrame(simulated).assign(replicates=500),
        "error_map": pd.DataFrame(exact).assign(method="exact"),
        "rare": pd.DataFrame(exact[:1]).assign(reliable=True),
    }
    paths = {name: str(tmp_path / f"{name}.csv") for name in files}
    for name, table in files.items():
        table.to_csv(paths[name], index=False)
    return figure.prepare(SimpleNamespace(**paths), SimpleNamespace())


def test_facts_count_a_setting_as_broken_if_its_whole_interval_is_above(data: Any) -> None:
    facts = figure.facts(data)
    assert (facts["printed_broken"], facts["printed_settings"]) == (1, 6)
    assert facts["printed_worst"] == 2.0
    assert "coin" in facts["keeping"]
    assert "printed" not in facts["keeping"]
    assert facts["silent"] == 1


def test_one_panel_per_radius_with_its_verdict(data: Any) -> None:
    with style.context():
        drawn = figure.draw(data)
        words = [[text.get_text() for text in axes.texts] for axes in drawn.axes]
        assert len(drawn.axes) == len(RADII)
        assert "1 of 6 broken, worst: 2 × promise" in words[0]
        assert any("0 of 3 broken" in text for text in words[-1])
        assert overlapping(drawn) == []
        assert cut_off(drawn) == []
