"""Exact error of Algorithm 2, exact losses of Algorithm 1, the radius coin."""

from ldpt.replication.claims import chains, coin
from ldpt.replication.claims.evidence import Evidence
from ldpt.replication.claims.register import write_evidence


def evidence() -> dict[str, Evidence]:
    """Return the counterexample with its certificate, and all comparisons with bounds."""
    return {
        "one_armed_failure": chains.one_armed_failure(),
        "confidence_lower_bounds": chains.confidence_lower_bounds(),
        "upper_bounds": chains.upper_bounds(),
        "lsa_upper_bounds": chains.upper_bounds("lsa", ["lsa"]),
        "clipped_upper_bounds": chains.upper_bounds("apt-clipped", ["apt-clipped"])
        | chains.upper_bounds("lsa-clipped", ["lsa-clipped"]),
        "lower_bounds": chains.lower_bounds(),
        "budget_reduction": chains.budget_reduction(),
        "uniform_collapse": chains.uniform_collapse(),
        "drift": chains.drift(),
        "drift_limit": chains.drift_limit(),
        "coin_boundary": coin.coin_boundary(),
        "coin_limit": coin.coin_limit(),
        "one_arm_flatness": coin.one_arm_flatness(),
    }


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        write_evidence(step.output[0], evidence())
