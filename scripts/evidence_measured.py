"""Evidence from the summaries of all simulations, the map of errors and the checks of proofs."""

import pandas as pd

from ldpt.instances import read_instances
from ldpt.replication.claims import budget, confidence, held_out
from ldpt.replication.claims.evidence import Evidence, Measurements
from ldpt.replication.claims.register import write_evidence


def measured_evidence(instances: str, **tables: str) -> dict[str, Evidence]:
    """Return the evidence of every check, from the files of the tables."""
    frames = {name: pd.read_csv(path) for name, path in tables.items()}
    measurements = Measurements(read_instances(instances), **frames)
    checks = confidence.CHECKS | budget.CHECKS | held_out.CHECKS
    return {key: check(measurements) for key, check in checks.items()}


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        write_evidence(step.output[0], measured_evidence(**dict(step.input.items())))
