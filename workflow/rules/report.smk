# Needs: all products. Makes: results/manifest.json, by which `ldpt audit` knows what there should be.

from ldpt.provenance import config_origin


rule manifest:
    """List every product with its hash and the hash of its record."""
    input:
        PRODUCTS,
    output:
        MANIFEST,
    log:
        "<results>/logs/manifest.log",
    benchmark:
        "<results>/benchmarks/manifest.tsv"
    params:
        code=code("scripts/manifest.py"),
        config=config,
        origin=config_origin(workflow),
    conda:
        "../../environment.yml"
    script:
        "../../scripts/manifest.py"
