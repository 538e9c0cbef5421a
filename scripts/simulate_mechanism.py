"""Send several laws of rewards with one mean through the real mechanism and count responses."""

from typing import Any

import pandas as pd

from ldpt.simulate import REWARD_LAWS, mechanism, spawn_key


def simulate(settings: dict[str, Any], seed: int) -> pd.DataFrame:
    """A row a law and privacy level."""
    return pd.DataFrame(
        mechanism(law, settings["mean"], epsilon, settings["draws"], seed)
        for law in REWARD_LAWS
        for epsilon in map(float, settings["epsilons"])
    )


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as this:  # noqa: F821
        counts = simulate(this.params.mechanism, this.params.seed)
        rows = counts[["law", "mean", "epsilon"]].itertuples(index=False)
        keys = [spawn_key("mechanism", *row) for row in rows]
        this.note(seed=this.params.seed, stream=["mechanism"], spawn_keys=keys)
        counts.to_parquet(this.output[0], compression="zstd", index=False)
