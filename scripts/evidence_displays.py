"""Check the displays of the paper in exact and interval arithmetic; needs no simulation."""

from collections.abc import Callable

from ldpt.replication.claims import displays
from ldpt.replication.claims.evidence import Evidence
from ldpt.replication.claims.register import write_evidence


def check_displays() -> dict[str, Evidence]:
    """Return all checks under their own names."""
    checks: list[Callable[[], Evidence]] = [
        displays.privacy_ratio,
        displays.lemma_2_1,
        displays.definition_at_the_extremes,
        displays.variance_of_the_estimate,
        displays.private_order,
        displays.complexity_identity,
        displays.theorem_4_1_at_epsilon_zero,
        displays.objective_set_has_no_loss,
        displays.sub_gaussian,
        displays.maximal_inequality,
        displays.peeling_scales,
        displays.union_term,
        displays.rejected_below_threshold,
        displays.accepted_above_threshold,
        displays.pulls_of_other_arms,
        displays.divergence_of_mirrored_arms,
        displays.bretagnolle_huber,
        displays.channel_contraction,
        displays.sharp_contraction,
        displays.pigeonhole_over_measures,
        displays.channel_simulation,
        displays.other_answer_is_an_error,
        displays.hoeffding_on_the_radius,
        displays.termination_is_correct,
        displays.fixed_point,
        displays.mirrored_divergence,
        displays.binary_divergence_bound,
        displays.confidence_range,
        displays.other_environment_has_another_answer,
    ]
    return {check.__name__: check() for check in checks}


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        write_evidence(step.output[0], check_displays())
