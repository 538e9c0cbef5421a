"""Machine code on disk, compiled again when a source changes.

Numba's cache asks only whether the file of the function itself has changed, so a function that
calls another module would go on running that module's old code. :class:`SourceCache` stamps the
machine code with a digest over the function's module and all engines. One more row in the table of
policies or of radii compiles nothing.

Numba's manual does not describe the cache of a function; the versions of Numba that have it are
bounded in ``pyproject.toml``.
"""

import ast
import hashlib
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import config
from numba.core.caching import FunctionCache, IndexDataCacheFile

PACKAGE = Path(__file__).parents[1]
PLAIN = ("policies", "radii")  # modules without Numba whose functions engines compile


class CheckedFile(IndexDataCacheFile):
    """Files of a cache with a checksum at their end: LLVM aborts the process on damaged code."""

    def _dump(self, value: Any) -> bytes:
        data: bytes = super()._dump(value)
        return data + hashlib.sha256(data).digest()

    def _load_data(self, name: str) -> Any:
        data = Path(self._data_path(name)).read_bytes()
        if hashlib.sha256(data[:-32]).digest() != data[-32:]:
            raise ValueError(f"{name} is damaged")
        return super()._load_data(name)


class SourceCache(FunctionCache):
    """Machine code on disk, valid as long as no source behind it changes."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        digest = source_digest(Path(function.__code__.co_filename))
        # With and without index checks in files of their own: Numba's key is the same for both.
        self._name = self._impl.filename_base + ("-checked" if config.BOUNDSCHECK else "")
        self._cache_file = CheckedFile(self.cache_path, self._name, digest)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return machine code, or None if there is none; delete files that cannot be read."""
        try:
            return super().load_overload(signature, context)
        except Exception:  # a truncated or damaged file raises errors of many types
            for path in Path(self.cache_path).glob(f"{self._name}.*nb?"):
                path.unlink(missing_ok=True)
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        """Keep machine code, unless the disk is full or may no longer be written."""
        try:
            super().save_overload(signature, data)
        except OSError as error:
            warn_not_kept(f"{self.cache_path}: {error.strerror}")


def with_source_cache(dispatcher: Any) -> Any:
    """Return a compiled function whose machine code is kept on disk."""
    try:
        dispatcher._cache = SourceCache(dispatcher.py_func)
    except RuntimeError:  # no folder that can be written
        warn_not_kept("neither the package's folder nor ~/.cache can be written")
    return dispatcher


@cache
def warn_not_kept(reason: str) -> None:
    """Warn once that every process will compile again, and say what helps."""
    warnings.warn(
        f"compiled code cannot be kept: {reason}; set NUMBA_CACHE_DIR to a writable folder to "
        "compile only once",
        stacklevel=1,
    )


@cache
def source_digest(path: Path) -> str:
    """Return a digest over a module, all engines, and what they compile of the plain modules."""
    package = next((p for p in path.parents if p.name == PACKAGE.name), PACKAGE)
    digest = hashlib.sha256(path.read_bytes())
    for file in sorted((package / "engines").glob("*.py")):
        digest.update(file.read_bytes())
    for name in PLAIN:
        digest.update(_code_without_tables(package / f"{name}.py"))
    return digest.hexdigest()


def _code_without_tables(file: Path) -> bytes:
    """Return what compiled code can use of a plain module: all but its dictionaries."""
    tables = ast.Dict, ast.DictComp
    nodes = ast.parse(file.read_bytes()).body
    code = [
        ast.dump(node) for node in nodes if not isinstance(getattr(node, "value", None), tables)
    ]
    return "\n".join(code).encode()
