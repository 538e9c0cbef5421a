"""Draw some losses."""

import numpy as np
import pyarrow as pa
from pyarrow import parquet


def simulate(seed: int, name: str, replicates: int, destination: str) -> None:
    """Write a file of random losses."""
    rng = np.random.default_rng([seed, *name.encode()])
    parquet.write_table(pa.table({"loss": rng.random(replicates) < 0.5}), destination)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        name = "/".join([step.rule, *step.wildcards])
        step.note(seed=step.params.seed)
        simulate(step.params.seed, name, step.params.replicates, step.output[0])
