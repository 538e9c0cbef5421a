"""Every figure has a script with prepare, draw and facts, a caption, and a rule of its name."""

import pytest

from tests.conftest import PROJECT
from tests.plots import scripts

CAPTIONS = PROJECT / "workflow" / "captions"
PAGES = {"claims", "explorer", "notebook", "workflow"}


@pytest.mark.parametrize("name", scripts.FIGURES)
def test_figure_script_has_prepare_draw_and_facts(name: str) -> None:
    module = scripts.figure(name)
    assert module.__doc__
    for step in ("prepare", "draw", "facts"):
        assert getattr(module, step).__module__ == name


@pytest.mark.parametrize("name", scripts.FIGURES)
def test_caption_uses_facts(name: str) -> None:
    assert "{{ " in (CAPTIONS / f"{name}.rst").read_text(encoding="utf-8")


def test_every_caption_belongs_to_a_figure_or_page() -> None:
    assert {path.stem for path in CAPTIONS.glob("*.rst")} == {*scripts.FIGURES, *PAGES}
