"""Verify that every product is what was made, and what would be made now.

Files, records and manifest are compared without running anything of the folder they are in: it may
come from somebody else. For the project that this package belongs to, or with ``trust``, they are
also compared with Snakemake's DAG for the present config and code, which runs that project's code
in a child process.

Records and manifest are not signed: a product rewritten with all records that depend on it and the
manifest passes for intact. A replay finds it, and so does the manifest's hash kept elsewhere.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ldpt.io.files import file_within
from ldpt.io.messages import counted, printable
from ldpt.provenance.comparison import Evidence, gather, reason
from ldpt.provenance.plan import JobPlan, Project, own_project, plan_jobs
from ldpt.provenance.records import RECORDS
from ldpt.provenance.replay import choose_jobs, replay_jobs
from ldpt.provenance.run import MANIFEST, reach, read_run

DRAWN = {".pdf", ".png", ".svg"}
PART = r"<!-- (\w+):begin -->\n(.*?)<!-- \1:end -->"  # of the README
MAX_README = 10**6  # bytes
Found = tuple[str, str, str]  # kind of a fault, product, detail


@dataclass(frozen=True)
class Fault:
    """One discrepancy, and the figures drawn from it.

    Kinds: ``changed`` (the bytes of a file), ``missing`` (a file), ``record`` (there is none, or
    it is invalid or not the one in the manifest), ``stale`` (would be made differently now),
    ``replay`` (came out differently).
    """

    kind: str
    what: str  # a product, from the root
    detail: str
    path: str  # from the current folder
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
        The folder of a run. Without records there, the files in git are compared with the manifest.
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
    root = root.resolve()
    if not (root / RECORDS).is_dir():
        return _audit_clone(root)
    own = own_project()
    evidence, settings = gather(root, trust or (own is not None and root.is_relative_to(own)))
    project, origin = evidence.project, settings.get("origin")
    found: list[Found] = []
    notes: list[str] = []
    trusted = trust or project.home == own
    if replay and not trusted:
        home = printable(str(project.home))
        raise ValueError(f"--replay runs the code of {home}: add --trust if you trust it")
    if not trusted:
        notes.append("not compared with the DAG: --trust runs the code of this folder")
    elif isinstance(origin, dict):
        try:
            evidence.steps = plan or plan_jobs(project, origin)
        except (ValueError, OSError) as error:
            found.append(("stale", MANIFEST, f"no DAG: {reason(error)}"))
    for product in sorted({*evidence.known, *evidence.invalid, MANIFEST}):
        found += [(kind, product, detail) for kind, detail in evidence.discrepancies(product)]
    found += [("record", name, "no rule produces this figure") for name in _strays(evidence)]
    found += _readme_parts(evidence)
    damaged = {MANIFEST} | {product for kind, product, _ in found if kind != "changed"}
    sound = sorted(evidence.known & evidence.records.keys() - damaged)
    records = {name: evidence.records[name]["stable"] for name in sound}
    replayed = choose_jobs(records, replay, seed)
    for name, sha in replay_jobs(project, origin or {}, replayed).items():
        if sha != records[name]["sha256"]:
            found.append(("replay", name, "another run of its job gave other bytes"))
    return _report(evidence, {*evidence.known, MANIFEST}, found, replayed, notes)


def _audit_clone(root: Path) -> Report:
    """Compare the figures, article and README of a fresh clone with the manifest."""
    run = read_run(root)
    evidence = Evidence(Project(root, root, root), records=run.records)
    committed = {name for name in run.records if not name.startswith("results/")}
    found = []
    for name in sorted(committed):
        actual, why = evidence.hash_of(name)
        if actual != run.records[name]["stable"]["sha256"]:
            kind = "changed" if actual else "missing"
            found.append((kind, name, why or "not what the committed run made"))
    found += _readme_parts(evidence)
    if run.hash and run.hash not in _readme(evidence):
        found.append(("changed", "README.md", f"does not state the hash of the run, {run.hash}"))
    others = counted(len(run.records) - len(committed), "other product")
    note = f"no run here: only committed files were compared; {others} are not here"
    return _report(evidence, committed, found, [], [note])


def _readme(evidence: Evidence) -> str:
    try:
        path = file_within(evidence.project.root, "README.md", MAX_README, evidence.links)
        return path.read_text(encoding="utf-8")
    except (ValueError, OSError):
        return ""


def _readme_parts(evidence: Evidence) -> Iterator[Found]:
    """Compare the parts of the README that are products: NAME is the text of figures/NAME.md."""
    for name, text in re.findall(PART, _readme(evidence), re.DOTALL):
        product = f"figures/{name}.md"
        record = evidence.records.get(product)
        if record and hashlib.sha256(text.encode()).hexdigest() != record["stable"]["sha256"]:
            yield "changed", "README.md", f"its part {name!r} is not {product} of the run"


def _strays(evidence: Evidence) -> Iterator[str]:
    """Yield drawings in the folder of figures that are not products."""
    root = evidence.project.root
    for path in sorted((root / "figures").rglob("*")):
        product = path.relative_to(root).as_posix()
        drawn = path.suffix in DRAWN and not path.name.startswith(".")
        if drawn and product not in evidence.known:
            yield product


# --- the report


def _report(
    evidence: Evidence,
    products: set[str],
    found: list[Found],
    replayed: list[str],
    notes: list[str],
) -> Report:
    root, users = evidence.project.root, _users(evidence)
    kinds: dict[str, list[str]] = {product: [] for product in sorted(products)}
    faults = []
    for kind, what, detail in found:
        if kind not in kinds.get(what, [kind]):
            kinds[what].append(kind)
        reached = reach([what], lambda name: users.get(name, ()))
        figures = {Path(name).stem for name in reached if name.startswith("figures/")}
        others = [name for name in reached[1:] if not name.startswith("figures/")]
        rule = evidence.steps[what].rule if what in evidence.steps else ""
        path = os.path.relpath(root / what)
        path = str(root / what) if path.startswith("../..") else path
        faults.append(Fault(kind, what, detail, path, rule, tuple(sorted(figures)), len(others)))
    status = {name: ", ".join(wrong) or "intact" for name, wrong in kinds.items()}
    run_hash = evidence.hash_of(MANIFEST)[0]
    return Report(str(os.path.relpath(root)), status, faults, replayed, notes, run_hash)


def _users(evidence: Evidence) -> dict[str, set[str]]:
    """Return for every file the products that were, or would be, made from it directly."""
    users: dict[str, set[str]] = {}
    used = {product: step.inputs for product, step in evidence.steps.items()}
    inputs = {name: record["stable"]["inputs"] for name, record in evidence.records.items()}
    for product, names in (*used.items(), *inputs.items()):
        for name in names:
            users.setdefault(name, set()).add(product)
    return users


def render_audit(report: Report, form: str = "text") -> str:
    """Return the report for a terminal, or with ``json`` for a machine."""
    if form == "json":
        content = {**vars(report), "faults": [vars(fault) for fault in report.faults]}
        return json.dumps({"intact": report.intact, **content}, indent=1)
    good = sum(status == "intact" for status in report.products.values())
    lines = [f"{report.root}: {good} of {counted(len(report.products), 'product')} intact"]
    lines += _fault_lines(report.faults)
    if report.replayed:
        equal = len(report.replayed) - sum(fault.kind == "replay" for fault in report.faults)
        products = counted(len(report.replayed), "product")
        lines.append(f"replayed {products}: {equal} equal bit for bit")
    lines += [f"note: {note}" for note in report.notes]
    if report.manifest_hash:
        lines.append(f"run {report.manifest_hash}")
    lines.append("all intact" if report.intact else counted(len(report.faults), "fault"))
    return "\n".join(map(printable, lines))


def _fault_lines(faults: list[Fault]) -> list[str]:
    """Return one entry per kind of fault; products of one rule are counted."""
    alike: dict[tuple[str, str, str], list[Fault]] = {}
    for fault in faults:
        alike.setdefault((fault.kind, fault.rule or fault.what, fault.detail), []).append(fault)
    lines = []
    for (kind, rule, detail), group in alike.items():
        more = f" and {len(group) - 1} more of rule {rule}" if len(group) > 1 else ""
        lines.append(f"{kind:8} {group[0].path}{more}: {detail}")
        figures = sorted({name for fault in group for name in fault.figures})
        others = max(fault.others for fault in group)
        if figures or others:
            reached = [", ".join(figures), counted(others, "other product") * (others > 0)]
            lines.append(f"{'':8} affects {' and '.join(filter(None, reached))}")
    return lines
