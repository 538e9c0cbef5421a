"""Write the products of a figure's rule: PDF, PNG, facts, and the caption filled with them."""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from ldpt import text
from ldpt.plots import parts, style
from ldpt.provenance import job
from ldpt.util.json_values import plain

Facts = Mapping[str, Any]
mpl.use("agg")  # files, no windows


def make(
    snakemake: Any,
    prepare: Callable[[Any, Any], Any],
    draw: Callable[[Any], Figure],
    facts: Callable[[Any], Facts],
) -> None:
    """Run the three functions of a figure's script as the job of its rule."""
    with job(snakemake) as step, style.context():
        data = prepare(step.input, step.params)
        write(draw(data), facts(data), step)


def write(figure: Figure, facts: Facts, step: Any) -> None:
    """Write a figure, its caption for the article (typ) and elsewhere (rst), and its facts."""
    out = step.output
    style.save(figure, out.pdf, out.png, step.metadata)
    facts = {name: _known(fact) for name, fact in facts.items()}
    caption = text.fill(Path(step.input.caption).read_text(encoding="utf-8"), facts)
    Path(out.caption).write_text(text.as_unicode(caption), encoding="utf-8")
    Path(out.typst).write_text(text.as_typst(caption), encoding="utf-8")
    lines = json.dumps(plain(facts), indent=2, ensure_ascii=False)
    Path(out.facts).write_text(lines + "\n", encoding="utf-8")


def _known(fact: Any) -> Any:
    """Return a fact, or words for a number that the run does not have."""
    return parts.NOT_RUN if isinstance(fact, float) and math.isnan(fact) else fact
