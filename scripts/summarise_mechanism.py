"""Reduce the mechanism's responses to means with exact intervals."""

import pandas as pd

from ldpt.summarise import mechanism

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        mechanism(pd.read_parquet(this.input[0])).to_csv(this.output[0], index=False)
