"""A private dose-finding study: which doses harm patients by more than 0.3 on average?

Fifty patients come every week, and each is asked once. The harm that a patient suffers stays on
the patient's device; what leaves it is one randomised bit, one to three weeks later. One patient
in ten never answers and is given up after three weeks. The state of the study is saved every
week, and in the eighth week the computer is replaced.

Run it with ``python examples/dose_finding.py``.
"""

import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

from ldpt.learners import FixedConfidence
from ldpt.study.device import PrivateDevice
from ldpt.study.messages import Response, Ticket

HARM = (0.05, 0.12, 0.25, 0.40, 0.55, 0.68)  # unknown to the study: mean harm of each dose
HARMFUL = 0.30
EPSILON = 2.0
DELTA = 0.05
STUDY = "dose-finding"
PATIENTS_PER_WEEK = 50
DROP_OUT = 0.1
PATIENCE = 3  # weeks


def protocol() -> FixedConfidence:
    """The learner as the study's protocol fixes it; built again after every restart."""
    return FixedConfidence(len(HARM), HARMFUL, EPSILON, DELTA, study=STUDY)


class Clinic:
    """The world of the study: patients, their devices, and the mail that brings their answers."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._mail: dict[int, list[str]] = defaultdict(list)
        self._asked_in: dict[Ticket, int] = {}
        self.week = 0

    def treat(self, ticket: Ticket) -> None:
        """Give the next patient the dose asked for; most answer, some weeks later."""
        self._asked_in[ticket] = self.week
        harm = self._rng.beta(4 * HARM[ticket], 4 * (1 - HARM[ticket]))
        if self._rng.random() < DROP_OUT:
            return
        message = PrivateDevice(EPSILON, study=STUDY).answer(ticket, harm).to_json()
        self._mail[self.week + int(self._rng.integers(1, PATIENCE + 1))].append(message)

    def mail(self) -> list[Response]:
        """The answers that arrive this week, in no particular order."""
        return [Response.from_json(message) for message in self._mail.pop(self.week, [])]

    def is_overdue(self, ticket: Ticket) -> bool:
        """Whether the patient's time is up; the same time for everybody, whatever the answer."""
        return self.week - self._asked_in[ticket] >= PATIENCE


def run_week(learner: FixedConfidence, clinic: Clinic, path: Path) -> None:
    """Read the mail, give up who is overdue, ask this week's patients, save."""
    clinic.week += 1
    learner.record_many(clinic.mail())
    for ticket in filter(clinic.is_overdue, learner.outstanding):
        learner.give_up(ticket)
    for ticket in learner.next_arms(PATIENTS_PER_WEEK):
        clinic.treat(ticket)
    learner.save(path)


def run_study(path: Path, rng: np.random.Generator, restart_in_week: int = 8) -> FixedConfidence:
    """The whole study; its state lives in the file."""
    learner, clinic = protocol(), Clinic(rng)
    while not learner.finished:
        if clinic.week == restart_in_week:
            learner = protocol()
            learner.load(path)
        run_week(learner, clinic, path)
    return learner


def report(learner: FixedConfidence) -> str:
    """The result with its guarantee; also before the end."""
    decided = learner.decided()
    lines = ["dose  mean harm  interval        verdict"]
    for estimate in learner.estimates():
        interval = f"[{estimate.low:.2f}, {estimate.high:.2f}]"
        verdict = {"above": "harmful", "below": "safe"}.get(decided.get(estimate.arm, ""), "open")
        lines.append(f"{estimate.arm + 1:4}  {estimate.mean:9.2f}  {interval}    {verdict}")
    lines += [
        f"{learner.total_requests} patients were asked once, with epsilon = {EPSILON:g}; "
        f"{len(learner.given_up)} never answered, {len(learner.outstanding)} may still answer.",
        f"With probability at least {1 - DELTA:g} every verdict is right,",
        f"and with probability at least {1 - DELTA:g} every interval, now and at all times before.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(report(run_study(Path(folder) / "study.json", np.random.default_rng())))
