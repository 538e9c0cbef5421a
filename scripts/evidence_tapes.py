"""Check the appendix: statements about every tape on erring runs, inequalities on exact chains."""

import pandas as pd

from ldpt.replication.claims.lemmas import check_chains
from ldpt.replication.claims.tapes import check_tapes


def checks(seed: int, erring_runs: int, chains: int) -> pd.DataFrame:
    """One row per statement of the appendix that can be checked numerically."""
    return pd.concat([check_tapes(seed, erring_runs), check_chains(chains, seed)])


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        seed, settings = step.params.seed, step.params.checks
        step.note(seed=seed, stream=["evidence_tapes"])
        checks(seed, **settings).to_csv(step.output[0], index=False, float_format="%.4g")
