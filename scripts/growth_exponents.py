"""Tabulate how the cost of simulations grows with replicates, privacy and the number of arms."""

import pandas as pd

from ldpt import growth
from ldpt.publishing import tables

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        exponents = growth.exponents(pd.read_csv(this.input[0]))
        digits = {name: "{:.3f}".format for name in ("exponent", "standard_error")}
        tables.write(exponents, digits, this.output.csv, this.output.md, this.output.tex)
