"""The comparison of a product's file, record, entry in the manifest and step in the DAG.

Nothing of the folder is run: it may come from somebody else.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ldpt.io.files import file_within
from ldpt.io.messages import short
from ldpt.provenance.code import code_parts
from ldpt.provenance.hashing import file_hash
from ldpt.provenance.plan import JobPlan, Project, Step, find_project
from ldpt.provenance.records import MAX_RECORD, Record, products_under, read_record, record_path
from ldpt.provenance.run import MANIFEST, listed_records, read_manifest

MAX_PRODUCT = 2 * 10**9  # bytes of a file that is hashed
MAX_CHANGES = 4  # settings that one line names


@dataclass
class Evidence:
    """What is known about the products of a project."""

    project: Project
    links: bool = True  # whether symbolic links are followed
    records: dict[str, Record] = field(default_factory=dict)
    invalid: dict[str, str] = field(
        default_factory=dict
    )  # product -> what is wrong with its record
    listed: dict[str, Record] = field(default_factory=dict)  # in the manifest
    steps: JobPlan = field(default_factory=dict)
    _hashes: dict[Path, tuple[str | None, str]] = field(default_factory=dict)

    def read_records(self) -> None:
        """Read all records under the root."""
        for product in products_under(self.project.root):
            name = record_path("", product).as_posix()
            try:
                path = file_within(self.project.root, name, MAX_RECORD, self.links)
                self.records[product] = read_record(path)
            except (ValueError, OSError) as error:
                self.invalid[product] = f"its record is invalid: {reason(error)}"

    @property
    def known(self) -> set[str]:
        """The products of the run, without leftovers of another config."""
        return {*self.listed, *self.steps} or {*self.records}

    def hash_of(self, name: str, folder: Path | None = None) -> tuple[str | None, str]:
        """Return the hash of a file as it is now, or None and the reason why there is none."""
        folder = folder or self.project.root
        if folder / name not in self._hashes:
            try:
                path = file_within(folder, name, MAX_PRODUCT, self.links)
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
        if details:
            yield "stale", "; ".join(details)

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


def gather(root: Path, links: bool) -> tuple[Evidence, dict[str, Any]]:
    """Return the records and the manifest under a root; of the manifest also config and origin."""
    evidence = Evidence(Project(root, root, root), links)
    evidence.read_records()
    settings: dict[str, Any] = {}
    try:
        file_within(root, MANIFEST, links=links)
        settings = read_manifest(root)
        evidence.listed = listed_records(settings)
    except FileNotFoundError:
        pass  # reported like any missing product
    except (ValueError, OSError) as error:
        evidence.invalid[MANIFEST] = f"not a manifest: {reason(error)}"
    if not settings and MANIFEST in evidence.records:
        settings = evidence.records[MANIFEST]["stable"]["params"]
    if isinstance(settings.get("config"), dict):
        evidence.project = find_project(root, settings["config"])
    return evidence, settings


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
        yield f"code changed: {', '.join(_changed_code(stable, project))}"
    before = flat({**stable["params"], **stable["wildcards"]})
    now = flat({**step.params, **step.wildcards})
    different = [key for key in sorted({*before, *now}) if before.get(key) != now.get(key)]
    if different:
        texts = [f"{k} was {_shown(before, k)}, is {_shown(now, k)}" for k in different]
        hidden = [f"{len(different) - MAX_CHANGES} more"] * (len(different) > MAX_CHANGES)
        yield f"settings changed: {', '.join(texts[:MAX_CHANGES] + hidden)}"
    if {*stable["inputs"], *map(project.name, stable["sources"])} != step.inputs:
        yield "set of inputs changed"


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
    before = stable["code"]["parts"]
    try:
        now = code_parts(project.home / stable["script"], stable["params"].get("rows"))
    except (ValueError, SyntaxError):
        now = {}
    return [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
