"""Check the displays of the paper in exact and interval arithmetic; needs no simulation."""

from ldpt.replication.claims import displays
from ldpt.replication.claims.register import write_evidence

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        write_evidence(step.output[0], {check.__name__: check() for check in displays.CHECKS})
