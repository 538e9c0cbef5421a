"""Saved studies: one JSON file with a checksum, written whole, readable by its owner alone.

Several processes may open one file, and none may undo what another has saved. A study therefore
knows the digests of all files that it has read or written, and replaces only such a file: whoever
saved in between makes the save fail, and the answers of the session can be recorded again. The
comparison and the replacement happen under an advisory lock on the file. A database would let two
processes write at once, but two open studies would still hand out the same requests; one small
file that can be read, copied and checked is worth more.
"""

import hashlib
import json
import math
import os
import re
import reprlib
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from ldpt.learners import FixedBudget, FixedConfidence
from ldpt.radii import Radius
from ldpt.util.files import read_whole, write_durably
from ldpt.util.json_values import read_json
from ldpt.util.messages import short

FORMAT, VERSION = "ldpt study", 4
Study = TypeVar("Study")


def write(path: str | os.PathLike[str], content: Mapping[str, Any], known: set[str]) -> None:
    """Write a state to a file that only its owner can read; symbolic links are followed.

    ``known`` has the digests of the files that may be replaced; the new one is added.
    """
    target = Path(path).resolve()
    text = json.dumps(sealed(content)) + "\n"
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and not target.is_file():
        raise ValueError(f"{path} exists and is not a regular file")
    with _locked(target):
        before = target.read_bytes()
        if before and digest_of(before) not in known:
            raise ValueError(
                f"{path} was saved by another process, or is another file: open it and record "
                "the answers of this session again, or save under another name"
            )
        try:
            write_durably(target, text, mode=0o600)
        finally:
            if target.stat().st_size == 0:  # made by the lock
                target.unlink()
    known.add(digest_of(text.encode()))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock on a file, which is made empty if there is none; others wait.

    Whoever waited for a file that was replaced locks the new one. Windows has no such lock: two
    saves within the same millisecond are not kept apart there.
    """
    try:
        from fcntl import LOCK_EX, flock
    except ImportError:
        path.touch(mode=0o600)
        yield
        return
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            flock(descriptor, LOCK_EX)
            if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
                yield
                return
        finally:
            os.close(descriptor)


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of a file's bytes."""
    return hashlib.sha256(content).hexdigest()


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state with its format and its checksum."""
    content = {"format": FORMAT, "version": VERSION, **content}
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return {**content, "checksum": hashlib.sha256(text.encode()).hexdigest()}


def read(
    path: str | os.PathLike[str],
    build: Callable[[dict[str, Any]], Study],
    describe: Callable[[Study], dict[str, Any]],
) -> tuple[Study, str]:
    """Return the study of a file and the file's digest, or say what is wrong with it."""
    text = read_whole(path)
    state = read_json(text)
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
    return study, digest_of(text)


def check_secret(secret: object) -> str:
    """Return the secret behind the tickets: 64 hexadecimal digits."""
    if not (isinstance(secret, str) and re.fullmatch("[0-9a-f]{64}", secret)):
        raise ValueError("the secret has 64 hexadecimal digits")
    return secret


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
