"""Evidence from the summaries of all simulations, the map of errors and the checks of proofs."""

import pandas as pd

from ldpt.claims import measured
from ldpt.claims.register import write_evidence
from ldpt.instances import read_instances

EPSILONS = [0.01, 0.03, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0]
TABLES = [
    "budget", "confidence", "mechanism", "error_map", "rare_budget", "rare_confidence", "tapes",
]  # fmt: skip


def measured_evidence(instances: str, tables: dict[str, str]) -> dict[str, measured.Evidence]:
    """All entries, from the files of the tables."""
    problems = read_instances(instances)
    read = {name: pd.read_csv(path) for name, path in tables.items()}
    losses, cells, errors = read["budget"], read["confidence"], read["error_map"]
    two_arms = measured.simulated_cells(errors, n_arms=2)
    tested = pd.concat([cells, two_arms], ignore_index=True)
    lower = measured.lower_bounds(cells, problems)
    return {
        "reward_laws": measured.reward_laws(read["mechanism"]),
        "budget_upper_bounds": measured.budget_upper_bounds(losses, problems),
        "collapse": measured.collapse(losses),
        "collapse_lsa": measured.collapse(losses, "lsa"),
        "new_problems": measured.new_problems(losses),
        "delta_correct_printed": measured.delta_correctness(cells, "printed"),
        "delta_correct_printed_two_arms": measured.delta_correctness(two_arms, "printed"),
        **{
            f"delta_correct_{r}": measured.delta_correctness(tested, r)
            for r in measured.VALID_RADII
        },
        "error_map": measured.error_map(errors),
        "stopping_time_quantiles": measured.stopping_time_quantiles(cells, problems),
        "expected_cost_bounds": measured.expected_cost_bounds(cells, problems),
        "privacy_raises_the_cost": measured.privacy_raises_the_cost(cells),
        "lower_bounds": lower,
        "sharp_lower_bound": lower | measured.sharp_lower_bound_dominates(problems, EPSILONS),
        "many_arms": measured.many_arms(cells, problems),
        "onesided_flat": measured.onesided_flat(cells, problems),
        "cost_of_radii": measured.cost_of_radii(cells),
        "sampled_losses": measured.sampled_losses(read["rare_budget"], problems),
        "sampled_losses_lsa": measured.sampled_losses(
            read["rare_budget"], problems, policy="lsa", versions=["lsa"]
        ),
        "sampled_errors": measured.sampled_errors(read["rare_confidence"]),
        **measured.appendix_checks(read["tapes"]),
    }


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        tables = {name: getattr(this.input, name) for name in TABLES}
        entries = measured_evidence(this.input.instances, tables)
        write_evidence(this.output[0], entries, this.params.code, tables.values())
