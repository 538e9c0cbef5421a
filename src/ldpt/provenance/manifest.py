"""The manifest of a run: its jobs, and the numbers and claims that it published.

It is in git: a clone is traced and compared by it where the records are not there. Its hash names
the run.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ldpt.provenance.records import (
    MAX_JSON,
    Record,
    is_stable_part,
    matching_record,
    name_below,
    reach,
    stable_hash,
)
from ldpt.util.files import read_whole
from ldpt.util.json_values import plain, read_json

FORMAT = 2  # of the manifest
MANIFEST = "paper/run.json"
PUBLISHED = NUMBERS, CLAIMS = "results/numbers.json", "results/claims.json"
# The part of a record that all products of a job share, without versions of libraries.
JOB = ("rule", "script", "params", "wildcards", "inputs", "sources", "notes")
# The part of a claim that a trace shows.
SHOWN = ("id", "where", "verdict", "statement", "criterion", "decided_by", "file", "key")


def manifest(
    root: Path, products: Iterable[str], config: Mapping[str, Any], origin: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the jobs behind some products, with the hashes of every product and its record."""
    records: dict[str, Record] = {}

    def inputs(name: str) -> Iterable[str]:
        records[name] = matching_record(root, name)
        return records[name]["stable"]["inputs"]

    jobs: dict[str, dict[str, Any]] = {}
    for name in sorted(reach([name_below(path, root) for path in products], inputs)):
        stable = records[name]["stable"]
        job = {field: stable[field] for field in JOB} | {"code": stable["code"]["hash"]}
        listed = jobs.setdefault(stable_hash(job), job | {"products": {}})
        hashes = {"sha256": stable["sha256"], "record_hash": records[name]["record_hash"]}
        listed["products"][name] = hashes
    return {
        "format": FORMAT,
        "config_hash": stable_hash(config),
        "config": plain(config),
        "origin": plain(origin),
        "jobs": list(jobs.values()),
        **published(root),
    }


def published(root: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the published numbers and claims of a run, as far as they exist."""
    texts = [read_whole(root / name) if (root / name).is_file() else "" for name in PUBLISHED]
    numbers, claims = (read_json(text) or {} for text in texts)
    return {
        "numbers": [{"name": name, **number} for name, number in numbers.items()],
        "claims": [{k: claim.get(k, "") for k in SHOWN} for claim in claims.get("claims", [])],
    }


def manifest_text(content: Mapping[str, Any]) -> str:
    """Return a manifest as JSON with one line per job, number and claim, for the diffs of git."""
    parts = []
    for name, part in content.items():
        rows = [_line(row) for row in part] if isinstance(part, list) else []
        text = "[\n" + ",\n".join(rows) + "\n]" if rows else _line(part)
        parts.append(f"{_line(name)}:{text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_manifest(root: Path) -> dict[str, Any]:
    """Read the manifest of a run; ValueError when it is not in the form that we write."""
    content = read_json(read_whole(root / MANIFEST, MAX_JSON))
    try:
        records = listed_records(content).values()
        valid = content["format"] == FORMAT
        valid &= isinstance(content["config"], dict) and isinstance(content["origin"], dict)
        valid &= all(is_stable_part(record["stable"]) for record in records)
    except (KeyError, TypeError, AttributeError):
        valid = False
    if not valid:
        raise ValueError(f"{root / MANIFEST} is not a manifest of format {FORMAT}")
    return content


def listed_records(content: Mapping[str, Any]) -> dict[str, Record]:
    """Return the records of all products that a manifest lists, as far as it holds them."""
    records = {}
    for job in content["jobs"]:
        shared = {**job, "format": FORMAT, "code": {"hash": job["code"], "parts": {}}}
        shared["environment"] = {"libraries": {}}
        for name, hashes in job["products"].items():
            stable = shared | {"product": name, "sha256": hashes["sha256"]}
            record_hash = str(hashes["record_hash"])
            records[name] = {"stable": stable, "record_hash": record_hash, "volatile": {}}
    return records
