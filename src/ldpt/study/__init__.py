"""A study with people: devices, tickets, deadlines, results, saved state, and its plan.

>>> from ldpt.learners import FixedConfidence
>>> study = Study(FixedConfidence(["low dose", "high dose"], 0.3, epsilon=2.0, delta=0.1))
>>> ticket, = study.ask(1)
>>> device = PrivateDevice(epsilon=2.0)
>>> study.record(device.answer(ticket, reward=0.25))
<Status.COUNTED: 'counted'>
>>> study
<study: 0 of 2 decided, 1 answer, 0 outstanding>
"""

from typing import Any

from ldpt.study.analysis import analyse
from ldpt.study.device import PrivateDevice
from ldpt.study.intake import Status
from ldpt.study.messages import Response, Ticket
from ldpt.study.scale import Scale
from ldpt.study.session import Study
from ldpt.study.verdict_table import Report

__all__ = [
    "PrivateDevice", "Report", "Response", "Scale", "Status", "Study", "Ticket", "analyse", "plan",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import ``plan`` on first use: it needs the engines, which devices do not."""
    if name == "plan":
        from ldpt.study.planning import plan

        return plan
    raise AttributeError(f"module 'ldpt.study' has no attribute {name!r}")
