"""The list of all products of a run, by which an audit knows what there should be."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ldpt.io.json_values import plain
from ldpt.provenance import (
    FORMAT,
    file_hash,
    read_record,
    record_path,
    relative_to,
    stable_hash,
)

MANIFEST = "results/manifest.json"


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
                raise ValueError(f"{product} differs from its record; delete it and run again")
            listed[product] = {"sha256": actual, "record_hash": record["record_hash"]}
            waiting.extend(record["stable"]["inputs"])
    return {
        "format": FORMAT,
        "config": plain(config),
        "config_hash": stable_hash(config),
        "origin": plain(origin),
        "products": dict(sorted(listed.items())),
    }


def _record(root: Path, product: str) -> dict[str, Any]:
    path = record_path(root, product)
    if not path.is_file():
        raise ValueError(f"{product} has no record under {root}")
    return read_record(path)
