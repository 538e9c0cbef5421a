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
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ldpt.provenance.hashing import stable_hash

PACKAGE = Path(__file__).resolve().parents[1]
# Modules that only keep records or word messages.
LEFT_OUT = {
    PACKAGE / "io/messages.py",
    *(PACKAGE / f"provenance/{n}.py" for n in ("__init__", "code", "hashing", "records", "job")),
}
EVERYTHING = "*"  # the name that stands for all definitions of a module
Name = tuple[str, ...]  # a dotted name as code uses it


@dataclass
class Unit:
    """A definition, or a statement that runs on import: its hash and the names in it."""

    digest: str
    names: set[Name]
    imports: dict[str, set[Name]]  # names bound in it, and what they stand for


@dataclass
class Module:
    """The definitions of one file by name, and its other statements."""

    units: dict[str, list[Unit]] = field(default_factory=dict)
    rows: dict[str, dict[str, Unit]] = field(default_factory=dict)  # of tables
    effects: list[Unit] = field(default_factory=list)
    imports: dict[str, set[Name]] = field(default_factory=dict)


def code_hash(script: str | Path, rows: Collection[str] | None = None) -> str:
    """Return one hash over the code that a script reaches; see :func:`code_parts`."""
    return stable_hash(code_parts(script, rows))


def code_parts(script: str | Path, rows: Collection[str] | None = None) -> dict[str, str]:
    """Return a hash over the reached code of every file behind a script, by short path.

    ``rows`` names the rows of tables that count; without it, all rows of the reached tables do.
    """
    script = Path(script).resolve()
    if not script.is_file():
        raise ValueError(f"no script at {script}")
    reached = _Reached(rows)
    reached.visit_module(script)
    reached.visit_name(script, (EVERYTHING,))
    return {_short_name(path): part for path, part in sorted(reached.digests())}


class _Reached:
    """The definitions that have been reached so far."""

    def __init__(self, rows: Collection[str] | None):
        self.rows = rows
        self.modules: dict[Path, Module] = {}
        self.units: dict[Path, dict[str, list[Unit]]] = {}

    def visit_module(self, path: Path) -> None:
        """Reach what importing a file runs: its other statements, and the modules it imports."""
        if path in self.modules or path in LEFT_OUT:
            return
        module = self.modules[path] = _read_module(path, path.stat().st_mtime_ns)
        self.units[path] = {}
        self.visit_imports(path, module.imports)
        for unit in module.effects:
            self.visit_unit(path, unit)

    def visit_imports(self, path: Path, imports: dict[str, set[Name]]) -> None:
        for target in (target for targets in imports.values() for target in targets):
            for file in _files_of(target, path):
                self.visit_module(file)

    def visit_unit(self, path: Path, unit: Unit) -> None:
        self.visit_imports(path, unit.imports)
        for name in unit.names:
            for target in unit.imports.get(name[0], ()):
                self.visit_target(path, target + name[1:])
            self.visit_name(path, name)

    def visit_name(self, path: Path, name: Name) -> None:
        """Reach a name as it is used in a file."""
        if path not in self.modules:
            return
        module, first = self.modules[path], name[0]
        wanted = {*module.units, *module.rows} if first == EVERYTHING else {first}
        for title in wanted - self.units[path].keys():
            units = [*module.units.get(title, ()), *self.counted_rows(module.rows.get(title, {}))]
            if units:
                self.units[path][title] = units
                for unit in units:
                    self.visit_unit(path, unit)
        for target in module.imports.get(first, ()):
            self.visit_target(path, target + name[1:])

    def counted_rows(self, table: dict[str, Unit]) -> list[Unit]:
        return [unit for key, unit in table.items() if self.rows is None or key in self.rows]

    def visit_target(self, path: Path, target: Name) -> None:
        """Reach an imported name: a definition of a module, or a module as a whole."""
        files = _files_of(target, path)
        if files:
            rest = target[_depth(files[-1]) :]
            self.visit_name(files[-1], rest or (EVERYTHING,))

    def digests(self) -> Iterator[tuple[Path, str]]:
        for path, module in self.modules.items():
            parts = {name: [u.digest for u in units] for name, units in self.units[path].items()}
            effects = [unit.digest for unit in module.effects]
            if parts or effects:
                yield path, stable_hash([parts, effects, sorted(self.libraries(path))])

    def libraries(self, path: Path) -> set[str]:
        """Return the names of other packages that the reached code of a file uses."""
        module = self.modules[path]
        units = [unit for units in self.units[path].values() for unit in units] + module.effects
        used = {name[0] for unit in units for name in unit.names}
        return {
            f"{name} {'.'.join(target)}"
            for name in used
            for target in module.imports.get(name, ())
            if target[0] != PACKAGE.name
        }


def _short_name(path: Path) -> str:
    """Return a path inside the package from the package on; of other files, folder and name."""
    if path.is_relative_to(PACKAGE):
        return path.relative_to(PACKAGE.parent).as_posix()
    return f"{path.parent.name}/{path.name}"


# --- files of names


def _files_of(target: Name, path: Path) -> list[Path]:
    """Return the project files that importing a dotted name runs, outermost first."""
    if target[0] != PACKAGE.name:
        beside = path.parent / f"{target[0]}.py"
        return [beside] if beside.is_file() and not path.is_relative_to(PACKAGE) else []
    files, folder = [PACKAGE / "__init__.py"], PACKAGE
    for part in target[1:]:
        if (folder / part / "__init__.py").is_file():
            folder = folder / part
            files.append(folder / "__init__.py")
        elif (folder / f"{part}.py").is_file():
            return [*files, folder / f"{part}.py"]
        else:
            break
    return files


def _depth(file: Path) -> int:
    """Return how many parts of a dotted name stand for a file."""
    if not file.is_relative_to(PACKAGE):
        return 1
    return len(file.relative_to(PACKAGE.parent).with_suffix("").parts) - (file.stem == "__init__")


# --- definitions of a file


@cache
def _read_module(path: Path, _mtime: int) -> Module:
    """Return the definitions of one file."""
    tree = ast.parse(_source(path), filename=str(path))
    docs = any(isinstance(node, ast.Name) and node.id == "__doc__" for node in ast.walk(tree))
    module = Module()
    for statement in tree.body if docs else _without_docstring(tree.body):
        if not _is_skipped(statement, path):
            _add_statement(module, statement, path, docs)
    return module


def _source(path: Path) -> str:
    """Return Python source; of a notebook, its code cells one after the other."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    lines = "\n".join("".join(cell["source"]) for cell in cells).splitlines()
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in lines)


def _is_skipped(statement: ast.stmt, path: Path) -> bool:
    """Whether a block does not run on import: for type checkers, or for use as a script."""
    if not isinstance(statement, ast.If):
        return False
    condition = ast.unparse(statement.test)
    as_script = condition == "__name__ == '__main__'" and path.is_relative_to(PACKAGE)
    return as_script or condition == "TYPE_CHECKING"


def _add_statement(module: Module, statement: ast.stmt, path: Path, docs: bool) -> None:
    """Add a statement to a module as imports, a table, a definition, or an effect."""
    names, table = _defined(statement), _table(statement)
    if table:
        rows = {key: _Reader(path, docs).unit([key, value]) for key, value in table}
        module.rows.setdefault(names[0], {}).update(rows)
        return
    unit = _Reader(path, docs).unit(statement)
    for name in names:
        module.units.setdefault(name, []).append(unit)
    if not names:  # its imports, such as in a try, hold for the whole module
        for name, targets in unit.imports.items():
            module.imports.setdefault(name, set()).update(targets)
        if not isinstance(statement, (ast.Import, ast.ImportFrom)):
            module.effects.append(unit)


def _defined(statement: ast.stmt) -> list[str]:
    """Return the names that a statement defines; none if it does anything else."""
    if isinstance(statement, DEFINITIONS):
        return [statement.name]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        targets = [statement.target]
    single = [node for target in targets for node in getattr(target, "elts", [target])]
    names = [node.id for node in single if isinstance(node, ast.Name)]
    return names if len(names) == len(single) else []


def _table(statement: ast.stmt) -> list[tuple[str, ast.expr]]:
    """Return the rows of a dictionary that is written out with texts as keys; else none."""
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    if not isinstance(value, ast.Dict) or len(_defined(statement)) != 1:
        return []
    keys = [key.value for key in value.keys if isinstance(key, ast.Constant)]
    texts = [key for key in keys if isinstance(key, str)]
    return list(zip(texts, value.values, strict=True)) if len(texts) == len(value.keys) else []


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return body[isinstance(first.value.value, str) :]
    return body


def _dotted(node: ast.Name | ast.Attribute) -> Name:
    """Return a name with the attributes behind it; empty for attributes of something else."""
    chain: list[str] = []
    part: ast.expr = node
    while isinstance(part, ast.Attribute):
        chain.append(part.attr)
        part = part.value
    return (part.id, *reversed(chain)) if isinstance(part, ast.Name) else ()


DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class _Reader:
    """Puts a syntax tree into one text, and notes the names and imports in it.

    Every job reads its code, so the text is put together in one pass.
    """

    def __init__(self, path: Path, docs: bool):
        self.path, self.docs = path, docs
        self.names: set[Name] = set()
        self.imports: dict[str, set[Name]] = {}

    def unit(self, node: object) -> Unit:
        digest = hashlib.sha256(self.text(node).encode()).hexdigest()
        return Unit(digest, self.names, self.imports)

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
            self.note_import(node)
        elif isinstance(node, (ast.Name, ast.Attribute)):
            dotted = _dotted(node)
            if dotted:
                self.names.add(dotted)
                return ".".join(dotted)
        fields = []
        for name in node._fields:
            value = getattr(node, name, None)
            if name in ("annotation", "returns", "ctx") and not in_class:
                continue
            if name == "body" and isinstance(node, DEFINITIONS) and not self.docs:
                value = _without_docstring(node.body)
            if value is not None and value != []:
                inner = isinstance(node, ast.ClassDef) and name == "body"
                fields.append(f"{name}={self.text(value, inner)}")
        return f"{type(node).__name__}({','.join(fields)})"

    def note_import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                target = tuple(alias.name.split("."))
                bound = alias.asname or target[0]
                self.imports.setdefault(bound, set()).add(target if alias.asname else target[:1])
                self.imports.setdefault("", set()).add(target)  # it runs, whatever name it has
            return
        module = tuple((node.module or "").split(".")) if node.module else ()
        if node.level and self.path.is_relative_to(PACKAGE):
            folder = self.path.relative_to(PACKAGE.parent).parts[:-1]
            module = (*folder[: len(folder) - node.level + 1], *module)
        for alias in node.names:
            bound = alias.asname or alias.name
            self.imports.setdefault(bound, set()).add((*module, alias.name))
