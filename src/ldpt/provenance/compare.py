"""Compare two runs: which products are equal, which differ, by how much, and why.

A run is a folder with records or a manifest, a manifest alone, or a commit that holds one. Products
are compared by their hashes and, where both files are there, by value.
"""

import json
import math
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldpt.provenance.dag import Project
from ldpt.provenance.manifest import (
    MANIFEST,
    definitions_of,
    environment_of,
    listed_records,
    parse_manifest,
)
from ldpt.provenance.run import Run, code_changes, find_root, flat, read_run, setting_changes
from ldpt.util.files import read_whole
from ldpt.util.json_values import read_json
from ldpt.util.messages import counted, printable, short

if TYPE_CHECKING:
    import pandas as pd

COMMITTED = "HEAD"
EQUAL, SAME_VALUES, DIFFERENT = "equal", "equal values in other bytes", "different"
ONLY_FIRST, ONLY_SECOND = "only in the first", "only in the second"
MACHINE = ("system", "processor")  # of an environment; its other entries are versions
MADE_BY = re.compile(rb"(ldpt-(?:code|settings|inputs)[=\0(]+)[0-9a-f]{16}")  # in figures
MAX_FILE = 5 * 10**8  # bytes of a file whose values are compared
MAX_LINES = 5  # of one kind in the text
MAX_SETTINGS = 1000  # of the config that are compared one by one
NORMAL_WIDTH = 2 * 1.959964  # of a 95 % interval, in standard errors
SHORT = 12  # digits of a hash


@dataclass(frozen=True)
class Reason:
    """Why products differ."""

    kind: str  # seed, setting, code, version or machine
    text: str
    products: int | None = None  # that it concerns directly, as far as their settings say so


@dataclass
class Comparison:
    """What two runs have in common, and what not."""

    names: tuple[str, str]
    hashes: tuple[str | None, str | None]
    products: dict[str, str] = field(default_factory=dict)  # product -> how it compares
    reasons: list[Reason] = field(default_factory=list)
    details: dict[str, str] = field(default_factory=dict)  # how far the values of a product differ
    verdicts: list[str] = field(default_factory=list)  # claims with another verdict
    claims: int = 0  # that both runs judge
    absent: int = 0  # products of a folder that are compared by their records: no file is there

    @property
    def equal(self) -> bool:
        return set(self.products.values()) <= {EQUAL}

    def with_status(self, *states: str) -> list[str]:
        return [name for name, status in self.products.items() if status in states]


# --- where runs come from


def open_side(what: str) -> Run:
    """Return the run of a folder, a manifest, or a commit of the repository around this folder."""
    path = Path(what)
    if path.is_dir():
        return read_run(path.resolve())
    if path.exists():
        return _manifest_run(read_whole(path), what)
    run = commit_run(Path.cwd(), what)
    if run is None:
        raise ValueError(f"{what!r} is no folder, no manifest and no commit that holds {MANIFEST}")
    return run


def committed_run(project: Path) -> Run | None:
    """Return the run in a project's last commit; None if there is none."""
    return commit_run(project, COMMITTED)


def commit_run(folder: Path, commit: str) -> Run | None:
    """Return the run in a commit of the repository around a folder; None if there is none.

    The repository may be somebody else's: ``cat-file`` runs no filter, pager or hook of its
    settings, and without a transport git cannot run their commands to fetch a missing object.
    """
    command = ["git", "-C", str(folder), "cat-file", "--end-of-options"]
    offline = os.environ | {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
    for name in (f"./{MANIFEST}", MANIFEST):  # of the folder, or of the whole repository
        call = [*command, "blob", f"{commit}:{name}"]
        try:
            done = subprocess.run(call, env=offline, capture_output=True, check=True)
        except subprocess.CalledProcessError as error:
            if b"dubious ownership" in error.stderr:
                raise ValueError(
                    f"git does not read the repository around {str(folder)!r}, which belongs to "
                    "another user: copy it, or see safe.directory in git's manual"
                ) from None
            continue
        except (OSError, ValueError):
            continue
        return _manifest_run(done.stdout, f"{commit}:{name}")
    return None


def _manifest_run(text: bytes, name: str) -> Run:
    """Return a run of which there is the manifest alone."""
    content = parse_manifest(text, name)
    records = listed_records(content)
    project = Project(Path(), Path(), Path())
    return Run(project, records=records, settings=content, listed=records, has_files=False)


# --- the comparison


def compare(first: str = COMMITTED, second: str = "") -> Comparison:
    """Compare two runs; by default the committed one with the nearest run."""
    second = second or str(find_root())
    return compare_runs(open_side(first), open_side(second), (first, second))


def compare_runs(first: Run, second: Run, names: tuple[str, str] = ("", "")) -> Comparison:
    """Compare two runs that have been read."""
    result = Comparison(names, (first.hash, second.hash))
    one, other = first.listed or first.records, second.listed or second.records
    for name in sorted({*one, *other} - {MANIFEST}):
        if name not in one or name not in other:
            result.products[name] = ONLY_FIRST if name in one else ONLY_SECOND
            continue
        result.absent += any(run.has_files and not run.file(name) for run in (first, second))
        if _hash(first, name) == _hash(second, name):
            result.products[name] = EQUAL
        else:
            result.products[name], text = _by_value(first.file(name), second.file(name))
            if text:
                result.details[name] = text
    result.reasons = [*_setting_reasons(first, second), *_code_reasons(first, second)]
    result.reasons += _environment_reasons(first, second)
    result.claims, result.verdicts = _verdicts(first, second)
    return result


def _hash(run: Run, name: str) -> str:
    """Return the hash of a product as it is, or as it was recorded if the file is not there."""
    actual = run.hash_of(name)[0] if run.file(name) else None
    return actual or (run.listed or run.records)[name]["stable"]["sha256"]


def _common(first: Run, second: Run) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Yield the stable parts of the records of each product that both runs have."""
    one, other = first.records or first.listed, second.records or second.listed
    for name in sorted((one.keys() & other.keys()) - {MANIFEST}):
        yield one[name]["stable"], other[name]["stable"]


def _setting_reasons(first: Run, second: Run) -> Iterator[Reason]:
    """Yield the settings of the configs that differ; without configs, those of the products."""
    counts: dict[str, int] = {}
    for one, other in _common(first, second):
        before, now = ({**stable["params"], **stable["wildcards"]} for stable in (one, other))
        for line in setting_changes(before, now):
            counts[line] = counts.get(line, 0) + 1
    configs = [run.settings.get("config") for run in (first, second)]
    lines = list(counts)
    if all(isinstance(config, dict) for config in configs):
        old, new = ({"config": config} for config in configs)
        lines = setting_changes(old, new, most=MAX_SETTINGS)
    for line in lines:
        kind = "seed" if line.split(" was ")[0].endswith("seed") else "setting"
        yield Reason(kind, line, counts.get(line.removeprefix("config.")))


def _code_reasons(first: Run, second: Run) -> Iterator[Reason]:
    """Yield the files whose code differs, with the definitions.

    Manifests list the definitions of the whole run: which of several a product reaches is unknown.
    """
    lines: dict[str, int] = {}
    definitions = [definitions_of(run.settings) for run in (first, second)]
    for one, other in _common(first, second):
        if one["code"]["hash"] == other["code"]["hash"]:
            continue
        parts = [stable["code"]["parts"] for stable in (one, other)]
        by_product = all(parts)
        if not by_product:
            parts = definitions if all(definitions) else [{}, {}]
        changes = code_changes(*parts) or [f"code changed: {one['script']}"]
        for line in changes:
            lines[line] = lines.get(line, 0) + (by_product or len(changes) == 1)
    for line, count in lines.items():
        yield Reason("code", line.removeprefix("code changed: "), count or None)


def _environment_reasons(first: Run, second: Run) -> Iterator[Reason]:
    one = environment_of(first.settings)
    other = environment_of(second.settings)
    for name in sorted(one.keys() & other.keys()):
        if one[name] != other[name]:
            kind = "machine" if name in MACHINE else "version"
            yield Reason(kind, f"{name} was {one[name]}, is {other[name]}")


def _verdicts(first: Run, second: Run) -> tuple[int, list[str]]:
    """Return the number of claims that both runs judge, and those with another verdict."""
    one, other = ({c["id"]: c for c in run.settings.get("claims", [])} for run in (first, second))
    common = [name for name in one if name in other]
    return len(common), [
        f"{name}, {one[name]['where']}: was {one[name]['verdict']}, is {other[name]['verdict']}"
        for name in common
        if one[name]["verdict"] != other[name]["verdict"]
    ]


# --- values of products


def _by_value(one: Path | None, other: Path | None) -> tuple[str, str]:
    """Return how two files with different bytes compare, and how far their values differ."""
    if one is None or other is None or max(p.stat().st_size for p in (one, other)) > MAX_FILE:
        return DIFFERENT, ""
    look = VALUES.get(one.suffix)
    try:
        text = look(one, other) if look else "other bytes"
    except (ValueError, KeyError, OSError) as error:
        text = f"not compared by value: {short(error, 80)}"
    return (DIFFERENT, text) if text else (SAME_VALUES, "")


def _compare_tables(one: Path, other: Path) -> str:
    """Return how far two tables differ; empty if all values are equal."""
    import pandas as pd

    read: Callable[[Path], pd.DataFrame] = (
        pd.read_parquet if one.suffix == ".parquet" else pd.read_csv
    )
    a = read(one)
    b = read(other)
    if len(a) != len(b):
        return f"{len(a)} rows were, {len(b)} are"
    common = [name for name in a.columns if name in b.columns]
    more = sorted({*map(str, a.columns)} ^ {*map(str, b.columns)})
    texts = [f"other columns: {short(', '.join(more), 80)}"] if more else []
    unequal = {name: _unequal(a[name], b[name]) for name in common}
    rows = pd.concat(unequal, axis=1).any(axis=1).sum() if common else 0
    names = [str(name) for name, marks in unequal.items() if marks.any()]
    if rows:
        texts.append(f"{rows} of {len(a)} rows differ, in {short(', '.join(names), 60)}")
        texts += _farthest(a[common], b[common])
    elif more:
        texts.append("the values in common are equal")
    return ", ".join(texts)


def _farthest(a: "pd.DataFrame", b: "pd.DataFrame") -> list[str]:
    """Return the largest difference of two tables in standard errors, else as a share."""
    far = _standard_errors(a, b)
    if far:
        name, distance = max(far.items(), key=lambda item: item[1])
        return [f"at most by {distance:.2g} standard errors ({name})"]
    numeric = a.select_dtypes("float").columns.intersection(b.select_dtypes("float").columns)
    sizes = a[numeric].abs().where(a[numeric].abs() > b[numeric].abs(), b[numeric].abs())
    shares = (a[numeric] - b[numeric]).abs() / sizes.where(sizes > 0)
    largest = shares.max().max() if len(numeric) else 0.0
    return [f"at most by {largest:.1e} of the value"] if largest > 0 else []


def _unequal(a: "pd.Series[Any]", b: "pd.Series[Any]") -> "pd.Series[bool]":
    return (a != b) & ~(a.isna() & b.isna())


def _standard_errors(a: "pd.DataFrame", b: "pd.DataFrame") -> dict[str, float]:
    """Return the largest difference, in standard errors, of every column with an interval."""
    far = {}
    for low in (name for name in a.columns if str(name).endswith("low")):
        start = str(low).removesuffix("low")
        value = start.removesuffix("_") or "estimate"
        high = f"{start}high"
        if {value, high} <= set(a.columns):
            errors = [(t[high] - t[low]).abs() / NORMAL_WIDTH for t in (a, b)]
            spread = (errors[0] ** 2 + errors[1] ** 2) ** 0.5
            distance = ((a[value] - b[value]).abs() / spread.where(spread > 0)).max()
            if distance > 0:
                far[value] = float(distance)
    return far


def _compare_json(one: Path, other: Path) -> str:
    a, b = (flat({"": read_json(read_whole(path))}) for path in (one, other))
    names = [name for name in {**a, **b} if name not in a or name not in b or a[name] != b[name]]
    if not names:
        return ""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    keys = [name.lstrip(".") or "the whole" for name in names[:3]]
    shares = [_share(a.get(name), b.get(name)) for name in names]
    far = f", at most by {max(shares):.1e} of the value" if max(shares) < math.inf else ""
    return f"other values: {short(', '.join(keys), 80)}{more}{far}"


def _share(one: object, other: object) -> float:
    """Return the difference of two unequal numbers as a share of the larger; else infinity."""
    if not (isinstance(one, (int, float)) and isinstance(other, (int, float))):
        return math.inf
    return abs(one - other) / max(abs(one), abs(other))


def _compare_png(one: Path, other: Path) -> str:
    return "" if _without_texts(one) == _without_texts(other) else "another drawing"


def _without_texts(path: Path) -> bytes:
    """Return a PNG file without the chunks of text, in which it states what it was made from."""
    content = read_whole(path)
    kept = b""
    place = 8
    while place < len(content):
        end = place + 12 + int.from_bytes(content[place : place + 4], "big")
        if content[place + 4 : place + 8] not in (b"tEXt", b"iTXt"):
            kept += content[place:end]
        place = end
    return kept


def _compare_others(one: Path, other: Path) -> str:
    contents = [MADE_BY.sub(rb"\1", read_whole(path)) for path in (one, other)]
    return "" if contents[0] == contents[1] else "other bytes"


VALUES = {
    ".parquet": _compare_tables, ".csv": _compare_tables, ".json": _compare_json,
    ".png": _compare_png, ".pdf": _compare_others,
}  # fmt: skip


# --- the text


def differences(first: Run, second: Run) -> list[str]:
    """Return in a few lines how many products of two runs differ, and why."""
    result = compare_runs(first, second)
    common = len(result.products) - len(result.with_status(ONLY_FIRST, ONLY_SECOND))
    if 2 * common < len(result.products):
        return [f"  {common} of {counted(len(result.products), 'product')} in common"]
    lines = [_counts(result), *_reason_lines(result.reasons)]
    return [f"  {line}" for line in [*lines, "more: ldpt compare"]]


def render_comparison(result: Comparison, form: str = "text") -> str:
    """Return a comparison on one screen, or as ``json``."""
    if form == "json":
        content = {**vars(result), "reasons": [vars(reason) for reason in result.reasons]}
        return json.dumps({"equal": result.equal, **content}, indent=1)
    lines = [
        f"{letter}  {name}" + (f"  run {sha[:SHORT]}" if sha else "")
        for letter, name, sha in zip("AB", result.names, result.hashes, strict=True)
    ]
    lines.append(_counts(result))
    if result.absent:
        files = counted(result.absent, "product has no file", "products have no files")
        lines.append(f"  {files} here: compared by what their records say")
    lines += [f"  {line}" for line in _reason_lines(result.reasons)]
    figures = [name for name in result.with_status(DIFFERENT) if name.startswith("figures/")]
    if figures:
        stems = dict.fromkeys(Path(name).stem for name in figures)
        lines.append(f"figures that differ: {short(', '.join(stems), 200)}")
    if result.claims:
        lines.append(_verdict_text(result))
        lines += _some([f"  {line}" for line in result.verdicts])
    order = sorted(result.details, key=lambda name: -_distance(result.details[name]))
    lines += _some([f"{name}: {result.details[name]}" for name in order if name not in figures])
    for status in (ONLY_FIRST, ONLY_SECOND):
        lines += _some([f"{status}: {name}" for name in result.with_status(status)], 2)
    return "\n".join(map(printable, lines))


def _counts(result: Comparison) -> str:
    """Return how many products are equal, in one line."""
    if result.equal:
        versions = {reason.kind for reason in result.reasons} & {"version", "machine"}
        text = f"all {counted(len(result.products), 'product')} equal"
        return f"{text}: same bytes, other versions" if versions else text
    common = len(result.products) - len(result.with_status(ONLY_FIRST, ONLY_SECOND))
    parts = [f"{len(result.with_status(EQUAL))} of {common} common products equal"]
    states = (SAME_VALUES, DIFFERENT, ONLY_FIRST, ONLY_SECOND)
    numbers = {status: len(result.with_status(status)) for status in states}
    parts += [f"{number} {status}" for status, number in numbers.items() if number]
    return ", ".join(parts)


def _reason_lines(reasons: list[Reason]) -> list[str]:
    """Return some reasons of each kind, those that concern most products first."""
    lines = []
    for kind in dict.fromkeys(reason.kind for reason in reasons):
        group = [reason for reason in reasons if reason.kind == kind]
        group.sort(key=lambda reason: -(reason.products or 0))
        lines += _some([f"{kind:8} {_concerned(reason)}" for reason in group])
    return lines


def _concerned(reason: Reason) -> str:
    if reason.products is None:
        return reason.text
    return f"{reason.text}: {counted(reason.products, 'product')}"


def _verdict_text(result: Comparison) -> str:
    if not result.verdicts:
        return f"no verdict differs ({counted(result.claims, 'claim')})"
    return f"{len(result.verdicts)} of {counted(result.claims, 'verdict')} differ:"


def _some(lines: list[str], most: int = MAX_LINES) -> list[str]:
    """Return the first of some lines, and the number of the others."""
    more = [f"  and {len(lines) - most} more"] if len(lines) > most else []
    return [*lines[:most], *more]


def _distance(text: str) -> float:
    """Return the standard errors in a text on values; 0 if there are none."""
    match = re.search(r"by ([\d.e+-]+) standard errors", text)
    return float(match[1]) if match else 0.0
