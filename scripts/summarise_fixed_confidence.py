"""Reduce the runs of fixed confidence to estimates with intervals, one row per setting."""

import pandas as pd

from ldpt import summarise
from ldpt.instances import read_instances

# Of the table of a study that Algorithm 2 cannot decide, which has no rows.
COLUMNS = [
    "instance", "radius", "epsilon", "delta", "family", "n_arms", "complexity", "replicates",
    "mean_pulls", "mean_pulls_low", "mean_pulls_high", "sd_pulls", "quantile_pulls", "undecided",
    "errors", "estimate", "low", "high",
]  # fmt: skip

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        problems = list(read_instances(step.input.instances).values())
        table = pd.DataFrame(columns=COLUMNS)
        if step.input.runs:
            table = summarise.over_files(step.input.runs, summarise.fixed_confidence, problems)
        table.to_csv(step.output[0], index=False)
