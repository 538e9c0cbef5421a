"""Measure the size and the style of the project at git revisions, beside the working tree.

python benchmarks/house.py [REVISION...]

"Lines of code" are lines without docstrings, comments and blanks. Comments are counted per lines of
code, `#` at the end of a line included. Words of documentation are those of README, CONTRIBUTING
and the manual. The parallel assignments counted are those that call something on their right side.
"""

import ast
import io
import subprocess
import sys
import tarfile
import tokenize
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

PROJECT = Path(__file__).resolve().parents[1]
DOCSTRINGS = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
Files = dict[str, str]  # texts by path


def tree_files() -> Files:
    """Return the texts of the working tree that git knows or does not ignore."""
    call = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.check_output(call, cwd=PROJECT, text=True).splitlines()
    paths = {name: PROJECT / name for name in names if is_counted(name)}
    return {name: path.read_text(encoding="utf-8") for name, path in paths.items() if path.exists()}


def revision_files(revision: str) -> Files:
    """Return the texts of a git revision."""
    archive = subprocess.check_output(["git", "archive", revision], cwd=PROJECT)
    texts = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            content = tar.extractfile(member) if is_counted(member.name) else None
            if content is not None:
                texts[member.name] = content.read().decode()
    return texts


def is_counted(name: str) -> bool:
    """Tell whether a file is code of the package, a rule file or documentation."""
    return name.endswith((".py", ".smk", ".md", ".rst")) or Path(name).name == "Snakefile"


def comment_lines(text: str) -> set[int]:
    """Return the lines with a comment."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {token.start[0] for token in tokens if token.type == tokenize.COMMENT}


def code_lines(text: str, tree: ast.Module) -> set[int]:
    """Return the lines with code: no docstrings, comments or blanks."""
    lines = {
        n
        for n, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    for node in ast.walk(tree):
        if isinstance(node, DOCSTRINGS) and ast.get_docstring(node) is not None:
            lines -= line_range(node.body[0])
    return lines


def line_range(node: ast.stmt) -> set[int]:
    """Return the lines of a statement."""
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def import_lines(tree: ast.Module) -> set[int]:
    """Return the lines of imports."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return set().union(*map(line_range, imports))


def is_parallel(assignment: ast.Assign) -> bool:
    """Tell whether an assignment has several values, one of them called: `a, b = f(x), y`."""
    several = isinstance(assignment.targets[0], ast.Tuple) and isinstance(
        assignment.value, ast.Tuple
    )
    return several and any(isinstance(node, ast.Call) for node in ast.walk(assignment.value))


def comments_per_code(texts: Iterable[str]) -> str:
    """Return the lines of code for each line with a comment."""
    parsed = [(text, ast.parse(text)) for text in texts]
    code = sum(len(code_lines(*pair)) for pair in parsed)
    comments = sum(len(comment_lines(text)) for text, _ in parsed)
    return f"one per {code / comments:.0f}"


def measures(files: Files) -> dict[str, object]:
    """Return what is measured, by name."""
    package = {name: text for name, text in files.items() if name.startswith("src/ldpt/")}
    modules = {name: text for name, text in package.items() if name.endswith(".py")}
    trees = {name: ast.parse(text) for name, text in modules.items()}
    lines = {name: len(code_lines(modules[name], tree)) for name, tree in trees.items()}
    code = sum(lines.values())
    imports = sum(len(import_lines(tree)) for tree in trees.values())
    assignments = [
        node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.Assign)
    ]
    parallel = sum(map(is_parallel, assignments))
    hard = [modules[n] for n in modules if n.startswith(("src/ldpt/engines", "src/ldpt/rare"))]
    rules = {name: text for name, text in files.items() if name.endswith(".smk")}
    manual = [
        text
        for name, text in files.items()
        if name in ("README.md", "CONTRIBUTING.md") or name.startswith("docs/")
        if name.endswith((".md", ".rst"))
    ]
    return {
        "lines of code in src/ldpt": code,
        "of which in study, people only": sum(
            lines[n] for n in lines if n.startswith("src/ldpt/study/")
        ),
        "modules in src/ldpt": len(modules),
        "modules without __init__": sum(not n.endswith("__init__.py") for n in modules),
        "share of lines that import": f"{imports / code:.1%}",
        "lines of rule files": sum(text.count("\n") for text in rules.values()),
        "lines of common.smk": next(
            text.count("\n") for name, text in rules.items() if name.endswith("common.smk")
        ),
        "assignments": len(assignments),
        "parallel assignments with calls": f"{parallel} ({parallel / len(assignments):.1%})",
        "lines of code per comment, src/ldpt": comments_per_code(modules.values()),
        "lines of code per comment, engines and rare events": comments_per_code(hard),
        "words of documentation": sum(len(text.split()) for text in manual),
        "words of the changelog": len(files["CHANGELOG.md"].split()),
    }


def main(revisions: list[str]) -> None:
    """Print a table: a row for each measure, a column for each revision, the tree last."""
    columns = {revision: measures(revision_files(revision)) for revision in revisions}
    columns["tree"] = measures(tree_files())
    print(pd.DataFrame(columns).to_markdown(disable_numparse=True))


if __name__ == "__main__":
    main(sys.argv[1:])
