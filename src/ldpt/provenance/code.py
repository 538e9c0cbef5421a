"""The code behind a script: the definitions that it reaches, and a hash over them.

A script reaches its whole file and, through the names used there, functions, classes and
constants of the package, and what these use in turn. Of every imported module the statements that
run on import and define nothing count as well. What cannot change a number does not count:
comments, layout, docstrings, annotations of functions, the arguments of ``raise``, and the modules
in ``LEFT_OUT``. A table, that is a dictionary written out with texts as keys, counts row by row.
"""

import ast
import hashlib
import json
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ldpt.provenance.records import stable_hash

PACKAGE = Path(__file__).resolve().parents[1]
# Modules that only keep records or word messages.
LEFT_OUT = {
    PACKAGE / "util/messages.py",
    *(PACKAGE / f"provenance/{n}.py" for n in ("__init__", "code", "records", "job")),
}
EVERYTHING = "*"  # the name that stands for all definitions of a module
DIGITS = 16  # of the hash of a definition
ON_IMPORT = ""  # the name that stands for statements which define nothing
DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
Name = tuple[str, ...]  # a dotted name as code uses it


class Unit(NamedTuple):
    """A definition, a row of a table, an import, or a statement that runs on import."""

    digest: str  # empty if it has nothing that could change a number
    names: set[Name]  # that it uses
    imports: dict[str, set[Name]]  # names bound in it, and what they stand for
    row: str | None = None  # its key, for the row of a table


Module = dict[str, list[Unit]]  # by the name that a unit defines


def code_hash(script: str | Path, rows: Collection[str] | None = None) -> str:
    """Return one hash over the code that a script reaches; see :func:`code_parts`."""
    return stable_hash(code_parts(script, rows))


def code_parts(script: str | Path, rows: Collection[str] | None = None) -> dict[str, str]:
    """Return a short hash of every reached definition behind a script, by ``file:name``.

    A row of a table has the name ``TABLE[row]``; what a file runs on import has that of the file.
    ``rows`` names the rows of tables that count; without it, all rows of the reached tables do.
    """
    script = Path(script).resolve()
    if not script.is_file():
        raise ValueError(f"no script at {script}")
    reached = _Reached(rows)
    reached.visit_module(script)
    reached.visit_name(script, (EVERYTHING,))
    digests: dict[str, list[str]] = {}
    for path, definitions in reached.units.items():
        for title, units in definitions.items():
            for unit in units:
                row = "" if unit.row is None else f"[{unit.row}]"
                name = f"{_short_name(path)}:{title}{row}".removesuffix(":")
                digests.setdefault(name, []).append(unit.digest)
    parts = {name: list(filter(None, values)) for name, values in sorted(digests.items())}
    return {name: stable_hash(values)[:DIGITS] for name, values in parts.items() if values}


def same_code(one: str, other: str) -> bool:
    """Return whether two Python sources differ at most in what does not count."""
    texts = [_Reader().text(_without_docstring(ast.parse(source).body)) for source in (one, other)]
    return texts[0] == texts[1]


def _short_name(path: Path) -> str:
    """Return a path inside the package from the package on; of other files, folder and name."""
    if path.is_relative_to(PACKAGE):
        return path.relative_to(PACKAGE.parent).as_posix()
    return f"{path.parent.name}/{path.name}"


class _Reached:
    """The definitions that have been reached so far."""

    def __init__(self, rows: Collection[str] | None):
        self.rows = rows
        self.units: dict[Path, Module] = {}

    def visit_module(self, path: Path) -> None:
        """Reach what importing a file runs: its other statements, and the modules it imports."""
        if path not in self.units and path not in LEFT_OUT:
            self.units[path] = {}
            self.visit_name(path, (ON_IMPORT,))

    def visit_name(self, path: Path, name: Name) -> None:
        """Reach a name as it is used in a file."""
        if path in LEFT_OUT:
            return
        module = _read_module(path, path.stat().st_mtime_ns)
        titles = module.keys() if name[0] == EVERYTHING else module.keys() & {name[0]}
        for title in titles - self.units[path].keys():
            units = [unit for unit in module[title] if self.counts(unit)]
            self.units[path][title] = units
            for unit in units:
                self.visit_unit(path, unit)
        for unit in module.get(name[0], ()):
            self.visit_imported(path, unit, name)

    def counts(self, unit: Unit) -> bool:
        return self.rows is None or unit.row is None or unit.row in self.rows

    def visit_unit(self, path: Path, unit: Unit) -> None:
        for target in (target for targets in unit.imports.values() for target in targets):
            for file in _resolve(target, path)[0]:
                self.visit_module(file)
        for name in unit.names:
            self.visit_imported(path, unit, name)
            self.visit_name(path, name)

    def visit_imported(self, path: Path, unit: Unit, name: Name) -> None:
        """Reach what a name stands for that a unit imports: a definition, or a whole module."""
        for target in unit.imports.get(name[0], ()):
            files, rest = _resolve(target + name[1:], path)
            if files:
                self.visit_name(files[-1], rest or (EVERYTHING,))


def _resolve(target: Name, path: Path) -> tuple[list[Path], Name]:
    """Return the project files that importing a dotted name runs, and the rest of the name."""
    if target[0] != PACKAGE.name:
        beside = path.parent / f"{target[0]}.py"
        is_ours = beside.is_file() and not path.is_relative_to(PACKAGE)
        return ([beside], target[1:]) if is_ours else ([], target)
    files, place = [PACKAGE / "__init__.py"], PACKAGE
    for depth, part in enumerate(target[1:], start=1):
        place = place / part
        if (place / "__init__.py").is_file():
            files.append(place / "__init__.py")
        elif place.with_name(f"{part}.py").is_file():
            return [*files, place.with_name(f"{part}.py")], target[depth + 1 :]
        else:
            return files, target[depth:]
    return files, ()


# --- definitions of a file


@cache
def _read_module(path: Path, _mtime: int) -> Module:
    """Return the definitions of one file."""
    module: Module = {ON_IMPORT: []}
    skipped = {"TYPE_CHECKING"}  # conditions of blocks that do not run on import
    if path.is_relative_to(PACKAGE):
        skipped.add("__name__ == '__main__'")
    for statement in _without_docstring(ast.parse(_source(path), filename=str(path)).body):
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            for bound, target in _imported(statement):
                library = "" if target[0] == PACKAGE.name else f"{bound} {'.'.join(target)}"
                unit = Unit(library, set(), {bound: {target}})
                module.setdefault(bound, []).append(unit)
                module[ON_IMPORT].append(unit._replace(digest=""))
        elif not (isinstance(statement, ast.If) and ast.unparse(statement.test) in skipped):
            names = _defined(statement)
            units = [_Reader().unit(value, row) for row, value in _parts(statement)]
            # The imports of other statements, such as a try, hold for the whole module.
            others = [name for unit in units for name in unit.imports]
            for name in names or (ON_IMPORT, *others):
                module.setdefault(name, []).extend(units)
    return module


def _source(path: Path) -> str:
    """Return Python source; of a notebook, its code cells one after the other."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    lines = "\n".join("".join(cell["source"]) for cell in cells).splitlines()
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in lines)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Name]]:
    """Yield the names that an import binds, and what they stand for."""
    if isinstance(node, ast.ImportFrom):
        module = (node.module or "").split(".")  # ruff refuses relative imports
        for alias in node.names:
            yield alias.asname or alias.name, (*module, alias.name)
        return
    for alias in node.names:
        target = tuple(alias.name.split("."))
        yield alias.asname or target[0], target if alias.asname else target[:1]
        yield alias.name, target  # it runs, whatever name it has


def _defined(statement: ast.stmt) -> list[str]:
    """Return the names that a statement defines; none if it does anything else."""
    if isinstance(statement, DEFINITIONS):
        return [statement.name]
    if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return []
    nodes = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
    return [node.id for node in nodes if isinstance(node.ctx, ast.Store)]


def _parts(statement: ast.stmt) -> list[tuple[str | None, object]]:
    """Return the rows of a table, or else the whole statement."""
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    if isinstance(value, ast.Dict):
        keys = [key.value for key in value.keys if isinstance(key, ast.Constant)]
        if keys and len(keys) == len(value.keys) and all(isinstance(key, str) for key in keys):
            return [(str(k), [k, row]) for k, row in zip(keys, value.values, strict=True)]
    return [(None, statement)]


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return body[isinstance(first.value.value, str) :]
    return body


def _dotted(node: ast.Name | ast.Attribute) -> Name:
    """Return a name with the attributes behind it; empty for attributes of something else."""
    if isinstance(node, ast.Name):
        return (node.id,)
    inner = _dotted(node.value) if isinstance(node.value, (ast.Name, ast.Attribute)) else ()
    return (*inner, node.attr) if inner else ()


class _Reader:
    """Puts a syntax tree into one text, and notes the names and imports in it.

    Every job reads its code, so the text is put together in one pass.
    """

    def __init__(self) -> None:
        self.names: set[Name] = set()
        self.imports: dict[str, set[Name]] = {}

    def unit(self, node: object, row: str | None) -> Unit:
        digest = hashlib.sha256(self.text(node).encode()).hexdigest()
        return Unit(digest, self.names, self.imports, row)

    def text(self, node: object, in_class: bool = False) -> str:
        """Return a syntax tree as text; what is empty is left out, as Python versions differ."""
        if isinstance(node, list):
            return f"[{','.join([self.text(value, in_class) for value in node])}]"
        if not isinstance(node, ast.AST):
            return repr(node)
        if isinstance(node, ast.Raise):  # its kind counts, the text that people read does not
            error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            return f"Raise({self.text(error)})"
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for bound, target in _imported(node):
                self.imports.setdefault(bound, set()).add(target)
        elif isinstance(node, (ast.Name, ast.Attribute)) and (dotted := _dotted(node)):
            self.names.add(dotted)
            return ".".join(dotted)
        fields = []
        for name in node._fields:
            value = getattr(node, name, None)
            if name in ("annotation", "returns", "ctx") and not in_class:
                continue
            if name == "body" and isinstance(node, DEFINITIONS):
                value = _without_docstring(node.body)
            if value is not None and value != []:
                inner = isinstance(node, ast.ClassDef) and name == "body"
                fields.append(f"{name}={self.text(value, inner)}")
        return f"{type(node).__name__}({','.join(fields)})"
