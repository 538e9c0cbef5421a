"""From a figure's module to the files that its rule promises."""

import inspect
import json
from pathlib import Path
from typing import Any

from ldpt.figures import captions, style


def write(figure: Any, job: Any) -> None:
    """Draw a figure (pdf, png), fill its caption (rst, typ) and keep its facts (json).

    Parameters
    ----------
    figure : module
        One of ``ldpt.figures``, with ``prepare``, ``draw`` and ``facts``.
    job : ldpt.provenance.Job
        Its inputs and params have the names that ``prepare`` takes; it also has the caption's
        template as input.
    """
    known = {**dict(job.input.items()), **dict(job.params.items())}
    wanted = inspect.signature(figure.prepare).parameters
    data = figure.prepare(**{name: known[name] for name in wanted})
    facts, output = figure.facts(data), job.output
    template = Path(job.input.caption).read_text(encoding="utf-8")
    caption = captions.fill(template, facts)
    Path(output.caption).write_text(captions.as_unicode(caption), encoding="utf-8")
    Path(output.typst).write_text(captions.as_typst(caption), encoding="utf-8")
    lines = json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False)
    Path(output.facts).write_text(lines + "\n", encoding="utf-8")
    style.save(figure.draw(data), output.pdf, output.png, job.metadata)
