"""Exact error of Algorithm 2, exact losses of Algorithm 1, the radius coin."""

from ldpt.replication.claims import chains, coin
from ldpt.replication.claims.register import write_evidence

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        checks = chains.CHECKS | coin.CHECKS
        write_evidence(step.output[0], {key: check() for key, check in checks.items()})
