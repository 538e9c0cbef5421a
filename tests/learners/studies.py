"""Studies to test learners with: people who answer late or never, tapes, saved states."""

import numpy as np

from ldpt.learners import FixedBudget, FixedConfidence, Learner
from ldpt.learners.state import checksum
from ldpt.study.messages import Response, Ticket

MEANS = (0.1, 0.35, 0.45, 0.55, 0.65, 0.9)


def respond(rng: np.random.Generator, means: np.ndarray, arm: int) -> int:
    """One response, drawn as the literal engines draw it: one uniform per pull."""
    return int(rng.random() < means[arm])


def drive(
    learner: Learner, rng: np.random.Generator, means: np.ndarray, limit: int = 10**6
) -> None:
    """Ask and tell until the learner is done."""
    while (arm := learner.next_arm()) is not None and learner.total_pulls < limit:
        learner.record(arm, respond(rng, means, arm))


def started(**changes) -> FixedConfidence:
    terms = {"n_arms": 3, "threshold": 0.5, "epsilon": 1.0, "delta": 0.1, "study": "doses"}
    learner = FixedConfidence(**{**terms, "radius": "mixture", **changes})
    learner.record_many([(0, 1), (1, 0), (2, 1), (0, 0)])
    return learner


class People:
    """Those who are asked: the n-th request for an arm has the n-th response of its tape.

    An answer comes after ``delay(bit)`` further requests; ``dropped`` tickets never answer.
    """

    def __init__(self, means: np.ndarray, seed: int, length: int = 20_000) -> None:
        self.tapes = np.random.default_rng(seed).random((len(means), length)) < means[:, None]

    def answer(self, ticket: Ticket) -> int:
        return int(self.tapes[ticket.arm, ticket.number])

    def responses(self, arm: int, dropped: set[Ticket]) -> list[int]:
        gone = [ticket.number for ticket in dropped if ticket.arm == arm]
        return np.delete(self.tapes[arm], gone).astype(int).tolist()


def one_by_one(learner: Learner, tapes: list[list[int]]) -> Learner:
    """Ask one person after the other, arm by arm from the tapes."""
    while (arm := learner.next_arm()) is not None:
        learner.record(arm, tapes[arm][learner.pulls[arm]])
    return learner


def in_batches(
    learner: Learner, people: People, batch: int, rng: np.random.Generator, drop_out: float = 0.0
) -> tuple[set[Ticket], int]:
    """Ask in batches; a third of the answers outstanding come in each round, in random order."""
    dropped: set[Ticket] = set()
    asked = 0
    while not learner.finished:
        asked += len(learner.next_arms(batch)) if len(learner.outstanding) < batch else 0
        tickets = learner.outstanding
        rng.shuffle(tickets)
        for ticket in tickets[: 1 + len(tickets) // 3]:
            if rng.random() < drop_out:
                learner.give_up(ticket)
                dropped.add(ticket)
            else:
                learner.record(ticket, people.answer(ticket))
    return dropped, asked


def busy(cls: type[Learner] = FixedConfidence) -> Learner:
    """A study in the middle: answers that wait, requests given up, outstanding, spare."""
    if cls is FixedBudget:
        study: Learner = FixedBudget(2, 0.5, 0.0, 4.0, budget=50, study="doses")
    else:
        study = FixedConfidence(2, 0.5, 4.0, 0.2, study="doses")
    tickets = study.next_arms(46)
    arm_0 = [ticket for ticket in tickets if ticket.arm == 0]
    for ticket in arm_0:
        study.record(ticket, Response(0, 1, 4.0, "doses", ticket.number, f"{ticket.number:032x}"))
    study.give_up(Ticket(1, 1))
    study.give_up(Ticket(1, 5))
    study.record(Ticket(1, 3), 1)
    study.record(Ticket(1, 3), 1)
    study.record(Ticket(1, 0), 0)
    return study


def forged(content: dict) -> dict:
    """A state with a valid checksum."""
    content = {key: value for key, value in content.items() if key != "checksum"}
    return {**content, "checksum": checksum(content)}
