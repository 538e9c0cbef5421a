"""Verify that every product is what was made, and what would be made now.

Files, records and manifest are compared without running anything of the folder they are in: it may
come from somebody else. For the project that this package belongs to, or with ``trust``, they are
also compared with Snakemake's DAG for the present config and code, which runs that project's code
in a child process.

A product that agrees with its record and was made after the manifest was remade by the workflow;
the manifest is stale then. Records and manifest are not signed: a product rewritten with all
records that depend on it and the manifest passes for intact. A replay finds it, and so does the
manifest's hash kept elsewhere.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ldpt.io.files import file_within
from ldpt.io.messages import counted, printable, short
from ldpt.provenance.hashing import file_hash
from ldpt.provenance.manifest import MANIFEST, project_of, read_manifest
from ldpt.provenance.plan import JobPlan, Project, own_project, plan_jobs
from ldpt.provenance.records import (
    LIBRARIES,
    MAX_RECORD,
    RECORDS,
    products_under,
    read_record,
    record_path,
)
from ldpt.provenance.run import COMPACT, Run, read_run
from ldpt.provenance.state import changes

WRITTEN_LAST = {MANIFEST, COMPACT}  # not listed in the manifest
DRAWN = {".pdf", ".png", ".svg"}
PART = r"<!-- (\w+):begin -->\n(.*?)<!-- \1:end -->"  # of the README
MAX_PRODUCT = 2 * 10**9  # bytes of a file that is hashed


@dataclass(frozen=True)
class Fault:
    """One discrepancy, and the figures drawn from it."""

    kind: str  # changed, missing, unrecorded, forged, remade, stale, config, stray, replay
    what: str  # a product from the root, a source from the project, or a setting
    detail: str
    path: str = ""  # of a file, from the current folder
    rule: str = ""
    figures: tuple[str, ...] = ()
    others: int = 0  # further products that depend on it


@dataclass
class Report:
    """The result of an audit."""

    root: str
    products: dict[str, str] = field(default_factory=dict)  # product -> intact or kinds of fault
    faults: list[Fault] = field(default_factory=list)
    replayed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    manifest_hash: str | None = None

    @property
    def intact(self) -> bool:
        return not self.faults


def audit(
    root: Path | str,
    replay: int = 0,
    seed: int = 0,
    trust: bool = False,
    plan: JobPlan | None = None,
) -> Report:
    """Compare files, records and manifest under a root, and what may be run of its project.

    Parameters
    ----------
    root
        The folder of a run.
    replay
        Number of jobs, chosen with ``seed``, that are run again and compared bit for bit.
    trust
        Whether the code of a project other than this package's own may be run, for the comparison
        with the DAG and for replays.
    plan
        The DAG, for callers that audit the same config and code many times.

    Returns
    -------
    Report
        Every fault, with the figures that depend on it.
    """
    root = Path(root)
    if not root.is_dir():
        raise ValueError(f"{root} is not a folder")
    if not (root / RECORDS).is_dir():
        return compare_committed(root)
    own = own_project()
    below_own = own is not None and root.resolve().is_relative_to(own)
    inspection = _Inspection(root.resolve(), links=trust or below_own)
    inspection.read_manifest()
    project = inspection.project
    trusted = trust or project.home == own
    if replay and not trusted:
        home = printable(str(project.home))
        raise ValueError(f"--replay runs the code of {home}: add --trust if you trust it")
    if plan is None and trusted:
        plan = inspection.make_plan()
    elif not trusted:
        inspection.notes.append("not compared with the DAG: --trust runs the code of this folder")
    inspection.compare(plan)
    report = inspection.report()
    if replay:
        from ldpt.provenance.replay import replay_jobs

        origin, records = inspection.settings().get("origin", {}), inspection.replayable()
        report.replayed, differing = replay_jobs(project, origin, records, replay, seed)
        for name in differing:
            fault = Fault("replay", name, "another run of its job gave other bytes")
            report.faults.append(inspection.reaching(replace(fault, path=inspection.path(name))))
    return report


def compare_committed(root: Path) -> Report:
    """Compare the figures, article and README of a fresh clone with the committed run."""
    run = read_run(root)
    report = Report(str(os.path.relpath(root)), manifest_hash=run.hash)
    committed = [name for name in run.products if not name.startswith("results/")]
    for name in committed:
        path = os.path.relpath(root / name)
        try:
            sha = file_hash(file_within(root, name, MAX_PRODUCT, links=True))
            kind, detail = "changed", "not what the committed run made"
        except (ValueError, OSError) as error:
            sha, kind, detail = "", "missing", _reason(error)
        if sha != run.products[name].sha256:
            report.faults.append(Fault(kind, name, detail, path, run.products[name].rule))
        report.products[name] = "intact" if sha == run.products[name].sha256 else kind
    report.faults += _readme_faults(root, run)
    others = counted(len(run.products) - len(committed), "other product")
    report.notes.append(f"no run here: only committed files were compared; {others} are not here")
    return report


def _readme_faults(root: Path, run: Run) -> list[Fault]:
    """Compare the parts of the README that are products, and the run's hash, with the run.

    A part NAME is the text of the product figures/NAME.md between two comments.
    """
    path = root / "README.md"
    readme = path.read_text(encoding="utf-8") if path.is_file() else ""
    faults = []
    for name, text in re.findall(PART, readme, re.DOTALL):
        product = run.products.get(f"figures/{name}.md")
        if product and hashlib.sha256(text.encode()).hexdigest() != product.sha256:
            detail = f"its part {name!r} is not {product.name} of the run"
            faults.append(Fault("changed", "README.md", detail, os.path.relpath(path)))
    if run.hash and run.hash not in readme:
        detail = f"does not state the hash of the run, {run.hash}"
        faults.append(Fault("changed", "README.md", detail, os.path.relpath(path)))
    return faults


class _Inspection:
    """The state of one audit."""

    def __init__(self, root: Path, links: bool):
        self.root = root
        self.project = Project(root, root, root)
        self.links = links  # whether symbolic links are followed
        self.faults: list[Fault] = []
        self.notes: list[str] = []
        self.listed: dict[str, dict[str, str]] = {}
        self.records: dict[str, dict[str, Any]] = {}
        self.invalid: set[str] = set()  # products with records that cannot be read
        self.states: dict[tuple[Path, str], tuple[str | None, str]] = {}
        self.steps: JobPlan = {}
        self.manifest: dict[str, Any] = {}

    def add(self, kind: str, what: str, detail: str, folder: Path | None = None) -> None:
        rule = self.steps[what].rule if what in self.steps else ""
        path = "" if kind == "config" else self.path(what, folder)
        self.faults.append(Fault(kind, what, detail, path, rule))

    def path(self, name: str, folder: Path | None = None) -> str:
        """Return the path of a file as seen from here; in a folder elsewhere, the whole path."""
        path = os.path.relpath((folder or self.root) / name)
        return str(folder or self.root / name) if path.startswith("../..") else path

    def state(self, name: str, folder: Path, most: int = MAX_PRODUCT) -> tuple[str | None, str]:
        """Return the hash of a file as it is now, or None and the reason why there is none."""
        key = (folder, name)
        if key not in self.states:
            try:
                path = file_within(folder, name, most, self.links)
                self.states[key] = file_hash(path), ""
            except FileNotFoundError:
                self.states[key] = None, "the file does not exist"
            except (ValueError, OSError) as error:
                reason = error.strerror if isinstance(error, OSError) else short(error)
                self.states[key] = None, f"not read: {reason}"
        return self.states[key]

    def read_manifest(self) -> None:
        """Read all records and the manifest, and find the project's folder."""
        for product in products_under(self.root):
            try:
                name = record_path("", product).as_posix()
                file_within(self.root, name, MAX_RECORD, self.links)
                self.records[product] = read_record(record_path(self.root, product))
            except (ValueError, OSError) as error:
                self.invalid.add(product)
                self.add("forged", product, f"its record is invalid: {_reason(error)}")
        try:
            file_within(self.root, MANIFEST, links=self.links)
            self.manifest = read_manifest(self.root)
            self.listed = self.manifest["products"]
        except FileNotFoundError:
            self.add("missing", MANIFEST, "the run is not finished, or the manifest was deleted")
        except (ValueError, OSError) as error:
            self.add("changed", MANIFEST, f"not a manifest: {_reason(error)}")
        if isinstance(self.settings().get("config"), dict):
            folder = project_of(self.root, self.settings())
            own = own_project() or folder
            home = folder if (folder / "Snakefile").is_file() else own
            self.project = Project(home, folder, self.root)

    def settings(self) -> dict[str, Any]:
        """Return config and origin as the manifest has them, or else its record."""
        record = self.records.get(MANIFEST)
        return self.manifest or (record["stable"]["params"] if record else {})

    def make_plan(self) -> JobPlan | None:
        """Ask Snakemake for the DAG; an error is a fault."""
        origin = self.settings().get("origin")
        if not isinstance(origin, dict):
            return None
        try:
            return plan_jobs(self.project, origin)
        except (ValueError, OSError) as error:
            self.add("config", "workflow", f"no DAG: {_reason(error)}")
            return None

    def compare(self, plan: JobPlan | None) -> None:
        if plan is not None:
            self.steps = plan
            self.compare_configs()
        for product in sorted({*self.listed, *self.steps, *self.records} - {MANIFEST}):
            self.inspect(product)
        if self.manifest:
            self.inspect(MANIFEST)
        self.inspect_sources()
        self.compare_versions()
        self.look_for_strays()

    def compare_configs(self) -> None:
        """Compare the settings then with those now, which the rule of the manifest is given."""
        if not (self.manifest and MANIFEST in self.steps):
            return
        before = flat(self.manifest["config"])
        after = flat(self.steps[MANIFEST].params.get("config"))
        for key in sorted(before.keys() | after.keys()):
            if before.get(key) != after.get(key):
                detail = f"was {before.get(key, 'absent')}, is {after.get(key, 'absent')}"
                self.add("config", key, short(detail))

    def inspect(self, product: str) -> None:
        """Compare everything that is known about one product."""
        if self.listed and product not in {*self.listed, *self.steps, *WRITTEN_LAST}:
            return  # left over from an earlier config
        actual, reason = self.state(product, self.root)
        if actual is None:
            self.add("missing", product, reason)
        record = self.records.get(product)
        if record is None:
            if product not in self.invalid and actual is not None:
                self.add("unrecorded", product, "the file has no record")
            return
        self.inspect_record(product, record["stable"], record["record_hash"], actual)
        if self.steps:
            for detail in self.stale_details(product, record["stable"]):
                self.add("stale", product, detail)

    def inspect_record(
        self, product: str, stable: dict[str, Any], record_hash: str, actual: str | None
    ) -> None:
        if stable["product"] != product:
            self.add("forged", product, f"has the record of {stable['product']}")
            return
        if actual not in (None, stable["sha256"]):
            self.add("changed", product, "contents do not match the recorded SHA-256")
        if product in WRITTEN_LAST or not self.listed:
            return
        entry = self.listed.get(product)
        if entry is None:
            self.add("stale", product, "not listed in the manifest: run the workflow")
        elif entry != {"sha256": stable["sha256"], "record_hash": record_hash}:
            if actual == stable["sha256"] and self.made_after_manifest(product):
                self.add("remade", product, "manifest is stale: run the workflow")
            else:
                self.add("forged", product, "record differs from the manifest")

    def made_after_manifest(self, product: str) -> bool:
        """Whether a record says that its product was made after the manifest."""
        listed, made = (self.records.get(name) for name in (MANIFEST, product))
        if listed is None or made is None:
            return False
        before, after = (record["volatile"].get("started") for record in (listed, made))
        return isinstance(before, str) and isinstance(after, str) and after > before

    def stale_details(self, product: str, stable: Mapping[str, Any]) -> list[str]:
        """Return one text about everything that has changed since a product was made, or none."""
        details = changes(product, stable, self.steps, self.project)
        details += self._changed_inputs(stable["inputs"])
        return ["; ".join(details)] if details else []

    def _changed_inputs(self, inputs: Mapping[str, str]) -> list[str]:
        """Name inputs that are intact but are not those that a product was made from."""
        different = [n for n, sha in inputs.items() if self.state(n, self.root)[0] != sha]
        whole = [name for name in different if name in self.records and self._is_whole(name)]
        return [f"built from another version of {name}" for name in sorted(whole)]

    def _is_whole(self, product: str) -> bool:
        return self.records[product]["stable"]["sha256"] == self.state(product, self.root)[0]

    def inspect_sources(self) -> None:
        seen: dict[str, set[str]] = {}
        for product, record in self.records.items():
            if product in self.steps or product in self.listed or not self.listed:
                for source, sha in record["stable"]["sources"].items():
                    seen.setdefault(source, set()).add(sha)
        for source, hashes in sorted(seen.items()):
            folder = self.project.source_folder(source)
            actual, reason = self.state(source, folder)
            if actual is None:
                self.add("missing", source, f"products were built from it: {reason}", folder)
            elif hashes != {actual}:
                self.add("changed", source, "changed since products were built from it", folder)

    def compare_versions(self) -> None:
        """Note other versions of libraries: no fault, as the bytes may be the same."""
        from importlib.metadata import PackageNotFoundError, version

        used: dict[str, set[str]] = {}
        for record in self.records.values():
            for name, number in record["stable"]["environment"]["libraries"].items():
                used.setdefault(name, set()).add(number)
        for name in sorted(used.keys() & set(LIBRARIES)):
            try:
                now = version(name)
            except PackageNotFoundError:
                now = "none"
            if used[name] != {now}:
                numbers = short(", ".join(sorted(used[name])), 40)
                self.notes.append(f"built with {name} {numbers}, installed: {now}")

    def look_for_strays(self) -> None:
        known = {*self.listed, *self.steps} or {*self.records}
        for folder, _, files in os.walk(self.root / "figures"):
            for name in sorted(files):
                product = (Path(folder) / name).relative_to(self.root).as_posix()
                drawn = Path(name).suffix in DRAWN and not name.startswith(".")
                if drawn and product not in known:
                    self.add("stray", product, "no rule produces this figure")

    @cached_property
    def made_from(self) -> dict[str, set[str]]:
        """For every file, the products that were, or would be, made from it directly."""
        below: dict[str, set[str]] = {}
        for product, step in self.steps.items():
            for name in step.inputs:
                below.setdefault(name, set()).add(product)
        for product, record in self.records.items():
            sources = self.project.seen_from_root(record["stable"]["sources"])
            for name in (*record["stable"]["inputs"], *sources):
                below.setdefault(name, set()).add(product)
        return below

    def dependants(self, names: Iterable[str]) -> set[str]:
        """Return all products that depend on these files, directly or not, and the files."""
        reached, waiting = set(), list(names)
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting.extend(self.made_from.get(name, ()))
        return reached

    def reaching(self, fault: Fault) -> Fault:
        """Return the fault with the figures that depend on what it names."""
        names = [self.project.name(fault.what), fault.what]
        if fault.kind == "config":
            names = [f.what for f in self.faults if f.kind in ("stale", "missing")]
        reached = self.dependants(names) - {fault.what}
        figures = {Path(name).stem for name in {*reached, *names} if name.startswith("figures/")}
        others = {name for name in reached & self.known if not name.startswith("figures/")}
        return replace(fault, figures=tuple(sorted(figures)), others=len(others))

    @property
    def known(self) -> set[str]:
        return {*self.listed, *self.steps} or {*self.records}

    def replayable(self) -> dict[str, dict[str, Any]]:
        """Return the records of products without a fault other than their own bytes."""
        bad = {fault.what for fault in self.faults if fault.kind not in ("changed", "config")}
        known = self.known - bad - {MANIFEST}
        return {name: self.records[name]["stable"] for name in sorted(known & set(self.records))}

    def report(self) -> Report:
        kinds: dict[str, list[str]] = {product: [] for product in sorted(self.known)}
        if self.manifest:
            kinds.setdefault(MANIFEST, [])
        for fault in self.faults:
            if fault.what in kinds and fault.kind not in kinds[fault.what]:
                kinds[fault.what].append(fault.kind)
        products = {name: ", ".join(found) or "intact" for name, found in kinds.items()}
        faults = [self.reaching(fault) for fault in self.faults]
        root = str(os.path.relpath(self.root))
        return Report(root, products, faults, [], self.notes, self.state(MANIFEST, self.root)[0])


def _reason(error: Exception) -> str:
    return str(error.strerror) if isinstance(error, OSError) else short(error)


def flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Return nested settings as one dictionary with dotted keys."""
    if isinstance(value, Mapping) and value:
        parts = [flat(item, f"{prefix}.{key}") for key, item in value.items()]
    elif isinstance(value, list) and any(isinstance(item, (Mapping, list)) for item in value):
        parts = [flat(item, f"{prefix}[{place}]") for place, item in enumerate(value)]
    else:
        return {prefix.lstrip("."): value}
    return {key: item for part in parts for key, item in part.items()}


# --- the report


def render_audit(report: Report, form: str = "text") -> str:
    """Return the report for a terminal, or with ``json`` for a machine."""
    if form == "json":
        import json

        content = {**vars(report), "faults": [vars(fault) for fault in report.faults]}
        return json.dumps({"intact": report.intact, **content}, indent=1)
    good = sum(status == "intact" for status in report.products.values())
    lines = [f"{report.root}: {good} of {counted(len(report.products), 'product')} intact"]
    lines += _fault_lines(report.faults)
    if report.replayed:
        differing = sum(fault.kind == "replay" for fault in report.faults)
        equal = len(report.replayed) - differing
        products = counted(len(report.replayed), "product")
        lines.append(f"replayed {products}: {equal} equal bit for bit")
    lines += [f"note: {note}" for note in report.notes]
    if report.manifest_hash:
        lines.append(f"manifest {report.manifest_hash}")
    lines.append("all intact" if report.intact else counted(len(report.faults), "fault"))
    return "\n".join(map(printable, lines))


def _fault_lines(faults: list[Fault]) -> list[str]:
    """Return one entry per kind of fault; products that differ in the name alone are counted."""
    alike: dict[tuple, list[Fault]] = {}
    for fault in faults:
        one_by_one = fault.rule if fault.kind in ("stale", "missing") else fault.what
        alike.setdefault((fault.kind, one_by_one, fault.detail), []).append(fault)
    lines = []
    for (kind, _, detail), group in alike.items():
        of_rule = f" of rule {group[0].rule}" if group[0].rule else ""
        more = f" and {len(group) - 1} more{of_rule}" if len(group) > 1 else ""
        lines.append(f"{kind:10} {group[0].path or group[0].what}{more}: {detail}")
        figures = sorted({name for fault in group for name in fault.figures})
        others = max(fault.others for fault in group)
        if figures or others:
            reached = [", ".join(figures), counted(others, "other product") * (others > 0)]
            lines.append(f"{'':10} affects {' and '.join(filter(None, reached))}")
    return lines
