"""Reduce the runs of fixed budget to estimates with intervals, one row per setting."""

from ldpt import summarise
from ldpt.instances import read_instances

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        problems = read_instances(step.input.instances)
        table = summarise.over_files(step.input.runs, "policy", problems, summarise.fixed_budget)
        table.to_csv(step.output[0], index=False)
