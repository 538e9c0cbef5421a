"""Tabulate numbers that others have published or that their programs give, beside ours."""

import yaml

from ldpt.replication.published.results import tabulate
from ldpt.replication.publishing import tables

COLUMNS = {
    "theirs": "as published, or as their program gives it (config/others.yaml)",
    "ours": "for the same method; exact where their method judges each arm by its own answers",
    "difference_in_se": "theirs - ours in standard errors of the difference",
    "coin": "answers that `coin` needs on the same problem",
}

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        with open(step.input.others, encoding="utf-8") as file:
            table = tabulate(yaml.safe_load(file), step.params.seed)
        out = step.output
        tables.write(table, out.csv, out.md, out.tex, columns=COLUMNS)
