"""Every figure has a script with prepare, draw and facts, a caption, and a rule of its name."""

import re

import pytest

from tests.conftest import PROJECT
from tests.plots import scripts

CAPTIONS = PROJECT / "workflow" / "captions"
PAGES = {"claims", "explorer", "notebook", "workflow"}
# Of formulas and definitions, of the levels of intervals and quantiles, of the problem of `hero`.
CONSTANTS = {"0", "1", "2", "3", "5", "95", "1.5", "0.95", "0.9"}


@pytest.mark.parametrize("name", scripts.FIGURES)
def test_figure_script_has_prepare_draw_and_facts(name: str) -> None:
    module = scripts.figure(name)
    assert module.__doc__
    for step in ("prepare", "draw", "facts"):
        assert getattr(module, step).__module__ == name


@pytest.mark.parametrize("name", scripts.FIGURES)
def test_caption_uses_facts(name: str) -> None:
    assert "{{ " in (CAPTIONS / f"{name}.rst").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", scripts.FIGURES)
def test_caption_contains_no_typed_number_but_constants(name: str) -> None:
    words = (CAPTIONS / f"{name}.rst").read_text(encoding="utf-8")
    typed = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|Theorem \d\.\d|Algorithm \d", "", words, flags=re.DOTALL)
    assert set(re.findall(r"\d+(?:\.\d+)?", typed)) <= CONSTANTS


def test_every_caption_belongs_to_a_figure_or_page() -> None:
    assert {path.stem for path in CAPTIONS.glob("*.rst")} == {*scripts.FIGURES, *PAGES}
