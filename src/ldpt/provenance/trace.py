"""From a figure down to the instances and the config: what it was made from, step by step."""

import json
import re
import struct
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ldpt import provenance
from ldpt.provenance import file_hash, read_record, record_path, relative_to, short_form

PNG = b"\x89PNG\r\n\x1a\n"
INNER = re.compile(rb"(ldpt-(?:rule|code|settings|inputs))[=\0]([\w.-]+)")


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
    origins: dict[str, Origin]


def trace(file: Path | str, root: Path | str = ".") -> Trace:
    """Everything behind a product, or behind a copy of one that was taken elsewhere."""
    file, root = Path(file), Path(root)
    if file.is_dir():
        raise ValueError(f"{file} is a folder, a product is a file")
    if not file.is_file():
        raise ValueError(f"{file} does not exist")
    top, remark = _identify(file, root)
    origins: dict[str, Origin] = {}
    waiting = [top]
    while waiting:
        name = waiting.pop()
        if name not in origins:
            origins[name] = _product(name, root)
            waiting.extend(origins[name].inputs)
            origins.update(_sources(name, root))
            waiting = [name for name in waiting if name not in origins]
    return Trace(top, remark, origins)


def _identify(file: Path, root: Path) -> tuple[str, str]:
    """The product that a file is, by place, by bytes, or by what it carries inside."""
    if not (root / provenance.RECORDS).is_dir():
        raise ValueError(f"no records under {root}: run the workflow first")
    sha = file_hash(file)
    try:
        name = relative_to(file, root)
    except ValueError:
        name = ""
    if name and record_path(root, name).is_file():
        same = read_record(record_path(root, name))["stable"]["sha256"] == sha
        return name, "" if same else "its bytes are not those in its record"
    inner = inner_form(file)
    for product in provenance.products_under(root):
        try:
            stable = read_record(record_path(root, product))["stable"]
        except ValueError:
            continue  # a record that cannot be trusted is the audit's matter
        if stable["sha256"] == sha:
            return product, f"{file} has the same bytes"
        if inner and Path(product).suffix == file.suffix and short_form(stable) == inner:
            return product, f"{file} says that it was made in the same way; its bytes differ"
    if inner:
        said = ", ".join(f"{key.removeprefix('ldpt-')} {value}" for key, value in inner.items())
        raise ValueError(f"{file} was made by {said}, which is not what made the files in {root}")
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


def render_trace(trace: Trace, form: str = "text") -> str:
    """The trace as a tree for a terminal, as ``json`` or as ``dot`` for Graphviz."""
    if form == "json":
        return json.dumps(asdict(trace), indent=1)
    if form == "dot":
        return "\n".join(_dot(trace))
    return "\n".join(([trace.remark] if trace.remark else []) + list(_tree(trace)))


def _dot(trace: Trace) -> Iterator[str]:
    yield "digraph trace {\n  rankdir=RL; node [shape=box];"
    for origin in trace.origins.values():
        label = f"{origin.name}\\n{origin.rule or 'source'} {origin.sha256[:12]}"
        yield f'  "{origin.name}" [label="{label}"];'
        for name in origin.inputs:
            yield f'  "{origin.name}" -> "{name}";'
    yield "}"


def _tree(trace: Trace) -> Iterator[str]:
    """Depth first; what was told above is named again but not unfolded."""
    told: set[str] = set()

    def branch(name: str, lead: str, stem: str) -> Iterator[str]:
        origin = trace.origins[name]
        again = name in told
        yield f"{lead}{name}  {origin.sha256[:12]}{_how(origin)}{'  (see above)' if again else ''}"
        if again:
            return
        told.add(name)
        for fact in _facts(origin):
            yield f"{stem}{'│ ' if origin.inputs else '  '}  {fact}"
        for place, below in enumerate(origin.inputs):
            last = place == len(origin.inputs) - 1
            mark, rest = ("└─ ", "   ") if last else ("├─ ", "│  ")
            yield from branch(below, stem + mark, stem + rest)

    yield from branch(trace.top, "", "")
    yield from _provenance_lines(trace)


def _how(origin: Origin) -> str:
    return f"  by {origin.script}, code {origin.code[:12]}" if origin.rule else "  a source"


def _facts(origin: Origin) -> list[str]:
    """Settings from the config, and seeds; long values cut, spawn keys left to the record."""
    facts = {**(origin.settings or {}), **(origin.notes or {})}
    facts.pop("spawn_keys", None)
    return [f"{key} = {_cut(value)}" for key, value in facts.items()]


def _cut(value: Any, width: int = 72) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= width else f"{text[: width - 3]}..."


def _provenance_lines(trace: Trace) -> Iterator[str]:
    made = trace.origins[trace.top].made or {}
    clean = {True: "clean tree", False: "edited tree", None: "no repository"}[made.get("clean")]
    libraries = ", ".join(f"{name} {number}" for name, number in made["libraries"].items())
    yield ""
    yield f"made {made['started']} on {made['host']} in {made['wall_seconds']} s"
    yield f"commit {made['commit'] or 'unknown'}, {clean}"
    yield f"Python {made['python']}, {libraries}"
