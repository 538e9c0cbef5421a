"""Replay published randomised-response surveys as sequential private studies, and tabulate them."""

import yaml

from ldpt.replication.published.surveys import tabulate
from ldpt.replication.publishing import tables

QUESTION_COLUMNS = {
    "orders": "random orders in which the answers are replayed",
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

if __name__ == "__main__":
    from ldpt.provenance import job

    with job(snakemake) as step:
        seed, out = step.params.seed, step.output
        step.note(seed=seed, stream=["surveys"])
        with open(step.input.surveys, encoding="utf-8") as file:
            questions = tabulate(yaml.safe_load(file), seed)
        tables.write(questions, out.csv, out.md, out.tex, columns=QUESTION_COLUMNS)
