"""Tables in three forms, CSV, Markdown and LaTeX, from one source."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ldpt import text

TAG = re.compile("<(?=[A-Za-z/!?])")


def write(
    table: pd.DataFrame, csv: str, md: str, tex: str, columns: Mapping[str, str] | None = None
) -> None:
    """Write a table with full precision as CSV, and for readers as Markdown and LaTeX.

    ``columns`` explains the columns: below the Markdown table, and as comments in LaTeX.
    """
    table.to_csv(csv, index=False)
    rows = [[shown_value(value) for value in row] for row in table.itertuples(index=False)]
    legend = "".join(f"- **{name}**: {words}\n" for name, words in (columns or {}).items())
    comments = "".join(f"% {name}: {words}\n" for name, words in (columns or {}).items())
    lines = markdown(list(table.columns), rows)
    Path(md).write_text(lines + (f"\n{legend}" if legend else ""), encoding="utf-8")
    Path(tex).write_text(comments + latex(list(table.columns), rows), encoding="utf-8")


def shown_value(value: Any) -> str:
    """Return a cell as a reader sees it."""
    if pd.isna(value):
        return ""
    return str(value) if isinstance(value, bool) else text.prose(value)


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """Return a pipe table."""
    lines = [[_markdown_cell(cell) for cell in row] for row in (head, *rows)]
    lines.insert(1, ["---"] * len(head))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _markdown_cell(cell: str) -> str:
    """Return a cell on one line, without bars and elements of HTML that are its own."""
    cell = TAG.sub("&lt;", " ".join(cell.splitlines()))
    return text.as_markdown(cell).replace("|", r"\|")


def latex(head: list[str], rows: list[list[str]]) -> str:
    """Return a tabular with the rules of booktabs, for LuaLaTeX or XeLaTeX."""
    first, *body = [" & ".join(map(text.as_latex, row)) + r" \\" for row in (head, *rows)]
    lines = [rf"\begin{{tabular}}{{{'l' * len(head)}}}", r"\toprule", first, r"\midrule"]
    return "\n".join([*lines, *body, r"\bottomrule", r"\end{tabular}"]) + "\n"
