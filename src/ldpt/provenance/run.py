"""A run as it is: its files, records and manifest, and how each product would be made now.

Nothing of the folder is run: it may come from somebody else.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ldpt.provenance.code import code_parts
from ldpt.provenance.dag import JobPlan, Project, Step, find_project
from ldpt.provenance.manifest import MANIFEST, listed_records, read_manifest, run_hash
from ldpt.provenance.records import (
    RECORDS,
    Record,
    file_hash,
    products_under,
    read_record,
    record_path,
)
from ldpt.util.files import file_within
from ldpt.util.messages import counted, short

MAX_HASHED = 10**11  # bytes of products that are read in a folder outside of our project
MAX_RECORDS = 5 * 10**8  # bytes of all records
MAX_CHANGES = 4  # settings of one product that are named one by one
UNCOMPARED = "origin"  # where the config came from: equal configs may come from other files


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


@dataclass
class Run:
    """What is known about the products of a run.

    A clone has a manifest and no records: its records are those of the manifest, without their
    volatile part.
    """

    project: Project
    links: bool = True  # whether symbolic links are followed
    records: dict[str, Record] = field(default_factory=dict)  # by product
    invalid: dict[str, str] = field(default_factory=dict)  # what is wrong with other records
    settings: dict[str, Any] = field(default_factory=dict)  # config and origin; the manifest
    listed: dict[str, Record] = field(default_factory=dict)  # in the manifest
    steps: JobPlan = field(default_factory=dict)
    has_files: bool = True  # False for a manifest alone
    _hashes: dict[Path, tuple[str | None, str]] = field(default_factory=dict)
    _bytes: int = 0

    @property
    def hash(self) -> str | None:
        """The hash that names the run, by its manifest."""
        return run_hash(self.settings) if self.listed else None

    @property
    def is_clone(self) -> bool:
        return not (self.project.root / RECORDS).is_dir()

    @property
    def products(self) -> set[str]:
        """The products of the run, without leftovers of another config; of a clone, those in it."""
        if self.is_clone:
            return {name for name in self.listed if not name.startswith("results/")}
        return ({*self.listed, *self.steps} or {*self.records}) | {*self.invalid, MANIFEST}

    def file(self, name: str) -> Path | None:
        """Return the path of a product; None if the file is not there."""
        path = self.project.root / name
        return path if self.has_files and path.is_file() else None

    def hash_of(self, name: str, folder: Path | None = None) -> tuple[str | None, str]:
        """Return the hash of a file as it is now, or None and the reason why there is none."""
        folder = folder or self.project.root
        if folder / name not in self._hashes:
            try:
                path = file_within(folder, name, links=self.links)
                self._bytes += path.stat().st_size
                if self._bytes > MAX_HASHED and not self.links:
                    raise ValueError(f"more than {MAX_HASHED:,} bytes in all")
                self._hashes[folder / name] = file_hash(path), ""
            except FileNotFoundError:
                self._hashes[folder / name] = None, "the file does not exist"
            except (ValueError, OSError) as error:
                self._hashes[folder / name] = None, f"not read: {reason(error)}"
        return self._hashes[folder / name]

    def discrepancies(self, product: str) -> Iterator[tuple[str, str]]:
        """Yield kind and detail of everything that is wrong with a product."""
        actual, why = self.hash_of(product)
        if actual is None:
            yield "missing", why
        record = self.records.get(product)
        if product in self.invalid:
            yield "record", self.invalid[product]
        elif record is None and actual is not None:
            yield "record", "the file has no record"
        if record is None:
            return
        stable = record["stable"]
        if stable["product"] != product:
            yield "record", f"has the record of {stable['product']}"
            return
        if actual not in (None, stable["sha256"]):
            yield "changed", "contents do not match the recorded SHA-256"
        if self.listed and product != MANIFEST:
            if product not in self.listed:
                yield "record", "not listed in the manifest: run the workflow"
            elif self.listed[product]["record_hash"] != record["record_hash"]:
                yield "record", "differs from the manifest: made again since then, or forged"
        details = [*self._changed_sources(stable), *self._changed_inputs(stable)]
        if self.steps:
            details += changes(stable, self.steps.get(product), self.project)
        yield from (("stale", detail) for detail in details)

    def _changed_sources(self, stable: Mapping[str, Any]) -> Iterator[str]:
        for source, sha in stable["sources"].items():
            actual, why = self.hash_of(source, self.project.source_folder(source))
            if actual != sha:
                yield f"{source} changed since then" if actual else f"{source}: {why}"

    def _changed_inputs(self, stable: Mapping[str, Any]) -> Iterator[str]:
        """Name inputs that agree with their records but are not those that were used."""
        for name, sha in sorted(stable["inputs"].items()):
            actual = self.hash_of(name)[0]
            record = self.records.get(name)
            if record and actual != sha and actual == record["stable"]["sha256"]:
                yield f"built from another version of {name}"


def read_run(root: Path | str, links: bool = True) -> Run:
    """Read the records and the manifest under a root; ValueError without either."""
    root = Path(root)
    run = Run(Project(root, root, root), links)
    size = 0
    for product in products_under(root):
        try:
            path = file_within(root, record_path("", product).as_posix(), links=links)
            size += path.stat().st_size
            run.records[product] = read_record(path)
        except (ValueError, OSError) as error:
            run.invalid[product] = f"its record is invalid: {reason(error)}"
        if size > MAX_RECORDS:
            raise ValueError(f"the records under {root} have more than {MAX_RECORDS:,} bytes")
    try:
        file_within(root, MANIFEST, links=links)
        run.settings = read_manifest(root)
        run.listed = listed_records(run.settings)
    except FileNotFoundError:
        if run.is_clone:
            raise ValueError(
                f"no records under {root}: run the workflow first, or name its root with --root"
            ) from None
    except (ValueError, OSError) as error:
        if run.is_clone:
            raise
        run.invalid[MANIFEST] = f"not a manifest: {reason(error)}"
    if MANIFEST in run.records and not run.settings:
        run.settings = run.records[MANIFEST]["stable"]["params"]
    if run.is_clone:
        run.records = run.listed
    if isinstance(run.settings.get("config"), dict):
        run.project = find_project(root, run.settings["config"])
    return run


def reason(error: Exception) -> str:
    """Return the message of an error in one line, without the path of a file."""
    return str(error.strerror) if isinstance(error, OSError) else short(error)


def changes(stable: Mapping[str, Any], step: Step | None, project: Project) -> Iterator[str]:
    """Yield differences between a record and the way its product would be made now."""
    if step is None:
        yield "no current rule produces it"
        return
    if stable["rule"] != step.rule:
        yield f"rule was {stable['rule']}"
    if step.code and stable["code"]["hash"] != step.code:
        yield from _changed_code(stable, project)
    before = {**stable["params"], **stable["wildcards"]}
    yield from setting_changes(before, {**step.params, **step.wildcards})
    if {*stable["inputs"], *map(project.name, stable["sources"])} != step.inputs:
        yield "set of inputs changed"


def setting_changes(
    before: Mapping[str, Any], now: Mapping[str, Any], most: int = MAX_CHANGES
) -> list[str]:
    """Return one line per setting that differs; of many, some and their number."""
    old, new = (flat({k: v for k, v in s.items() if k != UNCOMPARED}) for s in (before, now))
    different = [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
    lines = [f"{key} was {_shown(old, key)}, is {_shown(new, key)}" for key in different]
    if len(lines) <= most:
        return lines
    more = counted(len(lines) - most + 1, "further setting")
    return [*lines[: most - 1], f"{more}, from {different[most - 1]} on, differ"]


def code_changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return one line per file with the definitions that differ."""
    files: dict[str, list[str]] = {}
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            file, _, title = name.partition(":")
            files.setdefault(file, []).append(title or "statements")
    return [
        f"code changed: {file} ({short(', '.join(names), 80)})" for file, names in files.items()
    ]


def flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Return nested settings as one dictionary with dotted keys."""
    if isinstance(value, Mapping) and value:
        parts = [flat(item, f"{prefix}.{key}") for key, item in value.items()]
    elif isinstance(value, list) and any(isinstance(item, (Mapping, list)) for item in value):
        parts = [flat(item, f"{prefix}[{place}]") for place, item in enumerate(value)]
    else:
        return {prefix.lstrip("."): value}
    return {key: item for part in parts for key, item in part.items()}


def _shown(settings: Mapping[str, Any], key: str) -> str:
    return short(settings.get(key, "absent"), 60)


def _changed_code(stable: Mapping[str, Any], project: Project) -> list[str]:
    try:
        now = code_parts(project.home / stable["script"], stable["params"].get("rows"))
    except (ValueError, SyntaxError):
        now = {}
    return code_changes(stable["code"]["parts"], now) or [f"code changed: {stable['script']}"]
