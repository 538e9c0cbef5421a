"""The saved state of a learner as plain data: how it is written down and checked when read."""

import hashlib
import json
import reprlib
from collections.abc import Iterable, Mapping
from typing import Any

from ldpt.io.json_values import read_json

STATE_VERSION = 2


def as_text(bits: Iterable[int]) -> str:
    return "".join(map(str, bits))


def as_bits(name: str, text: object) -> list[int]:
    if not isinstance(text, str) or not set(text) <= {"0", "1"}:
        raise ValueError(f"the state's {name} must be text of the digits 0 and 1")
    return [int(digit) for digit in text]


def as_json(state: object) -> Any:
    """A state as JSON holds it, so that every value is of a plain type; None if it cannot be."""
    try:
        state = dict(state) if isinstance(state, Mapping) else state
        return read_json(json.dumps(state, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return None


def check_same(what: str, found: object, expected: object) -> None:
    if type(found) is not type(expected) or found != expected:
        found_text = reprlib.repr(found)
        raise ValueError(f"the state is of {what} {found_text}, this learner has {expected!r}")


def checksum(state: Mapping[str, Any]) -> str:
    text = json.dumps(state, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
