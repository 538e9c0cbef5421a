"""Exact error of Algorithm 2, exact losses of Algorithm 1, and the limit of its drift."""

from ldpt.claims import chains
from ldpt.claims.measured import Evidence
from ldpt.claims.register import write_evidence


def evidence() -> dict[str, Evidence]:
    """The counterexample with its certificate, and all exact comparisons with the bounds."""
    failure = chains.one_armed_failure()
    return {
        "one_armed_failure": failure,
        "confidence_match": chains.confidence_match(failure),
        "confidence_lower_bounds": chains.confidence_lower_bounds(),
        "upper_bounds": chains.upper_bounds(),
        "lsa_upper_bounds": chains.lsa_upper_bounds(),
        "lower_bounds": chains.lower_bounds(),
        "uniform_collapse": chains.collapse_of_uniform_allocation(),
        "drift": chains.drift_of_algorithm_1(),
        "drift_limit": chains.limit_of_the_drift(),
    }


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        write_evidence(this.output[0], evidence(), this.params.code)
