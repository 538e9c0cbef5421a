"""Put what was measured into the interactive page."""

from pathlib import Path

import pandas as pd

from ldpt.instances import read_instances
from ldpt.replication.publishing import explorer

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        problems = list(read_instances(step.input.instances).values())
        tables = pd.read_csv(step.input.fixed_budget), pd.read_csv(step.input.fixed_confidence)
        constants = step.params.rho, step.params.prior_gap
        data = explorer.page_data(problems, *tables, *constants)
        page = explorer.render(Path(step.input.page[0]).parent, data)
        Path(step.output[0]).write_text(page, encoding="utf-8")
