"""How functions are compiled: once, not per job, and again whenever a compiled module changes.

Numba's cache asks only whether the file of the function itself has changed. A function that calls
into another module would go on running that module's old code. So the cache of every compiled
function is stamped with a digest over all modules that hold compiled code.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit

PLAIN = ("policies.py", "radii.py")  # modules without Numba whose functions engines compile


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile in nopython mode, cached, without holding Python's lock."""
    return _stamped(njit(cache=True, nogil=True)(function))


def borrowing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that makes no array and returns none, without counting references.

    Counting them, once per array and call, took a fifth of the time of a run. Arrays belong to the
    caller; Numba refuses to compile a function that makes one.
    """
    return _stamped(njit(cache=True, nogil=True, _nrt=False)(function))


def _stamped(dispatcher: Any) -> Any:
    dispatcher._cache._cache_file._source_stamp = engine_digest()
    return dispatcher


@cache
def engine_digest() -> str:
    """A digest over the sources of all modules of the package that hold compiled code."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        text = path.read_bytes()
        if path.name in PLAIN or b"from numba" in text or b"from ldpt.engines.jit" in text:
            digest.update(text)
    return digest.hexdigest()
