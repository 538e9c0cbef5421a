"""Evidence from the summaries of all simulations, the map of errors and the checks of proofs."""

import pandas as pd

from ldpt.instances import read_instances
from ldpt.radii import VALID_RADII
from ldpt.replication.claims import budget, confidence, held_out
from ldpt.replication.claims.evidence import Evidence
from ldpt.replication.claims.register import write_evidence

EPSILONS = [0.01, 0.03, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0]


def measured_evidence(instances: str, **tables: str) -> dict[str, Evidence]:
    """Return all entries, from the files of the tables."""
    problems = read_instances(instances)
    read = {name: pd.read_csv(path) for name, path in tables.items()}
    losses, cells, errors = read["budget"], read["confidence"], read["error_map"]
    two_arms = errors[(errors["method"] == "simulated") & (errors["n_arms"] == 2)]
    tested = pd.concat([cells, two_arms], ignore_index=True)
    ten = cells[cells["instance"] == "one-of-ten"]
    # new-j were drawn after `lsa` had been chosen, skewed-j after the questions were registered
    new_losses = losses[losses["family"] == "new"]
    skewed_losses = losses[losses["family"] == "skewed"]
    skewed_cells = cells[cells["family"] == "skewed"]
    coin = cells[(cells["radius"] == "coin") & (cells["delta"] < 0.5)]
    lower, rare = confidence.lower_bounds(cells, problems), read["rare_budget"]
    return {
        "reward_laws": confidence.reward_laws(read["mechanism"]),
        "delta_correct_printed": confidence.delta_correctness(cells, "printed"),
        "delta_correct_printed_two_arms": confidence.delta_correctness(two_arms, "printed"),
        "delta_correct_one_of_ten": confidence.delta_correctness(ten, "printed"),
        **{
            f"delta_correct_{radius}": confidence.delta_correctness(tested, radius)
            for radius in VALID_RADII
        },
        "error_map": confidence.error_map(errors),
        "sampled_errors": confidence.sampled_errors(read["rare_confidence"]),
        "stopping_time_quantiles": confidence.stopping_time_quantiles(cells, problems),
        "expected_cost_bounds": confidence.expected_cost_bounds(cells, problems),
        "privacy_raises_the_cost": confidence.privacy_raises_the_cost(cells),
        "lower_bounds": lower,
        "reduction_bound": confidence.reduction_dominates(problems, EPSILONS)
        | {"least_over_reduction": lower["least_over_reduction"]},
        "decoupled_bound": confidence.decoupled(cells, problems),
        "many_arms": confidence.many_arms(cells, problems),
        "onesided_flat": confidence.onesided_flat(cells, problems),
        "coin_flat": confidence.flatness(coin, problems),
        "cost_of_radii": confidence.cost_of_radii(cells),
        "migraine": confidence.migraine(cells),
        "surveys": confidence.surveys(read["surveys"]),
        "collapse": budget.collapse(losses),
        "collapse_lsa": budget.collapse(losses, "lsa"),
        "collapse_apt_clipped": budget.collapse(losses, "apt-clipped"),
        "collapse_lsa_clipped": budget.collapse(losses, "lsa-clipped"),
        "new_problems": budget.compared(new_losses),
        "optimum": budget.optimum(read["optimum"]),
        "sampled_losses": budget.sampled_losses(rare, problems),
        "sampled_losses_lsa": budget.sampled_losses(rare, problems, "lsa", ["lsa"]),
        **budget.appendix_checks(read["tapes"]),
        "skewed_losses": held_out.skewed_losses(skewed_losses),
        "skewed_collapse": budget.collapse(skewed_losses, held_out.OURS),
        "skewed_costs": held_out.skewed_costs(skewed_cells, problems),
        "delta_correct_skewed": confidence.delta_correctness(skewed_cells, "coin"),
    }


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        write_evidence(step.output[0], measured_evidence(**dict(step.input.items())))
