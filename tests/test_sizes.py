"""Limits that keep the project readable: length of modules and scripts, cost of parsing."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.house import is_parallel

PROJECT = Path(__file__).resolve().parents[1]
MODULES = sorted((PROJECT / "src" / "ldpt").rglob("*.py"))
SCRIPTS = sorted((PROJECT / "scripts").glob("*.py"))


def code_lines(path: Path) -> int:
    """Return the number of lines with code: no docstrings, blanks or comments."""
    text = path.read_text(encoding="utf-8")
    lines = {
        n for n, line in enumerate(text.splitlines(), 1) if line.strip() and line.strip()[0] != "#"
    }
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(
            node
        ):
            first = node.body[0]
            lines -= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(lines)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_module_has_more_than_450_lines_of_code(path: Path) -> None:
    assert code_lines(path) <= 450


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_no_script_has_more_than_240_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 240


def test_few_assignments_call_something_in_parallel() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in MODULES]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    assignments = [node for node in nodes if isinstance(node, ast.Assign)]
    assert sum(map(is_parallel, assignments)) < 0.02 * len(assignments)


def test_what_rule_files_share_is_short() -> None:
    text = (PROJECT / "workflow" / "rules" / "common.smk").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150


def test_parsing_the_workflow_imports_neither_numba_nor_pandas() -> None:
    """Every cluster job parses the Snakefile, and these two take longer than many of the jobs."""
    texts = [path.read_text(encoding="utf-8") for path in (PROJECT / "workflow").rglob("*.smk")]
    lines = re.findall(r"^(?:from ldpt|import ldpt).*$", "\n".join(texts), flags=re.MULTILINE)
    assert any("ldpt.config.graph" in line for line in lines)
    heavy = "print([name for name in ('numba', 'pandas') if name in sys.modules])"
    program = "\n".join(["import sys", *lines, heavy])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_simulations_import_neither_statistics_nor_drawing() -> None:
    """Each takes longer to import than many jobs of a run take."""
    names = ["simulate_fixed_budget", "simulate_fixed_confidence", "rare_fixed_budget"]
    lines = [
        "import sys",
        "from ldpt.provenance import job",
        *(f"import scripts.{n}" for n in names),
    ]
    heavy = "print([n for n in ('scipy.stats', 'matplotlib', 'seaborn') if n in sys.modules])"
    call = [sys.executable, "-c", "\n".join([*lines, heavy])]
    done = subprocess.run(call, capture_output=True, text=True, cwd=PROJECT)
    assert done.stdout == "[]\n", done.stderr
