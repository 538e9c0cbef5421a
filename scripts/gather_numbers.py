"""Gather every number that article and README show, and fill the findings of the README."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from ldpt.instances import read_instances
from ldpt.publishing import numbers


def read_numbers(
    facts: list[str],
    claims: str,
    fixed_budget: str,
    fixed_confidence: str,
    instances: str,
    citation: str,
    settings: dict[str, Any],
) -> numbers.Numbers:
    """Return all numbers by name; each file of facts is named as its figure."""
    known = {Path(path).stem: json.loads(Path(path).read_text()) for path in facts}
    verdicts = json.loads(Path(claims).read_text())
    tables = pd.read_csv(fixed_budget), pd.read_csv(fixed_confidence)
    problems = list(read_instances(instances).values())
    cited = yaml.safe_load(Path(citation).read_text(encoding="utf-8"))
    return numbers.gather(known, verdicts, *tables, problems, cited, settings)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        read, asked = this.input, this.params
        settings = {name: asked[name] for name in ("seed", "rho", "config_hash")}
        tables = read.fixed_budget, read.fixed_confidence
        found = read_numbers(
            read.facts, read.claims, *tables, read.instances, read.citation, settings
        )
        lines = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
        Path(this.output.numbers).write_text(lines + "\n", encoding="utf-8")
        template = Path(read.findings).read_text(encoding="utf-8")
        Path(this.output.findings).write_text(numbers.fill(template, found), encoding="utf-8")
