"""Show the verdict on every claim as one page, with the criterion that decided it."""

import json
from html import escape
from pathlib import Path
from typing import Any

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 1100px; padding: 0 1rem; color: #22262a; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #dde1e4; }
.decided { color: #5d666e; font-size: .85rem; overflow-wrap: anywhere; }
.reproduced { color: #00695c; } .reproduced.with { color: #a05a00; } .refuted { color: #b00020; }
"""  # noqa: E501


def row(claim: dict[str, Any]) -> str:
    """One claim: where it stands, what it says, what became of it and by what."""
    cells = {name: escape(str(claim[name])) for name in ("id", "where", "statement", "verdict")}
    more = claim["amendment"] or claim["reason"]
    note = f"<br><em>{escape(more)}</em>" if more else ""
    return (
        f"<tr><td>{cells['id']}</td><td>{cells['where']}</td><td>{cells['statement']}{note}"
        f'<div class="decided">{escape(claim["decided_by"])}</div></td>'
        f'<td class="{cells["verdict"]}">{cells["verdict"]}</td></tr>'
    )


def page(verdicts: dict[str, Any]) -> str:
    """The whole page, with nothing from elsewhere."""
    lines = [f"{row['where']}: {row['line']}" for row in verdicts["headlines"]["theorems"]]
    counts = "; ".join(map(escape, lines))
    rows = "\n".join(map(row, verdicts["claims"]))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>The verdict on every claim</title><style>{STYLE}</style></head><body>\n"
        f"<h1>The verdict on every claim</h1>\n<p>{counts}.</p>\n<table><thead><tr><th>id</th>"
        "<th>where</th><th>statement, and what decided</th><th>verdict</th></tr></thead><tbody>\n"
        f"{rows}\n</tbody></table></body></html>\n"
    )


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        verdicts = json.loads(Path(this.input[0]).read_text(encoding="utf-8"))
        Path(this.output[0]).write_text(page(verdicts), encoding="utf-8")
