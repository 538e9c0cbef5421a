"""Show the verdict on every claim as one page, with the criterion that decided it."""

import json
from pathlib import Path
from typing import Any

from ldpt.provenance import read_record, record_path
from ldpt.publishing.claims_page import render


def made_by(record: dict[str, Any], numbers: dict[str, Any]) -> dict[str, str]:
    """Return what made the verdicts: version, commit, configuration and the way to redo them."""
    return {
        "version": f"ldpt {numbers['study:version']['value']}, {numbers['study:date']['value']}",
        "commit": record["volatile"]["commit"] or "unknown",
        "run": f"configuration {numbers['study:config-hash']['value'][:16]}, "
        f"record {record['record_hash'][:16]}",
        "redo": "snakemake claims (all rows); ldpt trace results/claims.json (what made them)",
    }


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        document = json.loads(Path(this.input.claims).read_text(encoding="utf-8"))
        numbers = json.loads(Path(this.input.numbers).read_text(encoding="utf-8"))
        record = read_record(record_path(this.root, "results/claims.json"))
        sources = Path(this.input.page[0]).parent
        folder = Path(this.input.claims).parent
        page = render(sources, document, folder, made_by(record, numbers))
        Path(this.output[0]).write_text(page, encoding="utf-8")
