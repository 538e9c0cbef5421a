"""Write the problems of the config to one file, and tabulate them with their complexities."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ldpt.instances import Instance
from ldpt.publishing import tables


def write_instances(definitions: Sequence[dict[str, Any]], output: Any) -> None:
    """Write the definitions as JSON, one problem per line, and the table in three formats."""
    lines = ",\n".join(f" {json.dumps(definition)}" for definition in definitions)
    Path(output.json).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    problems = [Instance(**definition) for definition in definitions]
    tables.write(tables.instances(problems), output.csv, output.md, output.tex)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        write_instances(step.params.definitions, step.output)
