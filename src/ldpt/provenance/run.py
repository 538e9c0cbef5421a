"""A run as a whole: its records, and the manifest that lists its jobs, numbers and claims.

The manifest is in git: a clone is traced and compared by it where the records are not there. Its
hash names the run.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldpt.io.files import read_whole
from ldpt.io.json_values import plain, read_json
from ldpt.provenance.hashing import file_hash, stable_hash
from ldpt.provenance.records import (
    RECORDS,
    Record,
    is_stable_part,
    matching_record,
    products_under,
    read_record,
    record_path,
    relative_to,
)

FORMAT = 2  # of the manifest
MANIFEST = "paper/run.json"
MAX_MANIFEST = 10**8  # bytes
NUMBERS, CLAIMS = "results/numbers.json", "results/claims.json"
# The part of a record that all products of a job share, without versions of libraries.
JOB = ("rule", "script", "params", "wildcards", "inputs", "sources", "notes")
# The part of a claim that a trace shows.
SHOWN = ("id", "where", "verdict", "statement", "criterion", "decided_by", "file", "key")


@dataclass(frozen=True)
class Run:
    """The contents of records or manifest; a record from the manifest lacks the volatile part."""

    root: Path
    hash: str | None  # of the manifest
    records: dict[str, Record]  # by product
    numbers: dict[str, tuple[str, Any]]  # text and value by name
    claims: dict[str, dict[str, str]]  # by identifier


def find_root(root: Path | None = None, near: str | Path | None = None) -> Path:
    """Return a root as it is, or the nearest folder with a run above a file or the current folder.

    Without any run this is the current folder, for the caller to say what is missing in it.
    """
    if root is not None:
        return root
    starts = [Path(near).resolve().parent] if near and Path(near).is_file() else []
    for start in (*starts, Path.cwd()):
        for folder in (start, *start.parents):
            if (folder / RECORDS).is_dir() or (folder / MANIFEST).is_file():
                return folder
    return Path()


def reach(names: Iterable[str], neighbours: Callable[[str], Iterable[str]]) -> list[str]:
    """Return everything that some names lead to in a graph, with the names themselves."""
    reached = dict.fromkeys(names)
    waiting = list(reached)
    while waiting:
        new = [name for name in neighbours(waiting.pop()) if name not in reached]
        reached |= dict.fromkeys(new)
        waiting += new
    return list(reached)


def read_run(root: Path | str) -> Run:
    """Return a run from its records, or else from the manifest; ValueError without either."""
    root = Path(root)
    path = root / MANIFEST
    run_hash = file_hash(path) if path.is_file() else None
    if not (root / RECORDS).is_dir():
        if run_hash is None:
            raise ValueError(
                f"no records under {root}: run the workflow first, or name its root with --root"
            )
        content = read_manifest(root)
        return Run(root, run_hash, listed_records(content), *_published(content))
    records = {}
    for name in products_under(root):
        try:
            records[name] = read_record(record_path(root, name))
        except ValueError:
            continue  # left to the audit
    return Run(root, run_hash, records, *_published(_results(root)))


def _published(content: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return numbers by name and claims by identifier."""
    try:
        numbers = {row["name"]: (str(row["text"]), row["value"]) for row in content["numbers"]}
        return numbers, {row["id"]: {k: str(row[k]) for k in SHOWN} for row in content["claims"]}
    except (KeyError, TypeError) as error:
        raise ValueError(
            f"numbers or claims are not in the form that we write: {error!r}"
        ) from error


def _results(root: Path) -> dict[str, Any]:
    """Return the published numbers and claims of a run, as far as they exist."""
    numbers, claims = _read_object(root / NUMBERS), _read_object(root / CLAIMS).get("claims", [])
    return {
        "numbers": [{"name": name, **number} for name, number in numbers.items()],
        "claims": [{name: claim.get(name, "") for name in SHOWN} for claim in claims],
    }


def _read_object(path: Path) -> dict[str, Any]:
    content = read_json(read_whole(path)) if path.is_file() else None
    return content if isinstance(content, dict) else {}


# --- the manifest


def manifest(
    root: Path, products: Iterable[str], config: Mapping[str, Any], origin: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the jobs behind some products, with the hashes of every product and its record."""
    records: dict[str, Record] = {}

    def inputs(name: str) -> Iterable[str]:
        records[name] = matching_record(root, name)
        return records[name]["stable"]["inputs"]

    jobs: dict[str, dict[str, Any]] = {}
    for name in sorted(reach([relative_to(path, root) for path in products], inputs)):
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
        **_results(root),
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
    content = read_json(read_whole(root / MANIFEST, MAX_MANIFEST))
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
