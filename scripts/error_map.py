"""Map error/delta of Algorithm 2 over arms, error levels, privacy levels and gaps.

One arm is computed exactly by a chain without randomness; two arms, one easy and one hard, are
simulated, with exact (Clopper-Pearson) limits. A setting fails when its lower limit is above delta.
"""

import itertools
from collections.abc import Mapping
from typing import Any

import pandas as pd

from ldpt.checks import fastest_engine
from ldpt.exact import fixed_confidence_error
from ldpt.instances import Instance
from ldpt.radii import Radius
from ldpt.simulate import fixed_confidence
from ldpt.summarise import clopper_pearson

AXES = ("radii", "thresholds", "gaps", "epsilons", "deltas")
EASY_MEAN = 0.1  # far below any threshold of the map: decided within a few pulls
TAIL = 1e-4  # share of delta that a chain may leave undecided; it is shown, not dropped


def error_map(
    settings: Mapping[str, Any], constants: Mapping[str, float], seed: int
) -> pd.DataFrame:
    """Return one row per setting and radius; ``settings`` lists the grids of both parts."""
    rows = []
    for part, easy_arms in (("one_arm", []), ("two_arms", [EASY_MEAN])):
        for grid in settings[part]:
            for name, threshold, gap, eps, delta in itertools.product(*(grid[x] for x in AXES)):
                family = part.replace("_", "-")
                title = f"{family}-{threshold:g}-{gap:g}"
                means = [*easy_arms, threshold + gap]
                problem = Instance(title, means, threshold, family=family, stream=title)
                terms = (problem, float(eps), delta, Radius(name, **constants))
                error = _simulate(*terms, grid["replicates"], seed) if easy_arms else _chain(*terms)
                rows.append(
                    {
                        "instance": problem.name,
                        "radius": name,
                        "epsilon": float(eps),
                        "delta": delta,
                        "family": family,
                        "n_arms": problem.n_arms,
                        "threshold": threshold,
                        "gap": gap,
                        "method": "simulated" if easy_arms else "exact",
                    }
                    | error
                )
    table = pd.DataFrame(rows)
    table["error_over_delta"] = table["estimate"] / table["delta"]
    table["fails"] = table["low"] > table["delta"]
    return table


def _chain(problem: Instance, epsilon: float, delta: float, radius: Radius) -> dict[str, Any]:
    chain = fixed_confidence_error(problem, epsilon, delta, radius, tail=TAIL * delta)
    return {
        "estimate": chain.error,
        "low": chain.error,
        "high": chain.error + chain.undecided,  # mass left undecided may still err
        "mean_pulls": chain.expected_pulls,
    }


def _simulate(
    problem: Instance, epsilon: float, delta: float, radius: Radius, replicates: int, seed: int
) -> dict[str, Any]:
    engine = fastest_engine(radius.kind)
    runs = fixed_confidence(problem, epsilon, delta, replicates, seed, radius, engine)
    errors = int((~runs["correct"]).sum())
    low, high = clopper_pearson(errors, replicates)
    return {
        "replicates": replicates,
        "errors": errors,
        "estimate": errors / replicates,
        "low": float(low),
        "high": float(high),
        "mean_pulls": float(runs["stopping_time"].mean()),
    }


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        settings, seed = step.params.map, step.params.seed
        step.note(seed=seed, stream=["fixed_confidence"])
        error_map(settings, step.params.constants, seed).to_csv(step.output[0], index=False)
