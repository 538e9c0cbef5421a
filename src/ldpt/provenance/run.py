"""One run as its records tell it, and in compact form for git: enough to trace and to compare.

The compact file has the manifest, the job behind every product, and the numbers and claims that
README and article show. It is read where the records of the run itself are not there.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ldpt.io.files import read_whole
from ldpt.io.json_values import read_json
from ldpt.provenance.hashing import file_hash, stable_hash
from ldpt.provenance.manifest import MANIFEST, manifest_text
from ldpt.provenance.records import (
    COMPACT,
    FORMAT,
    RECORDS,
    products_under,
    read_record,
    record_path,
)

MAX_COMPACT = 10**7  # bytes
NUMBERS, CLAIMS = "results/numbers.json", "results/claims.json"
# Settings that a compact job leaves out: the manifest has the config; streams follow from names.
LEFT_OUT = {"config", "origin", "spawn_keys"}


@dataclass(frozen=True)
class Product:
    """A product and the job that made it."""

    name: str
    sha256: str
    record_hash: str
    rule: str
    script: str
    code: str  # hash
    settings: dict[str, Any] = field(default_factory=dict)
    wildcards: dict[str, str] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)  # when, where, with which libraries
    short_form: dict[str, str] = field(default_factory=dict)  # what figures carry inside


@dataclass(frozen=True)
class Run:
    """What is known about a run."""

    root: Path
    hash: str | None  # of its manifest
    products: dict[str, Product]
    numbers: dict[str, dict[str, Any]]
    claims: dict[str, dict[str, Any]]  # by identifier


def read_run(root: Path | str) -> Run:
    """Return a run from its records, or else from the compact file; ValueError without either."""
    root = Path(root)
    if (root / RECORDS).is_dir():
        return _recorded_run(root)
    if (root / COMPACT).is_file():
        return _compact_run(root)
    raise ValueError(
        f"no records under {root}: run the workflow first, or name its root with --root"
    )


def _recorded_run(root: Path) -> Run:
    products = {}
    for name in products_under(root):
        try:
            record = read_record(record_path(root, name))
        except ValueError:
            continue  # left to the audit
        made = {**record["volatile"], **record["stable"]["environment"]}
        products[name] = _product(name, record["stable"], record["record_hash"], made)
    run_hash = file_hash(root / MANIFEST) if (root / MANIFEST).is_file() else None
    return Run(root, run_hash, products, _table(root / NUMBERS), _claims(_table(root / CLAIMS)))


def _product(name: str, stable: Mapping[str, Any], record_hash: str, made: dict) -> Product:
    from ldpt.provenance.job import short_form

    return Product(
        name,
        stable["sha256"],
        record_hash,
        stable["rule"],
        stable["script"],
        stable["code"]["hash"],
        _settings(stable["params"]),
        stable["wildcards"],
        _settings(stable["notes"]),
        tuple(stable["inputs"]),
        stable["sources"],
        made,
        short_form(stable),
    )


def _settings(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in LEFT_OUT}


def _table(path: Path) -> dict[str, Any]:
    content = read_json(read_whole(path)) if path.is_file() else {}
    return content if isinstance(content, dict) else {}


def _claims(content: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in content.get("claims", [])}


# --- the compact form


def compact(root: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a finished run in compact form; ``manifest`` is its manifest's content."""
    run = _recorded_run(root)
    jobs: dict[str, dict[str, Any]] = {}
    numbers = {}
    for name in manifest["products"]:
        product = run.products[name]
        job = {
            "rule": product.rule,
            "script": product.script,
            "code": product.code,
            "settings": product.settings,
            "wildcards": product.wildcards,
            "notes": product.notes,
            "inputs": list(product.inputs),
            "sources": product.sources,
            "short_form": product.short_form,
        }
        key = stable_hash(job)
        numbers[name] = list(jobs).index(key) if key in jobs else len(jobs)
        jobs[key] = job
    return {
        "format": FORMAT,
        "run": hashlib.sha256(manifest_text(manifest).encode()).hexdigest(),
        "manifest": dict(manifest),
        "job_of": numbers,
        "jobs": list(jobs.values()),
        "numbers": run.numbers,
        "claims": _table(root / CLAIMS),
    }


def compact_text(content: Mapping[str, Any]) -> str:
    """Return the compact form as text with one line per entry, so that git shows what changed."""
    lines = []
    for name, part in content.items():
        if (
            isinstance(part, dict)
            and part
            and all(isinstance(v, (dict, list)) for v in part.values())
        ):
            rows = [f"  {json.dumps(key)}: {_line(value)}" for key, value in part.items()]
            text = "{\n" + ",\n".join(rows) + "\n }"
        elif isinstance(part, list):
            text = "[\n" + ",\n".join(f"  {_line(value)}" for value in part) + "\n ]"
        else:
            text = _line(part)
        lines.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_compact(root: Path) -> dict[str, Any]:
    """Read the compact file of a run; ValueError when it was changed or cut."""
    path = root / COMPACT
    content = read_json(read_whole(path, MAX_COMPACT))
    try:
        whole = (
            content["run"]
            == hashlib.sha256(manifest_text(content["manifest"]).encode()).hexdigest()
        )
        products = content["manifest"]["products"]
        whole = whole and content["job_of"].keys() == products.keys()
        _ = [content["jobs"][number] for number in content["job_of"].values()]
    except (KeyError, TypeError, AttributeError, IndexError):
        whole = False
    if not whole:
        raise ValueError(f"{path} does not hold a run, or was changed")
    return content


def _compact_run(root: Path) -> Run:
    content = read_compact(root)
    products = {}
    for name, entry in content["manifest"]["products"].items():
        job = content["jobs"][content["job_of"][name]]
        products[name] = Product(name=name, **entry, **{**job, "inputs": tuple(job["inputs"])})
    claims = _claims(content["claims"])
    return Run(root, content["run"], products, content["numbers"], claims)


__all__ = ["COMPACT", "Product", "Run", "compact", "compact_text", "read_compact", "read_run"]
