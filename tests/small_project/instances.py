"""Write the problems of the config."""

import json
from pathlib import Path

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        definitions = step.params.definitions
        Path(step.output.json).write_text(json.dumps(definitions))
        Path(step.output.csv).write_text("\n".join(["name", *definitions]) + "\n")
