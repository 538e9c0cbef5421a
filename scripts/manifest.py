"""List every product of the run with its hash, and put the run into a compact file for git."""

from pathlib import Path
from typing import Any

from ldpt.provenance.manifest import manifest, manifest_text
from ldpt.provenance.run import compact, compact_text


def write_manifest(
    root: Path, products: list[str], config: dict[str, Any], origin: dict[str, Any], out: Any
) -> None:
    """Write the manifest and the compact form of the run."""
    content = manifest(root, products, config, origin)
    Path(out.manifest).write_text(manifest_text(content), encoding="utf-8")
    Path(out.run).write_text(compact_text(compact(root, content)), encoding="utf-8")


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        params = this.params
        write_manifest(this.root, list(this.input), params.config, params.origin, this.output)
