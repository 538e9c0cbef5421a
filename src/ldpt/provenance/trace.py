"""From a figure, a claim or a number down to the config: what it was made from, step by step."""

import json
import re
import textwrap
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from ldpt.io.files import read_whole
from ldpt.io.messages import counted, printable, short
from ldpt.provenance.hashing import file_hash
from ldpt.provenance.job import short_form
from ldpt.provenance.records import Record, relative_to
from ldpt.provenance.run import CLAIMS, NUMBERS, Run, reach, read_run

WIDTH = 80
SHORT = 12  # digits of a hash
MIN_HASH = 8  # digits
LINK = "ldpt:"  # before a hash that the article links to
INNER = re.compile(rb"(ldpt-(?:code|settings|inputs))[=\0]([0-9a-f]{16})")  # in figures
MAX_FACTS = 4  # settings of the product in a summary
MAX_NAMES = 12  # numbers that are listed


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
            raise ValueError(f"{name} has no record under {run.root}")
        return run.records[name]["stable"]["inputs"]

    products = {name: run.records[name] for name in reach([top] if top else [], inputs)}
    sources: dict[str, str] = {}
    for record in products.values():
        sources |= record["stable"]["sources"]
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
    if what in run.records:
        return what, ["the file itself is not here"]
    claims = [key for key, claim in run.claims.items() if what in (key, claim["where"])]
    if len(claims) == 1:
        return _claim(claims[0], run)
    numbers = [name for name, (text, _) in run.numbers.items() if what in (name, text)]
    if numbers:
        return _numbers(numbers, run)
    digits = what.removeprefix(LINK).lower()
    if re.fullmatch(r"[0-9a-f]+", digits):
        return _by_hash(digits, run), []
    raise ValueError(
        f"{what!r} is no file here or under {run.root}, and no hash, claim or number of the run"
    )


def _by_hash(start: str, run: Run) -> str:
    """Return the product whose hash, or whose record's hash, begins like this."""
    if len(start) < MIN_HASH:
        raise ValueError(f"hash {start} is too short: {MIN_HASH} digits at least")
    names = [
        name
        for name, record in run.records.items()
        if record["record_hash"].startswith(start) or record["stable"]["sha256"].startswith(start)
    ]
    if not names:
        raise ValueError(f"no product under {run.root} has a hash or a record hash {start}...")
    if len(names) > 1:
        raise ValueError(f"hash {start}... is ambiguous: {short(', '.join(names), 200)}")
    return names[0]


def _identify(file: Path, run: Run) -> tuple[str, list[str]]:
    """Return the product that a file is: by place, bytes, or the hashes that a figure carries."""
    sha = file_hash(file)
    try:
        name = relative_to(file, run.root)
    except ValueError:
        name = ""
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
        raise ValueError(f"{file} was made by {parts}, which made no file under {run.root}")
    raise ValueError(f"{file} is not a product: it has no record under {run.root}")


# --- claims and numbers


def _claim(key: str, run: Run) -> tuple[str, list[str]]:
    """Return the evidence of a claim, and the claim in a few lines."""
    claim = run.claims[key]
    lines = [f"{key}, {claim['where']}: {claim['verdict']}", *_wrapped(claim["statement"])]
    for title in ("criterion", "decided_by"):
        if claim[title]:
            lines += _wrapped(f"{title.replace('_', ' ')}: {claim[title]}")
    product = _evidence(claim, run)
    if claim["key"]:
        lines += [f"  evidence: entry {claim['key']} of {product}"]
    return product, lines


def _evidence(claim: dict[str, str], run: Run) -> str:
    """Return the file that a claim's verdict was computed from; else the list of claims."""
    product = f"results/evidence/{claim['file']}.json"
    return product if product in run.records else CLAIMS


def _numbers(names: list[str], run: Run) -> tuple[str, list[str]]:
    """Return the product that numbers come from, and their values; no product if several."""
    lines = []
    for name in names[:MAX_NAMES]:
        text, value = run.numbers[name]
        lines.append(f"{name} = {text}" + (f" ({value})" if str(value) != text else ""))
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
    return facts if facts in run.records else NUMBERS


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


def _wrapped(text: str, indent: str = "  ") -> list[str]:
    """Break a text into lines of the width of a terminal, but no path."""
    wrapper = textwrap.TextWrapper(WIDTH, indent, indent)
    wrapper.break_long_words = wrapper.break_on_hyphens = False
    return wrapper.wrap(text)


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
    width = max(map(len, by_rule), default=0)
    for rule, names in by_rule.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        line = f"  {rule:{width}}  {names[0]}{more}"
        yield from [line] if len(line) <= WIDTH else [f"  {rule}", f"    {names[0]}{more}"]
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
    made, versions = record["volatile"], record["stable"]["environment"]
    if not made:
        return
    state = {"True": "clean tree", "False": "edited tree"}.get(
        str(made.get("clean")), "no repository"
    )
    yield ""
    yield f"made {made.get('started')} on {made.get('host')} in {made.get('wall_seconds')} s"
    yield f"commit {made.get('commit') or 'unknown'}, {state}"
    libraries = [f"{name} {number}" for name, number in versions["libraries"].items()]
    yield from _wrapped(", ".join([f"Python {versions.get('python')}", *libraries]), "")


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
