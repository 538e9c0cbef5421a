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

from ldpt.io.files import read_whole, sync_file
from ldpt.io.json_values import read_json
from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.radii import Radius
from ldpt.study.intake import Status
from ldpt.study.ledger import Departure, Ledger
from ldpt.study.messages import is_count
from ldpt.study.requests import Requests

FORMAT, VERSION = "ldpt study", 3
ALGORITHMS = {"FixedBudget": FixedBudget, "FixedConfidence": FixedConfidence}
NOT_COUNTED = (Status.LATE, Status.REPEATED, Status.REFUSED)
SECRET_DIGITS = 64


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
    """Return the study of a file."""
    content = read_json(read_whole(path))
    if content is None:
        raise ValueError(f"{path}: not a whole state file (truncated or not JSON)")
    try:
        return build(content)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None


def build(state: object) -> Ledger:
    """Return the study that :func:`describe` described, or a ValueError that says what is wrong."""
    content = _check_whole_state(state)
    learner = _build_learner(content["algorithm"], content["parameters"])
    if content["boundary"] != boundary_digest(learner):
        raise ValueError("the boundary of this installation differs from the study's")
    ledger = Ledger(learner, content["name"], content["deadline"], content["arms"])
    if set(content) != set(describe(ledger)):
        raise ValueError(f"the state's entries must be {', '.join(describe(ledger))}, checksum")
    _fill_answers(ledger, content)
    _fill_requests(ledger, content)
    return ledger


def _check_whole_state(state: object) -> dict[str, Any]:
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise ValueError("not the state of a study")
    version = state.get("version")
    if type(version) is not int or version != VERSION:
        raise ValueError(
            f"the state has version {reprlib.repr(version)}, this program reads {VERSION}"
        )
    content = {key: value for key, value in state.items() if key != "checksum"}
    if state.get("checksum") != checksum(content):
        raise ValueError("the state's checksum does not match: it was cut or changed")
    missing = {"algorithm", "parameters", "boundary", "name", "deadline", "arms"} - set(content)
    if missing:
        raise ValueError(f"the state has no entry {min(missing)!r}")
    return content


def _build_learner(algorithm: object, parameters: object) -> FixedBudget | FixedConfidence:
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise ValueError(f"the state's algorithm must be one of {', '.join(ALGORITHMS)}")
    if not isinstance(parameters, dict):
        raise ValueError("the state's parameters must be an object")
    values = dict(parameters)
    if values.get("epsilon") == "inf":
        values["epsilon"] = math.inf
    with warnings.catch_warnings():  # the user was warned when the study began
        warnings.simplefilter("ignore")
        try:
            if "radius" in values:
                constants = {key: values.pop(key) for key in ("rho", "prior_gap")}
                values["radius"] = Radius(values["radius"], **constants)
            learner: FixedBudget | FixedConfidence = ALGORITHMS[algorithm](**values)
        except (TypeError, KeyError):
            raise ValueError("the state's parameters are not those of its algorithm") from None
    return learner


def _fill_answers(ledger: Ledger, content: dict[str, Any]) -> None:
    learner = ledger.learner
    entered, used = _per_arm(ledger, content, "entered"), _per_arm(ledger, content, "counted")
    if not all(isinstance(text, str) and set(text) <= {"0", "1"} for text in entered):
        raise ValueError("the state's entered must be text of the digits 0 and 1")
    if not all(is_count(n) and n <= len(text) for n, text in zip(used, entered, strict=True)):
        raise ValueError("the state's counted must be at most the answers that entered")
    ledger.entered = [bytearray(map(int, text)) for text in entered]
    learner.pulls = list(used)
    learner.sums = [sum(bits[:n]) for bits, n in zip(ledger.entered, used, strict=True)]
    learner.total_pulls = sum(used)
    kept = [n < len(text) for n, text in zip(used, entered, strict=True)]
    if isinstance(learner, FixedBudget) and learner.total_pulls > learner.budget:
        raise ValueError("the state has more responses than its budget")
    if any(kept[arm] and learner.wanted(arm) for arm in range(learner.n_arms)):
        raise ValueError("the state keeps answers that its algorithm needs")


def _fill_requests(ledger: Ledger, content: dict[str, Any]) -> None:
    if not is_count(content["round"]):
        raise ValueError("the state's round must be a whole number >= 0")
    ledger.round = content["round"]
    secret = content["secret"]
    if not (isinstance(secret, str) and len(secret) == SECRET_DIGITS and secret.isalnum()):
        raise ValueError(f"the state's secret must have {SECRET_DIGITS} digits")
    ledger.secret = secret
    ledger.requests = [
        Requests.from_state(requests, len(bits), ledger.round)
        for requests, bits in zip(
            _per_arm(ledger, content, "requests"), ledger.entered, strict=True
        )
    ]
    departures, lost = content["departures"], content["not_counted"]
    fields = {"arm": (str, int), "number": int, "reason": str, "before_decision": bool}
    valid = isinstance(departures, list) and all(
        isinstance(one, dict)
        and set(one) == set(fields)
        and all(isinstance(one[key], kind) for key, kind in fields.items())  # type: ignore[arg-type]
        and one["arm"] in ledger.arms
        for one in departures
    )
    if not valid:
        raise ValueError(f"the state's departures must have the fields {', '.join(fields)}")
    ledger.departures = [Departure(**one) for one in departures]
    names = {str(status) for status in NOT_COUNTED}
    if not (isinstance(lost, dict) and set(lost) == names and all(map(is_count, lost.values()))):
        raise ValueError("the state's not_counted must be whole numbers >= 0")
    ledger.not_counted = Counter({Status(name): count for name, count in lost.items()})


def _per_arm(ledger: Ledger, content: dict[str, Any], key: str) -> list[Any]:
    values = content[key]
    if not isinstance(values, list) or len(values) != ledger.learner.n_arms:
        raise ValueError(f"the state's {key} must have one entry for each of the arms")
    return values
