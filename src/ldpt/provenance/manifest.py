"""The manifest of a run: its jobs, and the numbers and claims that it published.

It is in git: a clone is traced and compared by it where the records are not there. Its hash names
the run; versions of libraries have their own part of the manifest, which the hash leaves out.
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ldpt.provenance.records import (
    MAX_JSON,
    Record,
    is_stable_part,
    is_table,
    matching_record,
    name_below,
    products_under,
    read_record,
    record_path,
    stable_hash,
    transitive_closure,
)
from ldpt.util.files import read_whole
from ldpt.util.json_values import plain, read_json

FORMAT = 2  # of the manifest
MANIFEST = "paper/run.json"
PUBLISHED = NUMBERS, CLAIMS = "results/numbers.json", "results/claims.json"
UNHASHED = ("environment", "origin")  # parts that do not enter the run's hash
# The part of a record that all products of a job share.
JOB = ("rule", "script", "params", "wildcards", "inputs", "sources", "notes")
# The part of a claim that a trace shows.
SHOWN = (
    "id", "where", "verdict", "statement", "number", "meaning", "criterion", "decided_by", "file",
    "key",
)  # fmt: skip
# What people read, in the order in which they do: pages whose templates name the numbers in them.
PAGES = {"README": "figures/findings.md", "article": "paper/report.pdf"}


def manifest(
    root: Path, products: Iterable[str], config: Mapping[str, Any], origin: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the jobs behind some products, with the hashes of all that these jobs made."""
    records: dict[str, Record] = {}

    def inputs(name: str) -> Iterable[str]:
        records[name] = matching_record(root, name)
        return records[name]["stable"]["inputs"]

    names = transitive_closure([name_below(path, root) for path in products], inputs)
    jobs = {stable_hash(job): job | {"products": {}} for job in map(_job, records.values())}
    for name in set(products_under(root)) - set(names):  # further outputs of these jobs
        with suppress(ValueError):  # a leftover of another run
            record = read_record(record_path(root, name))
            if stable_hash(_job(record)) in jobs and (root / name).is_file():
                records[name] = matching_record(root, name)
    for name, record in sorted(records.items()):
        hashes = {"sha256": record["stable"]["sha256"], "record_hash": record["record_hash"]}
        jobs[stable_hash(_job(record))]["products"][name] = hashes
    return {
        "format": FORMAT,
        "config_hash": stable_hash(config),
        "config": plain(config),
        "origin": plain(origin),
        "environment": _environments(records.values()),
        "code": _definitions(records.values()),
        "jobs": sorted(jobs.values(), key=lambda job: min(job["products"])),
        **published(root),
    }


def _job(record: Record) -> dict[str, Any]:
    stable = record["stable"]
    return {field: stable[field] for field in JOB} | {"code": stable["code"]["hash"]}


def _environments(records: Iterable[Record]) -> dict[str, str]:
    """Return the versions and machines of all jobs; several of one kind are listed."""
    tables = (record["volatile"].get("environment", {}).items() for record in records)
    return _together(pair for table in tables for pair in table)


def _definitions(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Return the hashes of all definitions that the jobs reach, by file."""
    digests = _together(pair for r in records for pair in r["stable"]["code"]["parts"].items())
    files: dict[str, dict[str, str]] = {}
    for name, digest in digests.items():
        file, _, title = name.partition(":")
        files.setdefault(file, {})[title] = digest
    return [{"file": file, "definitions": titles} for file, titles in files.items()]


def _together(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    values: dict[str, set[str]] = {}
    for name, value in pairs:
        values.setdefault(name, set()).add(value)
    return {name: ", ".join(sorted(several)) for name, several in sorted(values.items())}


def run_hash(content: Mapping[str, Any]) -> str:
    """Return the hash that names a run: of its results, settings and code, not of versions."""
    return stable_hash({name: part for name, part in content.items() if name not in UNHASHED})


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
    return parse_manifest(read_whole(root / MANIFEST, MAX_JSON), str(root / MANIFEST))


def parse_manifest(text: bytes, name: str) -> dict[str, Any]:
    """Parse a manifest that has a name; ValueError when it is not in the form that we write."""
    content = read_json(text, MAX_JSON)
    try:
        records = listed_records(content).values()
        valid = content["format"] == FORMAT
        valid &= isinstance(content["config"], dict) and isinstance(content["origin"], dict)
        valid &= all(is_stable_part(record["stable"]) for record in records)
        valid &= is_table(environment_of(content)) and is_table(definitions_of(content))
    except (KeyError, TypeError, AttributeError):
        valid = False
    if not valid:
        raise ValueError(f"{name} is not a manifest of format {FORMAT}")
    return content


def listed_records(content: Mapping[str, Any]) -> dict[str, Record]:
    """Return the records of all products that a manifest lists, as far as it holds them."""
    records = {}
    for job in content["jobs"]:
        shared = {**job, "format": FORMAT, "code": {"hash": job["code"], "parts": {}}}
        for name, hashes in job["products"].items():
            stable = shared | {"product": name, "sha256": hashes["sha256"]}
            record_hash = str(hashes["record_hash"])
            records[name] = {"stable": stable, "record_hash": record_hash, "volatile": {}}
    return records


def environment_of(content: Mapping[str, Any]) -> dict[str, str]:
    """Return the versions that a manifest states; older manifests state none."""
    return content.get("environment", {})


def definitions_of(content: Mapping[str, Any]) -> dict[str, str]:
    """Return the hash of every definition by ``file:name``; older manifests have none."""
    return {
        f"{row['file']}:{title}".removesuffix(":"): digest
        for row in content.get("code", [])
        for title, digest in row["definitions"].items()
    }
