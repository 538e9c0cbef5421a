"""Write the problems of the config to one file, and tabulate them with their complexities."""

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from ldpt.instances import Instance
from ldpt.replication.publishing import tables


def write_instances(definitions: Sequence[dict[str, Any]], output: Any) -> None:
    """Write the definitions as JSON, one problem per line, and the table in three formats."""
    lines = ",\n".join(f" {json.dumps(definition)}" for definition in definitions)
    Path(output.json).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    problems = [Instance(**definition) for definition in definitions]
    tables.write(tabulate(problems), output.csv, output.md, output.tex)


def tabulate(problems: list[Instance]) -> pd.DataFrame:
    """Return one row per problem; H at tolerance 0 is that of fixed confidence."""
    return pd.DataFrame(
        {
            "instance": problem.name,
            "arms": problem.n_arms,
            "means": compact_means(problem.means),
            "threshold": problem.threshold,
            "tolerance": problem.tolerance,
            "smallest gap": float(problem.gaps.min()),
            "H": problem.complexity(),
            "H at ε = 1": problem.complexity(1.0),
            "H at tolerance 0": problem.strict.complexity(),
        }
        for problem in problems
    )


def compact_means(means: tuple[float, ...]) -> str:
    """Return the means with repeats counted.

    >>> compact_means((0.1, 0.1, 0.45))
    '0.1 ×2, 0.45'
    """
    counts = [(f"{mean:.4g}", len(list(equal))) for mean, equal in groupby(means)]
    return ", ".join(f"{mean} ×{n}" if n > 1 else mean for mean, n in counts)


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        write_instances(step.params.definitions, step.output)
