"""The page of all verdicts: grouped by theorem, folded to the roots, one self-contained file."""

import os
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from ldpt.claims.register import BASES, VERDICTS
from ldpt.publishing.notation import html
from ldpt.publishing.tables import shown_value

PARTS = {
    "L2.1": "Section 2 and Lemma 2.1: definition, mechanism, objective",
    "T3.1": "Theorem 3.1: fixed budget, upper bound",
    "T3.2": "Theorem 3.2: fixed budget, lower bound",
    "T4.1": "Theorem 4.1: fixed confidence, upper bound",
    "T4.2": "Theorem 4.2: fixed confidence, lower bound",
    "text": "The text beside the theorems",
    "own": "Our own questions and claims",
}
LEVELS = {
    "theorem": "",
    "statement": "Statements of the text",
    "step": "Steps of the proof",
    "typo": "Typos, with what is meant",
    "own": "",
}
LEGEND = {
    "level": "theorem; statement (a sentence of the text); step of a proof; typo; own (ours)",
    "root": "the row whose truth or cause a row shares; headlines count roots",
    "criterion": "what decides, over numbers of the evidence; written before the evidence was "
    "looked at, unless the row says what had been seen",
    "cases": "how many cases could have contradicted the statement; if none, it is not tested",
    "adjusted p": "smallest p value of the row's tests, adjusted by Holm's method over all tests",
    **{f"basis: {name}": meaning for name, meaning in BASES.items()},
}
Row = Mapping[str, Any]


def render(sources: Path, document: Mapping[str, Any], folder: str | Path) -> str:
    """The whole page.

    Parameters
    ----------
    sources
        Folder with ``page.html``, ``page.css`` and ``page.js``.
    document
        What ``results/claims.json`` holds.
    folder
        Where the page is written, from which links to evidence and scripts start.
    """
    rows = document["claims"]
    page = (sources / "page.html").read_text(encoding="utf-8")
    filled = {
        "/*{style}*/": (sources / "page.css").read_text(encoding="utf-8"),
        "/*{script}*/": (sources / "page.js").read_text(encoding="utf-8"),
        "<!--{theorems}-->": _theorems(document["headlines"]["theorems"]),
        "<!--{headlines}-->": _headlines(document["headlines"]),
        "<!--{options}-->": "".join(f"<option>{escape(word)}</option>" for word in VERDICTS),
        "<!--{parts}-->": "\n".join(_part(name, rows, folder) for name in PARTS),
        "<!--{legend}-->": _definitions((escape(k), escape(v)) for k, v in LEGEND.items()),
    }
    for place, content in filled.items():
        page = page.replace(place, content)
    return page


def _theorems(theorems: Iterable[Row]) -> str:
    lines = [
        f'<tr><td><a href="#{t["id"]}">{escape(t["where"])}</a></td>'
        f"<td>{_badge(t['verdict'])}</td><td>{html(t['line'])}</td></tr>"
        for t in theorems
    ]
    return f"<table><tbody>{''.join(lines)}</tbody></table>"


def _headlines(headlines: Row) -> str:
    head = "".join(f'<th class="count">{escape(word)}</th>' for word in VERDICTS)
    names = {
        "theorem": "lemma and theorems",
        "statement": "statements of the text",
        "step": "steps of proofs",
        "own": "our own claims",
    }
    body = "".join(
        f"<tr><td>{name}</td>"
        + "".join(f'<td class="count">{headlines[level][word]}</td>' for word in VERDICTS)
        + "</tr>"
        for level, name in names.items()
    )
    return (
        f"<table><thead><tr><th>roots</th>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<p>{headlines['typos']} typos beside them. {headlines['rows']} rows in all, "
        f"{headlines['paper_rows']} on the paper and {headlines['own_rows']} of our own.</p>"
    )


def _part(name: str, rows: Iterable[Row], folder: str | Path) -> str:
    rows = list(rows)
    roots = [row for row in rows if row["part"] == name and row["id"] == row["root"]]
    blocks = []
    for title in dict.fromkeys(map(_heading, sorted(roots, key=_order))):
        chosen = [row for row in roots if _heading(row) == title]
        heading = f"<h3>{html(title)} ({len(chosen)})</h3>" if title else ""
        shown = "\n".join(_row(row, rows, folder) for row in chosen)
        blocks.append(f'<div class="level">{heading}{shown}</div>')
    return f'<section id="part-{name}"><h2>{escape(PARTS[name])}</h2>{"".join(blocks)}</section>'


def _heading(row: Row) -> str:
    """Rows of the paper stand under their level, our own under the question that they answer."""
    return row["where"] if row["level"] == "own" else LEVELS[row["level"]]


def _order(row: Row) -> int:
    return list(LEVELS).index(row["level"])


def _row(row: Row, rows: Iterable[Row], folder: str | Path) -> str:
    """A row and, if it is a root, the rows that share its truth or cause."""
    rows = list(rows)
    children = [r for r in rows if r["root"] == row["id"] != r["id"]]
    count = len(children)
    more = f' <span class="more">+ {count} row{"s" * (count > 1)}</span>' if children else ""
    inner = "\n".join(_row(child, [], folder) for child in children)
    label = "typo" if row["level"] == "typo" else row["verdict"]
    nested = f'<div class="children">{inner}</div>' if children else ""
    return (
        f'<details class="row" id="{row["id"]}" data-verdict="{escape(row["verdict"])}">'
        f'<summary>{_badge(label)}<span class="id">{row["id"]}</span>'
        f"{html(row['statement'])}{more}</summary>"
        f"{_definitions(_facts(row, folder))}{nested}</details>"
    )


def _facts(row: Row, folder: str | Path) -> Iterable[tuple[str, str]]:
    """What a reader can check: name and value, as HTML."""
    yield "where", f"{html(row['where'])} ({escape(row['level'])})"
    if row["amendment"]:
        yield "what is added", html(row["amendment"])
    if row["reason"]:
        yield "remark", html(row["reason"])
    yield "basis", f"{escape(row['basis'])}: {escape(BASES[row['basis']])}"
    if not row["file"]:
        return
    yield "criterion", escape(readable(row["criterion"]))
    yield "decided by", escape(readable(row["decided_by"]))
    if row["number"] is not None:
        value = row["number"]
        shown = value if isinstance(value, str) else shown_value(value)
        yield "number", f"<strong>{escape(shown)}</strong>: {html(row['meaning'])}"
    yield "cases", shown_value(row["cases"])
    if row["adjusted_p"] is not None:
        yield "adjusted p", shown_value(row["adjusted_p"])
    if row["explored"]:
        yield "seen before", html(row["explored"])
    script = f"scripts/evidence_{row['file']}.py"
    yield (
        "evidence",
        f'<a href="evidence/{row["file"]}.json">evidence/{row["file"]}.json</a>, '
        f'entry <code>{escape(row["key"])}</code>, made by <a href="{_link(script, folder)}">'
        f"{script}</a>",
    )


def _link(file: str, folder: str | Path) -> str:
    return os.path.relpath(file, folder).replace(os.sep, "/")


def _definitions(pairs: Iterable[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{k}</dt><dd>{v}</dd>" for k, v in pairs) + "</dl>"


def _badge(verdict: str) -> str:
    name = verdict.replace(",", "").replace(" ", "-")
    return f'<span class="badge {name}">{escape(verdict)}</span>'


SIGNS = {"==": "=", "<=": "≤", ">=": "≥", "!=": "≠"}


def readable(criterion: str) -> str:
    """A criterion with mathematical signs and without underscores.

    >>> readable("largest_ratio <= 1 and violations == 0")
    'largest ratio ≤ 1 and violations = 0'
    """
    for sign, shown in SIGNS.items():
        criterion = criterion.replace(f" {sign} ", f" {shown} ")
    return criterion.replace("_", " ")
