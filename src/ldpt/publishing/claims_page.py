"""Fill the page of verdicts: grouped by theorem, folded to the roots, one self-contained file."""

import os
import re
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
    "check": "criterion over numbers of the evidence, and what it found; for a proved row it is "
    "the proof that decides, and the check could contradict it",
    "cases": "how many cases could have contradicted the statement; if none, it is not tested",
    "registered": "commit in which the criterion was written, and what had been seen by then",
}
COUNTED = {
    "theorem": "lemma and theorems",
    "statement": "statements of the text",
    "step": "steps of proofs",
    "own": "our own claims",
}
PROOFS = Path("paper/proofs.typ")
SIGNS = {"==": "=", "<=": "≤", ">=": "≥", "!=": "≠"}
Row = Mapping[str, Any]


def render(
    sources: Path, document: Mapping[str, Any], folder: str | Path, made: Mapping[str, str]
) -> str:
    """Return the page.

    Parameters
    ----------
    sources
        Folder with ``page.html``, ``page.css`` and ``page.js``; the article's proofs stand in
        ``paper/proofs.typ`` of the project.
    document
        Content of ``results/claims.json``.
    folder
        Folder of the page, from which links to evidence, scripts and the article start.
    made
        What made it, name and value, shown at the top.
    """
    proofs = appendix_sections(PROOFS.read_text(encoding="utf-8"))
    claims = [_row(claim, document, folder, proofs) for claim in document["claims"]]
    for claim in claims:
        claim["children"] = [c for c in claims if c["root"] == claim["id"] != c["id"]]
    return pages.render(
        sources,
        paper=document["paper"],
        made=made,
        headlines=document["headlines"],
        verdicts=VERDICTS,
        bases=BASES,
        counted=COUNTED,
        parts={title: dict(_blocks(claims, name)) for name, title in PARTS.items()},
        legend=LEGEND,
    )


def appendix_sections(proofs: str) -> dict[str, str]:
    """Return the number of each labelled section of the appendix of proofs.

    >>> appendix_sections("== Tools <proof-tools>\\n\\n== Bounds <proof-upper>\\n")
    {'proof-tools': 'A.1', 'proof-upper': 'A.2'}
    """
    labels = re.findall(r"^== .*<([a-z-]+)>$", proofs, re.MULTILINE)
    return {label: f"A.{number}" for number, label in enumerate(labels, start=1)}


def _blocks(claims: Iterable[Row], part: str) -> Iterable[tuple[str, list[Row]]]:
    """Yield the roots of a part by heading: their level, or the question of an own claim."""
    roots = [c for c in claims if c["part"] == part and c["id"] == c["root"]]
    roots.sort(key=lambda claim: list(LEVELS).index(claim["level"]))
    headings = [c["where"] if c["level"] == "own" else LEVELS[c["level"]] for c in roots]
    for heading in dict.fromkeys(headings):
        yield heading, [c for c, own in zip(roots, headings, strict=True) if own == heading]


def _row(
    claim: Row, document: Mapping[str, Any], folder: str | Path, proofs: Mapping[str, str]
) -> dict[str, Any]:
    """Return a claim with what the page shows of it as text."""
    registered = document["registrations"][claim["registered"]]
    statistic = document["statistics"].get(claim["statistic"], {}).get("rule", "")
    return {
        **claim,
        "badge": _badge(claim),
        "basis_meaning": BASES[claim["basis"]],
        "check": readable(claim["decided_by"]) if claim["file"] else "",
        "number": shown_value(claim["number"]),
        "interval": " to ".join(shown_value(end) for end in claim["interval"]),
        "deciding": list(_deciding(claim)),
        "cases": shown_value(claim["cases"]),
        "adjusted_p": shown_value(claim["adjusted_p"]),
        "rule": statistic,
        "registered": f"{registered['commit']}, {registered['date']}: {registered['what']}",
        "seen": SEEN[claim["seen"]],
        "proof_section": proofs.get(claim["proof"], ""),
        "proof_link": _link("paper/report.pdf", folder) + f"#{claim['proof']}",
        "script": f"scripts/evidence_{claim['file']}.py",
        "script_link": _link(f"scripts/evidence_{claim['file']}.py", folder),
    }


SEEN = {
    "nothing": "nothing had been seen",
    "drafts": "drafts had been seen",
    "outcome": "the outcome was known",
}
MOST_NUMBERS = 6  # that a row shows beside the one that matters most


def _badge(claim: Row) -> str:
    """Return the verdict as shown; an own claim is printed nowhere."""
    if claim["level"] == "typo":
        return "typo"
    return (
        claim["verdict"].replace(" as printed", "") if claim["level"] == "own" else claim["verdict"]
    )


def _deciding(claim: Row) -> Iterable[tuple[str, str]]:
    """Yield the numbers that the criterion names, then others of the evidence, as text."""
    values = {
        k: v for k, v in claim["evidence"].items() if isinstance(v, int | float | str) and v != ""
    }
    named = [word for word in claim["criterion"].split() if word in values]
    rest = [name for name in values if name not in named and name != "test_level"]
    for name in dict.fromkeys([*named, *rest[: MOST_NUMBERS - len(named)]]):
        yield name.replace("_", " "), shown_value(values[name])


def _link(file: str, folder: str | Path) -> str:
    return os.path.relpath(file, folder).replace(os.sep, "/")


def readable(criterion: str) -> str:
    """Return a criterion with mathematical signs and without underscores.

    >>> readable("largest_ratio <= 1 and violations == 0")
    'largest ratio ≤ 1 and violations = 0'
    """
    for sign, shown in SIGNS.items():
        criterion = criterion.replace(f" {sign} ", f" {shown} ")
    return criterion.replace("_", " ")
