"""Write a figure's caption, filled with its facts, for the article and for everything else."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ldpt import text


def write(facts: Mapping[str, Any], job: Any) -> None:
    """Write the caption (rst, typ) and the facts (json) of a figure's job.

    The job has the caption's template as input ``caption`` and outputs ``caption``, ``typst``,
    ``facts``.
    """
    caption = text.fill(Path(job.input.caption).read_text(encoding="utf-8"), facts)
    Path(job.output.caption).write_text(text.as_unicode(caption), encoding="utf-8")
    Path(job.output.typst).write_text(text.as_typst(caption), encoding="utf-8")
    lines = json.dumps(dict(facts), indent=2, ensure_ascii=False, allow_nan=False)
    Path(job.output.facts).write_text(lines + "\n", encoding="utf-8")
