"""ldpt.figures.products: picture, caption in two notations, and facts."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ldpt.figures import elements, products


class Named(dict[str, Any]):
    """Inputs or params as Snakemake hands them over: by name, as items and as attributes."""

    __getattr__ = dict.__getitem__


def prepare(table: str, level: float) -> tuple[str, float]:
    return table, level


def draw(data: tuple[str, float]) -> Any:
    return elements.panels(1, 1, 2.0)[0]


def facts(data: tuple[str, float]) -> dict[str, Any]:
    return {"much": data[1]}


def test_write_makes_picture_caption_and_facts(tmp_path: Path) -> None:
    template = tmp_path / "template.rst"
    template.write_text("Is $H_epsilon$ it? It is {much}.\n")
    kinds = ("pdf", "png", "caption", "typst", "facts")
    output = SimpleNamespace(**{name: str(tmp_path / f"out.{name}") for name in kinds})
    inputs = Named(table="a.csv", caption=str(template))
    job = SimpleNamespace(
        input=inputs, params=Named(level=0.25, code="abc"), output=output, metadata={}
    )
    products.write(SimpleNamespace(prepare=prepare, draw=draw, facts=facts), job)
    assert Path(output.caption).read_text() == "Is H_ε it? It is 0.25.\n"
    assert Path(output.typst).read_text() == "Is $H_epsilon$ it? It is 0.25.\n"
    assert json.loads(Path(output.facts).read_text()) == {"much": 0.25}
    assert Path(output.png).read_bytes().startswith(b"\x89PNG")
