"""How many rows each file of runs has."""

from pathlib import Path

import pyarrow.parquet as parquet


def count_rows(runs: list[str], destination: str) -> None:
    """One line per file."""
    lines = [f"{Path(run).stem},{parquet.read_metadata(run).num_rows}" for run in runs]
    Path(destination).write_text("\n".join(["policy,rows", *lines]) + "\n")


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        count_rows(list(step.input.runs), step.output[0])
