"""Fill the page of verdicts: grouped by theorem, folded to the roots, one self-contained file."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ldpt.claims.register import BASES, VERDICTS
from ldpt.publishing import pages
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
COUNTED = {
    "theorem": "lemma and theorems",
    "statement": "statements of the text",
    "step": "steps of proofs",
    "own": "our own claims",
}
SIGNS = {"==": "=", "<=": "≤", ">=": "≥", "!=": "≠"}
Row = Mapping[str, Any]


def render(sources: Path, document: Mapping[str, Any], folder: str | Path) -> str:
    """Return the page.

    Parameters
    ----------
    sources
        Folder with ``page.html``, ``page.css`` and ``page.js``.
    document
        Content of ``results/claims.json``.
    folder
        Folder of the page, from which links to evidence and scripts start.
    """
    claims = [_row(claim, folder) for claim in document["claims"]]
    for claim in claims:
        claim["children"] = [c for c in claims if c["root"] == claim["id"] != c["id"]]
    return pages.render(
        sources,
        headlines=document["headlines"],
        verdicts=VERDICTS,
        counted=COUNTED,
        parts={title: dict(_blocks(claims, name)) for name, title in PARTS.items()},
        legend=LEGEND,
    )


def _blocks(claims: Iterable[Row], part: str) -> Iterable[tuple[str, list[Row]]]:
    """Yield the roots of a part by heading: their level, or the question of an own claim."""
    roots = [c for c in claims if c["part"] == part and c["id"] == c["root"]]
    roots.sort(key=lambda claim: list(LEVELS).index(claim["level"]))
    headings = [c["where"] if c["level"] == "own" else LEVELS[c["level"]] for c in roots]
    for heading in dict.fromkeys(headings):
        yield heading, [c for c, own in zip(roots, headings, strict=True) if own == heading]


def _row(claim: Row, folder: str | Path) -> dict[str, Any]:
    """Return a claim with what the page shows of it as text."""
    script = f"scripts/evidence_{claim['file']}.py"
    return {
        **claim,
        "badge": "typo" if claim["level"] == "typo" else claim["verdict"],
        "basis_meaning": BASES[claim["basis"]],
        "criterion": readable(claim["criterion"]),
        "decided_by": readable(claim["decided_by"]),
        "number": shown_value(claim["number"]),
        "cases": shown_value(claim["cases"]),
        "adjusted_p": shown_value(claim["adjusted_p"]),
        "script": script,
        "script_link": os.path.relpath(script, folder).replace(os.sep, "/"),
    }


def readable(criterion: str) -> str:
    """Return a criterion with mathematical signs and without underscores.

    >>> readable("largest_ratio <= 1 and violations == 0")
    'largest ratio ≤ 1 and violations = 0'
    """
    for sign, shown in SIGNS.items():
        criterion = criterion.replace(f" {sign} ", f" {shown} ")
    return criterion.replace("_", " ")
