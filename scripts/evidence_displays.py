"""Check the displays of the paper in exact and interval arithmetic; needs no simulation."""

from ldpt.claims.displays import section2, theorem_3_1, theorem_3_2, theorem_4_1, theorem_4_2
from ldpt.claims.displays.arithmetic import Evidence
from ldpt.claims.register import write_evidence

EPSILONS = [0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 20.0]
MODULES = (section2, theorem_3_1, theorem_3_2, theorem_4_1, theorem_4_2)


def displays() -> dict[str, Evidence]:
    """All checks under their own names."""
    found = {check.__name__: check() for module in MODULES for check in module.CHECKS}
    found["complexity_identity"] = section2.complexity_identity(EPSILONS)
    found["sharp_contraction"] = theorem_3_2.channel_contraction(printed=False)
    return found


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        write_evidence(this.output[0], displays())
