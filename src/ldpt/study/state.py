"""Saved studies: one JSON file with a checksum, written whole, readable by its owner alone."""

import hashlib
import json
import math
import os
import reprlib
import tempfile
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ldpt.checks import check_whole
from ldpt.io.files import read_whole, sync_file
from ldpt.io.json_values import read_json
from ldpt.io.messages import short
from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.radii import Radius
from ldpt.study.intake import Status
from ldpt.study.ledger import Departure, Ledger
from ldpt.study.requests import Requests

FORMAT, VERSION = "ldpt study", 3
NOT_COUNTED = (Status.LATE, Status.REPEATED, Status.REFUSED)
BITS = {"0": 0, "1": 1}


def save(ledger: Ledger, path: str | os.PathLike[str]) -> None:
    """Write a study; the new file has a random name, which no link can wait under, until whole."""
    path = Path(path)
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} exists and is not a regular file")
    content = describe(ledger)
    text = json.dumps({**content, "checksum": checksum(content)}, allow_nan=False) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=".study-", dir=path.parent)  # mode 0600
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)
    sync_file(path.parent)


def describe(ledger: Ledger) -> dict[str, Any]:
    """Return the whole study as plain data; it holds responses and no rewards."""
    learner = ledger.learner
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": ledger.name,
        "deadline": ledger.deadline,
        "arms": ledger.arms if ledger.names else None,
        "algorithm": type(learner).__name__,
        "parameters": _parameters(learner),
        "boundary": boundary_digest(learner),
        "round": ledger.round,
        "secret": ledger.secret,
        "entered": ["".join(map(str, bits)) for bits in ledger.entered],
        "counted": list(learner.pulls),
        "requests": [requests.state() for requests in ledger.requests],
        "departures": [vars(departure) for departure in ledger.departures],
        "not_counted": {str(status): ledger.not_counted[status] for status in NOT_COUNTED},
    }


def _parameters(learner: FixedBudget | FixedConfidence) -> dict[str, Any]:
    values = {**learner.parameters, "n_arms": learner.n_arms}
    values["epsilon"] = "inf" if math.isinf(learner.epsilon) else learner.epsilon
    return values | (learner.radius.parameters if isinstance(learner, FixedConfidence) else {})


def boundary_digest(learner: FixedBudget | FixedConfidence) -> str | None:
    """Return a digest of the numbers of a boundary, its tables included."""
    if isinstance(learner, FixedBudget):
        return None
    digest = hashlib.sha256()
    for part in learner.edge:
        digest.update(part.tobytes() if hasattr(part, "tobytes") else float(part).hex().encode())
    return digest.hexdigest()


def checksum(content: Mapping[str, Any]) -> str:
    """Return the digest of a state's content."""
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def load(path: str | os.PathLike[str]) -> Ledger:
    """Return the ledger of a file."""
    content = read_json(read_whole(path))
    if content is None:
        raise ValueError(f"{path}: not a whole state file (truncated or not JSON)")
    try:
        return build(content)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def build(state: object) -> Ledger:
    """Return the ledger that :func:`describe` described, or say what is wrong with the state."""
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise ValueError("not the state of a study")
    if state.get("version") != VERSION:
        version = reprlib.repr(state.get("version"))
        raise ValueError(f"the state has version {version}, this program reads {VERSION}")
    content = {key: value for key, value in state.items() if key != "checksum"}
    if state.get("checksum") != checksum(content):
        raise ValueError("the state's checksum does not match: it was cut or changed")
    try:
        ledger = _build(content)
        consistent = checksum(describe(ledger)) == state["checksum"]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"the state contradicts itself: {short(error, 200)}") from None
    if not consistent:
        raise ValueError("the state contradicts itself: it describes another study")
    return ledger


def _build(content: Mapping[str, Any]) -> Ledger:
    learner = _build_learner(content["algorithm"], dict(content["parameters"]))
    if content["boundary"] != boundary_digest(learner):
        raise ValueError("the boundary of this installation differs from the study's")
    ledger = Ledger(learner, content["name"], content["deadline"], content["arms"])
    ledger.round = check_whole("round", content["round"], 0)
    ledger.secret = str(content["secret"])
    ledger.entered = [bytearray(map(BITS.__getitem__, text)) for text in content["entered"]]
    ledger.departures = [Departure(**departure) for departure in content["departures"]]
    lost = content["not_counted"]
    ledger.not_counted = Counter({status: int(lost[status]) for status in NOT_COUNTED})
    used = zip(ledger.entered, content["counted"], strict=True)
    learner.pulls = list(content["counted"])
    learner.sums = [sum(bits[:n]) for bits, n in used]
    learner.total_pulls = sum(learner.pulls)
    for arm in range(learner.n_arms):
        kept = len(ledger.entered[arm]) - learner.pulls[arm]
        if kept < 0 or (kept and learner.wanted(arm)):
            raise ValueError("answers are counted that are not there, or kept that are needed")
    requests = zip(content["requests"], ledger.entered, strict=True)
    ledger.requests = [Requests.from_state(one, len(bits)) for one, bits in requests]
    return ledger


def _build_learner(algorithm: str, values: dict[str, Any]) -> FixedBudget | FixedConfidence:
    values["epsilon"] = float(values["epsilon"])
    with warnings.catch_warnings():  # the user was warned when the study began
        warnings.simplefilter("ignore")
        if algorithm == "FixedBudget":
            return FixedBudget(**values)
        values["radius"] = Radius(values["radius"], values.pop("rho"), values.pop("prior_gap"))
        return FixedConfidence(**values)
