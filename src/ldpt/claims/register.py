"""From the register of claims and the evidence to a verdict on each row.

The register (``paper/claims.yaml``) says what would count as success: a criterion for the statement
as printed and, where there is one, for the statement with an amendment. A criterion compares
numbers of the evidence, as in ``violations == 0``. Only rows that no computation could turn ("read
off") carry their verdict in the register. One rule gives the verdicts, theorems and steps alike:

1. The criterion holds: true as printed; supported, not proved, if simulation is all there is.
2. It fails and the amended one holds: true under an added hypothesis if the printed words hold in
   fewer cases; false as printed, repaired, if a constant, a formula or a word had to change.
3. It fails and nothing repairs it: false. A measured row with a ``contradicted`` criterion falls
   only if that holds too, that is, if the whole interval lies beyond the limit.
4. No case could have contradicted it, or the interval contains the limit: not tested.
"""

import json
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ldpt.io.json_values import plain

TRUE = "true as printed"
ADDED = "true under an added hypothesis"
REPAIRED = "false as printed, repaired"
FALSE = "false"
SUPPORTED = "supported, not proved"
NOT_TESTED = "not tested"
VERDICTS = {
    TRUE: "the statement holds as it stands",
    ADDED: "the printed words hold in fewer cases than they admit",
    REPAIRED: "wrong as it stands; right once a constant, a formula or a word is changed",
    FALSE: "wrong, and no repair is given",
    SUPPORTED: "simulated, and nothing contradicts it",
    NOT_TESTED: "no case could have contradicted it, or the data do not decide",
}
REPAIRS = {"hypothesis": ADDED, "correction": REPAIRED}
LEVELS = ("theorem", "statement", "step", "typo", "own")
THEOREMS = ("L2.1", "T3.1", "T3.2", "T4.1", "T4.2")
BASES = {
    "proved": "a proof; the check is a computation that could contradict it",
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
Row = Mapping[str, Any]
Entries = Mapping[str, Mapping[str, dict[str, Any]]]  # by file and key


def read_register(path: str | Path, schema: str | Path) -> dict[str, Any]:
    """Return a register that agrees with its schema and with :func:`check_rows`.

    Parameters
    ----------
    path, schema
        The register and its JSON schema.

    Returns
    -------
    dict
        ``paper``, ``test_level``, ``registrations``, ``statistics`` and the rows, ``claims``.

    Raises
    ------
    ValueError
        Names the row and what is wrong with it.
    """
    import yaml

    content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    validate(content, schema, "the register")
    check_rows(content)
    return content


def check_rows(register: Mapping[str, Any]) -> None:
    """Check what a schema cannot say: unique ids, roots that are roots, names that are known."""
    rows: dict[str, Row] = {}
    for row in register["claims"]:
        if row["id"] in rows:
            raise ValueError(f"the register has two claims with the id {row['id']}")
        rows[row["id"]] = row
    for row in rows.values():
        name, root = row["id"], rows.get(row["root"])
        if root is None or root["root"] != root["id"]:
            raise ValueError(f"claim {name}: root {row['root']!r} is not a root of the register")
        if (row["level"] == "own") != (root["level"] == "own"):
            raise ValueError(f"claim {name}: it and its root {root['id']} are not both the paper's")
        cases = row.get("evidence", {}).get("cases")
        if "adjusted_p" in row.get("printed", "") and cases != "n_tests":
            raise ValueError(f"claim {name}: cases of a tested claim must be n_tests")
        for kind, known in (("registered", "registrations"), ("statistic", "statistics")):
            if row.get(kind, name) not in {name, *register[known]}:
                raise ValueError(f"claim {name}: {kind} {row[kind]!r} is not in {known}")
    theorems = tuple(row["id"] for row in rows.values() if row["level"] == "theorem")
    if theorems != THEOREMS or any(rows[name]["root"] != name for name in theorems):
        raise ValueError(f"the theorems must be the roots {THEOREMS}, got {theorems}")


def validate(content: Any, schema: str | Path, what: str) -> None:
    """Check against a JSON schema; a ValueError names the place and the value that is wrong."""
    import jsonschema
    import yaml

    validator = jsonschema.Draft202012Validator(yaml.safe_load(Path(schema).read_text("utf-8")))
    error = jsonschema.exceptions.best_match(validator.iter_errors(content))
    if error is not None:
        raise ValueError(f"{what}: {error.json_path}: {error.message}")


def write_evidence(path: str | Path, entries: Mapping[str, Any]) -> None:
    """Write evidence as plain JSON; infinities become words."""
    content = {key: plain(entry) for key, entry in entries.items()}
    Path(path).write_text(json.dumps(content, indent=1, allow_nan=False) + "\n")


# --- criteria -------------------------------------------------------------------------------------


def satisfied(criterion: str, entry: Mapping[str, Any]) -> bool:
    """Return whether every comparison of a criterion holds, ``a <= b and c == 0``."""
    return all([_compare(part, entry) for part in criterion.split(" and ")])


def _compare(comparison: str, entry: Mapping[str, Any]) -> bool:
    parts = comparison.split()
    if len(parts) != 3 or parts[1] not in COMPARISONS:
        raise ValueError(f"a criterion compares two numbers, got {comparison!r}")
    return COMPARISONS[parts[1]](_number(parts[0], entry), _number(parts[2], entry))


def _number(token: str, entry: Mapping[str, Any]) -> float:
    """Return a number of the evidence by name, or a literal one."""
    if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", token):
        return float(token)
    value = entry.get(token)
    if isinstance(value, (bool, int, float)) and math.isfinite(value):
        return value
    raise ValueError(f"the evidence has no number {token!r}, it has {value!r}")


def _values(criterion: str, entry: Mapping[str, Any]) -> str:
    tokens = sorted({part for part in criterion.split() if part in entry})
    return ", ".join(f"{token} = {_shown(entry[token])}" for token in tokens)


def _filled(text: str, entry: Mapping[str, Any]) -> str:
    """Return the text with the numbers that it names, as in ``{{printed_bound}}``."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: f"{_number(found[1], entry):.3g}", text)


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


# --- tests, Holm over the whole register ----------------------------------------------------------


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p values, in the order given."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, largest = [1.0] * len(p_values), 0.0
    for rank, position in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = largest
    return adjusted


def adjust(entries: Mapping[Any, dict[str, Any]]) -> None:
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


def judge(register: Mapping[str, Any], evidence: Entries) -> dict[str, Any]:
    """Return what ``results/claims.json`` holds: headlines, and every row with its verdict.

    Parameters
    ----------
    register
        As :func:`read_register` returns it.
    evidence
        Entries by file and key.

    Raises
    ------
    ValueError
        If evidence is missing, or lacks a number that a criterion names.
    """
    rows = register["claims"]
    used = {_source(row): dict(_entry(row, evidence)) for row in rows if "evidence" in row}
    adjust(used)
    level = {"test_level": register["test_level"]}
    found = [judge_row(row, level | used.get(_source(row), {})) for row in rows]
    for row in found:
        if row["statistic"] and row["cases"]:
            row["detects"] = _detects(register["statistics"][row["statistic"]], row["evidence"])
    about = {name: value for name, value in register.items() if name != "claims"}
    return {**about, "headlines": headlines(found), "claims": found}


def _detects(statistic: Row, entry: Mapping[str, Any]) -> str:
    """Return the smallest violation that would have been found; nothing where it is undefined."""
    try:
        return _filled(statistic["detects"], entry)
    except ValueError:
        return "not defined for these runs"


def _source(row: Row) -> tuple[str, str]:
    return row.get("evidence", {}).get("file", ""), row.get("evidence", {}).get("key", "")


def _entry(row: Row, evidence: Entries) -> Mapping[str, Any]:
    file, key = _source(row)
    try:
        return evidence[file][key]
    except KeyError:
        raise ValueError(f"claim {row['id']}: evidence {file}.json has no {key!r}") from None


def judge_row(row: Row, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with its verdict, what decided it, and the numbers of its evidence."""
    try:
        cases = int(_number(row["evidence"]["cases"], entry)) if "evidence" in row else None
        verdict, decided = _decide(row, entry, cases)
        meaning = _filled(row.get("meaning", ""), entry) if cases else ""
        line = _filled(row.get("summary", {}).get(verdict, verdict), entry)
    except ValueError as error:
        raise ValueError(f"claim {row['id']}: {error}") from None
    file, key = _source(row)
    number = entry.get(row["number"]) if cases else None
    interval = [entry.get(f"{row['number']}_{end}") for end in ("low", "high")] if cases else []
    return {
        **dict.fromkeys(OPTIONAL, ""),
        **{name: value for name, value in row.items() if name not in INTERNAL},
        "verdict": verdict,
        "amendment": row.get("amendment", "") if verdict in REPAIRS.values() else "",
        "criterion": row.get("printed", ""),
        "decided_by": decided,
        "line": line,
        "number": number,
        "interval": interval if None not in interval else [],
        "meaning": meaning,
        "file": file,
        "key": key,
        "cases": cases,
        "raw_p": entry.get("raw_p"),
        "adjusted_p": entry.get("adjusted_p"),
        "evidence": {k: v for k, v in entry.items() if not isinstance(v, list)},
    }


OPTIONAL = ("reason", "explored", "proof", "statistic", "detects")
INTERNAL = {"evidence", "printed", "contradicted", "amended", "repair", "reading", "summary"}


def _decide(row: Row, entry: Mapping[str, Any], cases: int | None) -> tuple[str, str]:
    """Return the verdict and what decided it; the rule stands at the top of the module."""
    if cases is None:
        return row["reading"], row["reason"]
    if cases == 0:
        return NOT_TESTED, f"no case could have contradicted it ({row['evidence']['cases']} = 0)"
    if row["number"] not in entry:
        raise ValueError(f"the evidence has no {row['number']!r}")
    # all criteria are read, so that a missing number never hides behind the first
    printed, values = row["printed"], _values(row["printed"], entry)
    holds = satisfied(printed, entry)
    repaired = "amended" in row and satisfied(row["amended"], entry)
    contradicted = satisfied(row["contradicted"], entry) if "contradicted" in row else True
    if holds:
        return SUPPORTED if row["basis"] == "measured" else TRUE, f"{printed} ({values})"
    if not contradicted:
        return NOT_TESTED, f"{printed} is not decided by these runs ({values})"
    at = entry.get("violating_point") or entry.get("worst_point")
    fails = f"{printed} fails{f' at {at}' if at else ''} ({values})"
    if repaired and entry.get("amended_cases") != 0:
        amended = f"{row['amended']} holds ({_values(row['amended'], entry)})"
        return REPAIRS[row["repair"]], f"{fails}; {amended}"
    return FALSE, fails


def headlines(found: Sequence[Row]) -> dict[str, Any]:
    """Return roots by level and verdict, the paper's apart from ours; a line on each theorem."""
    roots = [row for row in found if row["id"] == row["root"] and row["level"] != "typo"]
    counts = {
        level: {
            word: sum((row["level"], row["verdict"]) == (level, word) for row in roots)
            for word in VERDICTS
        }
        for level in LEVELS
        if level != "typo"
    }
    own = sum(row["level"] == "own" for row in found)
    return {
        "rows": len(found),
        "paper_roots": sum(row["level"] != "own" for row in roots),
        "own_roots": sum(row["level"] == "own" for row in roots),
        "paper_rows": len(found) - own,
        "own_rows": own,
        "typos": sum(row["level"] == "typo" for row in found),
        **counts,
        "theorems": [
            {name: row[name] for name in ("id", "where", "verdict", "line")}
            for row in found
            if row["level"] == "theorem"
        ],
    }
