"""Tabulate what was simulated, and the core time predicted from measured rates."""

import pandas as pd

from ldpt.publishing import tables

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        budget, confidence = pd.read_csv(this.input.budget), pd.read_csv(this.input.confidence)
        table = tables.runtime(budget, confidence, this.params.expected)
        tables.write(table, {}, this.output.csv, this.output.md, this.output.tex)
