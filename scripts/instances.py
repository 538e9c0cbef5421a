"""Tabulate the instances of the study and how hard they are."""

from ldpt.instances import read_instances
from ldpt.publishing import tables

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        problems = list(read_instances(this.input).values())
        out = this.output
        tables.write(tables.instances(problems), out.csv, out.md, out.tex)
