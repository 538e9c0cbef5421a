"""Write the problems of the config."""

import json
from pathlib import Path

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        definitions = this.params.definitions
        Path(this.output.json).write_text(json.dumps(definitions))
        Path(this.output.csv).write_text("\n".join(["name", *definitions]) + "\n")
