"""Compile functions once, keep the machine code on disk, compile again when a source changes.

Numba's cache asks only whether the file of the function itself has changed, so a function that
calls another module would go on running that module's old code. :class:`SourceCache` stamps the
machine code with a digest over the function's module and all engines. One more row in the table of
policies or of radii compiles nothing.

This is the only module that uses parts of Numba which its manual does not describe: the cache of a
function, ``_nrt`` and ``next_uint64``. Each is worth it: without the first, old code runs; without
the other two, runs take a fifth longer and words of responses three times as long. The versions of
Numba that have them are bounded in ``pyproject.toml``.
"""

import ast
import hashlib
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.np.random.generator_core import next_uint64  # the 64 bits behind Generator.random

__all__ = ["borrowing", "compiled", "inlined", "next_uint64", "source_digest"]

PACKAGE = Path(__file__).parents[1]
PLAIN = ("policies", "radii")  # modules without Numba whose functions engines compile


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile in nopython mode, cached, without holding Python's lock."""
    return _cached(njit(nogil=True)(function))


def borrowing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile an allocation-free function, with reference counting off.

    Counting references, once per array and call, took a fifth of the time of a run. Arrays belong
    to the caller; Numba refuses to compile a function that makes one.
    """
    return _cached(njit(nogil=True, _nrt=False)(function))


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile as :func:`borrowing`, into every caller: for what is called once per response."""
    return _cached(njit(nogil=True, _nrt=False, inline="always")(function))


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
        self._cache_file = CheckedFile(self.cache_path, self._impl.filename_base, digest)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return machine code, or None if there is none; delete files that cannot be read."""
        try:
            return super().load_overload(signature, context)
        except Exception:  # a truncated or damaged file raises errors of many types
            for path in Path(self.cache_path).glob(f"{self._impl.filename_base}.*nb?"):
                path.unlink(missing_ok=True)
            return None


def _cached(dispatcher: Any) -> Any:
    try:
        dispatcher._cache = SourceCache(dispatcher.py_func)
    except RuntimeError:  # no folder that can be written
        warnings.warn(
            "compiled code cannot be kept: neither the package's folder nor ~/.cache can be "
            "written; set NUMBA_CACHE_DIR to a writable folder to compile only once",
            stacklevel=1,
        )
    return dispatcher


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
