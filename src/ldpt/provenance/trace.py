"""From a figure, a claim or a number down to the config: what it was made from, step by step."""

import json
import re
import struct
import textwrap
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from ldpt.io.files import read_whole
from ldpt.io.messages import counted, printable, short
from ldpt.provenance.hashing import file_hash
from ldpt.provenance.records import relative_to
from ldpt.provenance.run import CLAIMS, NUMBERS, Product, Run, read_run

WIDTH = 80
SHORT = 12  # digits of a hash
PNG = b"\x89PNG\r\n\x1a\n"
HASH = re.compile(r"[0-9a-fA-F]+")
MIN_HASH = 8  # digits
LINK = "ldpt:"  # before a hash that the article links to
INNER = re.compile(rb"(ldpt-(?:rule|code|settings|inputs))[=\0]([\w.-]+)")
MAX_FACTS = 4  # settings of the product in a summary
MAX_NAMES = 12  # numbers that are listed


@dataclass(frozen=True)
class Trace:
    """A product with all products and sources behind it."""

    preface: list[str]  # what was asked for: a claim, a number, a copy of a file
    top: str  # the product; empty when several were meant
    products: dict[str, Product]
    sources: dict[str, str]  # name -> SHA-256


def trace(what: Path | str, root: Path | str = ".") -> Trace:
    """Return everything behind a product, a claim or a number.

    Parameters
    ----------
    what
        A product or a copy of one, 8 or more digits of its hash or of its record's hash, the
        identifier of a claim, or a number by name or as printed in README and article.
    root
        The folder of the run; without records there, the committed compact form is read.

    Returns
    -------
    Trace
        The product behind it with all that it was made from.
    """
    run = read_run(root)
    top, preface = _find(str(what), run)
    products: dict[str, Product] = {}
    sources: dict[str, str] = {}
    waiting = [top] if top else []
    while waiting:
        name = waiting.pop()
        if name not in run.products:
            raise ValueError(f"{name} has no record under {run.root}")
        if name not in products:
            products[name] = run.products[name]
            sources |= products[name].sources
            waiting.extend(products[name].inputs)
    return Trace(preface, top, products, sources)


def _find(what: str, run: Run) -> tuple[str, list[str]]:
    """Return the product that is meant, and what to say about it first."""
    for path in (Path(what), run.root / what):
        if path.is_dir():
            raise ValueError(f"{what!r} is a folder, a product is a file")
        if path.is_file():
            return _identify(path, run)
        if path.exists():
            raise ValueError(f"{what!r} is not a regular file")
    if what in run.products:
        return what, ["the file itself is not here"]
    if what in run.claims:
        return _claim(what, run)
    named = [key for key, claim in run.claims.items() if claim.get("where") == what]
    if len(named) == 1:
        return _claim(named[0], run)
    if what in run.numbers:
        return _numbers([what], run)
    printed = [name for name, number in run.numbers.items() if number.get("text") == what]
    if printed:
        return _numbers(printed, run)
    digits = what.removeprefix(LINK)
    if HASH.fullmatch(digits):
        return _by_hash(digits.lower(), run), []
    raise ValueError(
        f"{what!r} is no file here or under {run.root}, and no hash, claim or number of the run"
    )


def _by_hash(start: str, run: Run) -> str:
    """Return the product whose hash, or whose record's hash, begins like this."""
    if len(start) < MIN_HASH:
        raise ValueError(f"hash {start} is too short: {MIN_HASH} digits at least")
    names = [
        product.name
        for product in run.products.values()
        if product.record_hash.startswith(start) or product.sha256.startswith(start)
    ]
    if not names:
        raise ValueError(f"no product under {run.root} has a hash or a record hash {start}...")
    if len(names) > 1:
        raise ValueError(f"hash {start}... is ambiguous: {short(', '.join(names), 200)}")
    return names[0]


def _identify(file: Path, run: Run) -> tuple[str, list[str]]:
    """Return the product that a file is, by place, by bytes, or by what it carries inside."""
    sha = file_hash(file)
    try:
        name = relative_to(file, run.root)
    except ValueError:
        name = ""
    if name in run.products:
        same = run.products[name].sha256 == sha
        return name, [] if same else [f"{file} is not what the run made: its contents differ"]
    inner = inner_form(file)
    for product in run.products.values():
        if product.sha256 == sha:
            return product.name, [f"{file} has the same bytes"]
        if inner and Path(product.name).suffix == file.suffix and product.short_form == inner:
            return product.name, [f"{file} was made in the same way; its bytes differ"]
    if inner:
        parts = ", ".join(f"{key.removeprefix('ldpt-')} {value}" for key, value in inner.items())
        raise ValueError(f"{file} was made by {parts}, which made no file under {run.root}")
    raise ValueError(f"{file} is not a product: it has no record under {run.root}")


def inner_form(file: Path) -> dict[str, str]:
    """Return the short form that a figure carries in its metadata; empty where there is none."""
    content = read_whole(file)
    text = b"\n".join(_png_texts(content)) if content.startswith(PNG) else content
    inner = {key.decode(): value.decode() for key, value in INNER.findall(text)}
    return inner if len(inner) == 4 else {}


def _png_texts(content: bytes) -> Iterator[bytes]:
    """Yield the text chunks of a PNG: a length, a kind, the text, a checksum."""
    place = len(PNG)
    while place + 8 <= len(content):
        length, kind = struct.unpack_from(">I4s", content, place)
        if kind == b"tEXt":
            yield content[place + 8 : place + 8 + length]
        place += length + 12


# --- claims and numbers


def _claim(key: str, run: Run) -> tuple[str, list[str]]:
    """Return the evidence of a claim, and the claim in a few lines."""
    claim = run.claims[key]
    lines = [f"{key}, {claim.get('where', '')}: {claim.get('verdict', '')}"]
    lines += _wrapped(claim.get("statement", ""))
    lines += _wrapped(f"criterion: {claim['criterion']}") if claim.get("criterion") else []
    lines += _wrapped(f"decided by: {claim['decided_by']}") if claim.get("decided_by") else []
    product = _evidence(claim, run)
    if claim.get("key"):
        lines += [f"  evidence: entry {claim['key']} of {product}"]
    return product, lines


def _evidence(claim: dict, run: Run) -> str:
    """Return the file that a claim's verdict was computed from; else the list of claims."""
    product = f"results/evidence/{claim.get('file', '')}.json"
    return product if product in run.products else CLAIMS


def _numbers(names: list[str], run: Run) -> tuple[str, list[str]]:
    """Return the product that numbers come from, and their values; no product if several."""
    lines = []
    for name in names[:MAX_NAMES]:
        number = run.numbers[name]
        value = "" if str(number["value"]) == number["text"] else f" ({number['value']})"
        lines.append(f"{name} = {number['text']}{value}")
    if len(names) > MAX_NAMES:
        lines.append(f"and {len(names) - MAX_NAMES} more")
    products = {_home(name, run) for name in names}
    if len(products) == 1:
        return products.pop(), lines
    return "", [*lines, "name one of these numbers to see what it was made from"]


def _home(name: str, run: Run) -> str:
    """Return the product that a number was first written to: evidence, or facts of a figure."""
    part, _, rest = name.partition(":")
    if part == "claim" and rest.partition(":")[0] in run.claims:
        return _evidence(run.claims[rest.partition(":")[0]], run)
    facts = f"results/captions/{part}.json"
    return facts if facts in run.products else NUMBERS


# --- the text


def render_trace(trace: Trace, form: str = "summary") -> str:
    """Return the trace on one screen, ``full`` as a tree, or as ``json``."""
    if form == "json":
        return json.dumps(asdict(trace), indent=1)
    lines = list(trace.preface)
    if trace.top:
        lines += [""] * bool(lines)
        lines += _tree(trace) if form == "full" else _summary(trace)
    return "\n".join(map(printable, lines))


def _wrapped(text: str, indent: str = "  ") -> list[str]:
    """Break a text into lines of the width of a terminal, but no path."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _summary(trace: Trace) -> Iterator[str]:
    """Yield the product, and one line per rule behind it."""
    top = trace.products[trace.top]
    yield top.name
    yield from _job_lines(top, "  ")
    yield from _facts(top, "  ")[:MAX_FACTS]
    yield ""
    yield f"made from {counted(len(trace.products) + len(trace.sources) - 1, 'file')}:"
    yield from _rule_lines(trace)
    yield from _environment_lines(top)
    yield "everything: --full"


def _job_lines(product: Product, indent: str) -> list[str]:
    hashes = f"{indent}sha256 {product.sha256[:SHORT]}, record {product.record_hash[:SHORT]}"
    return [hashes, f"{indent}by {product.script}, code {product.code[:SHORT]}"]


def _rule_lines(trace: Trace) -> Iterator[str]:
    """Yield for every rule behind a product how many files it made; sources last."""
    by_rule: dict[str, list[str]] = {}
    for product in trace.products.values():
        if product.name != trace.top:
            by_rule.setdefault(product.rule, []).append(product.name)
    if trace.sources:
        by_rule["sources"] = sorted(trace.sources)
    width = max(map(len, by_rule), default=0)
    for rule, names in by_rule.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        line = f"  {rule:{width}}  {names[0]}{more}"
        yield from [line] if len(line) <= WIDTH else [f"  {rule}", f"    {names[0]}{more}"]


def _facts(product: Product, indent: str) -> list[str]:
    """Return settings from the config, and seeds; long values cut."""
    facts = {**product.settings, **product.wildcards, **product.notes}
    texts = {k: v if isinstance(v, str) else json.dumps(v) for k, v in facts.items()}
    room = WIDTH - len(indent)
    return [f"{indent}{short(f'{key} = {text}', room)}" for key, text in texts.items()]


def _environment_lines(product: Product) -> Iterator[str]:
    made = product.made
    if not made:
        return
    state = {"True": "clean tree", "False": "edited tree"}
    clean = state.get(str(made.get("clean")), "no repository")
    libraries = ", ".join(f"{name} {number}" for name, number in made["libraries"].items())
    yield ""
    seconds = made.get("wall_seconds")
    yield f"made {made.get('started')} on {made.get('host')} in {seconds} s"
    yield f"commit {made.get('commit') or 'unknown'}, {clean}"
    yield from _wrapped(f"Python {made['python']}, {libraries}", "")


def _tree(trace: Trace) -> Iterator[str]:
    """Yield the files depth first; repeated ones are listed but not expanded."""
    shown: set[str] = set()

    def branch(name: str, lead: str, stem: str) -> Iterator[str]:
        product = trace.products.get(name)
        if product is None or name in shown:
            sha = product.sha256 if product else trace.sources[name]
            yield f"{lead}{name}  {'see above' if product else f'source {sha[:SHORT]}'}"
            return
        shown.add(name)
        below = [*product.inputs, *product.sources]
        yield f"{lead}{name}"
        bar = "│ " if below else "  "
        yield from _job_lines(product, f"{stem}{bar}  ")
        yield from _facts(product, f"{stem}{bar}  ")
        for place, child in enumerate(below):
            mark, rest = ("└─ ", "   ") if place == len(below) - 1 else ("├─ ", "│  ")
            yield from branch(child, stem + mark, stem + rest)

    yield from branch(trace.top, "", "")
    yield from _environment_lines(trace.products[trace.top])
