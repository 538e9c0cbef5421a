"""Check the displays of the paper in exact and interval arithmetic; needs no simulation."""

from collections.abc import Callable

from ldpt.claims.displays import fixed_budget, fixed_confidence, section2
from ldpt.claims.evidence import Evidence
from ldpt.claims.register import write_evidence


def displays() -> dict[str, Evidence]:
    """Return all checks under their own names."""
    checks: list[Callable[[], Evidence]] = [
        section2.privacy_ratio,
        section2.lemma_2_1,
        section2.definition_at_the_extremes,
        section2.variance_of_the_estimate,
        section2.private_order,
        section2.complexity_identity,
        section2.theorem_4_1_at_epsilon_zero,
        section2.objective_set_has_no_loss,
        fixed_budget.sub_gaussian,
        fixed_budget.maximal_inequality,
        fixed_budget.peeling_scales,
        fixed_budget.union_term,
        fixed_budget.rejected_below_threshold,
        fixed_budget.accepted_above_threshold,
        fixed_budget.pulls_of_other_arms,
        fixed_budget.divergence_of_mirrored_arms,
        fixed_budget.bretagnolle_huber,
        fixed_budget.channel_contraction,
        fixed_budget.sharp_contraction,
        fixed_budget.pigeonhole_over_measures,
        fixed_budget.channel_simulation,
        fixed_budget.other_answer_is_an_error,
        fixed_confidence.hoeffding_on_the_radius,
        fixed_confidence.termination_is_correct,
        fixed_confidence.fixed_point,
        fixed_confidence.mirrored_divergence,
        fixed_confidence.binary_divergence_bound,
        fixed_confidence.confidence_range,
        fixed_confidence.other_environment_has_another_answer,
    ]
    return {check.__name__: check() for check in checks}


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        write_evidence(step.output[0], displays())
