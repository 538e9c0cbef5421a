"""Reduce the runs of fixed confidence to estimates with intervals, one row per setting."""

from ldpt import summarise
from ldpt.instances import read_instances

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        known = read_instances(step.input.instances)
        problems = {name: problem.strict for name, problem in known.items()}
        table = summarise.over_files(
            step.input.runs, "radius", problems, summarise.fixed_confidence
        )
        table.to_csv(step.output[0], index=False)
