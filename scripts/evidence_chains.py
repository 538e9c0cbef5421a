"""Evidence without randomness: exact error of Algorithm 2 and exact losses of Algorithm 1."""

from ldpt.claims import measured
from ldpt.claims.register import write_evidence


def chains() -> dict[str, measured.Evidence]:
    """The counterexample with its certificate, and all that is exact about fixed budget."""
    return {
        "one_armed_failure": measured.one_armed_failure(),
        "upper_bounds": measured.exact_losses_and_upper_bounds(),
        "lower_bounds": measured.exact_losses_and_lower_bounds(),
        "uniform_collapse": measured.collapse_of_uniform_allocation(),
        "drift": measured.drift_of_algorithm_1(),
    }


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        write_evidence(this.output[0], chains(), this.params.code)
