"""A bar a file."""

import os
from pathlib import Path

os.environ["SOURCE_DATE_EPOCH"] = "0"

from matplotlib.figure import Figure


def draw_rows(rows: str, words: str) -> Figure:
    """Rows against files."""
    lines = [line.split(",") for line in Path(rows).read_text().split()[1:]]
    figure = Figure(figsize=(2, 2))
    axes = figure.subplots()
    axes.bar([epsilon for epsilon, _ in lines], [int(count) for _, count in lines])
    axes.set_title(Path(words).read_text().strip())
    return figure


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        figure = draw_rows(step.input.rows, step.input.words)
        figure.savefig(step.output.png, metadata=step.metadata)
        words = " ".join(f"{name}={value}" for name, value in step.metadata.items())
        figure.savefig(step.output.pdf, metadata={"Keywords": words})
