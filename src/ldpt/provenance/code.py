"""The code that a script reaches: its own file and every module of the package behind its imports.

Modules of ``ldpt.provenance`` that only keep records compute nothing, so they do not count.
"""

import ast
import hashlib
import json
from functools import cache
from json.encoder import encode_basestring
from pathlib import Path

from ldpt.provenance.hashing import stable_hash

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
    source = _source(path)
    tree = ast.parse(source, filename=str(path))
    imports: list[ast.Import | ast.ImportFrom] = []
    text = _text(tree, "__doc__" not in source or not _reads_docstring(tree), imports)
    return hashlib.sha256(text.encode()).hexdigest(), _imported_files(imports, path)


def _source(path: Path) -> str:
    """Python source; of a notebook, its code cells one after the other."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    lines = "\n".join("".join(cell["source"]) for cell in cells).splitlines()
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in lines)


def _reads_docstring(tree: ast.AST) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "__doc__" for node in ast.walk(tree))


DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _text(node: object, strip: bool, imports: list[ast.Import | ast.ImportFrom]) -> str:
    """A syntax tree as JSON, without docstrings if ``strip``; notes what it imports on the way.

    What is empty is left out, as Python versions differ in it. Every job reads its code, so that
    the text is put together here, in one pass, in half of the time of lists for ``json``.
    """
    if isinstance(node, list):
        return f"[{','.join([_text(value, strip, imports) for value in node])}]"
    if not isinstance(node, ast.AST):
        return encode_basestring(f"{type(node).__name__} {node!r}") if node is not None else "null"
    if not node._fields:  # most of all, Load
        return f'["{type(node).__name__}",[]]'
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        imports.append(node)
    fields = []
    for name in node._fields:
        value = getattr(node, name, None)
        if strip and name == "body" and isinstance(node, DOCUMENTED):
            value = _without_docstring(node.body)
        if value is not None and value != []:
            fields.append(f'["{name}",{_text(value, strip, imports)}]')
    return f'["{type(node).__name__}",[{",".join(fields)}]]'


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return body[isinstance(first.value.value, str) :]
    return body


def _imported_files(imports: list[ast.Import | ast.ImportFrom], path: Path) -> tuple[Path, ...]:
    """The project files that are imported anywhere in a file, inside functions included.

    Importing ``a.b.c`` runs ``a`` and ``a.b`` as well, so every parent package counts.
    """
    names: set[str] = set()
    for node in imports:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        else:
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
