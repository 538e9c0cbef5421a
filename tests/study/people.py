"""People to test studies with: tapes of answers, delays and drop-outs."""

import numpy as np

from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.study import Study, Ticket

MEANS = (0.1, 0.35, 0.45, 0.55, 0.65, 0.9)


class People:
    """Those who are asked: the n-th request for an arm has the n-th response of its tape."""

    def __init__(self, means: np.ndarray, seed: int, length: int = 20_000) -> None:
        self.tapes = np.random.default_rng(seed).random((len(means), length)) < means[:, None]

    def answer(self, ticket: Ticket) -> tuple[Ticket, int]:
        return ticket, int(self.tapes[ticket.arm, ticket.number])

    def responses(self, arm: int, dropped: set[Ticket]) -> list[int]:
        """Return the tape of an arm without the requests that were given up."""
        gone = [ticket.number for ticket in dropped if ticket.arm == arm]
        return np.delete(self.tapes[arm], gone).astype(int).tolist()


def one_by_one(
    learner: FixedBudget | FixedConfidence, tapes: list[list[int]]
) -> FixedBudget | FixedConfidence:
    """Ask one person after the other, arm by arm from the tapes."""
    while (arm := learner.next_arm()) is not None:
        learner.record(arm, tapes[arm][learner.pulls[arm]])
    return learner


def in_rounds(
    study: Study, people: People, batch: int, rng: np.random.Generator, drop_out: float = 0.0
) -> set[Ticket]:
    """Ask in batches; a third of the answers comes in each round, some never; return the lost."""
    lost: set[Ticket] = set()
    silent: set[Ticket] = set()
    while not study.finished:
        tickets = study.ask(batch) if len(study.outstanding) < batch else []
        silent |= {ticket for ticket in tickets if rng.random() < drop_out}
        waiting = [ticket for ticket in study.outstanding if ticket not in silent]
        rng.shuffle(waiting)
        for ticket in waiting[: 1 + len(waiting) // 3]:
            study.record(people.answer(ticket))
        lost |= set(study.advance())
    return lost
