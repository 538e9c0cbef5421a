"""Gather every number that article and README show, and fill the findings of the README."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from ldpt.instances import read_instances
from ldpt.replication.publishing import numbers


def read_numbers(read: Any, settings: dict[str, Any]) -> numbers.Numbers:
    """Return all numbers by name from the rule's input; a file of facts is named as its figure."""
    facts = {Path(path).stem: json.loads(Path(path).read_text()) for path in read.facts}
    verdicts = json.loads(Path(read.claims).read_text())
    summaries = pd.read_csv(read.fixed_budget), pd.read_csv(read.fixed_confidence)
    problems = read_instances(read.instances).values()
    citation = yaml.safe_load(Path(read.citation).read_text(encoding="utf-8"))
    return numbers.gather(facts, verdicts, summaries, problems, citation, settings)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        read = step.input
        settings = {name: step.params[name] for name in ("seed", "rho", "config_hash")}
        found = read_numbers(read, settings)
        lines = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
        Path(step.output.numbers).write_text(lines + "\n", encoding="utf-8")
        template = Path(read.findings).read_text(encoding="utf-8")
        Path(step.output.findings).write_text(numbers.fill(template, found), encoding="utf-8")
