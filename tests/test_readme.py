"""The generated parts of the README, on a small tree of made-up files."""

import json
from pathlib import Path

import pytest

from ldpt.provenance.manifest import run_hash
from ldpt.provenance.records import FIELDS, FORMAT, record_text
from tests.plots import scripts

readme = scripts.load("docs/readme.py")

HEADLINES = {
    "theorems": [
        {"where": "Theorem 3.1", "verdict": "true as printed", "line": "true as printed"},
        {"where": "Theorem 4.1", "verdict": "false", "line": "false, and why"},
    ]
}
OWN = [
    {"level": "own", "verdict": "true as printed"},
    {"level": "own", "verdict": "false"},
    {"level": "step", "verdict": "false"},
]


def record(rule: str, started: str, seconds: float) -> str:
    stable = {name: kind() for name, kind in FIELDS.items()} | {"format": FORMAT, "rule": rule}
    stable |= {"code": {"hash": "", "parts": {}}}
    spent = {"wall_seconds": seconds, "cpu_seconds": 45.0, "peak_memory_mb": seconds + 100}
    return record_text(stable, {"started": f"2026-11-16T{started}Z", **spent})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {
        "results/records/figures/a.pdf.json": record("a_cost", "05:00:00", 90.0),
        "results/records/figures/a.png.json": record("a_cost", "05:00:00", 90.0),
        "results/records/figures/left_over.png.json": record("old", "04:00:00", 90.0),
        "results/records/paper/run.json.json": record("manifest", "05:01:00", 60.0),
        "results/smoke/large.txt": "x" * 5_000_000,
        "results/data.txt": "x" * 1_000_000,
        "figures/findings.md": "- found\n",
        "paper/run.json": '{"jobs": [{"products": {"figures/a.pdf": {}, "figures/a.png": {}}}]}',
        "results/claims.json": json.dumps({"headlines": HEADLINES, "claims": OWN}),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_readme_generates_all_its_parts(project: Path) -> None:
    names = ("verdicts", "findings", "cost", "plan", "run")
    (project / "docs/pictures").mkdir(parents=True)
    command = (
        "ldpt plan --means 0.9 --threshold 0.5 --epsilon 1 --delta 0.2 --method coin --plot a.png\n"
    )
    parts = command + "".join(f"<!-- {n}:begin -->\nstale\n<!-- {n}:end -->\n" for n in names)
    text = readme.updated(f"# Title\n{parts}end\n", project)
    assert "stale" not in text
    assert readme.part(text, "findings") == "- found\n"
    manifest = json.loads((project / "paper/run.json").read_text())
    assert f"`{run_hash(manifest)}`" in readme.part(text, "run")
    table = readme.part(text, "verdicts")
    assert "| Theorem\u00a03.1: fixed budget, at most | true as printed |\n" in table
    assert "| Theorem\u00a04.1: fixed confidence | **false, and why** |" in table
    assert "; 1 of our own failed, 0 are undecided." in table
    assert "people on average; invite" in readme.part(text, "plan")
    assert (project / "docs/pictures/plan.png").is_file()
    assert text.startswith("# Title\n")
    assert text.endswith("end\n")


def test_cost_counts_the_run_at_paper_scale_alone(project: Path) -> None:
    words = readme.cost(project, 8)
    assert words.startswith("The committed run: 2 jobs, 2 minutes on 8 cores, at most 190 MB of")
    assert words.endswith("1 MB of results.\n")


def test_without_a_run_there_is_nothing_to_report(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has the run at paper scale finished"):
        readme.cost(tmp_path, 2)


def test_readme_run_time_leaves_out_idle_time_between_sessions() -> None:
    starts = {"05:00:00": 60.0, "05:00:30": 10.0, "05:01:05": 55.0, "09:00:00": 5.0}
    jobs = [{"started": f"2026-11-16T{at}Z", "wall_seconds": s} for at, s in starts.items()]
    assert readme.busy(reversed(jobs)) == 125.0
