"""Send several laws of rewards with one mean through the real mechanism and count responses."""

from typing import Any

import pyarrow as pa

from ldpt.io.runs import write_runs
from ldpt.simulate import REWARD_LAWS, mechanism, spawn_key


def simulate(settings: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """One row per law and privacy level."""
    return [
        mechanism(law, settings["mean"], epsilon, settings["draws"], seed)
        for law in REWARD_LAWS
        for epsilon in map(float, settings["epsilons"])
    ]


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:
        counts = simulate(this.params.mechanism, this.params.seed)
        keys = [spawn_key("mechanism", row["law"], row["mean"], row["epsilon"]) for row in counts]
        this.note(seed=this.params.seed, stream=["mechanism"], spawn_keys=keys)
        write_runs(this.output[0], [pa.Table.from_pylist(counts)])
