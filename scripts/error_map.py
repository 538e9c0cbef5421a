"""Map error/delta of Algorithm 2 over arms, error levels, privacy levels and gaps."""

from ldpt.error_map import error_map

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        settings, seed = this.params.map, this.params.seed
        this.note(seed=seed, stream=["fixed_confidence"])
        error_map(settings, this.params.constants, seed).to_csv(this.output[0], index=False)
