"""From a figure, a claim or a number down to the config: what it was made from, step by step."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ldpt.provenance.job import short_form
from ldpt.provenance.manifest import CLAIMS, NUMBERS, PAGES, SHOWN, published
from ldpt.provenance.records import Record, file_hash, name_below, transitive_closure
from ldpt.provenance.run import Run, read_run
from ldpt.text import wrapped
from ldpt.util.files import file_within, read_whole
from ldpt.util.messages import counted, printable, short

WIDTH = 80
SHORT = 12  # digits of a hash
MIN_HASH = 8  # digits
LINK = "ldpt:"  # before a hash that the article links to
INNER = re.compile(rb"(ldpt-(?:code|settings|inputs))[=\0]([0-9a-f]{16})")  # in figures
DECISION = ("number", "meaning", "criterion", "decided_by")  # fields of a claim
MAX_FACTS = 4  # settings of the product in a summary
MAX_NUMBERS = 8  # that are listed for one text
MAX_PAGE = 10**7  # bytes of a page or of its template
MAX_DEPTH = 100  # steps of the tree
MAX_INDENT = 10  # steps that are indented
QUOTED = re.compile(r'"([\w.:-]+)"')  # a name in a template
ROUNDED = re.compile(r"([−-]?)([\d ]+)(?:\.(\d+))?( ?%)?")  # a number as pages print it
FIGURE = re.compile(r"(?:figure|fig\.?) ?(\d+)", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.;:!?]) +|\n+")  # what ends one


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
        A product or a copy of one, its name without folder or suffix, its rule, a figure of the
        article by number, 8 or more digits of its hash or of its record's hash, the identifier of a
        claim, or a number by name or as printed in README and article.
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

    products = {
        name: run.records[name] for name in transitive_closure([top] if top else [], inputs)
    }
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
    statement = _product_name(what, run) or _claim_or_number(what, run)
    if statement:
        return statement
    digits = what.removeprefix(LINK).lower()
    if re.fullmatch(r"[0-9a-f]+", digits):
        return _by_hash(digits, run), []
    near = get_close_matches(what, [*map(_stem, run.records), *_rules(run)], 3, 0.7)
    hint = f" (did you mean {' or '.join(dict.fromkeys(near))}?)" if near else ""
    raise ValueError(
        f"{what!r} is no file here or under {root}, and no hash, claim or number of the run{hint}"
    )


def _stem(product: str) -> str:
    return Path(product).stem


def _rules(run: Run) -> dict[str, str]:
    """Return the first product of every rule."""
    products = sorted(run.records, key=lambda name: (not name.startswith("figures/"), name))
    return {run.records[name]["stable"]["rule"]: name for name in reversed(products)}


def _product_name(what: str, run: Run) -> tuple[str, list[str]] | None:
    """Return the product with a file name, a stem or a rule, or a figure of the article."""
    if number := FIGURE.fullmatch(what.strip()):
        return _figure(int(number[1]), run), []
    for key in (lambda name: Path(name).name, _stem):
        names = sorted(name for name in run.records if key(name) == what)
        names.sort(key=lambda name: not name.startswith("figures/"))
        if names:
            return names[0], [f"also {name}" for name in names[1:3]]
    name = _rules(run).get(what)
    return (name, [f"made by rule {what}"]) if name else None


def _figure(number: int, run: Run) -> str:
    """Return a figure of the article by its number: figures are named there in order."""
    figures = {_stem(name): name for name in run.records if name.startswith("figures/")}
    numbered = dict.fromkeys(name for name in _named(PAGES["article"], run) if name in figures)
    if not 1 <= number <= len(numbered):
        raise ValueError(f"the article has {counted(len(numbered), 'figure')}, not Figure {number}")
    stem = list(numbered)[number - 1]
    return next((n for n in run.records if n == f"figures/{stem}.pdf"), figures[stem])


def _named(page: str, run: Run) -> list[str]:
    """Return the names in the templates of a page, in order."""
    record = run.records.get(page)
    sources = sorted(record["stable"]["sources"]) if record else []
    sources.sort(key=lambda name: _stem(name) != _stem(page))  # the page's own template first
    texts = [_text(run.project.source_folder(name), name, run) for name in sources]
    return [name for text in texts for name in QUOTED.findall(text)]


def _text(folder: Path, name: str, run: Run) -> str:
    """Return the text of a file; of one that cannot be read, nothing."""
    try:
        return file_within(folder, name, most=MAX_PAGE, links=run.links).read_text("utf-8")
    except (ValueError, OSError):
        return ""


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
    root = run.project.root
    sha = file_hash(file)
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
        claims = {row["id"]: {k: _words(row.get(k)) for k in SHOWN} for row in content["claims"]}
        numbers = [(row["name"], _words(row["text"]), row["value"]) for row in content["numbers"]]
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
    matches = _matches(what, numbers, run)
    lines = _sentences(what, run) if matches else []
    sources: dict[tuple[str, str], None] = {}
    for name, text, value, page in matches[:MAX_NUMBERS]:
        part, identifier, *_ = f"{name}:".split(":")
        figure = product(f"results/captions/{part}.json", NUMBERS)
        source = evidence.get(identifier, figure) if part == "claim" else figure
        sources[page, source] = None
        rounded = f" ({value})" if isinstance(value, (int, float)) and str(value) != text else ""
        lines.append(f"{name} = {text}{rounded}" + (f", in the {page}" if page else ""))
    if len(matches) > MAX_NUMBERS:
        lines.append(f"and {len(matches) - MAX_NUMBERS} more")
    first = [source for page, source in sources if page == matches[0][3]] if matches else []
    if len(first) > 1:
        return "", [*lines, "name one of these numbers to see what it was made from"]
    return (first[0], lines) if first else None


def _words(value: object) -> str:
    """Return a value of a claim as text, with plain spaces."""
    text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("\u00a0", " ").replace("\u202f", " ")


def _matches(
    what: str, numbers: list[tuple[str, str, Any]], run: Run
) -> list[tuple[str, str, Any, str]]:
    """Return the numbers that a text names or prints, those of the first pages first."""
    pages: dict[str, str] = {}
    for page, product in PAGES.items():
        for name in _named(product, run):
            pages.setdefault(name, page)
    order = [*PAGES, ""]
    spread = _range(what)
    matches = []
    for name, text, value in numbers:
        page = pages.get(name, "")
        listed = value if isinstance(value, list) else []  # such as "1.24 (Algorithm 1)"
        words = [word for item in listed for word in str(item).split()]
        if what in (name, text, *words) or _prints(value, spread, bool(page)):
            matches.append((name, text, value, page))
    return sorted(matches, key=lambda match: (match[0] != what, order.index(match[3])))


def _range(what: str) -> tuple[float, float, float, float] | None:
    """Return a printed number, its unit, and half of its last place, without and with zeros."""
    match = ROUNDED.fullmatch(what.strip())
    if not match or not match[2].strip():
        return None
    sign, whole, places, percent = match.groups()
    digits = whole.replace(" ", "")
    value = float(f"{digits}.{places or 0}") * (-1 if sign else 1)
    step = 10.0 ** -len(places or "")
    zeros = 0 if places else len(digits) - len(digits.rstrip("0"))
    return value, 0.01 if percent else 1.0, step / 2, step * 10**zeros / 2


def _prints(value: Any, spread: tuple[float, float, float, float] | None, on_page: bool) -> bool:
    """Return whether a value is printed like this; pages may round to significant digits."""
    if spread is None or isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    number, unit, near, rounded = spread
    return abs(value / unit - number) <= (rounded if on_page else near) * (1 + 1e-9)


def _sentences(what: str, run: Run) -> list[str]:
    """Return the first sentence of the README that prints a text."""
    text = _words(_text(run.project.root, PAGES["README"], run))
    printed = re.compile(rf"(?<![\d.]){re.escape(what.strip())}(?![\d]|\.\d)")
    for sentence in SENTENCE.split(text):
        if printed.search(sentence):
            return [*wrapped(f'README: "{sentence.strip()}"', WIDTH, 2).splitlines(), ""]
    return []


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
        lines += _tree(trace) if form == "full" else _summary(trace)
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
    volatile = record["volatile"]
    if not volatile:
        return
    state = {"True": "clean tree", "False": "edited tree"}.get(
        str(volatile.get("clean")), "no repository"
    )
    yield ""
    seconds = volatile.get("wall_seconds")
    yield f"made {volatile.get('started')} on {volatile.get('host')} in {seconds} s"
    yield f"commit {volatile.get('commit') or 'unknown'}, {state}"
    versions = ", ".join(f"{name} {text}" for name, text in volatile.get("environment", {}).items())
    yield from wrapped(versions, WIDTH).splitlines()


def _tree(trace: Trace) -> Iterator[str]:
    """Yield the files depth first; repeated ones are listed but not expanded."""
    waiting = [(trace.top, 0)]
    done: set[str] = set()
    while waiting:
        name, depth = waiting.pop()
        indent = "    " * min(depth, MAX_INDENT)
        record = trace.products.get(name)
        if record is None:
            yield f"{indent}{name}  source {trace.sources[name][:SHORT]}"
        elif name in done:
            yield f"{indent}{name}  see above"
        elif depth > MAX_DEPTH:
            yield f"{indent}{name}  more than {MAX_DEPTH} steps deep, not shown"
        else:
            done.add(name)
            yield f"{indent}{name}"
            yield from _job_lines(record, f"{indent}  ")
            children = (*record["stable"]["inputs"], *record["stable"]["sources"])
            waiting += [(child, depth + 1) for child in reversed(children)]
