"""Fill the self-contained pages, explorer and verdicts, by Jinja2."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from ldpt import text


def render(folder: Path, filters: Mapping[str, Any], **context: Any) -> str:
    """Return ``page.html`` of a folder filled with ``context``.

    In the template ``file("NAME")`` inserts a file of the folder unchanged, and the filter
    ``formulas`` renders text with formulas.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"formulas": lambda words: Markup(text.as_html(words)), **filters}
    environment.globals["file"] = lambda name: Markup((folder / name).read_text(encoding="utf-8"))
    return environment.get_template("page.html").render(context)
