"""Verify that every product is what was made, and what would be made now.

Three accounts are compared: the bytes on disk, the records written beside them, and the plan that
Snakemake makes of the present config and code. What only one account knows is a fault. A product
that agrees with its record and was made after the manifest was remade by the workflow; the manifest
is stale then. Records and manifest are not signed: a product rewritten together with its record and
the time in it passes for remade, and one rewritten with all records that depend on it and the
manifest passes for intact. Both are found by a replay, or by the manifest's hash kept elsewhere.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ldpt import provenance
from ldpt.io.messages import counted, short
from ldpt.provenance import file_hash, read_record, record_path
from ldpt.provenance.code import PACKAGE
from ldpt.provenance.manifest import MANIFEST
from ldpt.provenance.plan import JobPlan, Step, find_project, plan_jobs, product_name

DRAWN = {".pdf", ".png", ".svg"}


@dataclass(frozen=True)
class Fault:
    """One thing that is not as it should be, and the figures drawn from it."""

    kind: str  # changed, missing, unrecorded, forged, remade, stale, config, stray, replay
    what: str
    detail: str
    rule: str = ""
    figures: tuple[str, ...] = ()
    others: int = 0  # further products that depend on it


@dataclass
class Report:
    """What an audit found."""

    root: str
    products: dict[str, str] = field(default_factory=dict)  # product -> intact or kinds of fault
    faults: list[Fault] = field(default_factory=list)
    replayed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    manifest_hash: str | None = None

    @property
    def intact(self) -> bool:
        return not self.faults


def audit(root: Path | str, replay: int = 0, seed: int = 0, plan: JobPlan | None = None) -> Report:
    """Compare bytes, records and plan under a root, and replay some chunks of simulations.

    ``plan`` is for callers that audit the same config and code many times.
    """
    if replay < 0:
        raise ValueError(f"replay must be 0 or more chunks, got {replay}")
    root = Path(root)
    project = find_project(root)
    root = root.resolve()
    if not (root / provenance.RECORDS).is_dir():
        raise ValueError(
            f"no records under {root}: run the workflow first, or name its root with --root"
        )
    inspection = _Inspection(root, project)
    inspection.read_manifest()
    inspection.compare_with_plan(plan)
    inspection.look_for_strays()
    report = inspection.report(str(os.path.relpath(root)))
    if replay:
        from ldpt.provenance.replay import replay_chunks

        replayed, differing = replay_chunks(root, inspection.trusted(), replay, seed)
        report.replayed = replayed
        report.faults += [inspection.reaching(Fault("replay", *pair)) for pair in differing]
    return report


class _Inspection:
    """The state of one audit."""

    def __init__(self, root: Path, project: Path):
        self.root, self.project = root, project
        self.faults: list[Fault] = []
        self.notes: list[str] = []
        self.listed: dict[str, dict[str, str]] = {}
        self.records: dict[str, dict[str, Any]] = {}
        self.hashes: dict[str, str | None] = {}
        self.steps: dict[str, Step] = {}
        self.manifest: dict[str, Any] = {}

    def add(self, kind: str, what: str, detail: str) -> None:
        rule = self.steps[what].rule if what in self.steps else ""
        self.faults.append(Fault(kind, what, detail, rule))

    def hash_of(self, path: str, folder: Path) -> str | None:
        """The hash of a file as it is now; None when it is not there."""
        key = str(folder / path)
        if key not in self.hashes:
            self.hashes[key] = file_hash(key) if Path(key).is_file() else None
        return self.hashes[key]

    def read_manifest(self) -> None:
        for product in provenance.products_under(self.root):
            try:
                self.records[product] = read_record(record_path(self.root, product))
            except ValueError as error:
                self.add("forged", product, f"its record is invalid: {short(error)}")
        try:
            self.manifest = json.loads((self.root / MANIFEST).read_bytes())
            self.listed = dict(self.manifest["products"])
        except FileNotFoundError:
            self.add("missing", MANIFEST, "the run is not finished, or the manifest was deleted")
        except (ValueError, KeyError, TypeError):
            self.manifest = {}
            self.add("changed", MANIFEST, "not a manifest")

    def origin(self) -> dict[str, Any] | None:
        """Which config to plan with: as the manifest says, or else its record; None if neither."""
        if isinstance(self.manifest.get("origin"), dict):
            return self.manifest["origin"]
        made = self.records.get(MANIFEST, {"stable": {"params": {}}})["stable"]
        return made["params"].get("origin")

    def advice(self) -> str:
        """What to do where the audit runs on other code than the project's own."""
        own = self.project / "src" / "ldpt"
        other = own.is_dir() and own.resolve() != PACKAGE
        return " (ldpt is not the project's: set PYTHONPATH to its src)" if other else ""

    def compare_with_plan(self, plan: JobPlan | None) -> None:
        origin = self.origin()
        try:
            if plan is None and origin is not None:
                plan = plan_jobs(self.project, self.root, origin)
        except (Exception, SystemExit) as error:  # whatever a config of today raises is a finding
            self.add("config", "workflow", f"cannot be planned: {short(error)}{self.advice()}")
        if plan is not None:
            self.steps = plan.steps
            self.compare_configs(plan.config)
        for product in sorted({*self.listed, *self.steps, *self.records} - {MANIFEST}):
            self.inspect(product, planned=plan is not None)
        if self.manifest:
            self.inspect(MANIFEST, planned=plan is not None)
        self.inspect_sources()
        self.compare_versions()

    def compare_configs(self, config: Mapping[str, Any]) -> None:
        if self.manifest:
            before, now = _flat(self.manifest.get("config")), _flat(config)
            for key in sorted(before.keys() | now.keys()):
                if before.get(key) != now.get(key):
                    detail = f"was {before.get(key, 'absent')}, is {now.get(key, 'absent')}"
                    self.add("config", key, detail)

    def inspect(self, product: str, planned: bool) -> None:
        """Compare everything that is known about one product."""
        wanted = product in self.listed or product in self.steps
        actual = self.hash_of(product, self.root)
        if not wanted and self.listed:
            return  # left over from an earlier config
        if actual is None:
            self.add("missing", product, "the file does not exist")
        record = self.records.get(product)
        if record is None:
            if not record_path(self.root, product).is_file() and actual is not None:
                self.add("unrecorded", product, "the file has no record")
            return
        self.inspect_record(product, record["stable"], record["record_hash"], actual)
        if planned:
            self.inspect_plan(product, record["stable"])

    def inspect_record(
        self, product: str, stable: dict[str, Any], record_hash: str, actual: str | None
    ) -> None:
        if stable["product"] != product:
            self.add("forged", product, f"has the record of {stable['product']}")
            return
        if actual not in (None, stable["sha256"]):
            self.add("changed", product, "contents do not match the recorded SHA-256")
        if product == MANIFEST or not self.listed:
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

    def inspect_plan(self, product: str, stable: dict[str, Any]) -> None:
        step = self.steps.get(product)
        if step is None:
            self.add("stale", product, "no current rule produces it")
            return
        details = [f"rule was {stable['rule']}"] if stable["rule"] != step.rule else []
        if step.code and stable["code"]["hash"] != step.code:
            details.append(f"code changed: {', '.join(self._changed_code(stable))}")
        for title, before, now in (
            ("settings", stable["params"], step.params),
            ("wildcards", stable["wildcards"], step.wildcards),
        ):
            names = [k for k in sorted({*before, *now}) if before.get(k) != now.get(k)]
            if names:
                details.append(f"{title} changed: {', '.join(names)}")
        if {*stable["inputs"], *self._seen_from_root(stable["sources"])} != step.inputs:
            details.append("set of inputs changed")
        details += self._changed_inputs(stable["inputs"])
        if details:
            self.add("stale", product, "; ".join(details))

    def _seen_from_root(self, sources: Iterable[str]) -> set[str]:
        return {product_name(source, self.project, self.root) for source in sources}

    def _changed_code(self, stable: dict[str, Any]) -> list[str]:
        before = stable["code"]["parts"]
        try:
            now = provenance.code_parts(self.project / stable["script"])
        except (ValueError, SyntaxError):
            now = {}
        return [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]

    def _changed_inputs(self, inputs: Mapping[str, str]) -> list[str]:
        """Inputs that are whole in themselves but are not what this product was made from."""
        different = [name for name, sha in inputs.items() if self.hash_of(name, self.root) != sha]
        whole = [name for name in different if name in self.records and self._is_whole(name)]
        return [f"built from another version of {name}" for name in sorted(whole)]

    def _is_whole(self, product: str) -> bool:
        return self.records[product]["stable"]["sha256"] == self.hash_of(product, self.root)

    def inspect_sources(self) -> None:
        seen: dict[str, set[str]] = {}
        for product, record in self.records.items():
            if product in self.steps or product in self.listed or not self.listed:
                for source, sha in record["stable"]["sources"].items():
                    seen.setdefault(source, set()).add(sha)
        for source, hashes in sorted(seen.items()):
            actual = self.hash_of(source, self.project)
            if actual is None:
                self.add("missing", source, "products were built from it, but it does not exist")
            elif hashes != {actual}:
                self.add("changed", source, "changed since products were built from it")

    def compare_versions(self) -> None:
        """Note other versions of libraries: no fault, as the bytes may be the same."""
        from importlib.metadata import PackageNotFoundError, version

        used: dict[str, set[str]] = {}
        for record in self.records.values():
            for name, number in record["stable"]["environment"]["libraries"].items():
                used.setdefault(name, set()).add(number)
        for name, numbers in sorted(used.items()):
            try:
                now = version(name)
            except PackageNotFoundError:
                now = "none"
            if numbers != {now}:
                self.notes.append(
                    f"built with {name} {', '.join(sorted(numbers))}, installed: {now}"
                )

    def look_for_strays(self) -> None:
        known = {*self.listed, *self.steps} or {*self.records}
        for path in sorted((self.root / "figures").rglob("*")):
            product = path.relative_to(self.root).as_posix()
            hidden = path.name.startswith(".")
            if path.suffix in DRAWN and not hidden and product not in known:
                self.add("stray", product, "no rule produces this figure")

    @cached_property
    def made_from(self) -> dict[str, set[str]]:
        """For every file, the products that were, or would be, made from it directly."""
        below: dict[str, set[str]] = {}
        for product, step in self.steps.items():
            for name in step.inputs:
                below.setdefault(name, set()).add(product)
        for product, record in self.records.items():
            sources = self._seen_from_root(record["stable"]["sources"])
            for name in (*record["stable"]["inputs"], *sources):
                below.setdefault(name, set()).add(product)
        return below

    def dependants(self, names: Iterable[str]) -> set[str]:
        """All products that stand on these files, however far down; the files included."""
        reached, waiting = set(), list(names)
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting.extend(self.made_from.get(name, ()))
        return reached

    def reaching(self, fault: Fault) -> Fault:
        """The fault with the figures that depend on what it names."""
        names = [product_name(fault.what, self.project, self.root), fault.what]
        if fault.kind == "config":
            names = [f.what for f in self.faults if f.kind in ("stale", "missing")]
        reached = self.dependants(names) - {fault.what}
        figures = {Path(name).stem for name in {*reached, *names} if name.startswith("figures/")}
        others = {name for name in reached & set(self.steps) if not name.startswith("figures/")}
        return replace(fault, figures=tuple(sorted(figures)), others=len(others))

    def trusted(self) -> dict[str, dict[str, Any]]:
        """Records of products that are there and whose records were not found forged."""
        forged = {fault.what for fault in self.faults if fault.kind in ("forged", "missing")}
        return {name: r["stable"] for name, r in self.records.items() if name not in forged}

    def report(self, root: str) -> Report:
        known = sorted({*self.listed, *self.steps} or {*self.records})
        kinds: dict[str, list[str]] = {product: [] for product in known}
        for fault in self.faults:
            if fault.what in kinds and fault.kind not in kinds[fault.what]:
                kinds[fault.what].append(fault.kind)
        products = {name: ", ".join(found) or "intact" for name, found in kinds.items()}
        faults = [self.reaching(fault) for fault in self.faults]
        return Report(root, products, faults, [], self.notes, self.hash_of(MANIFEST, self.root))


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Nested settings as one dictionary with dotted keys."""
    if isinstance(value, Mapping) and value:
        parts = [_flat(item, f"{prefix}.{key}") for key, item in value.items()]
    elif isinstance(value, list) and any(isinstance(item, (Mapping, list)) for item in value):
        parts = [_flat(item, f"{prefix}[{place}]") for place, item in enumerate(value)]
    else:
        return {prefix.lstrip("."): value}
    return {key: item for part in parts for key, item in part.items()}


# --- the report


def render_audit(report: Report, form: str = "text") -> str:
    """The report for a terminal, or with ``json`` for a machine."""
    if form == "json":
        content = {**vars(report), "faults": [vars(fault) for fault in report.faults]}
        return json.dumps({"intact": report.intact, **content}, indent=1)
    good = sum(status == "intact" for status in report.products.values())
    lines = [f"{report.root}: {good} of {counted(len(report.products), 'product')} intact"]
    lines += _fault_lines(report.faults)
    if report.replayed:
        differing = sum(fault.kind == "replay" for fault in report.faults)
        equal = len(report.replayed) - differing
        chunks = counted(len(report.replayed), "chunk")
        lines.append(f"replayed {chunks}: {equal} equal bit for bit")
    lines += [f"note: {note}" for note in report.notes]
    if report.manifest_hash:
        lines.append(f"manifest {report.manifest_hash}")
    lines.append("all intact" if report.intact else counted(len(report.faults), "fault"))
    return "\n".join(lines)


def _fault_lines(faults: list[Fault]) -> list[str]:
    """One entry per kind of fault; products that differ in the name alone are counted."""
    alike: dict[tuple, list[Fault]] = {}
    for fault in faults:
        one_by_one = fault.rule if fault.kind in ("stale", "missing") else fault.what
        alike.setdefault((fault.kind, one_by_one, fault.detail), []).append(fault)
    lines = []
    for (kind, _, detail), group in alike.items():
        of_rule = f" of rule {group[0].rule}" if group[0].rule else ""
        more = f" and {len(group) - 1} more{of_rule}" if len(group) > 1 else ""
        lines.append(f"{kind:10} {group[0].what}{more}: {detail}")
        figures = sorted({name for fault in group for name in fault.figures})
        others = max(fault.others for fault in group)
        reached = [
            ", ".join(figures) or "no figure",
            counted(others, "other product") * (others > 0),
        ]
        lines.append(f"{'':10} affects {' and '.join(filter(None, reached))}")
    return lines
