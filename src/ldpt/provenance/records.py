"""The record kept beside every product: what made it, in one exact form on disk.

A record has a stable part, made of content hashes and settings only, and a volatile part (times,
host, commit) that enters no hash.
"""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ldpt.io.files import read_whole
from ldpt.io.json_values import plain, read_json
from ldpt.provenance.hashing import stable_hash

FORMAT = 1  # of the records; raised when their meaning changes
RECORDS = Path("results/records")
COMPACT = "paper/run.json"  # the committed form of a run
FOLDER = Path(".snakemake/ldpt-folder")  # a random name of the folder that Snakemake runs in
# What a run itself writes into a tree kept in git must not make that tree count as edited.
PRODUCTS = ("figures", "results", "paper/*report*.pdf")  # of git's tree, staged ones as well


def find_root(root: Path | None = None, near: str | Path | None = None) -> Path:
    """Return the root of a run: as given, or the nearest folder with one above a file or here.

    A folder without a run is returned as it is, for the caller to say what is missing in it.
    """
    if root is not None:
        return root
    starts = [Path(near).resolve().parent] if near and Path(near).is_file() else []
    for start in (*starts, Path.cwd()):
        for folder in (start, *start.parents):
            if (folder / RECORDS).is_dir() or (folder / COMPACT).is_file():
                return folder
    return Path()


def record_path(root: str | Path, product: str | Path) -> Path:
    """Return the path of the record of a product; the product is named relative to its root."""
    return Path(root) / RECORDS / f"{Path(product).as_posix()}.json"


def relative_to(path: str | Path, folder: str | Path) -> str:
    """Return a path relative to a folder, with forward slashes; ValueError if it is outside."""
    return Path(os.path.abspath(path)).relative_to(os.path.abspath(folder)).as_posix()


LIBRARIES = (
    "llvmlite", "matplotlib", "numba", "numpy", "opendp", "pandas",
    "pyarrow", "scipy", "seaborn", "snakemake", "typst",
)  # fmt: skip


def environment() -> dict[str, Any]:
    """Versions of Python and of those libraries that this process has loaded."""
    from importlib.metadata import version

    loaded = [name for name in LIBRARIES if name in sys.modules]
    return {
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in loaded},
    }


def volatile_facts(started: float, wall_seconds: float, cpu_seconds: float) -> dict[str, Any]:
    """When, where and from which commit; none of it enters a hash."""
    commit = _git("rev-parse", "HEAD")
    edited = _git("status", "--porcelain", "--", ".", *(f":!{path}" for path in PRODUCTS))
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "wall_seconds": round(wall_seconds, 3),
        "cpu_seconds": round(cpu_seconds, 3),
        "peak_memory_mb": round(peak_memory_mb(), 1),
        "host": platform.node(),
        "machine": platform.machine(),
        "system": platform.system(),
        "commit": commit,
        "clean": None if edited is None else not edited,
        "folder": folder_name(),
    }


def folder_name() -> str | None:
    """Return the name that tells this folder's Snakemake from others; None before its first run."""
    return FOLDER.read_text().strip() if FOLDER.is_file() else None


def _git(*arguments: str) -> str | None:
    """Return what git says of the current folder; None without git or outside a repository."""
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def peak_memory_mb() -> float:
    """Return the peak memory of this process or one it waited for, in megabytes."""
    import resource

    unit = 1e6 if sys.platform == "darwin" else 1e3  # bytes there, kilobytes elsewhere
    own, waited = (
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return max(own, waited) / unit


def cpu_seconds() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def config_origin(workflow: Any) -> dict[str, Any]:
    """Return the config files and overrides of a run, from Snakemake's ``workflow``."""
    asked = workflow.config_settings
    return {
        "files": [_from_here(path) for path in asked.configfiles],
        "overrides": plain(dict(asked.config)),
    }


def _from_here(path: str | Path) -> str:
    try:
        return relative_to(path, ".")
    except ValueError:
        return str(path)


def require_writable(folder: str | Path) -> None:
    """Say in one line, before any job starts, that results cannot be written."""
    folder = Path(folder)
    probe = folder / f".writable-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ValueError(f"cannot write to {folder}: {error.strerror}") from error


def record_text(stable: Mapping[str, Any], volatile: Mapping[str, Any]) -> str:
    """Return a record as it is written to disk, in exactly one form.

    ``record_hash`` is the record's identity and covers the stable part. ``seal`` covers the rest
    as well, so that an edit by hand shows; it differs from run to run and is compared with nothing.
    """
    record = {"stable": stable, "record_hash": stable_hash(stable), "volatile": volatile}
    return json.dumps(plain(record) | {"seal": stable_hash(record)}, indent=1) + "\n"


# The fields of the stable part, and what each holds.
FIELDS: dict[str, type] = {
    "format": int, "product": str, "sha256": str, "bytes": int, "rule": str, "script": str,
    "code": dict, "params": dict, "wildcards": dict, "inputs": dict, "sources": dict,
    "notes": dict, "environment": dict,
}  # fmt: skip
MAX_RECORD = 10**7  # bytes


def read_record(path: str | Path) -> dict[str, Any]:
    """Read a record; ValueError when it is not in the form that we write."""
    text = read_whole(path, MAX_RECORD)
    record = read_json(text)
    if not (isinstance(record, dict) and _is_record(record.get("stable"), record.get("volatile"))):
        raise ValueError(f"{path} is not a record")
    stable = record["stable"]
    try:
        whole = record_text(stable, record["volatile"]).encode() == text
    except (ValueError, RecursionError):  # text that is not Unicode, nesting without end
        whole = False
    if not whole:
        raise ValueError(f"{path} was modified: hash or seal does not match the content")
    if stable["format"] != FORMAT:
        raise ValueError(f"{path} has format {stable['format']!r}, supported: {FORMAT}")
    return record


def _is_record(stable: Any, volatile: Any) -> bool:
    """Whether both parts have the fields that readers of a record rely on."""
    if not (isinstance(stable, dict) and isinstance(volatile, dict)):
        return False
    if not all(isinstance(stable.get(name), kind) for name, kind in FIELDS.items()):
        return False
    tables = [stable["inputs"], stable["sources"], stable["wildcards"]]
    tables += [stable["code"].get("parts"), stable["environment"].get("libraries")]
    return isinstance(stable["code"].get("hash"), str) and all(map(_is_table, tables))


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def products_under(root: str | Path) -> list[str]:
    """Return the names of all products that have a record under a root, in order."""
    folder = Path(root) / RECORDS
    names = []
    for path, _, files in os.walk(folder):
        place = Path(path).relative_to(folder)
        shown = (name for name in files if name.endswith(".json") and not name.startswith("."))
        names += [(place / name.removesuffix(".json")).as_posix() for name in shown]
    return sorted(names)
