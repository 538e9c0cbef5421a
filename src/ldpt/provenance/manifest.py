"""The list of all products of a run, with their hashes and the config."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from ldpt.io.files import read_whole
from ldpt.io.json_values import plain, read_json
from ldpt.provenance.hashing import file_hash, stable_hash
from ldpt.provenance.records import FORMAT, read_record, record_path, relative_to

MANIFEST = "results/manifest.json"
MAX_MANIFEST = 10**8  # bytes


def manifest(
    root: Path, products: Iterable[str], config: Mapping[str, Any], origin: Mapping[str, Any]
) -> dict[str, Any]:
    """These products and all they were made from, each with its hash and its record's hash."""
    waiting = [relative_to(path, root) for path in products]
    listed: dict[str, dict[str, str]] = {}
    while waiting:
        product = waiting.pop()
        if product not in listed:
            record = _record(root, product)
            actual = file_hash(root / product)
            if actual != record["stable"]["sha256"]:
                raise ValueError(
                    f"{root / product} differs from its record: delete it and run again"
                )
            listed[product] = {"sha256": actual, "record_hash": record["record_hash"]}
            waiting.extend(record["stable"]["inputs"])
    return {
        "format": FORMAT,
        "config": plain(config),
        "config_hash": stable_hash(config),
        "origin": plain(origin),
        "products": dict(sorted(listed.items())),
    }


def manifest_text(content: Mapping[str, Any]) -> str:
    """Return a manifest as it is written to disk, in exactly one form."""
    return json.dumps(content, indent=1, sort_keys=True) + "\n"


def read_manifest(root: Path) -> dict[str, Any]:
    """Read the manifest of a run; ValueError when it is not in the form that we write."""
    content = read_json(read_whole(root / MANIFEST, MAX_MANIFEST))
    if not isinstance(content, dict):
        raise ValueError(f"{root / MANIFEST} is no JSON object, or nested too deeply")
    for name in ("products", "config", "origin"):
        if not isinstance(content.get(name), dict):
            raise ValueError(f"{root / MANIFEST} has no table {name!r}")
    if not all(isinstance(entry, dict) for entry in content["products"].values()):
        raise ValueError(f"{root / MANIFEST} has products without hashes")
    return content


def project_of(root: Path, content: Mapping[str, Any]) -> Path:
    """Return the folder of the project in which a run has this root, by its manifest."""
    parts = PurePosixPath(str(content["config"].get("root", "."))).parts
    root = root.resolve()
    if parts and root.parts[-len(parts) :] == parts:
        return Path(*root.parts[: -len(parts)])
    return root


def _record(root: Path, product: str) -> dict[str, Any]:
    path = record_path(root, product)
    if not path.is_file():
        raise ValueError(f"{root / product} has no record: delete it and run again")
    return read_record(path)
