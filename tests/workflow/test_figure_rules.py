"""What a run of the smoke config draws and tabulates."""

import json
from pathlib import Path
from types import SimpleNamespace

import matplotlib.image
import pandas as pd
import PIL.Image
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from ldpt.config import experiment as config
from ldpt.plots import products, style
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
def test_figure_comes_out_the_same_twice_with_no_text_covered_or_cut_off(
    smoke: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    root, module = smoke / SMOKE, scripts.figure(name)
    settings = scripts.params(name, config.load(PROJECT / "config" / "smoke.yaml"))
    data = module.prepare(scripts.inputs(name, root / "results"), SimpleNamespace(**settings))
    with style.context():
        figure = module.draw(data)
    made = {kind: root / "figures" / f"{name}.{kind}" for kind in ("pdf", "png")}
    for kind, suffix in (("caption", "rst"), ("typst", "typ"), ("facts", "json")):
        made[kind] = root / "results" / "captions" / f"{name}.{suffix}"
    information = PIL.Image.open(made["png"]).info
    step = SimpleNamespace(
        input=SimpleNamespace(caption=PROJECT / "workflow" / "captions" / f"{name}.rst"),
        output=SimpleNamespace(**{kind: path.name for kind, path in made.items()}),
        metadata={key: value for key, value in information.items() if key.startswith("ldpt-")},
    )
    with style.context():
        products.write(figure, module.facts(data), step)
    if name == "hero":
        del made["png"]  # of the README, drawn apart from the article's: tests/plots/test_hero.py
    assert [path.name for path in made.values() if differs(path, tmp_path / path.name)] == []
    with style.context():
        FigureCanvasAgg(figure)  # to look at the layout that was written
        assert overlapping(figure) == []
        assert cut_off(figure) == []


def differs(one: Path, other: Path) -> bool:
    return one.read_bytes() != other.read_bytes()


def test_tables_have_three_forms_with_as_many_rows(smoke: Path) -> None:
    folder = smoke / SMOKE / "results" / "tables"
    for name in ("instances", "claims"):
        rows = len(pd.read_csv(folder / f"{name}.csv"))
        assert rows > 0
        table = [x for x in (folder / f"{name}.md").read_text().splitlines() if x.startswith("|")]
        assert len(table) == rows + 2
        assert (folder / f"{name}.tex").read_text().count(r"\\") >= rows + 1
