"""Judge every claim of the register by the evidence; write the verdicts and their table."""

import json
from pathlib import Path

import pandas as pd

from ldpt.claims import register
from ldpt.publishing import tables

SCHEMAS = Path("workflow/schemas")


def judge(
    register_path: str, evidence: list[str], code: dict[str, str], sources: dict[str, list[str]]
) -> tuple[list[register.Verdict], float]:
    """The verdicts and their level; ``code`` and ``sources`` say what evidence is current."""
    level, register_claims = register.read_register(register_path, SCHEMAS / "claims.schema.yaml")
    entries = {
        (name := Path(path).stem): register.read_evidence(path, code[name], sources.get(name, []))
        for path in evidence
    }
    return register.verdicts(register_claims, entries, level), level


def write_verdicts(found: list[register.Verdict], level: float, path: str) -> None:
    """``results/claims.json``, checked against its schema."""
    document = register.as_document(found, level)
    register.validate(document, SCHEMAS / "verdicts.schema.yaml", "the verdicts")
    Path(path).write_text(json.dumps(document, indent=1, allow_nan=False) + "\n")


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        made_from = {"measured": list(this.input.tables)}
        found, level = judge(
            this.input.register, list(this.input.evidence), this.params.evidence_code, made_from
        )
        out = this.output
        write_verdicts(found, level, out.verdicts)
        tables.write(pd.DataFrame(register.as_rows(found)), {}, out.csv, out.md, out.tex)
