"""The numbers that a reader sees: one name each, a value and a text."""

import datetime
import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
import yaml

from ldpt.instances import Instance
from ldpt.replication.publishing import numbers
from tests.plots.scripts import load

CITATION = {
    "version": "2.1.0",
    "date-released": datetime.date(2026, 11, 6),
    "references": [
        {
            "title": "A Paper",
            "year": 2025,
            "authors": [
                {"family-names": "Author", "given-names": "First"},
                {"family-names": "Writer", "given-names": "Second"},
            ],
            "conference": {"name": "A Workshop"},
        }
    ],
}
CLAIMS: dict[str, Any] = {
    "test_level": 0.001,
    "own_tested": 64,
    "headlines": {
        **{"rows": 3, "paper_roots": 1, "own_roots": 1, "paper_rows": 2, "own_rows": 1, "typos": 1},
        **{level: {"false": 0, "not tested": 0} for level in ("statement", "step")},
        "theorem": {"false": 1, "supported, not proved": 0},
        "own": {"false": 0, "supported, not proved": 1},
        "theorems": [
            {"id": "T4.1", "where": "Theorem 4.1", "verdict": "false", "line": "wrong too often"}
        ],
    },
    "claims": [
        {
            "id": "T4.1",
            "verdict": "false",
            "evidence": {"printed_error": 0.30431, "at": "here", "ratio": "nan"},
            "adjusted_p": None,
        }
    ],
}


def losses() -> pd.DataFrame:
    """Two policies at and above T = H_eps on one problem, and one of them on another."""
    rows = [
        ("apt", "two", 0.5, 99, 0.99, 0.5),
        ("apt", "two", 0.5, 100, 1.0, 0.25),
        ("apt", "two", 0.5, 101, 1.01, 0.2),
        ("lsa", "two", 0.5, 100, 1.0, 0.0),
        ("apt", "two", math.inf, 10, 1.0, 0.1),
        ("lsa", "two", math.inf, 11, 1.1, 0.05),
        ("lsa", "other", 0.5, 100, 1.0, 0.1),
        ("apt", "new-1", 0.5, 100, 1.0, 0.2),
        ("lsa", "new-1", 0.5, 100, 1.0, 0.05),
    ]
    columns = ["policy", "instance", "epsilon", "budget", "scaled_budget", "estimate"]
    table = pd.DataFrame(rows, columns=columns).assign(replicates=1000, high=0.0037)
    return table.assign(errors=1000 * table["estimate"])


def pulls() -> pd.DataFrame:
    row = {"instance": "one", "epsilon": 1.0, "n_arms": 1, "delta": 0.1}
    return pd.DataFrame([row | {"mean_pulls": 50.0, "replicates": 10, "undecided": 0}])


@pytest.fixture
def gathered() -> numbers.Numbers:
    problems = [Instance("counterexample", [0.95], 0.9)]
    settings = {"seed": 7, "rho": 10.0, "config_hash": "ab" * 32}
    facts = {"privacy_cost": {"holding": 3, "laws": ["Beta", "uniform"]}}
    return numbers.gather(facts, CLAIMS, (losses(), pulls()), problems, CITATION, settings)


def test_facts_claims_and_headlines_have_names(gathered: numbers.Numbers) -> None:
    texts = {name: entry["text"] for name, entry in gathered.items()}
    assert texts["privacy_cost:laws"] == "Beta and uniform"
    assert texts["claim:T4.1:printed_error"] == "0.304"
    assert texts["claims:typos"] == texts["claims:paper-roots"] == "1"
    assert texts["runs:runs"] == "7\u202f010"  # once per sweep, seven of 1 000 and one of 10
    assert (texts["runs:fewest-budget"], texts["runs:fewest-confidence"]) == ("1\u202f000", "10")
    assert texts["claim:T4.1:ratio"] == "undefined"


def test_facts_are_named_as_the_figure_of_their_file(tmp_path: Path) -> None:
    files = {"first.json": {"runs": 1}, "second.json": {"runs": 2}, "claims.json": CLAIMS}
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    (tmp_path / "instances.json").write_text("[]")
    (tmp_path / "citation.yaml").write_text(yaml.safe_dump(CITATION))
    losses().to_csv(tmp_path / "budget.csv")
    pulls().to_csv(tmp_path / "confidence.csv")
    read = SimpleNamespace(
        facts=[str(tmp_path / name) for name in ("first.json", "second.json")],
        claims=tmp_path / "claims.json",
        fixed_budget=tmp_path / "budget.csv",
        fixed_confidence=tmp_path / "confidence.csv",
        instances=tmp_path / "instances.json",
        citation=tmp_path / "citation.yaml",
    )
    settings = {"seed": 7, "rho": 10.0, "config_hash": "ab" * 32}
    found = load("scripts/gather_numbers.py").read_numbers(read, settings)
    assert [found[name]["value"] for name in ("first:runs", "second:runs")] == [1, 2]


def test_gather_names_the_paper_and_the_run(gathered: numbers.Numbers) -> None:
    assert gathered["cited:authors"]["text"] == "First Author and Second Writer"
    assert gathered["study:date"]["text"] == "6 November 2026"
    assert gathered["study:config-hash"]["value"] == "ab" * 32


def test_losses_are_those_at_the_complexity_where_both_policies_ran(
    gathered: numbers.Numbers,
) -> None:
    found = {name: entry["value"] for name, entry in gathered.items() if name.startswith("loss:")}
    assert found == {
        "loss:apt:two:0.5": 0.25,
        "loss:lsa:two:0.5": "< 0.004",
        "loss:apt:new-1:0.5": 0.2,
        "loss:lsa:new-1:0.5": 0.05,
    }


def test_numbers_can_be_written_as_json(gathered: numbers.Numbers) -> None:
    assert list(gathered) == sorted(gathered)
    json.dumps(gathered, allow_nan=False)


def test_fill_takes_numbers_by_name_and_refuses_others() -> None:
    known = {"a:b": {"value": 0.25, "text": "0.25"}}
    assert numbers.fill("it is {{ n('a:b') }}.", known) == "it is 0.25."
    with pytest.raises(ValueError, match="there is no number 'a:c'"):
        numbers.fill("it is {{ n('a:c') }}.", known)
