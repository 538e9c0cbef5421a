"""Send several laws of rewards with one mean through the real mechanism; estimate the responses."""

from typing import Any

import pandas as pd
import pyarrow as pa

from ldpt.io.runs import write_runs
from ldpt.simulate import REWARD_LAWS, mechanism, spawn_key
from ldpt.summarise import mechanism as mean_responses


def simulate(settings: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """One row per law and privacy level."""
    return [
        mechanism(law, settings["mean"], epsilon, settings["draws"], seed)
        for law in REWARD_LAWS
        for epsilon in map(float, settings["epsilons"])
    ]


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        counts = simulate(step.params.mechanism, step.params.seed)
        keys = [spawn_key("mechanism", row["law"], row["mean"], row["epsilon"]) for row in counts]
        step.note(seed=step.params.seed, stream=["mechanism"], spawn_keys=keys)
        write_runs(step.output.runs, [pa.Table.from_pylist(counts)])
        mean_responses(pd.DataFrame(counts)).to_csv(step.output.summary, index=False)
