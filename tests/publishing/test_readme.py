"""The generated parts of the README, on a small tree of made-up files."""

import json
from pathlib import Path

import pandas as pd
import pytest

from ldpt.provenance import FORMAT, record_text
from ldpt.publishing import readme

HEADLINES = {
    "typos": 10,
    "theorem": {"true": 0, "false": 1},
    "statement": {"true": 2, "false": 1},
    "step": {"true": 3, "false": 0},
    "theorems": [{"where": "Theorem 1", "line": "false, and why"}],
}
CATALOG = "a_cost: {shows: The cost., category: Privacy, inputs: {table: a.csv}}\n"
SPEEDS = """\
method,problem,epsilon,"fast, ns per pull",literal,NumPy,Python,"fast, pulls per s","fast, ms per run",gain over literal
apt,"ten arms, K = 10",0.1,0.7765,18,160,60000,1.3e9,0.7765,23.17
apt,"ten arms, K = 10",1,3.3,18.4,170,70000,3e8,0.33,5.6
apt,"dose-finding, K = 6",inf,2.2,2.3,120,60000,5e8,2.3,1.04
lsa,"ten arms, K = 10",1,3.81,24,160,90000,4.34e8,0.23,1234.5
"""  # noqa: E501
STEPS = {"replicates": (1, 2, 4), "epsilon": (0.1, 0.01, 0.001), "arms": (4, 8, 16, 32)}
GROWTH = pd.DataFrame(
    [
        {
            "axis": axis,
            "value": value,
            "method": method,
            "replicates": 1,
            "pulls": (100.0 if axis == "epsilon" else 2.0) ** step,
            "cpu_seconds": 2.0**step,
            "bytes": 100.0,
        }
        for axis, values in STEPS.items()
        for step, value in enumerate(values)
        for method in ("apt", "lsa")
    ]
)


def record(rule: str, started: str, seconds: float) -> str:
    stable = {"format": FORMAT, "rule": rule, "wildcards": {}}
    spent = {"wall_seconds": seconds, "cpu_seconds": 45.0, "peak_memory_mb": seconds + 100}
    return record_text(stable, {"started": f"2026-11-16T{started}Z", **spent})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {
        "workflow/figures.yaml": CATALOG,
        "workflow/captions/a_cost.rst": "What does it\ncost?\n\nDrawn so.\n",
        "results/manifest.json": '{"products": {"figures/a.pdf": {}, "figures/a.png": {}}}',
        "results/records/figures/a.pdf.json": record("a_cost", "05:00:00", 90.0),
        "results/records/figures/a.png.json": record("a_cost", "05:00:00", 90.0),
        "results/records/figures/left_over.png.json": record("old", "04:00:00", 90.0),
        "results/records/results/manifest.json.json": record("manifest", "05:01:00", 60.0),
        "results/smoke/large.txt": "x" * 5_000_000,
        "results/data.txt": "x" * 1_000_000,
        "figures/findings.md": "- found\n",
        "results/claims.json": json.dumps({"headlines": HEADLINES}),
        "benchmarks/engines.csv": SPEEDS,
        "benchmarks/cost_growth.csv": GROWTH.to_csv(index=False),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_readme_generates_all_its_parts(project: Path) -> None:
    names = ("verdicts", "findings", "speed", "figures", "cost")
    parts = "".join(f"<!-- {n}:begin -->\nstale\n<!-- {n}:end -->\n" for n in names)
    text = readme.updated(f"# Title\n{parts}end\n", project)
    assert "stale" not in text
    assert readme.part(text, "findings") == "- found\n"
    *table, blank, words = readme.part(text, "speed").split("\n", maxsplit=5)
    assert [*table, blank] == [
        "| method | ε = 1 | ε = 0.1 | compiled | NumPy | Python |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        "| `apt` | 3.3 (0.33) | 0.78 (0.78) | 18 | 160 | 65 000 |",
        "| `lsa` | 3.8 (0.23) |  | 24 | 160 | 90 000 |",
        "",
    ]
    assert "1 (`apt`, dose-finding, no privacy) to 1 230 (`lsa`, ten arms, ε = 1)" in words
    assert "power 2.00 to 2.00, its time only to the power 0.30 to 0.30." in words
    assert "as T to the power 0.15.\nWith K arms the time grows as K to the power 1.00" in words
    assert "| Theorem 1 | false, and why |\n" in readme.part(text, "verdicts")
    assert "own: 5 true; 1 false. Another 10 are typos" in readme.part(text, "verdicts")
    row = "| [`a_cost`](figures/a_cost.png) | What does it cost? | `scripts/a_cost.py` | 90.0 s |\n"
    assert row in readme.part(text, "figures")
    assert text.startswith("# Title\n")
    assert text.endswith("end\n")


def test_cost_counts_the_run_at_paper_scale_alone(project: Path) -> None:
    words = readme.cost(project, 8)
    assert "2 jobs and took 2 minutes on 8 cores,\n1.5 minutes of CPU time" in words
    assert "holds 1 MB. No job took more than 190 MB of memory" in words


def test_readme_cost_table_has_one_row_per_rule(project: Path) -> None:
    *_, first, second = readme.cost_table(project).splitlines()
    assert first == "| `a_cost` | 1 | 45.0 s | 90.0 s | 190 MB |"
    assert second == "| `manifest` | 1 | 45.0 s | 60.0 s | 160 MB |"


def test_without_a_run_there_is_nothing_to_report(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has the run at paper scale finished"):
        readme.cost(tmp_path, 2)


def test_readme_run_time_leaves_out_the_time_between_two_sittings() -> None:
    starts = {"05:00:00": 60.0, "05:00:30": 10.0, "05:01:05": 55.0, "09:00:00": 5.0}
    jobs = [{"started": f"2026-11-16T{at}Z", "wall_seconds": s} for at, s in starts.items()]
    assert readme.busy(reversed(jobs)) == 125.0
