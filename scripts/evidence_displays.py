"""Check the displays of the paper in exact and interval arithmetic; needs no simulation."""

from ldpt.claims.displays import fixed_budget, fixed_confidence, section2
from ldpt.claims.evidence import Evidence
from ldpt.claims.register import write_evidence


def displays() -> dict[str, Evidence]:
    """Return all checks under their own names."""
    modules = (section2, fixed_budget, fixed_confidence)
    return {check.__name__: check() for module in modules for check in module.CHECKS}


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        write_evidence(step.output[0], displays())
