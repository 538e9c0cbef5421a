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
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ldpt.provenance.dag import JobPlan, own_project, plan_jobs, replay_jobs
from ldpt.provenance.manifest import MANIFEST
from ldpt.provenance.records import reach
from ldpt.provenance.run import Run, read_run, reason
from ldpt.util.files import file_within
from ldpt.util.messages import counted, printable

DRAWN = {".pdf", ".png", ".svg"}
PART = r"<!-- (\w+):begin -->\n(.*?)<!-- \1:end -->"  # of the README
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
    rule: str
    figures: tuple[str, ...]
    others: int  # further products that depend on it


@dataclass
class Report:
    """The result of an audit."""

    root: str  # from the current folder, if that is near
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
    root, own = root.resolve(), own_project()
    run = read_run(root, links=trust or (own is not None and root.is_relative_to(own)))
    project, origin = run.project, run.settings.get("origin")
    trusted = trust or project.home == own
    if replay and run.is_clone:
        raise ValueError(f"--replay needs the records of a run: there are none under {root}")
    if replay and not trusted:
        home = printable(str(project.home))
        raise ValueError(f"--replay runs the code of {home}: add --trust if you trust it")
    found: list[Found] = []
    name = os.path.relpath(root)
    name = str(root) if name.startswith("../..") else name
    report = Report(name, manifest_hash=run.hash_of(MANIFEST)[0])
    if run.is_clone:
        others = counted(len(run.listed) - len(run.products), "other product")
        note = f"no run here: only committed files were compared; {others} are not here"
        report.notes.append(note)
    elif not trusted:
        report.notes.append("not compared with the DAG: --trust runs the code of this folder")
    elif isinstance(origin, dict):
        try:
            run.steps = plan or plan_jobs(project, origin)
        except (ValueError, OSError) as error:
            found.append(("stale", MANIFEST, f"no DAG: {reason(error)}"))
    for product in sorted(run.products):
        found += [(kind, product, detail) for kind, detail in run.discrepancies(product)]
    found += [*_strays(run), *_readme_faults(run, report.manifest_hash)]
    damaged = {product for kind, product, _ in found if kind != "changed"}
    jobs = [job["products"] for job in run.settings.get("jobs", ())]
    sound = [names for names in jobs if not damaged & names.keys()]
    chosen = random.Random(seed).sample(sound, min(replay, len(sound)))
    report.replayed = sorted(name for names in chosen for name in names)
    for name, sha in replay_jobs(project, origin or {}, report.replayed).items():
        if sha != run.records[name]["stable"]["sha256"]:
            found.append(("replay", name, "another run of its job gave other bytes"))
    report.faults = list(_followed(found, run))
    for product in sorted(run.products):
        kinds = dict.fromkeys(kind for kind, what, _ in found if what == product)
        report.products[product] = ", ".join(kinds) or "intact"
    return report


def _strays(run: Run) -> Iterator[Found]:
    """Yield drawings in the folder of figures that are not products."""
    root = run.project.root
    for path in sorted((root / "figures").rglob("*")):
        product = path.relative_to(root).as_posix()
        drawn = path.suffix in DRAWN and not path.name.startswith(".")
        if drawn and product not in run.products:
            yield "record", product, "no rule produces this figure"


def _readme_faults(run: Run, manifest_hash: str | None) -> Iterator[Found]:
    """Compare the README: its part NAME is figures/NAME.md, and a clone's states the run's hash."""
    try:
        path = file_within(run.project.root, "README.md", links=run.links)
        text = path.read_text(encoding="utf-8")
    except (ValueError, OSError):
        text = ""
    for name, part in re.findall(PART, text, re.DOTALL):
        product = f"figures/{name}.md"
        record = run.records.get(product)
        if record and hashlib.sha256(part.encode()).hexdigest() != record["stable"]["sha256"]:
            yield "changed", "README.md", f"its part {name!r} is not {product} of the run"
    if run.is_clone and str(manifest_hash) not in text:
        yield "changed", "README.md", f"does not state the hash of the run, {manifest_hash}"


def _followed(found: list[Found], run: Run) -> Iterator[Fault]:
    """Yield faults with the figures and the number of other products that depend on them."""
    users: dict[str, set[str]] = {}  # products that were, or would be, made from a file directly
    inputs = [(product, record["stable"]["inputs"]) for product, record in run.records.items()]
    steps = [(product, step.inputs) for product, step in run.steps.items()]
    for product, names in (*inputs, *steps):
        for name in names:
            users.setdefault(name, set()).add(product)
    for kind, what, detail in found:
        reached = reach([what], lambda name: users.get(name, ()))
        figures = {Path(name).stem for name in reached if name.startswith("figures/")}
        others = [name for name in reached[1:] if not name.startswith("figures/")]
        rule = run.steps[what].rule if what in run.steps else ""
        yield Fault(kind, what, detail, rule, tuple(sorted(figures)), len(others))


def render_audit(report: Report, form: str = "text") -> str:
    """Return the report for a terminal, or with ``json`` for a machine."""
    if form == "json":
        content = {**vars(report), "faults": [vars(fault) for fault in report.faults]}
        return json.dumps({"intact": report.intact, **content}, indent=1)
    good = sum(status == "intact" for status in report.products.values())
    lines = [f"{report.root}: {good} of {counted(len(report.products), 'product')} intact"]
    lines += _fault_lines(report)
    if report.replayed:
        equal = len(report.replayed) - sum(fault.kind == "replay" for fault in report.faults)
        products = counted(len(report.replayed), "product")
        lines.append(f"replayed {products}: {equal} equal bit for bit")
    lines += [f"note: {note}" for note in report.notes]
    if report.manifest_hash:
        lines.append(f"run {report.manifest_hash}")
    lines.append("all intact" if report.intact else counted(len(report.faults), "fault"))
    return "\n".join(map(printable, lines))


def _fault_lines(report: Report) -> list[str]:
    """Return one entry per kind of fault; products of one rule are counted."""
    alike: dict[tuple[str, str, str], list[Fault]] = {}
    for fault in report.faults:
        alike.setdefault((fault.kind, fault.rule or fault.what, fault.detail), []).append(fault)
    lines = []
    for (kind, rule, detail), group in alike.items():
        more = f" and {len(group) - 1} more of rule {rule}" if len(group) > 1 else ""
        path = os.path.normpath(f"{report.root}/{group[0].what}")
        lines.append(f"{kind:8} {path}{more}: {detail}")
        figures = sorted({name for fault in group for name in fault.figures})
        others = max(fault.others for fault in group)
        if figures or others:
            reached = [", ".join(figures), counted(others, "other product") * (others > 0)]
            lines.append(f"{'':8} affects {' and '.join(filter(None, reached))}")
    return lines
