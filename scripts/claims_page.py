"""Show the verdict on every claim as one page, with the criterion that decided it."""

import json
from pathlib import Path
from typing import Any

from ldpt.provenance import read_record, record_path
from ldpt.publishing.claims_page import render


def made_by(record: dict[str, Any], numbers: dict[str, Any]) -> dict[str, str]:
    """Return what made the verdicts: version, configuration and the way to redo them.

    The commit is in the record alone, so that the page of another checkout has the same bytes.
    """
    return {
        "version": f"ldpt {numbers['study:version']['value']}, {numbers['study:date']['value']}",
        "commit": "printed by ldpt trace --full results/claims.html",
        "run": f"configuration {numbers['study:config-hash']['value'][:16]}, "
        f"record {record['record_hash'][:16]}",
        "redo": "snakemake claims --forceall (all rows); the command for one row stands in the row",
    }


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        document = json.loads(Path(step.input.claims).read_text(encoding="utf-8"))
        numbers = json.loads(Path(step.input.numbers).read_text(encoding="utf-8"))
        record = read_record(record_path(step.root, "results/claims.json"))
        sources = Path(step.input.page[0]).parent
        folder = Path(step.input.claims).parent
        page = render(sources, document, folder, made_by(record, numbers))
        Path(step.output[0]).write_text(page, encoding="utf-8")
