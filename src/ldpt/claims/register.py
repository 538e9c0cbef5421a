"""From the register of claims and the evidence to a verdict on each claim.

The register (``paper/claims.yaml``) fixes, before any evidence exists, what would count as success:
a criterion for the statement as printed and, where there is one, for its correction. A criterion is
a comparison between numbers of the evidence, such as ``violations == 0``; verdicts are computed
from it and typed nowhere. A refuted claim is a finding; missing or stale evidence is an error.
"""

import json
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

REPRODUCED = "reproduced"
CORRECTED = "reproduced with a correction"
REFUTED = "refuted"
NOT_TESTABLE = "not testable"
BASIS = {
    "exact": "decided in exact or interval arithmetic",
    "bound": "checked point by point on a grid",
    "simulated": "measured; not contradicted is not proved",
    "qualitative": "decided by a stated rule on measured numbers",
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
    """One entry of the register."""

    id: str
    where: str
    kind: str
    statement: str
    file: str = ""
    key: str = ""
    printed: str = ""
    corrected: str = ""
    correction: str = ""
    number: str = ""
    reason: str = ""


@dataclass
class Verdict:
    """What became of a claim, with the number that decided."""

    id: str
    where: str
    kind: str
    statement: str
    verdict: str
    basis: str
    decided_by: str
    number: float | str | None
    correction: str = ""
    reason: str = ""
    raw_p: float | None = None
    adjusted_p: float | None = None
    evidence: dict[str, Any] = field(default_factory=dict)


def read_register(path: str | Path, schema: str | Path) -> tuple[float, list[Claim]]:
    """The level of the tests and the claims of a register, checked against its schema."""
    import yaml

    content = yaml.safe_load(Path(path).read_text())
    validate(content, schema, "the register")
    claims = [Claim(**_flat(entry)) for entry in content["claims"]]
    ids = [claim.id for claim in claims]
    for name in ids:
        if ids.count(name) > 1:
            raise ValueError(f"the register has two claims with the id {name}")
    return float(content["level"]), claims


def _flat(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name != "evidence"} | dict(
        entry.get("evidence", {})
    )


def validate(content: Any, schema: str | Path, what: str) -> None:
    """Check against a JSON schema; a ValueError names the place and the value that is wrong."""
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
    content = {"made_from": made_from, "entries": {k: _plain(v) for k, v in entries.items()}}
    Path(path).write_text(json.dumps(content, indent=1, allow_nan=False) + "\n")


def _short_name(path: str | Path) -> str:
    """Folder and name: the same under every root, and apart where names alone are not."""
    return "/".join(Path(path).parts[-2:])


def _plain(value: Any) -> Any:
    """JSON has no infinity and no NaN: they are written as text and never compared."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if hasattr(value, "item"):
        value = value.item()
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value


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

    ``tests`` and ``corrected_tests`` are lists of {"where", "p"}: each tests the statement at one
    point, and a small p speaks against it.
    """
    tests = [
        (entry, name, test)
        for entry in entries.values()
        for name in ("tests", "corrected_tests")
        for test in entry.get(name, [])
    ]
    for (_, _, test), p in zip(tests, holm([t["p"] for _, _, t in tests]), strict=True):
        test["adjusted_p"] = p
    for entry in entries.values():
        for name, prefix in (("tests", ""), ("corrected_tests", "corrected_")):
            if name in entry:
                worst = min(entry[name], key=lambda test: test["p"], default=None)
                entry[f"{prefix}raw_p"] = worst["p"] if worst else 1.0
                entry[f"{prefix}adjusted_p"] = worst["adjusted_p"] if worst else 1.0
                entry[f"{prefix}worst_point"] = worst["where"] if worst else ""
                entry[f"{prefix}n_tests"] = len(entry[name])


# --- verdicts -------------------------------------------------------------------------------------


def verdicts(
    claims: Sequence[Claim], evidence: Mapping[str, Mapping[str, dict[str, Any]]], level: float
) -> list[Verdict]:
    """A verdict on every claim; ``evidence`` maps each file to its entries."""
    used = {(c.file, c.key): dict(_entry(c, evidence)) for c in claims if c.file}
    adjust({f"{file}/{key}": entry for (file, key), entry in used.items()})
    return [_judge(c, {"level": level} | used.get((c.file, c.key), {})) for c in claims]


def _entry(claim: Claim, evidence: Mapping[str, Mapping[str, dict[str, Any]]]) -> Mapping[str, Any]:
    try:
        return evidence[claim.file][claim.key]
    except KeyError:
        raise ValueError(
            f"claim {claim.id}: evidence {claim.file}.json has no {claim.key!r}"
        ) from None


def _judge(claim: Claim, entry: dict[str, Any]) -> Verdict:
    if not claim.file:
        found, decided = NOT_TESTABLE, claim.reason
    else:
        try:
            found, decided = _decide(claim, entry)
        except ValueError as error:
            raise ValueError(f"claim {claim.id}: {error}") from None
    return Verdict(
        id=claim.id,
        where=claim.where,
        kind=claim.kind,
        statement=claim.statement,
        verdict=found,
        basis="" if found == NOT_TESTABLE else BASIS[claim.kind],
        decided_by=decided,
        number=entry.get(claim.number) if claim.number else None,
        correction=claim.correction if found == CORRECTED else "",
        reason=claim.reason,
        raw_p=entry.get("raw_p"),
        adjusted_p=entry.get("adjusted_p"),
        evidence={name: value for name, value in entry.items() if not isinstance(value, list)},
    )


def _decide(claim: Claim, entry: Mapping[str, Any]) -> tuple[str, str]:
    if claim.number and claim.number not in entry:
        raise ValueError(f"the evidence has no {claim.number!r}")
    # both criteria are read, so that a missing number never hides behind the first
    holds = satisfied(claim.printed, entry)
    mends = satisfied(claim.corrected, entry) if claim.corrected else False
    if holds:
        return REPRODUCED, _spelled(claim.printed, entry)
    at = entry.get("violating_point") or entry.get("worst_point")
    fails = f"{claim.printed} fails" + (f" at {at}" if at else "")
    if mends:
        fails += f" ({_values(claim.printed, entry)})"
        return CORRECTED, f"{fails}; {_spelled(claim.corrected + ' holds', entry)}"
    return REFUTED, f"{fails} ({_values(claim.printed, entry)})"


def as_document(found: Sequence[Verdict], level: float) -> dict[str, Any]:
    """What ``results/claims.json`` holds: the verdicts and how many there are of each kind."""
    kinds = (REPRODUCED, CORRECTED, REFUTED, NOT_TESTABLE)
    counts = {kind: sum(v.verdict == kind for v in found) for kind in kinds}
    return {"level": level, "counts": counts, "claims": [asdict(v) for v in found]}


def as_rows(found: Sequence[Verdict]) -> list[dict[str, str]]:
    """The table of claims: a row a claim, every cell a text."""
    return [
        {
            "id": v.id,
            "where": v.where,
            "statement": v.statement,
            "verdict": v.verdict,
            "number": "" if v.number is None else _shown(v.number),
            "adjusted p": "" if v.adjusted_p is None else f"{v.adjusted_p:.2g}",
            "correction or reason": v.correction or v.reason,
        }
        for v in found
    ]
