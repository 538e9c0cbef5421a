"""What a run of the smoke config draws and tabulates."""

import json
from pathlib import Path

import matplotlib.image
import pandas as pd
import pytest

from ldpt import config
from tests.conftest import PROJECT
from tests.plots import scripts
from tests.plots.tables import cut_off, overlapping

pytestmark = pytest.mark.workflow

SMOKE = Path("results/smoke")


@pytest.mark.parametrize("name", scripts.FIGURES)
def test_figure_rule_draws_the_figure_and_fills_its_caption(smoke: Path, name: str) -> None:
    root = smoke / SMOKE
    assert (root / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    height, width, _ = matplotlib.image.imread(root / "figures" / f"{name}.png").shape
    assert width >= 200 * 3.5, "200 dots per inch at column width"
    assert height < 1.5 * width
    caption = (root / "results" / "captions" / f"{name}.rst").read_text()
    assert "{" not in caption
    assert "nan" not in caption.split()
    facts = json.loads((root / "results" / "captions" / f"{name}.json").read_text())
    assert facts


@pytest.mark.parametrize("name", scripts.FIGURES)
def test_figure_has_no_text_covered_or_cut_off(
    smoke: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(smoke)
    settings = config.load(PROJECT / "config" / "smoke.yaml")
    figure = scripts.draw(name, smoke / SMOKE / "results", settings)
    assert overlapping(figure) == []
    assert cut_off(figure) == []


def test_tables_have_three_forms_with_as_many_rows(smoke: Path) -> None:
    folder = smoke / SMOKE / "results" / "tables"
    for name in ("instances", "claims"):
        rows = len(pd.read_csv(folder / f"{name}.csv"))
        assert rows > 0
        table = [x for x in (folder / f"{name}.md").read_text().splitlines() if x.startswith("|")]
        assert len(table) == rows + 2
        assert (folder / f"{name}.tex").read_text().count(r"\\") >= rows + 1
