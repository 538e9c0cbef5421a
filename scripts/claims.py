"""Judge every claim of the register by the evidence; write the verdicts and their table."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from ldpt import text
from ldpt.replication.claims import register
from ldpt.replication.publishing import tables

COLUMNS = {
    "id": "name of the row",
    "level": "theorem, statement (a sentence of the text), step (of a proof), typo, or own (ours)",
    "root": "the row whose truth or cause it shares; a root names itself",
    "where": "place in the paper, or the question that an own claim answers",
    "statement": "what the paper says, in our words",
    "verdict": "the verdict on it",
    "basis": "proved, disproved, computed (exact arithmetic), measured (simulation) or read off",
    "number": "the number of the evidence that matters most",
    "meaning": "what the number is",
    "cases": "how many cases could have contradicted the statement",
    "adjusted_p": "smallest p value of its tests, adjusted over the register; empty: no test",
    "remark": "the hypothesis or constant that is added, or the reason of the verdict",
}


def judge(path: str, evidence: list[str], schemas: Path) -> dict[str, Any]:
    """Return headlines and verdicts."""
    rows = register.read_register(path, schemas / "claims.schema.yaml")
    entries = {Path(file).stem: json.loads(Path(file).read_text()) for file in evidence}
    document = register.judge(rows, entries)
    register.validate(document, schemas / "verdicts.schema.yaml", "the verdicts")
    return document


def as_table(verdicts: list[dict[str, Any]]) -> pd.DataFrame:
    """Return one row per claim; ``COLUMNS`` explains the columns."""
    rows = [{**row, "remark": row["amendment"] or row["reason"]} for row in verdicts]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table.astype({"number": float, "cases": "Int64", "adjusted_p": float})


def as_page(template: str, document: dict[str, Any]) -> str:
    """Return the verdicts as one Markdown page: the five results, counts, every row."""
    words = {"verdicts": register.VERDICTS, "bases": register.BASES, "parts": register.PARTS}
    return text.fill(template, {**document, **words, "cell": cell})


def cell(words: str) -> str:
    """Return text of the register as a cell of a Markdown table."""
    return text.as_markdown(words).replace("|", "\\|")


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        given, out = step.input, step.output
        document = judge(given.register, list(given.evidence), Path(given.schemas[0]).parent)
        content = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
        Path(out.verdicts).write_text(content + "\n", encoding="utf-8")
        page = as_page(Path(given.page).read_text(encoding="utf-8"), document)
        Path(out.page).write_text(page, encoding="utf-8")
        tables.write(as_table(document["claims"]), out.csv, out.md, out.tex, COLUMNS)
