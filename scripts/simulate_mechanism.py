"""Send several laws of rewards with one mean through the real mechanism; estimate the responses."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ldpt.privacy import PrivBern
from ldpt.simulate import stream
from ldpt.summarise import clopper_pearson
from ldpt.util.runs import write_runs

MEAN = 0.1  # reward of all laws


def beta(rng: np.random.Generator, mean: float, size: int) -> np.ndarray:
    """Draw from Beta(4 mean, 4 (1 - mean)), which is the mean itself at 0 and 1."""
    return rng.beta(4 * mean, 4 * (1 - mean), size) if 0 < mean < 1 else np.full(size, mean)


def uniform(rng: np.random.Generator, mean: float, size: int) -> np.ndarray:
    """Draw from the widest uniform law around the mean within [0, 1]."""
    reach = min(mean, 1 - mean)
    return rng.uniform(mean - reach, mean + reach, size)


def two_point(rng: np.random.Generator, mean: float, size: int) -> np.ndarray:
    """Draw the mean plus or minus half the distance to the nearer end of [0, 1]."""
    reach = min(mean, 1 - mean) / 2
    return mean + reach * rng.choice([-1.0, 1.0], size)


REWARD_LAWS: dict[str, Callable[[np.random.Generator, float, int], np.ndarray]] = {
    "Bernoulli": lambda rng, mean, size: (rng.random(size) < mean).astype(float),
    "Beta": beta,
    "uniform": uniform,
    "two-point": two_point,
}


def positives(law: str, mean: float, epsilon: float, draws: int, seed: int) -> int:
    """Return how many responses to rewards of this law and mean were 1."""
    rng = stream(seed, "mechanism", law, mean, epsilon)
    return int(PrivBern(epsilon, rng).privatise(REWARD_LAWS[law](rng, mean, draws)).sum())


def simulate(mean: float, epsilons: list[str], draws: int, seed: int) -> list[dict[str, Any]]:
    """Return one row per law and privacy level."""
    return [
        {
            "law": law,
            "mean": mean,
            "epsilon": epsilon,
            "draws": draws,
            "positives": positives(law, mean, epsilon, draws, seed),
        }
        for law in REWARD_LAWS
        for epsilon in map(float, epsilons)
    ]


def mean_responses(counts: pd.DataFrame) -> pd.DataFrame:
    """Return the mean response of each reward law with Clopper-Pearson limits."""
    low, high = clopper_pearson(counts["positives"], counts["draws"])
    return counts.assign(estimate=counts["positives"] / counts["draws"], low=low, high=high)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        rows = simulate(MEAN, **step.params.mechanism, seed=step.params.seed)
        counts = pd.DataFrame(rows)
        step.note(seed=step.params.seed, stream=["mechanism"])
        write_runs(step.output.runs, [counts])
        mean_responses(counts).to_csv(step.output.summary, index=False)
