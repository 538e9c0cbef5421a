"""The gallery has a tile of few lines for every public function; its build runs them."""

import re

from ldpt import plots
from tests.conftest import PROJECT
from tests.plots import scripts

gallery = scripts.load("docs/gallery.py")


def test_every_public_function_has_a_tile_of_five_lines() -> None:
    tiles = [code for code, picture in gallery.blocks() if picture]
    drawn = [code.strip().splitlines()[-1].split("(")[0] for code in tiles]
    assert drawn == [f"plots.{name}" for name in plots_in_order()]
    assert max(len(code.strip().splitlines()) for code in tiles) <= 5


def plots_in_order() -> list[str]:
    order = ["error_curves", "collapse", "cost", "calibration", "error_map"]
    assert sorted(order) == sorted(plots.__all__)
    return order


def test_the_plan_is_that_of_the_readme() -> None:
    (command,) = re.findall(r"^ldpt plan .*$", gallery.PAGE.read_text(), re.MULTILINE)
    assert command in (PROJECT / "README.md").read_text()


def test_pictures_of_the_tiles_are_kept() -> None:
    pictures = [picture for _, picture in gallery.blocks() if picture]
    assert len(pictures) == len(plots.__all__)
    assert all((PROJECT / "docs" / picture).is_file() for picture in pictures)
