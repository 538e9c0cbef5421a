"""Content hashes of files and of plain values."""

import hashlib
import json
from pathlib import Path

from ldpt.io.json_values import plain


def file_hash(path: str | Path) -> str:
    """SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stable_hash(value: object) -> str:
    """SHA-256 of a value's canonical JSON."""
    text = json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
