"""A private dose-finding study: which doses harm more than 30 % of patients?

Every patient is asked once. The harm of a dose stays on the patient's device; what leaves it is a
randomised response. The learner sees responses only, is saved after every batch, and is stopped
and restarted in the middle. Run it with ``python examples/dose_finding.py``.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ldpt.learners import FixedConfidence
from ldpt.privacy import PrivateDevice, Response

HARM = (0.05, 0.12, 0.25, 0.40, 0.55, 0.68)  # unknown to the study: mean harm of each dose
HARMFUL = 0.30
EPSILON = 2.0
DELTA = 0.05
BATCH = 20
STUDY = "dose-finding"


def protocol() -> FixedConfidence:
    """The learner as the study's protocol fixes it; built anew after every restart."""
    return FixedConfidence(len(HARM), HARMFUL, EPSILON, DELTA, radius="mixture", study=STUDY)


class Patient:
    """Somebody with a private device; the harm they suffer is a number in [0, 1]."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self.device = PrivateDevice(EPSILON, study=STUDY)

    def treat(self, dose: int) -> str:
        """Take a dose and send the message that the device allows to leave."""
        harm = self._rng.beta(4 * HARM[dose], 4 * (1 - HARM[dose]))
        return self.device.answer(dose, harm).to_json()


def batches(learner: FixedConfidence, rng: np.random.Generator) -> Iterator[list[Response]]:
    """Messages of one batch of patients after another, each batch on the dose asked for."""
    while (dose := learner.next_arm()) is not None:
        messages = [Patient(rng).treat(dose) for _ in range(BATCH)]
        yield [Response.from_json(message) for message in messages]


def run_until(learner: FixedConfidence, path: Path, rng: np.random.Generator, limit: float) -> None:
    """Serve batches and save after each, until the learner is done or the limit is reached."""
    for responses in batches(learner, rng):
        learner.record_many(responses)
        learner.save(path)
        if learner.total_pulls >= limit:
            return


def run_study(path: Path, rng: np.random.Generator, restart_after: int = 500) -> FixedConfidence:
    """The whole study with a restart in the middle; its state lives in the file."""
    run_until(protocol(), path, rng, restart_after)
    restarted = protocol()
    restarted.load(path)
    run_until(restarted, path, rng, float("inf"))
    return restarted


def report(learner: FixedConfidence) -> str:
    """The result with its guarantee."""
    found = ", ".join(str(dose + 1) for dose in sorted(learner.above))
    return (
        f"Harmful doses (mean harm of at least {HARMFUL:g}): {found}\n"
        f"{learner.total_pulls} patients, each answered once with epsilon = {EPSILON:g}.\n"
        f"The answer is wrong for some dose with probability at most {DELTA:g}."
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(report(run_study(Path(folder) / "study.json", np.random.default_rng())))
