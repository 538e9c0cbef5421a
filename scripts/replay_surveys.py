"""Replay the published surveys in random orders and tabulate questions and totals."""

from typing import Any

import pandas as pd
import yaml

from ldpt.publishing import tables
from ldpt.world.surveys import tabulate

QUESTION_COLUMNS = {
    "decided": "share of random orders in which the question is decided",
    "mean_answers": "answers until the decision, all if there is none; with 5 % and 95 % quantiles",
    "decided_above": "share of orders that decide above the threshold",
    "ones": "bits that are 1; for crosswise designs 1 - x of the recorded response",
    "verdict": "of `coin` with all answers",
    "bound": "one-sided bound that agrees with the verdict",
    "estimate": "share of yes, with an interval for all questions of a survey and all times",
    "classical": "moment estimate with its 95 % normal interval",
    "direct": "share of yes in a group that was asked directly",
    "tolerated_any": "largest share of people who may answer in any way; likewise with a fair "
    "coin, and with the opposite of the instruction",
}


def write_tables(content: dict[str, Any], seed: int, output: Any) -> None:
    """Write the table of questions and the table of surveys."""
    questions, totals = tabulate(content, seed)
    paths = (output.csv, output.md, output.tex)
    tables.write(_ordered(questions), *paths, columns=QUESTION_COLUMNS)
    totals.to_csv(output.totals, index=False)


def _ordered(questions: pd.DataFrame) -> pd.DataFrame:
    """Put the columns that name a row first."""
    first = ["survey", "question", "radius", "answers", "ones", "epsilon", "threshold", "delta"]
    return questions[[*first, *(name for name in questions if name not in first)]]


if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        with open(step.input.surveys, encoding="utf-8") as file:
            content = yaml.safe_load(file)
        step.note(seed=step.params.seed, stream=["surveys"])
        write_tables(content, step.params.seed, step.output)
