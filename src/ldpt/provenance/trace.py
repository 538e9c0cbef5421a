"""From a figure, a claim or a number down to the config: what it was made from, step by step."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from ldpt.provenance.job import short_form
from ldpt.provenance.manifest import CLAIMS, NUMBERS, SHOWN, published
from ldpt.provenance.records import Record, file_hash, name_below, reach
from ldpt.provenance.run import Run, read_run
from ldpt.text import wrapped
from ldpt.util.files import read_whole
from ldpt.util.messages import counted, printable, short

WIDTH = 80
SHORT = 12  # digits of a hash
MIN_HASH = 8  # digits
LINK = "ldpt:"  # before a hash that the article links to
INNER = re.compile(rb"(ldpt-(?:code|settings|inputs))[=\0]([0-9a-f]{16})")  # in figures
DECISION = ("criterion", "decided_by")  # fields of a claim
MAX_FACTS = 4  # settings of the product in a summary


@dataclass(frozen=True)
class Trace:
    """A product with all products and sources behind it."""

    preface: list[str]  # the claim, the number or the copy of a file that was asked for
    top: str  # the product; empty when several were meant
    products: dict[str, Record]
    sources: dict[str, str]  # name -> SHA-256


def trace(what: Path | str, root: Path | str = ".") -> Trace:
    """Return everything behind a product, a claim or a number.

    Parameters
    ----------
    what
        A product or a copy of one, 8 or more digits of its hash or of its record's hash, the
        identifier of a claim, or a number by name or as printed in README and article.
    root
        The folder of the run; without records there, the manifest in git is read.

    Returns
    -------
    Trace
        The product behind it with all that it was made from.
    """
    run = read_run(root)
    top, preface = _find(str(what), run)

    def inputs(name: str) -> dict[str, str]:
        if name not in run.records:
            raise ValueError(f"{name} has no record under {run.project.root}")
        return run.records[name]["stable"]["inputs"]

    products = {name: run.records[name] for name in reach([top] if top else [], inputs)}
    stable = [record["stable"] for record in products.values()]
    sources = {name: sha for part in stable for name, sha in part["sources"].items()}
    return Trace(preface, top, products, sources)


def _find(what: str, run: Run) -> tuple[str, list[str]]:
    """Return the product that is meant, and what to say about it first."""
    root = run.project.root
    for path in (Path(what), root / what):
        if path.is_dir():
            raise ValueError(f"{what!r} is a folder, a product is a file")
        if path.is_file():
            return _identify(path, run)
        if path.exists():
            raise ValueError(f"{what!r} is not a regular file")
    if what in run.records:
        return what, ["the file itself is not here"]
    statement = _claim_or_number(what, run)
    if statement:
        return statement
    digits = what.removeprefix(LINK).lower()
    if re.fullmatch(r"[0-9a-f]+", digits):
        return _by_hash(digits, run), []
    raise ValueError(
        f"{what!r} is no file here or under {root}, and no hash, claim or number of the run"
    )


def _by_hash(start: str, run: Run) -> str:
    """Return the product whose hash, or whose record's hash, begins like this."""
    root = run.project.root
    if len(start) < MIN_HASH:
        raise ValueError(f"hash {start} is too short: {MIN_HASH} digits at least")
    names = [
        name
        for name, record in run.records.items()
        if record["record_hash"].startswith(start) or record["stable"]["sha256"].startswith(start)
    ]
    if not names:
        raise ValueError(f"no product under {root} has a hash or a record hash {start}...")
    if len(names) > 1:
        raise ValueError(f"hash {start}... is ambiguous: {short(', '.join(names), 200)}")
    return names[0]


def _identify(file: Path, run: Run) -> tuple[str, list[str]]:
    """Return the product that a file is: by place, bytes, or the hashes that a figure carries."""
    root, sha = run.project.root, file_hash(file)
    name = name_below(file, root)
    if name in run.records:
        same = run.records[name]["stable"]["sha256"] == sha
        return name, [] if same else [f"{file} is not what the run made: its contents differ"]
    inner = {key.decode(): value.decode() for key, value in INNER.findall(read_whole(file))}
    for name, record in run.records.items():
        stable = record["stable"]
        if stable["sha256"] == sha:
            return name, [f"{file} has the same bytes"]
        same = bool(inner) and inner.items() <= short_form(stable).items()
        if same and Path(name).suffix == file.suffix:
            return name, [f"{file} was made in the same way; its bytes differ"]
    if inner:
        parts = ", ".join(f"{key.removeprefix('ldpt-')} {value}" for key, value in inner.items())
        raise ValueError(f"{file} was made by {parts}, which made no file under {root}")
    raise ValueError(f"{file} is not a product: it has no record under {root}")


def _claim_or_number(what: str, run: Run) -> tuple[str, list[str]] | None:
    """Return the evidence of a claim or the source of a number, and the statement itself."""
    try:
        content = run.settings if run.is_clone else published(run.project.root)
        claims = {row["id"]: {key: str(row[key]) for key in SHOWN} for row in content["claims"]}
        numbers = [(row["name"], str(row["text"]), row["value"]) for row in content["numbers"]]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"numbers or claims are not in the form that we write: {error!r}"
        ) from error

    def product(name: str, otherwise: str) -> str:
        return name if name in run.records else otherwise

    evidence = {
        name: product(f"results/evidence/{claim['file']}.json", CLAIMS)
        for name, claim in claims.items()
    }
    named = [claim for claim in claims.values() if what in (claim["id"], claim["where"])]
    if len(named) == 1:
        top = evidence[named[0]["id"]]
        return top, _claim_lines(named[0], top)
    lines, sources = [], set()
    for name, text, value in numbers:
        if what in (name, text):
            part, identifier, *_ = f"{name}:".split(":")
            figure = product(f"results/captions/{part}.json", NUMBERS)
            sources.add(evidence.get(identifier, figure) if part == "claim" else figure)
            lines.append(f"{name} = {text}" + (f" ({value})" if str(value) != text else ""))
    if len(sources) > 1:
        return "", [*lines, "name one of these numbers to see what it was made from"]
    return (sources.pop(), lines) if sources else None


def _claim_lines(claim: dict[str, str], product: str) -> list[str]:
    lines = [f"{claim['id']}, {claim['where']}: {claim['verdict']}"]
    facts = [claim["statement"]]
    facts += [f"{key.replace('_', ' ')}: {claim[key]}" for key in DECISION if claim[key]]
    for fact in facts:
        lines += wrapped(f"  {fact}", WIDTH, 2).splitlines()
    if claim["key"]:
        lines.append(f"  evidence: entry {claim['key']} of {product}")
    return lines


# --- the text


def render_trace(trace: Trace, form: str = "summary") -> str:
    """Return the trace on one screen, ``full`` as a tree, or as ``json``."""
    if form == "json":
        return json.dumps(asdict(trace), indent=1)
    lines = list(trace.preface)
    if trace.top:
        lines += [""] * bool(lines)
        lines += _tree(trace, trace.top, 0, set()) if form == "full" else _summary(trace)
        lines += _circumstances(trace.products[trace.top])
    return "\n".join(map(printable, lines))


def _summary(trace: Trace) -> Iterator[str]:
    """Yield the product, and one line per rule behind it."""
    yield trace.top
    yield from _job_lines(trace.products[trace.top], "  ")[: 2 + MAX_FACTS]
    yield ""
    yield f"made from {counted(len(trace.products) + len(trace.sources) - 1, 'file')}:"
    by_rule: dict[str, list[str]] = {}
    for name, record in trace.products.items():
        if name != trace.top:
            by_rule.setdefault(record["stable"]["rule"], []).append(name)
    if trace.sources:
        by_rule["sources"] = sorted(trace.sources)
    for rule, names in by_rule.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        line = f"  {rule}: {names[0]}{more}"
        yield from [line] if len(line) <= WIDTH else [f"  {rule}:", f"    {names[0]}{more}"]
    yield "everything: --full"


def _job_lines(record: Record, indent: str) -> list[str]:
    """Return hashes, code, settings and seeds of a product, one per line; long values cut."""
    stable = record["stable"]
    lines = [
        f"sha256 {stable['sha256'][:SHORT]}, record {record['record_hash'][:SHORT]}",
        f"by {stable['script']}, code {stable['code']['hash'][:SHORT]}",
    ]
    facts = {**stable["params"], **stable["wildcards"], **stable["notes"]}
    for key, value in facts.items():
        if key not in ("config", "origin"):
            lines.append(f"{key} = {value if isinstance(value, str) else json.dumps(value)}")
    return [indent + short(line, WIDTH - len(indent)) for line in lines]


def _circumstances(record: Record) -> Iterator[str]:
    """Yield time, place, commit and versions; none for a record from the manifest."""
    made = record["volatile"]
    if not made:
        return
    state = {"True": "clean tree", "False": "edited tree"}.get(
        str(made.get("clean")), "no repository"
    )
    yield ""
    yield f"made {made.get('started')} on {made.get('host')} in {made.get('wall_seconds')} s"
    yield f"commit {made.get('commit') or 'unknown'}, {state}"
    versions = ", ".join(f"{name} {text}" for name, text in made.get("environment", {}).items())
    yield from wrapped(versions, WIDTH).splitlines()


def _tree(trace: Trace, name: str, depth: int, shown: set[str]) -> Iterator[str]:
    """Yield the files depth first; repeated ones are listed but not expanded."""
    indent = "    " * depth
    record = trace.products.get(name)
    if record is None or name in shown:
        yield f"{indent}{name}  " + (
            "see above" if record else f"source {trace.sources[name][:SHORT]}"
        )
        return
    shown.add(name)
    yield f"{indent}{name}"
    yield from _job_lines(record, f"{indent}  ")
    for child in (*record["stable"]["inputs"], *record["stable"]["sources"]):
        yield from _tree(trace, child, depth + 1, shown)
