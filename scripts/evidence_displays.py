"""Check the displays of the paper in exact and interval arithmetic; needs no simulation."""

from ldpt.claims import measured
from ldpt.claims.displays import arithmetic, fixed_budget, fixed_confidence
from ldpt.claims.register import write_evidence

EPSILONS = [0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 20.0]
CHECKS = [
    *arithmetic.CHECKS,
    *fixed_budget.CHECKS,
    *fixed_confidence.CHECKS,
    measured.matching_exponents,
    measured.learners_take_responses_only,
]


def displays() -> dict[str, measured.Evidence]:
    """All checks under their own names."""
    found = {check.__name__: check() for check in CHECKS}
    found["complexity_identity"] = arithmetic.complexity_identity(EPSILONS)
    found["sharp_contraction"] = fixed_budget.channel_contraction(printed=False)
    return found


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        write_evidence(this.output[0], displays(), this.params.code)
