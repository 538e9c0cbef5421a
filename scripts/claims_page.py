"""Show the verdict on every claim as one page, with the criterion that decided it."""

import json
from pathlib import Path

from ldpt.publishing.claims_page import render

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        document = json.loads(Path(this.input.claims).read_text(encoding="utf-8"))
        sources = Path(this.input.page[0]).parent
        page = render(sources, document, Path(this.input.claims).parent)
        Path(this.output[0]).write_text(page, encoding="utf-8")
