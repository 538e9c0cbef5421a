"""Map error/delta of Algorithm 2 over arms, error levels, privacy levels and gaps."""

from ldpt.error_map import error_map

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        settings, seed = step.params.map, step.params.seed
        step.note(seed=seed, stream=["fixed_confidence"])
        error_map(settings, step.params.constants, seed).to_csv(step.output[0], index=False)
