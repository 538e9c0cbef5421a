"""Fill the page of verdicts: grouped by theorem, folded to the roots, one self-contained file."""

import os
import re
from collections.abc import Mapping
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
SIGNS = {"==": "=", "<=": "≤", ">=": "≥"}


def render(
    sources: Path, document: Mapping[str, Any], folder: str | Path, made: Mapping[str, str]
) -> str:
    """Return the page.

    Parameters
    ----------
    sources
        Folder ``workflow/pages/claims`` of the project, whose proofs are ``paper/proofs.typ``.
    document
        Content of ``results/claims.json``.
    folder
        Folder of the page, from which links to evidence, scripts and the article start.
    made
        What made it, name and value, shown at the top.
    """
    proofs = Path(sources).parents[2] / "paper" / "proofs.typ"
    return pages.render(
        sources,
        {"shown": shown_value, "readable": readable},
        **document,
        made=made,
        verdicts=VERDICTS,
        bases=BASES,
        parts=PARTS,
        sections=appendix_sections(proofs.read_text(encoding="utf-8")),
        project=os.path.relpath(".", folder).replace(os.sep, "/"),
    )


def appendix_sections(proofs: str) -> dict[str, str]:
    """Return the number of each labelled section of the appendix of proofs.

    >>> appendix_sections("== Tools <proof-tools>\\n\\n== Bounds <proof-upper>\\n")
    {'proof-tools': 'A.1', 'proof-upper': 'A.2'}
    """
    labels = re.findall(r"^== .*<([a-z-]+)>$", proofs, re.MULTILINE)
    return {label: f"A.{number}" for number, label in enumerate(labels, start=1)}


def readable(criterion: str) -> str:
    """Return a criterion with mathematical signs and without underscores.

    >>> readable("largest_ratio <= 1 and violations == 0")
    'largest ratio ≤ 1 and violations = 0'
    """
    for sign, shown in SIGNS.items():
        criterion = criterion.replace(f" {sign} ", f" {shown} ")
    return criterion.replace("_", " ")
