"""What a run of the smoke config draws and tabulates."""

import importlib
import json
from pathlib import Path
from typing import Any

import matplotlib.image
import pandas as pd
import pytest

from ldpt import config
from ldpt.figures import catalog
from tests.conftest import PROJECT
from tests.figures.tables import cut_off, overlapping

pytestmark = pytest.mark.workflow

FIGURES = catalog.read(PROJECT / catalog.CATALOG)
SMOKE = Path("results/smoke")


@pytest.mark.parametrize("name", list(FIGURES))
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


def drawn_again(root: Path, name: str) -> Any:
    """A figure drawn anew from the tables of a run of the smoke config."""
    module = importlib.import_module(f"ldpt.figures.{name}")
    smoke = config.load(PROJECT / "config" / "smoke.yaml")
    files = {
        key: path.replace("<results>", str(root / "results"))
        for key, path in FIGURES[name]["inputs"].items()
    }
    return module.draw(module.prepare(**files, **catalog.settings(FIGURES[name]["params"], smoke)))


@pytest.mark.parametrize("name", list(FIGURES))
def test_figure_has_no_text_covered_or_cut_off(
    smoke: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(smoke)
    figure = drawn_again(smoke / SMOKE, name)
    assert overlapping(figure) == []
    assert cut_off(figure) == []


def test_tables_have_three_forms_with_as_many_rows(smoke: Path) -> None:
    folder = smoke / SMOKE / "results" / "tables"
    for name in ("instances", "runtime", "claims", "growth_exponents"):
        rows = len(pd.read_csv(folder / f"{name}.csv"))
        assert rows > 0
        table = [x for x in (folder / f"{name}.md").read_text().splitlines() if x.startswith("|")]
        assert len(table) == rows + 2
        assert (folder / f"{name}.tex").read_text().count(r"\\") >= rows + 1
