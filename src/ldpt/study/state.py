"""Saved studies: one JSON file with a checksum, written whole, readable by its owner alone."""

import hashlib
import json
import math
import os
import reprlib
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.radii import Radius
from ldpt.util.files import read_whole, write_durably
from ldpt.util.json_values import read_json
from ldpt.util.messages import short

FORMAT, VERSION = "ldpt study", 4
Study = TypeVar("Study")


def write(path: str | os.PathLike[str], content: Mapping[str, Any]) -> None:
    """Write a state to a file that only its owner can read."""
    write_durably(Path(path), json.dumps(sealed(content)) + "\n", mode=0o600)


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state with its format and its checksum."""
    content = {"format": FORMAT, "version": VERSION, **content}
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return {**content, "checksum": hashlib.sha256(text.encode()).hexdigest()}


def read(
    path: str | os.PathLike[str],
    build: Callable[[dict[str, Any]], Study],
    describe: Callable[[Study], dict[str, Any]],
) -> Study:
    """Return the study of a file, or say what is wrong with it."""
    state = read_json(read_whole(path))
    if state is None:
        raise ValueError(f"{path}: not a whole state file (truncated or not JSON)")
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise ValueError(f"{path}: not the state of a study")
    if state.get("version") != VERSION:
        version = reprlib.repr(state.get("version"))
        raise ValueError(f"{path}: the state has version {version}, this program reads {VERSION}")
    content = {key: state[key] for key in state if key not in ("format", "version", "checksum")}
    if state != sealed(content):
        raise ValueError(f"{path}: the checksum does not match: the state was cut or changed")
    try:
        with warnings.catch_warnings():  # the user was warned when the study began
            warnings.simplefilter("ignore")
            study = build(content)
        if sealed(describe(study))["checksum"] != state["checksum"]:
            raise ValueError("it describes another study")
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: the state contradicts itself: {short(error, 200)}") from None
    return study


def describe_learner(learner: FixedBudget | FixedConfidence) -> dict[str, Any]:
    """Return the arguments of a learner, and a digest of its boundary."""
    values = learner.parameters
    if math.isinf(learner.epsilon):
        values = {**values, "epsilon": "inf"}
    if isinstance(learner, FixedBudget):
        return values
    digest = hashlib.sha256()
    for part in learner.edge:
        digest.update(part.tobytes() if hasattr(part, "tobytes") else float(part).hex().encode())
    return {**values, **learner.radius.parameters, "boundary": digest.hexdigest()}


def build_learner(values: dict[str, Any]) -> FixedBudget | FixedConfidence:
    """Return the learner that :func:`describe_learner` described, without its responses."""
    values = {**values, "epsilon": float(values["epsilon"])}
    boundary = values.pop("boundary", None)
    if boundary is None:
        return FixedBudget(**values)
    radius = Radius(values.pop("radius"), values.pop("rho"), values.pop("prior_gap"))
    learner = FixedConfidence(**values, radius=radius)
    if describe_learner(learner)["boundary"] != boundary:
        raise ValueError("the boundary of this installation differs from the study's")
    return learner
