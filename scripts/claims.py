"""Judge every claim of the register by the evidence; write the verdicts and their table."""

import json
from pathlib import Path
from typing import Any

from ldpt.claims import register
from ldpt.publishing import tables

SCHEMAS = Path("workflow/schemas")


def judge(path: str, evidence: list[str]) -> dict[str, Any]:
    """Return headlines and verdicts."""
    rows = register.read_register(path, SCHEMAS / "claims.schema.yaml")
    entries = {Path(file).stem: json.loads(Path(file).read_text()) for file in evidence}
    document = register.judge(rows, entries)
    register.validate(document, SCHEMAS / "verdicts.schema.yaml", "the verdicts")
    return document


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        document, out = judge(this.input.register, list(this.input.evidence)), this.output
        text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
        Path(out.verdicts).write_text(text + "\n", encoding="utf-8")
        table, columns = tables.claims(document["claims"]), tables.CLAIM_COLUMNS
        tables.write(table, out.csv, out.md, out.tex, columns)
