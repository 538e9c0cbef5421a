"""List every product that the run stands on, with its hash and the hash of its record."""

import json
from pathlib import Path
from typing import Any

from ldpt.provenance.manifest import manifest


def write_manifest(
    root: Path, products: list[str], config: dict[str, Any], origin: dict[str, Any], out: str
) -> None:
    """The manifest as JSON, in a fixed order."""
    content = manifest(root, products, config, origin)
    Path(out).write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        params = this.params
        write_manifest(this.root, list(this.input), params.config, params.origin, this.output[0])
