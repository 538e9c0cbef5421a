"""The generated parts of the README, on a small tree of made-up files."""

from pathlib import Path

import pytest

from ldpt import readme

RECORD = """{{"stable": {{"rule": "simulate", "wildcards": {{"instance": "{name}"}}}}, "volatile":
{{"started": "2026-11-16T05:{minute:02}:00Z", "wall_seconds": 90.0, "cpu_seconds": 60.0}}}}"""
RULES = 'rule a_cost:\n    output:\n        **drawn("a_cost", "Privacy"),\nrule other:\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {
        "workflow/rules/figures.smk": RULES,
        "workflow/report/a_cost.rst": "What does it\ncost?\n\nDrawn so.\n",
        "results/benchmarks/a_cost.tsv": "s\tcpu_time\n2.5\t0.5\n",
        "results/records/one.json": RECORD.format(name="a", minute=0),
        "results/records/the_same.json": RECORD.format(name="a", minute=0),
        "results/records/deep/two.json": RECORD.format(name="b", minute=5),
        "results/smoke/large.txt": "x" * 5_000_000,
        "results/data.txt": "x" * 1_000_000,
        "figures/findings.md": "- found\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_all_parts_are_made_anew(project: Path) -> None:
    parts = "".join(
        f"<!-- {n}:begin -->\nstale\n<!-- {n}:end -->\n" for n in ("findings", "figures", "cost")
    )
    text = readme.updated(f"# Title\n{parts}end\n", project)
    assert "stale" not in text
    assert readme.part(text, "findings") == "- found\n"
    row = "| [`a_cost`](figures/a_cost.png) | What does it cost? | `scripts/a_cost.py` | 2.5 s |\n"
    assert row in readme.part(text, "figures")
    assert text.startswith("# Title\n")
    assert text.endswith("end\n")


def test_cost_counts_the_run_at_paper_scale_alone(project: Path) -> None:
    words = readme.cost(project / "results" / "records", project / "results", 8)
    assert "2 jobs and took 6.5 minutes on 8 cores,\n2 minutes of cpu time" in words
    assert "holds 1 MB" in words


def test_without_a_run_there_is_nothing_to_tell(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no records under"):
        readme.cost(tmp_path, tmp_path, 2)
