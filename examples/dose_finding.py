"""A private dose-finding study: which doses harm patients by more than 0.3 on average?

Fifty patients come every week, and each is asked once. The harm that a patient suffers stays on
the patient's device; what leaves it is one randomised bit, one to three weeks later. One patient
in ten never answers; the study gives up requests that are three weeks old. It is saved every week,
and in the eighth week the computer is replaced.

Run it with ``python examples/dose_finding.py``.
"""

import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

from ldpt.learners import FixedConfidence
from ldpt.study import PrivateDevice, Response, Study, Ticket

HARM = {"5 mg": 0.05, "10 mg": 0.12, "20 mg": 0.25, "40 mg": 0.40, "80 mg": 0.55, "160 mg": 0.68}
HARMFUL = 0.30
EPSILON = 2.0
DELTA = 0.05
NAME = "dose-finding"
PATIENTS_PER_WEEK = 50
DROP_OUT = 0.1
DEADLINE = 3  # weeks


class Clinic:
    """The world of the study: patients, their devices, and the mail that brings their answers."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._mail: dict[int, list[str]] = defaultdict(list)
        self.week = 0

    def treat(self, ticket: Ticket) -> None:
        """Give the next patient the dose of the ticket; most answer, some weeks later."""
        mean = list(HARM.values())[ticket]
        harm = self._rng.beta(4 * mean, 4 * (1 - mean))
        if self._rng.random() >= DROP_OUT:
            message = PrivateDevice(EPSILON, NAME).answer(ticket, harm).to_json()
            self._mail[self.week + int(self._rng.integers(1, DEADLINE + 1))].append(message)

    def mail(self) -> list[Response]:
        """Return the answers that arrive this week, in no particular order."""
        self.week += 1
        return [Response.from_json(message) for message in self._mail.pop(self.week, [])]


def run_week(study: Study, clinic: Clinic, path: Path) -> None:
    """Ask this week's patients, read the mail, end the round, save."""
    for ticket in study.ask(PATIENTS_PER_WEEK):
        clinic.treat(ticket)
    study.record_many(clinic.mail())
    study.advance()
    study.save(path)


def run_study(path: Path, rng: np.random.Generator, restart_in_week: int = 8) -> Study:
    """Run the whole study; its state lives in the file."""
    learner = FixedConfidence(list(HARM), HARMFUL, EPSILON, DELTA)
    study = Study(learner, NAME, DEADLINE)
    clinic = Clinic(rng)
    while not study.finished:
        if clinic.week == restart_in_week:
            study = Study.open(path)
        run_week(study, clinic, path)
    return study


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(run_study(Path(folder) / "study.json", np.random.default_rng()).report())
