"""The code that a script reaches: its own file and every module of the package behind its imports.

Modules of ``ldpt.provenance`` that only keep records compute nothing, so they do not count.
"""

import ast
import json
from functools import cache
from pathlib import Path
from typing import Any

from ldpt.provenance.hashing import json_hash, stable_hash

PACKAGE = Path(__file__).resolve().parents[1]
KEEPS_RECORDS = {"__init__", "code", "hashing", "records", "job"}  # of ldpt.provenance


def code_hash(script: str | Path) -> str:
    """One hash over the syntax trees of a script and of all project modules that it reaches.

    Comments, layout and docstrings do not enter, so that editing them makes nothing stale.
    """
    return stable_hash(code_parts(script))


def code_parts(script: str | Path) -> dict[str, str]:
    """The hash of the syntax tree of every file behind :func:`code_hash`, by short path."""
    script = Path(script).resolve()
    if not script.is_file():
        raise ValueError(f"no script at {script}")
    parts, waiting = {}, [script]
    while waiting:
        path = waiting.pop()
        name = _short_name(path)
        if name not in parts:
            parts[name], imported = _read_code(path, path.stat().st_mtime_ns)
            waiting.extend(imported)
    return dict(sorted(parts.items()))


def _short_name(path: Path) -> str:
    """A path inside the package from the package on; of any other file, its folder and name."""
    if path.is_relative_to(PACKAGE):
        return path.relative_to(PACKAGE.parent).as_posix()
    return f"{path.parent.name}/{path.name}"


@cache
def _read_code(path: Path, _mtime: int) -> tuple[str, tuple[Path, ...]]:
    """The hash of one file and the project files that it imports."""
    tree = ast.parse(_source(path), filename=str(path))
    nodes = list(ast.walk(tree))
    imported = _imported_files(nodes, path)
    if not any(isinstance(node, ast.Name) and node.id == "__doc__" for node in nodes):
        _strip_docstrings(nodes)
    return json_hash(_shape(tree)), imported


def _source(path: Path) -> str:
    """Python source; of a notebook, its code cells one after the other."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    lines = "\n".join("".join(cell["source"]) for cell in cells).splitlines()
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in lines)


def _strip_docstrings(nodes: list[ast.AST]) -> None:
    for node in nodes:
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[isinstance(first.value.value, str) :]


def _shape(node: object) -> Any:
    """A syntax tree as plain lists; what is empty is left out, as Python versions differ in it."""
    if isinstance(node, ast.AST):
        fields = []
        for name in node._fields:
            value = getattr(node, name, None)
            if value is not None and value != []:
                fields.append([name, _shape(value)])
        return [type(node).__name__, fields]
    if isinstance(node, list):
        return [_shape(value) for value in node]
    return None if node is None else f"{type(node).__name__} {node!r}"


def _imported_files(nodes: list[ast.AST], path: Path) -> tuple[Path, ...]:
    """The project files that are imported anywhere in a file, inside functions included.

    Importing ``a.b.c`` runs ``a`` and ``a.b`` as well, so every parent package counts.
    """
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(node.module or "", node.level, path)
            names.add(module)
            names.update(f"{module}.{alias.name}" for alias in node.names)
    names.update(parent for name in list(names) for parent in _parents(name))
    found = {_file_of(name, path.parent) for name in names}
    return tuple(sorted(file for file in found if file and file != path))


def _parents(module: str) -> list[str]:
    """The packages that contain a dotted name: for ``a.b.c``, ``a`` and ``a.b``."""
    parts = module.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]


def _absolute(module: str, level: int, path: Path) -> str:
    """The full name of a module that is imported with ``level`` leading dots in this file."""
    if not level or not path.is_relative_to(PACKAGE):
        return module
    folder = path.relative_to(PACKAGE.parent).parts[:-1]
    return ".".join([*folder[: len(folder) - level + 1], *filter(None, [module])])


def _file_of(module: str, folder: Path) -> Path | None:
    """The file of a project module, or of one beside the script; else None."""
    parts = module.split(".")
    if parts[0] != "ldpt":
        beside = folder / f"{parts[0]}.py"
        return beside if beside.is_file() and not folder.is_relative_to(PACKAGE) else None
    stem = PACKAGE.joinpath(*parts[1:])
    file = stem / "__init__.py" if stem.is_dir() else stem.with_suffix(".py")
    if not file.is_file() or _only_keeps_records(file):
        return None
    return file


def _only_keeps_records(file: Path) -> bool:
    return file.parent == PACKAGE / "provenance" and file.stem in KEEPS_RECORDS
