"""Content hashes of files and of plain values."""

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def file_hash(path: str | Path) -> str:
    """SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stable_hash(value: object) -> str:
    """SHA-256 of a value's canonical JSON."""
    return json_hash(plain(value))


def json_hash(value: object) -> str:
    """The same of a value that is made of JSON's own types."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def plain(value: Any) -> Any:
    """A value in terms of JSON alone; infinities and other objects by their names."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=str)
    return plain(value.tolist()) if hasattr(value, "tolist") else str(value)
