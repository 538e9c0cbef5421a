"""How functions are compiled: once, not per job, and again whenever a compiled module changes.

Numba's cache asks only whether the file of the function itself has changed. A function that calls
into another module would go on running that module's old code. So the cache of every compiled
function is stamped with a digest over all modules that hold compiled code. One more row in the
table of policies or of radii compiles nothing: rows reach compiled code as numbers.
"""

import hashlib
import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from numba import njit

# At the first call of compiled code Numba looks for a BLAS in SciPy. The engines need none, and the
# look would take 0.15 s of every job; so it is made here, where it finds nothing.
BLAS = "scipy.linalg.cython_blas"
if BLAS not in sys.modules:
    sys.modules[BLAS] = None  # type: ignore[assignment]
    import_module("numba.np.arraymath")
    del sys.modules[BLAS]

# Modules without Numba whose functions engines compile, and their tables, which engines never see.
PLAIN = {"policies.py": rb"(?ms)^POLICIES = {$.*?^}$", "radii.py": rb"(?ms)^KINDS = {$.*?^}$"}


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
def engine_digest(package: Path = Path(__file__).parents[1]) -> str:
    """A digest over the sources of all modules of the package that hold compiled code."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        text = path.read_bytes()
        if path.name in PLAIN:
            digest.update(re.sub(PLAIN[path.name], b"", text, count=1))
        elif b"from numba" in text or b"from ldpt.engines.jit" in text:
            digest.update(text)
    return digest.hexdigest()
