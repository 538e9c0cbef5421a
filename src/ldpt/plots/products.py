"""Write the products of a figure's rule: PDF, PNG, facts, and the caption filled with them."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from ldpt import text
from ldpt.plots import style
from ldpt.provenance import job

Facts = Mapping[str, Any]


def make(
    snakemake: Any,
    prepare: Callable[[Any, Any], Any],
    draw: Callable[[Any], Figure],
    facts: Callable[[Any], Facts],
) -> None:
    """Run the three functions of a figure's script as the job of its rule."""
    with job(snakemake) as step:
        data = prepare(step.input, step.params)
        write(draw(data), facts(data), step)


def write(figure: Figure, facts: Facts, step: Any) -> None:
    """Write a figure, its caption for the article (typ) and elsewhere (rst), and its facts."""
    out = step.output
    style.save(figure, out.pdf, out.png, step.metadata)
    caption = text.fill(Path(step.input.caption).read_text(encoding="utf-8"), facts)
    Path(out.caption).write_text(text.as_unicode(caption), encoding="utf-8")
    Path(out.typst).write_text(text.as_typst(caption), encoding="utf-8")
    lines = json.dumps(dict(facts), indent=2, ensure_ascii=False, allow_nan=False)
    Path(out.facts).write_text(lines + "\n", encoding="utf-8")
