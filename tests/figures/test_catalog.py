"""ldpt.figures.catalog: one entry, module, script and caption per figure."""

import importlib
import inspect
import runpy
from pathlib import Path

import pytest

from ldpt import config
from ldpt.figures import catalog
from tests.conftest import PROJECT

FIGURES = catalog.read(PROJECT / catalog.CATALOG)
NOT_FIGURES = {"catalog", "captions", "elements", "products", "style"}


@pytest.mark.parametrize("name", list(FIGURES))
def test_entry_has_module_script_and_caption_of_its_name(name: str) -> None:
    module = importlib.import_module(f"ldpt.figures.{name}")
    wanted = set(inspect.signature(module.prepare).parameters)
    assert wanted == {*FIGURES[name]["inputs"], *FIGURES[name]["params"]}
    assert callable(module.draw)
    assert callable(module.facts)
    script = runpy.run_path(str(PROJECT / "scripts" / f"{name}.py"))
    assert script[name] is module
    caption = (PROJECT / "workflow" / "captions" / f"{name}.rst").read_text(encoding="utf-8")
    assert "?" in caption.split("\n\n")[0], "a caption opens with its question"
    assert "{" in caption.split("\n\n")[-1], "and ends with an answer that has numbers"


def test_catalog_lists_every_module_of_a_figure() -> None:
    modules = {path.stem for path in (PROJECT / "src/ldpt/figures").glob("[!_]*.py")}
    assert modules - NOT_FIGURES == set(FIGURES)


@pytest.mark.parametrize("name", list(FIGURES))
def test_settings_are_keys_of_the_config(name: str) -> None:
    assert set(catalog.settings(FIGURES[name]["params"], config.load())) == set(
        FIGURES[name]["params"]
    )


def test_settings_names_a_key_that_the_config_lacks() -> None:
    with pytest.raises(ValueError, match=r"the config has no key 'figures\.nonsense'"):
        catalog.settings({"a": "figures.nonsense"}, {"figures": {}})


def test_read_names_the_entry_with_an_unknown_key(tmp_path: Path) -> None:
    path = tmp_path / "figures.yaml"
    path.write_text("a: {shows: A., category: B, inputs: {}, colour: red}\n")
    with pytest.raises(ValueError, match="a: keys must be category, inputs, shows"):
        catalog.read(path)
