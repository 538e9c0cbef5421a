"""What does it cost to ask many people at once?

The answer of a fixed-confidence study rests on the same responses whether people are asked one by
one or a thousand at a time; but those who were asked about a dose that the others in their batch
had already decided were asked unnecessarily. Run it with ``python examples/batches.py``; with
``--write`` it puts its table into ``examples/README.md``.
"""

import sys
from pathlib import Path

import numpy as np

from ldpt.learners import FixedConfidence
from ldpt.privacy import PrivBern
from ldpt.study import Study

HARM = (0.05, 0.12, 0.25, 0.40, 0.55, 0.68)
HARMFUL = 0.30
EPSILON = 2.0
DELTA = 0.05
BATCHES = (1, 10, 100, 1000)
RUNS = 20
MOST_ANSWERS = 20_000  # per dose
README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- batches:begin -->\n", "<!-- batches:end -->\n"


def run(batch: int, seed: int) -> Study:
    """Run one study in which a whole batch answers before the next one is asked.

    With the same seed the n-th person asked about a dose gives the same answer in every study.
    """
    study = Study(FixedConfidence(len(HARM), HARMFUL, EPSILON, DELTA))
    answers = PrivBern(EPSILON, seed).privatise(np.tile(HARM, (MOST_ANSWERS, 1)))
    while tickets := study.ask(batch):
        study.record_many((ticket, answers[ticket.number, ticket]) for ticket in tickets)
    return study


def row(batch: int, runs: int) -> str:
    """Return one line of the table: means over the runs, with their standard error."""
    studies = [run(batch, seed) for seed in range(runs)]
    people = np.array([study.counts["asked"] for study in studies])
    responses = np.array([study.counts["counted"] for study in studies])
    wrong = sum(study.learner.above != {3, 4, 5} for study in studies)
    error = people.std(ddof=1) / np.sqrt(runs)
    return (
        f"| {batch} | {people.mean():.0f} ± {error:.0f} | {responses.mean():.0f} "
        f"| {people.mean() / responses.mean():.2f} | {wrong} of {runs} |\n"
    )


def table(runs: int = RUNS) -> str:
    """Return the price of each batch size."""
    head = "| batch | people asked | responses used | people per response used | wrong answers |\n"
    return head + "| ---: | ---: | ---: | ---: | ---: |\n" + "".join(row(b, runs) for b in BATCHES)


if __name__ == "__main__":
    made = table()
    print(made, end="")
    if "--write" in sys.argv[1:]:
        before, rest = README.read_text(encoding="utf-8").split(BEGIN)
        README.write_text(before + BEGIN + made + END + rest.split(END)[1], encoding="utf-8")
