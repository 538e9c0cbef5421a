"""What made a file: the code it depends on, how a job writes it, and the record kept beside it.

A record has a stable part, made of content hashes and settings only, and a volatile part (times,
host, commit) that enters no hash. Nothing here computes results, so this module is not counted
among the code that a script reaches; it is imported by every job and imports little itself.
"""

import ast
import errno
import hashlib
import json
import math
import os
import platform
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from typing import Any

FORMAT = 1  # of the records; raised when their meaning changes
PACKAGE = Path(__file__).resolve().parent
RECORDS = Path("results/records")
DISK_FAULTS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
NOT_COMPUTING = {"ldpt.provenance"}
# What a run itself writes into a tree kept in git must not make that tree count as edited.
PRODUCTS = ("figures", "results", "paper/*report*.pdf")  # of git's tree, staged ones as well


# --- the code that a script reaches ---------------------------------------------------------------


def code_hash(script: str | Path) -> str:
    """One hash over the syntax trees of a script and of all modules of ours that it reaches.

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
        name = f"{path.parent.name}/{path.name}"
        if name not in parts:
            parts[name], imported = _read_code(path, path.stat().st_mtime_ns)
            waiting.extend(imported)
    return dict(sorted(parts.items()))


@cache
def _read_code(path: Path, _mtime: int) -> tuple[str, tuple[Path, ...]]:
    """The hash of one file and the files of ours that it imports."""
    tree = ast.parse(_source(path), filename=str(path))
    imported = _imported_files(tree, path)
    uses_docstrings = any(isinstance(n, ast.Name) and n.id == "__doc__" for n in ast.walk(tree))
    if not uses_docstrings:
        _strip_docstrings(tree)
    return stable_hash(_shape(tree)), imported


def _source(path: Path) -> str:
    """Python source; of a notebook, its code cells one after the other."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    lines = "\n".join("".join(cell["source"]) for cell in cells).splitlines()
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in lines)


def _strip_docstrings(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[isinstance(first.value.value, str) :]


def _shape(node: object) -> object:
    """A syntax tree as plain lists; what is empty is left out, as Python versions differ in it."""
    if isinstance(node, ast.AST):
        fields = [(name, _shape(value)) for name, value in ast.iter_fields(node)]
        return [type(node).__name__, [field for field in fields if field[1] not in (None, [])]]
    if isinstance(node, list):
        return [_shape(value) for value in node]
    return None if node is None else f"{type(node).__name__} {node!r}"


def _imported_files(tree: ast.AST, path: Path) -> tuple[Path, ...]:
    """The files of ours that are imported anywhere in a file, inside functions included."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:  # relative: only inside the package
                module = f"ldpt.{module}".rstrip(".")
            names.add(module)
            names.update(f"{module}.{alias.name}" for alias in node.names)
    if any(name.startswith("ldpt.") for name in names):
        names.add("ldpt")
    found = {_file_of(name, path.parent) for name in names if name not in NOT_COMPUTING}
    return tuple(sorted(file for file in found if file and file != path))


def _file_of(module: str, folder: Path) -> Path | None:
    """The file of a module of ours, or of one that lies beside the script; else None."""
    head, _, tail = module.partition(".")
    ours = head == "ldpt"
    file = PACKAGE / f"{tail or '__init__'}.py" if ours else folder / f"{head}.py"
    return file if file.is_file() and ours == (file.parent == PACKAGE) else None


# --- hashes ---------------------------------------------------------------------------------------


def file_hash(path: str | Path) -> str:
    """SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stable_hash(value: object) -> str:
    """SHA-256 of a value's canonical JSON."""
    text = json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def plain(value: Any) -> Any:
    """A value in terms of JSON alone; infinities and other objects by their names."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=str)
    return plain(value.tolist()) if hasattr(value, "tolist") else str(value)


# --- where things lie -----------------------------------------------------------------------------


def record_path(root: str | Path, product: str | Path) -> Path:
    """Where the record of a product lies; the product is named relative to its root."""
    return Path(root) / RECORDS / f"{Path(product).as_posix()}.json"


def relative_to(path: str | Path, folder: str | Path) -> str:
    """A path relative to a folder, with forward slashes; ValueError when it lies outside."""
    return Path(os.path.abspath(path)).relative_to(os.path.abspath(folder)).as_posix()


def staged_path(path: str | Path) -> Path:
    """The hidden name, in the same folder and with the same suffix, that a job writes to first."""
    path = Path(path)
    return path.with_name(f".{path.stem}.staged{path.suffix}")


def write_durably(path: Path, text: str) -> None:
    """Write a text so that the file is either whole and on disk, or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = staged_path(path)
    staged.write_text(text, encoding="utf-8")
    _sync(staged)
    _publish(staged, path)


def _publish(staged: Path, path: Path) -> None:
    os.replace(staged, path)
    _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- one job --------------------------------------------------------------------------------------


class Staged(list[str]):
    """The staged names of a job's outputs: by position or by the names the rule gives them."""

    def __init__(self, outputs: Any):
        super().__init__(str(staged_path(path)) for path in outputs)
        for name, value in outputs.items():
            one = isinstance(value, str)
            setattr(
                self, name, str(staged_path(value)) if one else [*map(str, map(staged_path, value))]
            )

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the rule has no output named {name!r}")


class Job:
    """What a script sees of its rule: Snakemake's values, with staged outputs."""

    def __init__(self, snakemake: Any, script: str | Path):
        self.input, self.params = snakemake.input, snakemake.params
        self.wildcards, self.config = snakemake.wildcards, snakemake.config
        self.threads, self.rule = snakemake.threads, str(snakemake.rule)
        self.targets = [Path(path) for path in snakemake.output]
        self.output = Staged(snakemake.output)
        self.root = Path(str(self.config.get("root", ".")))
        self.script = Path(script)
        self.notes: dict[str, Any] = {}
        self.code = code_parts(script)
        self.made_from = self._made_from()

    def note(self, **facts: Any) -> None:
        """Add stable facts to the records of this job: seeds, streams, engines."""
        self.notes.update(plain(facts))

    @property
    def keywords(self) -> str:
        """The short form as one text, for the Keywords of a PDF."""
        return " ".join(f"{name}={value}" for name, value in self.metadata.items())

    @property
    def metadata(self) -> dict[str, str]:
        """The short form that figures carry inside: content hashes only, nothing volatile."""
        return short_form(self.made_from)

    def _made_from(self) -> dict[str, Any]:
        inputs, sources = {}, {}
        for path in sorted(set(map(str, self.input))):
            product = self._product_name(path)
            if product and record_path(self.root, product).is_file():
                inputs[product] = file_hash(path)
            else:
                sources[relative_to(path, ".")] = file_hash(path)
        return {
            "rule": self.rule,
            "script": self._script_name(),
            "code": {"hash": stable_hash(self.code), "parts": self.code},
            "params": settings(self.params),
            "wildcards": plain(dict(self.wildcards.items())),
            "inputs": inputs,
            "sources": sources,
        }

    def _script_name(self) -> str:
        """Relative to the project; of a script that lies elsewhere, not more than its folder."""
        try:
            return relative_to(self.script, ".")
        except ValueError:
            return f"{self.script.parent.name}/{self.script.name}"

    def _product_name(self, path: str | Path) -> str | None:
        try:
            return relative_to(path, self.root)
        except ValueError:
            return None

    def publish(self, volatile: dict[str, Any]) -> None:
        """Give the staged outputs their names, once all are whole and recorded.

        The records go first: a kill in between leaves a record without its product, which is made
        again, and never a product without its record, which would pass for whole.
        """
        for staged, target in zip(self.output, self.targets, strict=True):
            if not Path(staged).is_file():
                raise ValueError(f"rule {self.rule} promised {target} but did not write it")
            _sync(Path(staged))
            self._record(Path(staged), target, volatile)
        for staged, target in zip(self.output, self.targets, strict=True):
            _publish(Path(staged), target)

    def _record(self, staged: Path, target: Path, volatile: dict[str, Any]) -> None:
        product = relative_to(target, self.root)
        stable = {
            "format": FORMAT,
            "product": product,
            "sha256": file_hash(staged),
            "bytes": staged.stat().st_size,
            **self.made_from,
            "notes": self.notes,
            "environment": environment(),
        }
        write_durably(record_path(self.root, product), record_text(stable, volatile))

    def discard(self) -> None:
        """Remove what was staged."""
        for staged in self.output:
            Path(staged).unlink(missing_ok=True)


def settings(params: Any) -> dict[str, Any]:
    """A rule's parameters by name; the code hash is left out, as records hold it part by part."""
    return {name: plain(value) for name, value in params.items() if name != "code"}


def short_form(made_from: Mapping[str, Any]) -> dict[str, str]:
    """The rule and abbreviated hashes of code, settings and inputs, from a record's stable part."""
    asked = {"params": made_from["params"], "wildcards": made_from["wildcards"]}
    read = {"inputs": made_from["inputs"], "sources": made_from["sources"]}
    return {
        "ldpt-rule": made_from["rule"],
        "ldpt-code": made_from["code"]["hash"][:16],
        "ldpt-settings": stable_hash(asked)[:16],
        "ldpt-inputs": stable_hash(read)[:16],
    }


@contextmanager
def job(snakemake: Any, script: str | Path | None = None) -> Iterator[Job]:
    """Run a script's work: staged outputs, a log, records, and one clear line when it fails."""
    script = script or sys.modules["__main__"].__file__ or ""
    started, wall, cpu = time.time(), time.perf_counter(), _cpu_seconds()
    this: Job | None = None
    failure: BaseException | None = None
    try:
        with _logged(next(iter(snakemake.log), None)):
            try:
                this = Job(snakemake, script)
                yield this
                spent = (time.perf_counter() - wall, _cpu_seconds() - cpu)
                this.publish(volatile_facts(started, *spent))
            except Exception as error:
                _log_failure(error)
                raise
    except Exception as error:
        failure = error
    if failure is not None:
        if this is not None:
            this.discard()
        print(f"{snakemake.rule}: {_blame(failure, snakemake)}", file=sys.stderr)
        raise SystemExit(1)


def _log_failure(error: Exception) -> None:
    """Where the fault lies with the disk or its rights, a traceback would tell nothing more."""
    with suppress(OSError):
        if isinstance(error, OSError) and error.errno in DISK_FAULTS:
            print(" ".join(str(error).split()), file=sys.stderr)
        else:
            traceback.print_exc()


def _blame(error: BaseException, snakemake: Any) -> str:
    """One line: the message where it was meant for a reader, else also its kind and the log."""
    message = " ".join(str(error).split())
    if isinstance(error, (ValueError, OSError)) and message:
        return message
    return f"{type(error).__name__}: {message} (see {', '.join(snakemake.log) or 'above'})"


@contextmanager
def _logged(log: str | None) -> Iterator[None]:
    """Send standard output and error, those of compiled code included, to the rule's log."""
    if log is None:
        yield
        return
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    stream = open(log, "w", buffering=1, encoding="utf-8")  # noqa: SIM115
    try:
        os.dup2(stream.fileno(), 1)
        os.dup2(stream.fileno(), 2)
        with redirect_stdout(stream), redirect_stderr(stream):
            yield
    finally:
        for number, saved in zip((1, 2), kept, strict=True):
            os.dup2(saved, number)
            os.close(saved)
        with suppress(OSError):  # on a full disk the log stays short, and the error is known
            stream.close()


# --- what enters the record beside the hashes -----------------------------------------------------

LIBRARIES = (
    "llvmlite", "matplotlib", "numba", "numpy", "opendp", "pandas",
    "pyarrow", "scipy", "seaborn", "snakemake", "typst",
)  # fmt: skip


def environment() -> dict[str, Any]:
    """Versions of Python and of those libraries that this process has loaded."""
    from importlib.metadata import version

    loaded = [name for name in LIBRARIES if name in sys.modules]
    return {
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in loaded},
    }


def volatile_facts(started: float, wall_seconds: float, cpu_seconds: float) -> dict[str, Any]:
    """When, where and from which commit; none of it enters a hash."""
    commit = _git("rev-parse", "HEAD")
    edited = _git("status", "--porcelain", "--", ".", *(f":!{path}" for path in PRODUCTS))
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "wall_seconds": round(wall_seconds, 3),
        "cpu_seconds": round(cpu_seconds, 3),
        "host": platform.node(),
        "machine": platform.machine(),
        "system": platform.system(),
        "commit": commit,
        "clean": None if edited is None else not edited,
    }


def _git(*arguments: str) -> str | None:
    """What git says of the folder we are in; None without git or outside a repository."""
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _cpu_seconds() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def config_origin(workflow: Any) -> dict[str, Any]:
    """Which config files and overrides a run was started with, for Snakemake's ``workflow``."""
    asked = workflow.config_settings
    return {
        "files": [_from_here(path) for path in asked.configfiles],
        "overrides": plain(dict(asked.config)),
    }


def _from_here(path: str | Path) -> str:
    try:
        return relative_to(path, ".")
    except ValueError:
        return str(path)


def require_writable(folder: str | Path) -> None:
    """Say in one line, before any job starts, that results cannot be written."""
    folder = Path(folder)
    probe = folder / f".writable-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ValueError(f"cannot write to {folder}: {error.strerror}") from error


def record_text(stable: Mapping[str, Any], volatile: Mapping[str, Any]) -> str:
    """A record as it lies on disk, in exactly one form.

    ``record_hash`` is the record's identity and covers the stable part. ``seal`` covers the rest
    as well, so that an edit by hand shows; it differs from run to run and is compared with nothing.
    """
    record = {"stable": stable, "record_hash": stable_hash(stable), "volatile": volatile}
    return json.dumps(plain(record) | {"seal": stable_hash(record)}, indent=1) + "\n"


def read_record(path: str | Path) -> dict[str, Any]:
    """A record as it was written; ValueError when it is not in the form that we write."""
    text = Path(path).read_bytes()
    try:
        record = json.loads(text)
        stable, volatile = record["stable"], record["volatile"]
        whole = record_text(stable, volatile).encode() == text
        form = stable["format"]
    except (UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} is not a record") from None
    if not whole:
        raise ValueError(f"{path} was edited: its hash and seal are not those of its content")
    if form != FORMAT:
        raise ValueError(f"{path} has format {form!r}, only {FORMAT} is understood")
    return record


def products_under(root: str | Path) -> list[str]:
    """The names of all products that have a record under a root, in order."""
    folder = Path(root) / RECORDS
    files = (path for path in folder.rglob("*.json") if not path.name.startswith("."))
    return sorted(path.relative_to(folder).as_posix().removesuffix(".json") for path in files)
