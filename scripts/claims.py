"""Judge every claim of the register by the evidence; write the verdicts and their table."""

import json
from pathlib import Path
from typing import Any

from ldpt.claims import register
from ldpt.publishing import tables

SCHEMAS = Path("workflow/schemas")


def judge(
    register_path: str, evidence: list[str], code: dict[str, str], sources: dict[str, list[str]]
) -> dict[str, Any]:
    """Headlines and verdicts; ``code`` and ``sources`` say what evidence is current."""
    level, rows = register.read_register(register_path, SCHEMAS / "claims.schema.yaml")
    entries = {
        (name := Path(path).stem): register.read_evidence(path, code[name], sources.get(name, []))
        for path in evidence
    }
    document = register.as_document(rows, register.verdicts(rows, entries, level), level)
    register.validate(document, SCHEMAS / "verdicts.schema.yaml", "the verdicts")
    return document


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        made_from = {"measured": list(this.input.tables)}
        document = judge(
            this.input.register, list(this.input.evidence), this.params.evidence_code, made_from
        )
        out = this.output
        text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
        Path(out.verdicts).write_text(text + "\n", encoding="utf-8")
        table, columns = tables.claims(document["claims"]), tables.CLAIM_COLUMNS
        tables.write(table, out.csv, out.md, out.tex, columns)
