"""Verify that every product is what was made, and what would be made now.

Files, records and manifest are compared without running anything of the folder they are in: it may
come from somebody else. Only a run in the project that this package belongs to is also compared
with Snakemake's DAG for the present config and code, and only its jobs are run again.

Records and manifest are not signed: a product rewritten with all records that depend on it and the
manifest passes for intact. A replay finds it, and so does the run's hash from elsewhere.
"""

import hashlib
import json
import os
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ldpt.provenance.compare import committed_run, differences
from ldpt.provenance.dag import own_project, plan_jobs, replay_jobs
from ldpt.provenance.manifest import MANIFEST
from ldpt.provenance.records import transitive_closure
from ldpt.provenance.run import Run, read_run, reason
from ldpt.util.files import file_within, files_below
from ldpt.util.messages import counted, printable, short

DRAWN = {".pdf", ".png", ".svg"}
MARK = re.compile(r"<!-- (\w+):(begin|end) -->\n?")  # around a part of the README
MAX_README = 10**7  # bytes
MAX_FOLLOWED = 100  # faults whose figures are looked for
MAX_SHOWN = 20  # faults in the text
Found = tuple[str, str, str]  # kind of a fault, product, detail


@dataclass(frozen=True)
class Fault:
    """One cause of discrepancies, the products that it concerns, and the figures they reach.

    Kinds: ``changed`` (the bytes of a file), ``missing`` (a file), ``record`` (there is none, or
    it is invalid or not the one in the manifest), ``stale`` (would be made differently now),
    ``replay`` (came out differently).
    """

    kind: str
    detail: str
    products: tuple[str, ...]  # from the root
    figures: tuple[str, ...] = ()
    others: int = 0  # further products that depend on them


@dataclass
class Report:
    """The result of an audit."""

    root: str  # from the current folder, if that is near
    products: dict[str, str] = field(default_factory=dict)  # product -> intact or kinds of fault
    faults: list[Fault] = field(default_factory=list)
    replayed: list[str] = field(default_factory=list)
    compared: list[str] = field(default_factory=list)  # what was compared with what
    committed: list[str] = field(default_factory=list)  # whether this is the committed run
    hash: str | None = None  # of the run

    @property
    def intact(self) -> bool:
        return not self.faults


def audit(root: Path | str, replay: int = 0, seed: int = 0, expect: str = "") -> Report:
    """Compare files, records and manifest under a root, and our own project with its DAG.

    Parameters
    ----------
    root
        The folder of a run. Without records there, the files in git are compared with the manifest.
    replay
        Number of jobs, chosen with ``seed``, that are run again and compared bit for bit.
    expect
        The hash, or its first digits, that the run must have.

    Returns
    -------
    Report
        Every fault, with the figures that depend on it.
    """
    root = Path(root)
    if not root.is_dir():
        raise ValueError(f"{root} is not a folder")
    root = root.resolve()
    own = own_project()
    run = read_run(root, links=own is not None and root.is_relative_to(own))
    if replay and run.is_clone:
        raise ValueError(f"--replay needs the records of a run: there are none under {root}")
    if replay and not run.project.is_own:
        raise ValueError(
            f"--replay runs code of {printable(str(run.project.folder))}, which is not the project "
            "of this ldpt: run `make .venv/ready` and `.venv/bin/ldpt audit` there"
        )
    name = os.path.relpath(root)
    report = Report(str(root) if name.startswith("../..") else name, hash=run.hash)
    discrepancies = [*_compare_with_dag(run, report)]
    for product in sorted(run.products):
        discrepancies += [(kind, product, detail) for kind, detail in run.discrepancies(product)]
    discrepancies += [*_strays(run), *_readme_faults(run)]
    if not str(run.hash).startswith(expect):
        discrepancies.append(("changed", MANIFEST, f"the run is {run.hash}, expected {expect}"))
    discrepancies += _replay(run, report, discrepancies, random.Random(seed), replay)
    report.faults = list(_followed(_by_cause(discrepancies), run))
    report.committed = _compare_with_committed(run, own)
    kinds: dict[str, dict[str, None]] = {}
    for kind, product, _ in discrepancies:
        kinds.setdefault(product, {})[kind] = None
    for product in sorted(run.products):
        report.products[product] = ", ".join(kinds.get(product, ())) or "intact"
    return report


def _compare_with_dag(run: Run, report: Report) -> Iterator[Found]:
    """Add the DAG to a run of our own project, and say what is compared with what."""
    origin = run.settings.get("origin")
    report.compared = ["files with records and manifest"]
    if run.is_clone:
        others = counted(len(run.listed) - len(run.products), "other product")
        report.compared = [f"committed files with the manifest ({others} are not here)"]
    elif run.project.is_own and not os.access(run.project.folder, os.W_OK):
        text = "not with the present config and code: Snakemake needs to write to the project"
        report.compared.append(text)
    elif run.project.is_own and isinstance(origin, dict):
        try:
            run.steps = plan_jobs(run.project, origin)
            report.compared.append("records with the present config and code")
        except (ValueError, OSError) as error:
            yield "stale", MANIFEST, f"no DAG: {reason(error)}"
    else:
        text = "not with the config and code there: only the ldpt of a project runs its code"
        report.compared.append(text)


def _compare_with_committed(run: Run, own: Path | None) -> list[str]:
    """Say whether a run is the one in our project's last commit; else what differs and why."""
    try:
        committed = committed_run(own) if own else None
    except ValueError as error:  # a repository of another user, or no manifest of this format
        return [short(error)]
    if committed is None or run.hash is None:
        return []
    if run.hash == committed.hash:
        return ["this is the committed run"]
    return [f"not the committed run, {committed.hash}:", *differences(committed, run)]


def _replay(
    run: Run, report: Report, discrepancies: list[Found], source: random.Random, replay: int
) -> list[Found]:
    """Run some jobs without a fault again; return the products that came out differently."""
    damaged = {product for kind, product, _ in discrepancies if kind != "changed"}
    jobs = [job["products"] for job in run.settings.get("jobs", ())]
    sound = [names for names in jobs if not damaged & names.keys()]
    products = source.sample(sound, min(replay, len(sound)))
    report.replayed = sorted(name for names in products for name in names)
    origin = run.settings.get("origin") or {}
    return [
        ("replay", name, "another run of its job gave other bytes")
        for name, sha in replay_jobs(run.project, origin, report.replayed).items()
        if sha != run.records[name]["stable"]["sha256"]
    ]


def _strays(run: Run) -> Iterator[Found]:
    """Yield drawings in the folder of figures that are not products."""
    folder = run.project.root / "figures"
    for name in files_below(folder) if folder.is_dir() else ():
        path = Path(name)
        product = f"figures/{name}"
        is_figure = path.suffix in DRAWN and not path.name.startswith(".")
        if is_figure and product not in run.products:
            yield "record", product, "no rule produces this figure"


def _readme_faults(run: Run) -> Iterator[Found]:
    """Compare the README: its part NAME is figures/NAME.md, and a clone's states the run's hash."""
    try:
        path = file_within(run.project.root, "README.md", most=MAX_README, links=run.links)
        text = path.read_text(encoding="utf-8")
    except (ValueError, OSError):
        text = ""
    for name, part in readme_parts(text):
        product = f"figures/{name}.md"
        record = run.records.get(product)
        if record and hashlib.sha256(part.encode()).hexdigest() != record["stable"]["sha256"]:
            yield "changed", "README.md", f"its part {name!r} is not {product} of the run"
    if run.is_clone and str(run.hash) not in text:
        yield "changed", "README.md", f"does not state the hash of the run, {run.hash}"


def readme_parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and contents of the parts of a README that are products."""
    starts: dict[str, int] = {}
    for mark in MARK.finditer(text):
        name, kind = mark.groups()
        if kind == "begin":
            starts[name] = mark.end()
        elif name in starts:
            yield name, text[starts.pop(name) : mark.start()]


def _by_cause(discrepancies: list[Found]) -> list[Fault]:
    """Group what was found by its cause; a setting has the name that the config gives it."""
    settings = [detail for _, product, detail in discrepancies if product == MANIFEST]
    causes = {detail.rpartition("config.")[2]: detail for detail in settings}
    alike: dict[tuple[str, str], dict[str, None]] = {}
    for kind, product, detail in discrepancies:
        cause = causes.get(detail, detail) if kind == "stale" else detail
        alike.setdefault((kind, cause), {})[product] = None
    faults = [Fault(kind, detail, tuple(names)) for (kind, detail), names in alike.items()]
    return sorted(faults, key=lambda fault: -len(fault.products))


def _followed(faults: list[Fault], run: Run) -> Iterator[Fault]:
    """Yield faults with the figures and the number of other products that depend on them."""
    users: dict[str, set[str]] = {}  # products that were, or would be, made from a file directly
    inputs = [(product, record["stable"]["inputs"]) for product, record in run.records.items()]
    steps = [(product, step.inputs) for product, step in run.steps.items()]
    for product, names in (*inputs, *steps):
        for name in names:
            users.setdefault(name, set()).add(product)
    for fault in faults[:MAX_FOLLOWED]:
        reached = transitive_closure(fault.products, lambda name: users.get(name, ()))
        figures = sorted({Path(name).stem for name in reached if name.startswith("figures/")})
        others = {name for name in reached if not name.startswith("figures/")}
        more = len(others.difference(fault.products))
        yield Fault(fault.kind, fault.detail, fault.products, tuple(figures), more)
    yield from faults[MAX_FOLLOWED:]


def render_audit(report: Report, form: str = "text") -> str:
    """Return the report for a terminal, or with ``json`` for a machine."""
    if form == "json":
        content = {**vars(report), "faults": [vars(fault) for fault in report.faults]}
        return json.dumps({"intact": report.intact, **content}, indent=1)
    good = sum(status == "intact" for status in report.products.values())
    lines = [f"{report.root}: {good} of {counted(len(report.products), 'product')} intact"]
    lines += [f"compared: {'; '.join(report.compared)}"]
    for fault in report.faults[:MAX_SHOWN]:
        lines += _fault_lines(fault, report.root)
    if len(report.faults) > MAX_SHOWN:
        lines.append(f"and {counted(len(report.faults) - MAX_SHOWN, 'further fault')}: --json")
    if report.replayed:
        unequal = [fault.products for fault in report.faults if fault.kind == "replay"]
        equal = len(report.replayed) - sum(map(len, unequal))
        products = counted(len(report.replayed), "product")
        lines.append(f"replayed {products}: {equal} equal bit for bit")
    if report.hash:
        lines.append(f"run {report.hash}")
    lines += report.committed
    lines.append("all intact" if report.intact else counted(len(report.faults), "fault"))
    return "\n".join(map(printable, lines))


def _fault_lines(fault: Fault, root: str) -> list[str]:
    """Return the cause with its products, and the figures that it reaches."""
    path = os.path.normpath(f"{root}/{fault.products[0]}")
    if len(fault.products) == 1:
        lines = [f"{fault.kind:8} {path}: {fault.detail}"]
    else:
        others = counted(len(fault.products) - 1, "further product")
        lines = [f"{fault.kind:8} {fault.detail}: {path} and {others}"]
    drawn = {Path(name).stem for name in fault.products if name.startswith("figures/")}
    further = [name for name in fault.figures if name not in drawn]
    if further or fault.others:
        reached = [short(", ".join(further), 120)] if further else []
        if fault.others:
            reached.append(counted(fault.others, "other product"))
        lines.append(f"{'':8} affects {' and '.join(reached)}")
    return lines
