"""List every job of the run with the hashes of its products, in one file for git."""

from pathlib import Path

from ldpt.provenance.manifest import manifest, manifest_text

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        content = manifest(step.root, step.input, step.params.config, step.params.origin)
        Path(step.output[0]).write_text(manifest_text(content), encoding="utf-8")
