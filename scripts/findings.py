"""Fill the findings of the README with the numbers of this run."""

import json
from pathlib import Path

from ldpt.publishing.numbers import fill

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        numbers = json.loads(Path(this.input.numbers).read_text(encoding="utf-8"))
        template = Path(this.input.template).read_text(encoding="utf-8")
        Path(this.output[0]).write_text(fill(template, numbers), encoding="utf-8")
