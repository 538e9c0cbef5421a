"""The record kept beside every product: what made it, in one exact form on disk.

A record has a stable part, made of content hashes and settings only, and a volatile part (time,
place, commit, versions of libraries) that enters no hash.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ldpt.util.files import files_below, read_whole
from ldpt.util.json_values import plain, read_json

FORMAT = 2  # of the records; raised when their meaning changes
RECORDS = Path("results/records")
MAX_JSON = 10**7  # bytes of a record or a manifest
# The fields of the stable part, and what each holds.
FIELDS: dict[str, type] = {
    "format": int, "product": str, "sha256": str, "rule": str, "script": str, "code": dict,
    "params": dict, "wildcards": dict, "inputs": dict, "sources": dict, "notes": dict,
}  # fmt: skip

Record = dict[str, Any]


def file_hash(path: str | Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stable_hash(value: object) -> str:
    """Return the SHA-256 of a value's canonical JSON."""
    text = json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def name_below(path: str | Path, *folders: str | Path) -> str:
    """Return a path relative to the first of some folders that it is in; outside all, nothing."""
    path = Path(os.path.abspath(path))
    for folder in map(os.path.abspath, folders):
        if path.is_relative_to(folder):
            return path.relative_to(folder).as_posix()
    return ""


def transitive_closure(
    names: Iterable[str], neighbours: Callable[[str], Iterable[str]]
) -> list[str]:
    """Return everything that some names lead to in a graph, with the names themselves."""
    reached = dict.fromkeys(names)
    waiting = list(reached)
    while waiting:
        new = [name for name in neighbours(waiting.pop()) if name not in reached]
        reached |= dict.fromkeys(new)
        waiting += new
    return list(reached)


def record_path(root: str | Path, product: str | Path) -> Path:
    """Return the path of the record of a product; the product is named relative to its root."""
    return Path(root) / RECORDS / f"{Path(product).as_posix()}.json"


def products_under(root: str | Path) -> list[str]:
    """Return the names of all products that have a record under a root, in order."""
    folder = Path(root) / RECORDS
    names = [Path(name) for name in (files_below(folder) if folder.is_dir() else ())]
    records = [name for name in names if name.suffix == ".json" and not name.name.startswith(".")]
    return [name.with_suffix("").as_posix() for name in records]


def record_text(stable: Mapping[str, Any], volatile: Mapping[str, Any]) -> str:
    """Return a record as it is written to disk, in exactly one form.

    ``record_hash`` is the record's identity and covers the stable part. ``seal`` covers the rest
    as well, so that an edit by hand shows; it differs from run to run and is compared with nothing.
    """
    record = {"stable": stable, "record_hash": stable_hash(stable), "volatile": volatile}
    return json.dumps(plain(record) | {"seal": stable_hash(record)}, indent=1) + "\n"


def read_record(path: str | Path) -> Record:
    """Read a record; ValueError when it is not in the form that we write."""
    text = read_whole(path, MAX_JSON)
    record = read_json(text)
    if not (isinstance(record, dict) and is_stable_part(record.get("stable"))):
        raise ValueError(f"{path} is not a record")
    stable = record["stable"]
    volatile = record.get("volatile")
    try:
        whole = isinstance(volatile, dict) and record_text(stable, volatile).encode() == text
    except (ValueError, RecursionError):  # text that is not Unicode, deep nesting
        whole = False
    if not whole:
        raise ValueError(f"{path} was modified: hash or seal does not match the content")
    if stable["format"] != FORMAT:
        raise ValueError(f"{path} has format {stable['format']!r}, supported: {FORMAT}")
    return record


def is_stable_part(stable: Any) -> bool:
    """Return whether a value has the fields that readers of a record rely on."""
    if not isinstance(stable, dict):
        return False
    if not all(isinstance(stable.get(name), kind) for name, kind in FIELDS.items()):
        return False
    tables = [stable["inputs"], stable["sources"], stable["wildcards"], stable["code"].get("parts")]
    return isinstance(stable["code"].get("hash"), str) and all(map(is_table, tables))


def is_table(value: Any) -> bool:
    """Return whether a value is a dictionary of texts."""
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def matching_record(root: str | Path, product: str) -> Record:
    """Return the record of a product; ValueError unless it describes the file as it is now."""
    path = Path(root) / product
    record = record_path(root, product)
    if not record.is_file():
        raise ValueError(f"{path} has no record: delete it and run again")
    content = read_record(record)
    if file_hash(path) != content["stable"]["sha256"]:
        raise ValueError(f"{path} differs from its record: delete it and run again")
    return content
