"""Tables: one source, three forms that say the same."""

import csv
from pathlib import Path

import pandas as pd
import pytest

from ldpt.instances import Instance
from ldpt.replication.publishing import tables
from tests.plots import scripts


@pytest.fixture
def written(tmp_path: Path) -> dict[str, str]:
    table = pd.DataFrame(
        {"name": ["a_b", "50 % | x"], "arms": [3, 1024], "H": [1.5e-5, float("nan")]}
    )
    paths = {ext: tmp_path / f"t.{ext}" for ext in ("csv", "md", "tex")}
    tables.write(table, *(str(path) for path in paths.values()))
    return {ext: path.read_text(encoding="utf-8") for ext, path in paths.items()}


def test_csv_holds_the_bare_values(written: dict[str, str]) -> None:
    rows = list(csv.DictReader(written["csv"].splitlines()))
    assert [row["arms"] for row in rows] == ["3", "1024"]
    assert float(rows[0]["H"]) == 1.5e-5


def test_markdown_has_one_line_per_row_and_escapes_bars(written: dict[str, str]) -> None:
    lines = written["md"].splitlines()
    assert lines[0] == "| name | arms | H |"
    assert lines[2:] == ["| a_b | 3 | 1.5×10⁻⁵ |", r"| 50 % \| x | 1 024 |  |"]


def test_latex_escapes_and_has_one_line_per_row(written: dict[str, str]) -> None:
    lines = written["tex"].splitlines()
    assert lines[0] == r"\begin{tabular}{lll}"
    assert r"a\_b & 3 & 1.5×10⁻⁵ \\" in lines
    assert r"50 \% | x & 1 024 &  \\" in lines


def test_instances_table_counts_repeats_and_knows_both_complexities() -> None:
    problem = Instance("x", [0.1, 0.1, 0.9], 0.5, 0.1)
    row = scripts.load("scripts/instances.py").tabulate([problem]).iloc[0]
    assert row["means"] == "0.1 ×2, 0.9"
    assert row["H"] == pytest.approx(3 / 0.25)
    assert row["H at tolerance 0"] == pytest.approx(3 / 0.16)
