"""From the register of claims and the evidence to a verdict on each claim.

The register (``paper/claims.yaml``) says what would count as success: a criterion for the statement
as printed and, where there is one, for the statement with an amendment. A criterion compares
numbers of the evidence, as in ``violations == 0``, and verdicts are computed from it. Only rows
that no computation could turn ("read off") carry their verdict in the register. No verdict follows
from nothing: where no case could have contradicted a statement it is "not tested". A false claim is
a finding; missing or stale evidence is an error.
"""

import json
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ldpt.io.json_values import plain
from ldpt.io.schemas import skip_address_grammar

TRUE = "true as printed"
AMENDED = "true with a hypothesis or constant added"
FALSE = "false"
SUPPORTED = "supported, not proved"
NOT_TESTED = "not tested"
VERDICTS = (TRUE, AMENDED, FALSE, SUPPORTED, NOT_TESTED)
LEVELS = ("theorem", "statement", "step", "typo", "own")
THEOREMS = ("L2.1", "T3.1", "T3.2", "T4.1", "T4.2")
BASES = {
    "proved": "a proof, with a computation that could contradict it",
    "disproved": "a counterexample, exact or certified",
    "computed": "exact or interval arithmetic that decides",
    "measured": "simulation: it can contradict, and cannot prove",
    "read off": "reading alone: no computation could turn the verdict",
}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(frozen=True)
class Claim:
    """One row of the register; ``workflow/schemas/claims.schema.yaml`` explains the fields."""

    id: str
    level: str
    root: str
    part: str
    where: str
    basis: str
    statement: str
    file: str = ""
    key: str = ""
    cases: str = ""
    printed: str = ""
    amended: str = ""
    amendment: str = ""
    number: str = ""
    meaning: str = ""
    reading: str = ""
    reason: str = ""
    explored: str = ""
    summary: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Verdict:
    """The verdict on a claim, with the number that is shown and the cases that were checked."""

    id: str
    level: str
    root: str
    part: str
    where: str
    basis: str
    statement: str
    verdict: str
    criterion: str
    decided_by: str
    number: float | str | None
    meaning: str = ""
    amendment: str = ""
    reason: str = ""
    explored: str = ""
    file: str = ""
    key: str = ""
    cases: int | None = None
    raw_p: float | None = None
    adjusted_p: float | None = None
    evidence: dict[str, Any] = field(default_factory=dict)


def read_register(path: str | Path, schema: str | Path) -> tuple[float, list[Claim]]:
    """Read and check a register.

    Parameters
    ----------
    path, schema
        The register and its JSON schema.

    Returns
    -------
    test_level, claims
        Familywise error level of all tests, and the rows in their order.

    Raises
    ------
    ValueError
        Names the row and what is wrong with it.
    """
    import yaml

    content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    validate(content, schema, "the register")
    claims = [Claim(**_flat(entry)) for entry in content["claims"]]
    check_rows(claims)
    return float(content["test_level"]), claims


def _flat(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name != "evidence"} | dict(
        entry.get("evidence", {})
    )


def check_rows(claims: Sequence[Claim]) -> None:
    """What a schema cannot say: unique ids, roots that are roots, the five theorems, the tests."""
    rows: dict[str, Claim] = {}
    for claim in claims:
        if claim.id in rows:
            raise ValueError(f"the register has two claims with the id {claim.id}")
        rows[claim.id] = claim
    for claim in claims:
        root = rows.get(claim.root)
        if root is None or root.root != root.id:
            raise ValueError(f"claim {claim.id}: root {claim.root!r} is not a root of the register")
        if (claim.level == "own") != (root.level == "own"):
            raise ValueError(
                f"claim {claim.id}: it and its root {root.id} are not both the paper's"
            )
        if "adjusted_p" in claim.printed and claim.cases != "n_tests":
            raise ValueError(f"claim {claim.id}: cases of a tested claim must be n_tests")
    theorems = tuple(claim.id for claim in claims if claim.level == "theorem")
    if theorems != THEOREMS or any(rows[name].root != name for name in theorems):
        raise ValueError(f"the theorems must be the roots {THEOREMS}, got {theorems}")


def validate(content: Any, schema: str | Path, what: str) -> None:
    """Check against a JSON schema; a ValueError names the place and the value that is wrong."""
    skip_address_grammar()
    import jsonschema
    import yaml

    validator = jsonschema.Draft202012Validator(yaml.safe_load(Path(schema).read_text()))
    error = jsonschema.exceptions.best_match(validator.iter_errors(content))
    if error is not None:
        raise ValueError(f"{what}: {error.json_path}: {error.message}")


# --- evidence -------------------------------------------------------------------------------------


def write_evidence(
    path: str | Path, entries: Mapping[str, Any], code: str, sources: Iterable[str] = ()
) -> None:
    """Evidence with the hash of the code and of the files that it was made from."""
    from ldpt.provenance import file_hash

    made_from = {"code": code, "sources": {_short_name(s): file_hash(s) for s in sources}}
    content = {"made_from": made_from, "entries": {k: plain(v) for k, v in entries.items()}}
    Path(path).write_text(json.dumps(content, indent=1, allow_nan=False) + "\n")


def _short_name(path: str | Path) -> str:
    """Folder and name: the same under every root, and apart where names alone are not."""
    return "/".join(Path(path).parts[-2:])


def read_evidence(
    path: str | Path, code: str | None = None, sources: Iterable[str] = ()
) -> dict[str, dict[str, Any]]:
    """The entries of an evidence file; stale evidence is refused.

    Stale means made by other code than ``code``, or from other contents than ``sources`` have now.
    """
    from ldpt.provenance import file_hash

    name = Path(path).name
    if not Path(path).is_file():
        raise ValueError(f"evidence {name} is missing")
    content = json.loads(Path(path).read_text())
    made_from = content["made_from"]
    if code is not None and made_from["code"] != code:
        raise ValueError(f"evidence {name} is stale: the code that made it has changed")
    current = {_short_name(source): file_hash(source) for source in sources}
    for source in sorted(current.keys() | made_from["sources"].keys()):
        if current.get(source) != made_from["sources"].get(source):
            raise ValueError(f"evidence {name} is stale: it was made from another {source}")
    return content["entries"]


# --- criteria -------------------------------------------------------------------------------------


def satisfied(criterion: str, entry: Mapping[str, Any]) -> bool:
    """Whether every comparison of a criterion holds, ``a <= b and c == 0``."""
    return all(_compare(part, entry) for part in criterion.split(" and "))


def _compare(comparison: str, entry: Mapping[str, Any]) -> bool:
    parts = comparison.split()
    if len(parts) != 3 or parts[1] not in COMPARISONS:
        raise ValueError(f"a criterion compares two numbers, got {comparison!r}")
    return COMPARISONS[parts[1]](_number(parts[0], entry), _number(parts[2], entry))


def _number(token: str, entry: Mapping[str, Any]) -> float:
    """A number of the evidence by name, or a literal one."""
    if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", token):
        return float(token)
    value = entry.get(token)
    if isinstance(value, (bool, int, float)) and math.isfinite(value):
        return value
    raise ValueError(f"the evidence has no number {token!r}, it has {value!r}")


def _spelled(criterion: str, entry: Mapping[str, Any]) -> str:
    """The criterion with the numbers it compared."""
    return f"{criterion} ({_values(criterion, entry)})"


def _values(criterion: str, entry: Mapping[str, Any]) -> str:
    tokens = sorted({part for part in criterion.split() if part in entry})
    return ", ".join(f"{token} = {_shown(entry[token])}" for token in tokens)


def _filled(text: str, entry: Mapping[str, Any]) -> str:
    """The text with the numbers of the evidence that it names, as in ``{{printed_bound}}``."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: f"{_number(found[1], entry):.3g}", text)


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


# --- tests, Holm over the whole register ----------------------------------------------------------


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p values, in the order given."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, largest = [1.0] * len(p_values), 0.0
    for rank, position in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = largest
    return adjusted


def adjust(entries: dict[str, dict[str, Any]]) -> None:
    """Give every entry with tests its raw and adjusted p values, over the tests of all entries.

    ``tests`` is a list of {"where", "p"}: each tests the statement at one point, and a small p
    speaks against it. An empty list gives no p value: nothing was tested.
    """
    tests = [test for entry in entries.values() for test in entry.get("tests", [])]
    for test, p in zip(tests, holm([test["p"] for test in tests]), strict=True):
        test["adjusted_p"] = p
    for entry in entries.values():
        if "tests" in entry:
            entry["n_tests"] = len(entry["tests"])
        if entry.get("tests"):
            worst = min(entry["tests"], key=lambda test: test["p"])
            entry["raw_p"], entry["adjusted_p"] = worst["p"], worst["adjusted_p"]
            entry["worst_point"] = worst["where"]


# --- verdicts -------------------------------------------------------------------------------------


def verdicts(
    claims: Sequence[Claim],
    evidence: Mapping[str, Mapping[str, dict[str, Any]]],
    test_level: float,
) -> list[Verdict]:
    """A verdict on every claim.

    Parameters
    ----------
    claims
        Rows of the register.
    evidence
        Entries by file and key.
    test_level
        Familywise error level of all tests together.

    Returns
    -------
    list of Verdict
        In the order of the claims.

    Raises
    ------
    ValueError
        If evidence is missing, or lacks a number that a criterion names.
    """
    used = {(c.file, c.key): dict(_entry(c, evidence)) for c in claims if c.file}
    adjust({f"{file}/{key}": entry for (file, key), entry in used.items()})
    return [_judge(c, {"test_level": test_level} | used.get((c.file, c.key), {})) for c in claims]


def _entry(claim: Claim, evidence: Mapping[str, Mapping[str, dict[str, Any]]]) -> Mapping[str, Any]:
    try:
        return evidence[claim.file][claim.key]
    except KeyError:
        raise ValueError(
            f"claim {claim.id}: evidence {claim.file}.json has no {claim.key!r}"
        ) from None


def _judge(claim: Claim, entry: dict[str, Any]) -> Verdict:
    try:
        cases = int(_number(claim.cases, entry)) if claim.file else None
        found, decided = _decide(claim, entry, cases)
        meaning = _filled(claim.meaning, entry) if cases else ""
    except ValueError as error:
        raise ValueError(f"claim {claim.id}: {error}") from None
    shared = {name: getattr(claim, name) for name in SHARED}
    return Verdict(
        **shared,
        verdict=found,
        criterion=claim.printed,
        decided_by=decided,
        number=entry.get(claim.number) if claim.number and cases else None,
        meaning=meaning,
        amendment=claim.amendment if found == AMENDED else "",
        cases=cases,
        raw_p=entry.get("raw_p"),
        adjusted_p=entry.get("adjusted_p"),
        evidence={name: value for name, value in entry.items() if not isinstance(value, list)},
    )


SHARED = (
    "id", "level", "root", "part", "where", "basis", "statement", "reason", "explored",
    "file", "key",
)  # fmt: skip


def _decide(claim: Claim, entry: Mapping[str, Any], cases: int | None) -> tuple[str, str]:
    """The verdict and what decided it. No case that could contradict gives no verdict."""
    if cases is None:
        return claim.reading, claim.reason
    if cases == 0:
        return NOT_TESTED, f"no case could have contradicted it ({claim.cases} = 0)"
    if claim.number not in entry:
        raise ValueError(f"the evidence has no {claim.number!r}")
    # both criteria are read, so that a missing number never hides behind the first
    holds = satisfied(claim.printed, entry)
    mends = satisfied(claim.amended, entry) if claim.amended else False
    if holds:
        return SUPPORTED if claim.basis == "measured" else TRUE, _spelled(claim.printed, entry)
    at = entry.get("violating_point") or entry.get("worst_point")
    fails = f"{claim.printed} fails" + (f" at {at}" if at else "")
    fails += f" ({_values(claim.printed, entry)})"
    if mends and entry.get("amended_cases") != 0:
        return AMENDED, f"{fails}; {_spelled(claim.amended + ' holds', entry)}"
    return FALSE, fails


def as_document(
    claims: Sequence[Claim], found: Sequence[Verdict], test_level: float
) -> dict[str, Any]:
    """What ``results/claims.json`` holds: the headlines, and the verdicts with their numbers."""
    return {
        "test_level": test_level,
        "headlines": headlines(claims, found),
        "claims": [asdict(v) for v in found],
    }


def headlines(claims: Sequence[Claim], found: Sequence[Verdict]) -> dict[str, Any]:
    """Roots by level and verdict, the paper's apart from ours; typos; a line on each theorem."""
    roots = [v for v in found if v.id == v.root and v.level != "typo"]
    counts = {
        level: {
            word: sum((v.level, v.verdict) == (level, word) for v in roots) for word in VERDICTS
        }
        for level in LEVELS
        if level != "typo"
    }
    own = sum(v.level == "own" for v in found)
    summaries = {claim.id: claim.summary for claim in claims}
    return {
        "rows": len(found),
        "paper_roots": sum(v.level != "own" for v in roots),
        "own_roots": sum(v.level == "own" for v in roots),
        "paper_rows": len(found) - own,
        "own_rows": own,
        "typos": sum(v.level == "typo" for v in found),
        **counts,
        "theorems": [
            {"id": v.id, "where": v.where, "verdict": v.verdict}
            | {"line": summaries[v.id].get(v.verdict, v.verdict)}
            for v in found
            if v.level == "theorem"
        ],
    }
