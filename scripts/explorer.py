"""Put what was measured into the interactive page."""

from pathlib import Path

import pandas as pd

from ldpt.instances import read_instances
from ldpt.publishing import explorer


def explorer_page(
    sources: str,
    instances: str,
    fixed_budget: str,
    fixed_confidence: str,
    rho: float,
    prior_gap: float,
) -> str:
    """Return the page as text."""
    problems = list(read_instances(instances).values())
    tables = pd.read_csv(fixed_budget), pd.read_csv(fixed_confidence)
    return explorer.render(Path(sources), explorer.page_data(problems, *tables, rho, prior_gap))


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        measured = step.input.fixed_budget, step.input.fixed_confidence
        folder = str(Path(step.input.page[0]).parent)
        page = explorer_page(
            folder, step.input.instances, *measured, step.params.rho, step.params.prior_gap
        )
        Path(step.output[0]).write_text(page, encoding="utf-8")
