"""Reduce the runs of fixed confidence to estimates with intervals, one row per setting."""

from ldpt import summarise
from ldpt.instances import read_instances

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        problems = list(read_instances(step.input.instances).values())
        table = summarise.over_files(step.input.runs, summarise.fixed_confidence, problems)
        table.to_csv(step.output[0], index=False)
