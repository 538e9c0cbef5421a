"""From a figure down to the instances and the config: what it was made from, step by step."""

import json
import re
import struct
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ldpt import provenance
from ldpt.io.messages import counted, short
from ldpt.provenance import file_hash, read_record, record_path, relative_to, short_form

PNG = b"\x89PNG\r\n\x1a\n"
HASH = re.compile(r"[0-9a-fA-F]{8,64}")
LINK = "ldpt:"  # before a hash that the article links to
INNER = re.compile(rb"(ldpt-(?:rule|code|settings|inputs))[=\0]([\w.-]+)")


MAX_FACTS = 4  # settings of the product in a summary


@dataclass(frozen=True)
class Origin:
    """One file in a trace: a product with what it was made from, or a source."""

    name: str
    sha256: str
    rule: str = ""
    script: str = ""
    code: str = ""
    settings: dict[str, Any] | None = None
    notes: dict[str, Any] | None = None
    made: dict[str, Any] | None = None
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trace:
    """All files behind one product, by name; a file used twice is there once."""

    top: str
    remark: str
    record_hash: str
    origins: dict[str, Origin]


def trace(product: Path | str, root: Path | str = ".") -> Trace:
    """Everything behind a product, named by its file, a copy of it, or the start of a hash."""
    root = Path(root)
    if not (root / provenance.RECORDS).is_dir():
        raise ValueError(
            f"no records under {root}: run the workflow first, or name its root with --root"
        )
    file = _find(product, root)
    top, remark = _identify(file, root) if file else _by_hash(str(product), root)
    origins: dict[str, Origin] = {}
    waiting = [top]
    while waiting:
        name = waiting.pop()
        if name not in origins:
            origins[name] = _product(name, root)
            waiting.extend(origins[name].inputs)
            origins.update(_sources(name, root))
            waiting = [name for name in waiting if name not in origins]
    return Trace(top, remark, read_record(record_path(root, top))["record_hash"], origins)


def _find(product: Path | str, root: Path) -> Path | None:
    """The file of this name, from this folder or from the root; None for the start of a hash."""
    for file in (Path(product), root / product):
        if file.is_dir():
            raise ValueError(f"{str(product)!r} is a folder, a product is a file")
        if file.is_file():
            return file
        if file.exists():
            raise ValueError(f"{str(product)!r} is not a regular file")
    if HASH.fullmatch(str(product).removeprefix(LINK)):
        return None
    raise ValueError(f"{str(product)!r} does not exist, neither here nor under {root}")


def _by_hash(start: str, root: Path) -> tuple[str, str]:
    """The product whose hash, or whose record's hash, begins like this."""
    start = start.removeprefix(LINK).lower()
    found = [
        product
        for product, record in _readable_records(root)
        if record["record_hash"].startswith(start) or record["stable"]["sha256"].startswith(start)
    ]
    if not found:
        raise ValueError(f"no product under {root} has a hash or a record hash {start}...")
    if len(found) > 1:
        raise ValueError(f"hash {start}... is ambiguous: {short(', '.join(found), 200)}")
    return found[0], ""


def _readable_records(root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every product with its record; records that are invalid are left to the audit."""
    for product in provenance.products_under(root):
        try:
            yield product, read_record(record_path(root, product))
        except ValueError:
            continue


def _identify(file: Path, root: Path) -> tuple[str, str]:
    """The product that a file is, by place, by bytes, or by what it carries inside."""
    sha = file_hash(file)
    try:
        name = relative_to(file, root)
    except ValueError:
        name = ""
    if name and record_path(root, name).is_file():
        same = read_record(record_path(root, name))["stable"]["sha256"] == sha
        return name, "" if same else "contents do not match the recorded SHA-256"
    inner = inner_form(file)
    for product, record in _readable_records(root):
        stable = record["stable"]
        if stable["sha256"] == sha:
            return product, f"{file} has the same bytes"
        if inner and Path(product).suffix == file.suffix and short_form(stable) == inner:
            return product, f"{file} was made in the same way; its bytes differ"
    if inner:
        said = ", ".join(f"{key.removeprefix('ldpt-')} {value}" for key, value in inner.items())
        raise ValueError(f"{file} was made by {said}, which made none of the files under {root}")
    raise ValueError(f"{file} is not a product: it has no record under {root}")


def inner_form(file: Path) -> dict[str, str]:
    """The short form that a figure carries in its metadata; empty where there is none."""
    content = file.read_bytes()
    text = b"\n".join(_png_texts(content)) if content.startswith(PNG) else content
    inner = {key.decode(): value.decode() for key, value in INNER.findall(text)}
    return inner if len(inner) == 4 else {}


def _png_texts(content: bytes) -> Iterator[bytes]:
    """The text chunks of a PNG: a length, a kind, the text, a checksum."""
    place = len(PNG)
    while place + 8 <= len(content):
        length, kind = struct.unpack_from(">I4s", content, place)
        if kind == b"tEXt":
            yield content[place + 8 : place + 8 + length]
        place += length + 12


def _product(name: str, root: Path) -> Origin:
    path = record_path(root, name)
    if not path.is_file():
        raise ValueError(f"{name} has no record under {root}")
    record = read_record(path)
    stable = record["stable"]
    return Origin(
        name,
        stable["sha256"],
        stable["rule"],
        stable["script"],
        stable["code"]["hash"],
        {**stable["params"], **stable["wildcards"]},
        stable["notes"],
        {**record["volatile"], **stable["environment"]},
        (*stable["inputs"], *(f"//{source}" for source in stable["sources"])),
    )


def _sources(name: str, root: Path) -> dict[str, Origin]:
    """The files that nothing makes, named from the project's folder with a double slash."""
    sources = read_record(record_path(root, name))["stable"]["sources"]
    return {f"//{source}": Origin(f"//{source}", sha) for source, sha in sources.items()}


def render_trace(trace: Trace, form: str = "summary") -> str:
    """The trace on one screen, ``full`` as a tree, as ``json`` or as ``dot`` for Graphviz."""
    if form == "json":
        return json.dumps(asdict(trace), indent=1)
    if form == "dot":
        return "\n".join(_dot(trace))
    lines = _tree(trace) if form == "full" else _summary(trace)
    return "\n".join(([trace.remark] if trace.remark else []) + list(lines))


def _summary(trace: Trace) -> Iterator[str]:
    """The product, and one line per rule behind it."""
    top = trace.origins[trace.top]
    yield f"{top.name}  {top.sha256[:12]}{_how(top)}"
    yield f"  record {trace.record_hash[:12]}"
    facts = [fact for fact in _facts(top) if not fact.startswith("config = ")]
    yield from (f"  {fact}" for fact in facts[:MAX_FACTS])
    yield ""
    yield f"made from {counted(len(trace.origins) - 1, 'file')}:"
    yield from _rule_lines(trace)
    yield from _provenance_lines(trace)
    yield "everything: --full"


def _rule_lines(trace: Trace) -> Iterator[str]:
    """For every rule behind a product, how many files it made; sources last."""
    by_rule: dict[str, list[str]] = {}
    for name, origin in trace.origins.items():
        if name != trace.top:
            by_rule.setdefault(origin.rule or "sources", []).append(name)
    width = max(map(len, by_rule), default=0)
    for rule, names in sorted(by_rule.items(), key=lambda item: item[0] == "sources"):
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"  {rule:{width}}  {_named(names[0])}{more}"


def _dot(trace: Trace) -> Iterator[str]:
    yield "digraph trace {\n  rankdir=RL; node [shape=box];"
    for origin in trace.origins.values():
        label = f"{_named(origin.name)}\\n{origin.rule or 'source'} {origin.sha256[:12]}"
        yield f'  "{origin.name}" [label="{label}"];'
        for name in origin.inputs:
            yield f'  "{origin.name}" -> "{name}";'
    yield "}"


def _tree(trace: Trace) -> Iterator[str]:
    """Depth first; what stands above is named again but not unfolded."""
    shown: set[str] = set()

    def branch(name: str, lead: str, stem: str) -> Iterator[str]:
        origin = trace.origins[name]
        again = name in shown
        end = "  (see above)" if again else ""
        yield f"{lead}{_named(name)}  {origin.sha256[:12]}{_how(origin)}{end}"
        if again:
            return
        shown.add(name)
        for fact in _facts(origin):
            yield f"{stem}{'│ ' if origin.inputs else '  '}  {fact}"
        for place, below in enumerate(origin.inputs):
            last = place == len(origin.inputs) - 1
            mark, rest = ("└─ ", "   ") if last else ("├─ ", "│  ")
            yield from branch(below, stem + mark, stem + rest)

    yield from branch(trace.top, "", "")
    yield from _provenance_lines(trace)


def _named(name: str) -> str:
    """A file as people name it: without the slashes that tell sources from products."""
    return name.removeprefix("//")


def _how(origin: Origin) -> str:
    return f"  by {origin.script}, code {origin.code[:12]}" if origin.rule else "  source"


def _facts(origin: Origin) -> list[str]:
    """Settings from the config, and seeds; long values cut, spawn keys left to the record."""
    facts = {**(origin.settings or {}), **(origin.notes or {})}
    facts.pop("spawn_keys", None)
    texts = {k: v if isinstance(v, str) else json.dumps(v) for k, v in facts.items()}
    return [f"{key} = {short(text, 72)}" for key, text in texts.items()]


def _provenance_lines(trace: Trace) -> Iterator[str]:
    made = trace.origins[trace.top].made or {}
    clean = {True: "clean tree", False: "edited tree", None: "no repository"}[made.get("clean")]
    libraries = ", ".join(f"{name} {number}" for name, number in made["libraries"].items())
    yield ""
    yield f"made {made['started']} on {made['host']} in {made['wall_seconds']} s"
    yield f"commit {made['commit'] or 'unknown'}, {clean}"
    yield f"Python {made['python']}, {libraries}"
