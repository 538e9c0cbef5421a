"""Show the verdict on every claim as one page, with the criterion that decided it."""

import json
import os
import re
from pathlib import Path
from typing import Any

from ldpt.provenance import read_record, record_path
from ldpt.replication.claims.register import BASES, PARTS, VERDICTS
from ldpt.replication.publishing import pages
from ldpt.replication.publishing.tables import shown_value

SIGNS = {"==": "=", "<=": "≤", ">=": "≥"}


def render(
    sources: Path, document: dict[str, Any], folder: str | Path, made: dict[str, str]
) -> str:
    """Return the page; ``folder`` is its own, from which links to the project start."""
    proofs = sources.parents[2] / "paper" / "proofs.typ"
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
    """Return the number of each labelled section of the appendix of proofs."""
    labels = re.findall(r"^== .*<([a-z-]+)>$", proofs, re.MULTILINE)
    return {label: f"A.{number}" for number, label in enumerate(labels, start=1)}


def readable(criterion: str) -> str:
    """Return a criterion with mathematical signs and without underscores."""
    for sign, shown in SIGNS.items():
        criterion = criterion.replace(f" {sign} ", f" {shown} ")
    return criterion.replace("_", " ")


def made_by(record: dict[str, Any], numbers: dict[str, Any]) -> dict[str, str]:
    """Return what made the verdicts: version, configuration and record."""
    return {
        "version": f"ldpt {numbers['study:version']['value']}, {numbers['study:date']['value']}",
        "configuration": numbers["study:config-hash"]["value"][:16],
        "record": record["record_hash"][:16],
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
