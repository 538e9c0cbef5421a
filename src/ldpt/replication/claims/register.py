"""From the register of claims and the evidence to a verdict on each row.

The register (``paper/claims.yaml``) says what would count as success: a criterion for the statement
as printed and, where there is one, for the statement with an amendment. A criterion compares
numbers of the evidence, as in ``violations == 0``. Only rows that are decided by reading ("read
off") carry their verdict in the register. One rule gives the verdicts, theorems and steps alike:

1. The criterion holds: true as printed; supported, not proved, if simulation is all there is.
2. It fails and the amended one holds: true under an added hypothesis if the printed words hold in
   fewer cases; false as printed, repaired, if a constant, a formula or a word had to change.
3. It fails and nothing repairs it: false. A measured row with a ``contradicted`` criterion falls
   only if that holds too, that is, if the whole interval lies beyond the limit.
4. It was tested, and the interval contains the limit: undecided.
5. No case could have contradicted it: not tested.
"""

import json
import math
import operator
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ldpt.util.json_values import plain

TRUE = "true as printed"
ADDED = "true under an added hypothesis"
REPAIRED = "false as printed, repaired"
FALSE = "false"
SUPPORTED = "supported, not proved"
UNDECIDED = "undecided"
NOT_TESTED = "not tested"
VERDICTS = {
    TRUE: "the statement holds as it stands",
    ADDED: "the printed words hold in fewer cases than they admit",
    REPAIRED: "wrong as it stands; right once a constant, a formula or a word is changed",
    FALSE: "wrong, and no repair is given",
    SUPPORTED: "simulated, and nothing contradicts it",
    UNDECIDED: "tested; the interval contains the limit",
    NOT_TESTED: "no case could have contradicted it",
}
REPAIRS = {"hypothesis": ADDED, "correction": REPAIRED}
BASES = {
    "proved": "a proof; the check is a computation that could contradict it",
    "disproved": "a counterexample, exact or certified",
    "computed": "exact or interval arithmetic that decides",
    "measured": "simulation: it can contradict, and cannot prove",
    "read off": "reading alone: the row has a reason in the place of a criterion",
}
PARTS = {  # of the paper, and ours
    "L2.1": "Section 2 and Lemma 2.1: definition, mechanism, objective",
    "T3.1": "Theorem 3.1: fixed budget, upper bound",
    "T3.2": "Theorem 3.2: fixed budget, lower bound",
    "T4.1": "Theorem 4.1: fixed confidence, upper bound",
    "T4.2": "Theorem 4.2: fixed confidence, lower bound",
    "text": "The text beside the theorems",
    "own": "Our own questions and claims",
}
COMPARISONS = {
    "==": operator.eq,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
Row = Mapping[str, Any]
Entries = Mapping[str, Mapping[str, dict[str, Any]]]  # by file and key


def read_register(path: str | Path, schema: str | Path) -> dict[str, Any]:
    """Return a register that agrees with its schema.

    Parameters
    ----------
    path, schema
        The register and its JSON schema.

    Returns
    -------
    dict
        ``paper``, ``test_level``, ``own_tested``, ``statistics`` and the rows, ``claims``.

    Raises
    ------
    ValueError
        Names the row and what is wrong with it.
    """
    import yaml

    content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    validate(content, schema, "the register")
    return content


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
    Path(path).write_text(json.dumps(plain(entries), indent=1, allow_nan=False) + "\n")


# --- criteria -------------------------------------------------------------------------------------


def satisfied(criterion: str, entry: Mapping[str, Any]) -> bool:
    """Return whether every comparison of a criterion holds, ``a <= b and c == 0``."""
    # a list: every comparison is evaluated, so that a missing number never hides behind the first
    return all([_compare(part, entry) for part in criterion.split(" and ")])


def _compare(comparison: str, entry: Mapping[str, Any]) -> bool:
    parts = comparison.split()
    if len(parts) != 3 or parts[1] not in COMPARISONS:
        raise ValueError(f"a criterion compares two numbers, got {comparison!r}")
    return bool(COMPARISONS[parts[1]](_number(parts[0], entry), _number(parts[2], entry)))


def _number(token: str, entry: Mapping[str, Any]) -> float:
    """Return a number of the evidence by name, or a literal one."""
    if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", token):
        return float(token)
    value = entry.get(token)
    if isinstance(value, int | float) and math.isfinite(value):
        return value
    raise ValueError(f"the evidence has no number {token!r}, it has {value!r}")


def _with_values(criterion: str, entry: Mapping[str, Any], outcome: str = "") -> str:
    """Return a criterion, its outcome, and the numbers that it names."""
    values = {part: entry[part] for part in sorted(criterion.split()) if part in entry}
    terms = [f"{k} = {v:.4g}" if isinstance(v, float) else f"{k} = {v}" for k, v in values.items()]
    return f"{criterion}{outcome} ({', '.join(terms)})"


def _filled(text: str, entry: Mapping[str, Any]) -> str:
    """Return the text with the numbers that it names, as in ``{{printed_bound}}``."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: f"{_number(found[1], entry):.3g}", text)


# --- tests, Holm over the whole register ----------------------------------------------------------


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p values, in the order given."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    steps = np.minimum(1.0, factors * np.array(p_values, float)[order])
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted.tolist()


def adjust(entries: Mapping[Any, dict[str, Any]]) -> None:
    """Give every entry with tests its smallest p value, adjusted over the tests of all entries.

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
            entry |= {"adjusted_p": worst["adjusted_p"], "worst_point": worst["where"]}


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
    about = {name: value for name, value in register.items() if name != "claims"}
    entries: dict[tuple[str, str], dict[str, Any]] = {}
    for row in register["claims"]:
        file, key = source = _source(row)
        if file and key not in evidence.get(file, {}):
            raise ValueError(f"claim {row['id']}: evidence {file}.json has no {key!r}")
        entries[source] = dict(evidence[file][key]) if file else {}
    adjust(entries)
    rows = [judge_row(row, entries[_source(row)], about) for row in register["claims"]]
    return {**about, "headlines": headlines(rows), "claims": rows}


def _source(row: Row) -> tuple[str, str]:
    return row.get("evidence", {}).get("file", ""), row.get("evidence", {}).get("key", "")


def judge_row(row: Row, entry: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with its verdict, what decided it, and the numbers of its evidence."""
    entry = {"test_level": about["test_level"], **entry}
    try:
        cases = int(_number(row["evidence"]["cases"], entry)) if "evidence" in row else None
        verdict, decided = _decide(row, entry, cases)
        meaning = _filled(row.get("meaning", ""), entry) if cases else ""
        line = _filled(row.get("summary", {}).get(verdict, verdict), entry)
    except ValueError as error:
        raise ValueError(f"claim {row['id']}: {error}") from None
    file, key = _source(row)
    limits = [entry.get(f"{row['number']}_{end}") for end in ("low", "high")] if cases else [None]
    return {
        **dict.fromkeys(("reason", "proof", "statistic"), ""),
        "detects": _detects(row, entry, about) if cases else "",
        **{name: value for name, value in row.items() if name not in INTERNAL},
        "verdict": verdict,
        "amendment": row.get("amendment", "") if verdict in REPAIRS.values() else "",
        "criterion": row.get("printed", ""),
        "decided_by": decided,
        "line": line,
        "number": entry.get(row["number"]) if cases else None,
        "interval": [] if None in limits else limits,
        "meaning": meaning,
        "file": file,
        "key": key,
        "cases": cases,
        "adjusted_p": entry.get("adjusted_p"),
        "evidence": {k: v for k, v in entry.items() if not isinstance(v, list)},
    }


INTERNAL = {"evidence", "printed", "contradicted", "amended", "repair", "reading", "summary"}


def _detects(row: Row, entry: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    """Return the smallest violation that would have been found; empty for a row without a rule."""
    try:
        words = about["statistics"].get(row.get("statistic"), {}).get("detects", "")
        return re.sub(r"(\S+) to \1 ", r"\1 ", _filled(words, entry))  # a range of one value
    except ValueError:
        return "not defined for these runs"


def _decide(row: Row, entry: Mapping[str, Any], cases: int | None) -> tuple[str, str]:
    """Return the verdict and what decided it; the rule stands at the top of the module."""
    if cases is None:
        return row["reading"], row["reason"]
    if cases == 0:
        return NOT_TESTED, f"no case could have contradicted it ({row['evidence']['cases']} = 0)"
    if row["number"] not in entry:
        raise ValueError(f"the evidence has no {row['number']!r}")
    # all criteria are read, so that a missing number never hides behind the first
    holds = satisfied(row["printed"], entry)
    repaired = "amended" in row and satisfied(row["amended"], entry)
    contradicted = "contradicted" not in row or satisfied(row["contradicted"], entry)
    if holds:
        verdict = SUPPORTED if row["basis"] == "measured" else TRUE
        return verdict, _with_values(row["printed"], entry)
    if not contradicted:
        return UNDECIDED, _with_values(row["printed"], entry, " is not decided by these runs")
    at = entry.get("violating_point") or entry.get("worst_point")
    fails = _with_values(row["printed"], entry, f" fails at {at}" if at else " fails")
    if repaired and entry.get("amended_cases") != 0:
        amended = _with_values(row["amended"], entry, " holds")
        return REPAIRS[row["repair"]], f"{fails}; {amended}"
    return FALSE, fails


def headlines(rows: Sequence[Row]) -> dict[str, Any]:
    """Return roots by level and verdict, the paper's apart from ours; a line on each theorem."""
    levels = Counter(row["level"] for row in rows)
    counts = Counter((r["level"], r["verdict"]) for r in rows if r["id"] == r["root"])
    roots = {
        level: {word: counts[level, word] for word in VERDICTS}
        for level in ("theorem", "statement", "step", "own")
    }
    own_roots = sum(roots["own"].values())
    own = Counter(row["verdict"] for row in rows if row["level"] == "own")
    return {
        "rows": len(rows),
        "paper_roots": sum(sum(words.values()) for words in roots.values()) - own_roots,
        "own_roots": own_roots,
        "paper_rows": len(rows) - levels["own"],
        "own_rows": levels["own"],
        "typos": levels["typo"],
        "own_failed": own[FALSE],
        "own_undecided": own[UNDECIDED],
        **roots,
        "theorems": [
            {name: row[name] for name in ("id", "where", "verdict", "line")}
            for row in rows
            if row["level"] == "theorem"
        ],
    }
