"""Print the fast test files that a change can break: `make quick` runs these.

    python -m tests.affected [REVISION]

A test file is affected if it was changed itself since the revision (default: the last commit), or
if it imports, directly or through other modules, a module of `src` or `tests` that was changed. A
script affects the tests that name it. A change to the configuration of the tests affects them all.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import grimp

PROJECT = Path(__file__).resolve().parents[1]
ALL = {"tests/conftest.py", "pyproject.toml", "requirements.lock"}
ALWAYS = {"tests/test_sizes.py", "tests/test_package.py"}  # rules for all files, a second each


def changed_files(revision: str) -> set[str]:
    """Return the files that differ from a revision, new ones included."""
    calls = (
        ["git", "diff", "--name-only", revision],
        ["git", "ls-files", "--others", "--exclude-standard"],
    )
    outputs = [subprocess.check_output(call, cwd=PROJECT, text=True) for call in calls]
    return {line for output in outputs for line in output.splitlines()}


def module_name(file: str) -> str:
    """Return the name under which a Python file is imported."""
    parts = Path(file).with_suffix("").parts
    parts = parts[1:] if parts[0] == "src" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imported_modules(path: Path) -> set[str]:
    """Return the names that a file imports, functions that are imported from a module included."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@cache
def import_graph() -> grimp.ImportGraph:
    """Return the imports between the modules of the package."""
    return grimp.build_graph("ldpt", cache_dir=None)


def affected_modules(changed: Iterable[str]) -> set[str]:
    """Return the changed modules of the package and all modules that import them."""
    graph = import_graph()
    modules = {module_name(file) for file in changed if file.startswith("src/ldpt/")}
    downstream = [graph.find_downstream_modules(name) for name in modules & graph.modules]
    return modules.union(*downstream)


def affected_tests(changed: set[str]) -> list[str]:
    """Return the test files that a change can break."""
    tests = sorted((PROJECT / "tests").rglob("test_*.py"))
    modules = affected_modules(changed)
    modules |= {module_name(file) for file in changed if file.startswith("tests/")}
    scripts = {Path(file).stem for file in changed if file.startswith("scripts/")}
    affected = []
    for path in tests:
        name = path.relative_to(PROJECT).as_posix()
        text = path.read_text(encoding="utf-8")
        if (
            changed & (ALL | {name})
            or name in ALWAYS
            or imported_modules(path) & modules
            or any(script in text for script in scripts)
        ):
            affected.append(name)
    return affected


if __name__ == "__main__":
    print("\n".join(affected_tests(changed_files(*sys.argv[1:2] or ["HEAD"]))))
