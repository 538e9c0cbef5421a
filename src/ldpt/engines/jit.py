"""Compile functions once, where there is a compiler.

Without Numba, as in a browser, or with ``NUMBA_DISABLE_JIT=1``, as in a debugger, functions run as
plain Python: equal numbers, some hundred times slower. The fast engines cannot, because they write
to fields of records and count on 64-bit integers that wrap around.

``_nrt`` and ``next_uint64`` are parts of Numba that its manual does not describe. Without them,
runs take a fifth longer and words of responses three times as long. The versions of Numba that have
them are bounded in ``pyproject.toml``.
"""

from collections.abc import Callable
from typing import Any

try:
    import numba
except ModuleNotFoundError:
    COMPILES = False
else:
    COMPILES = not numba.config.DISABLE_JIT

if COMPILES:
    from numba.np.random.generator_core import next_uint64

    from ldpt.engines.cache import with_source_cache
else:

    def next_uint64(bit_generator: Any) -> Any:
        """Return the 64 bits behind Generator.random."""
        return bit_generator.ctypes.next_uint64(bit_generator.ctypes.state)


__all__ = ["COMPILES", "compiled", "compiled_without_refcount", "inlined", "next_uint64"]


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile in nopython mode, cached, without holding Python's lock."""
    return _compile(function)


def compiled_without_refcount(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile an allocation-free function, with reference counting off.

    Counting references, once per array and call, took a fifth of the time of a run. Arrays belong
    to the caller; Numba refuses to compile a function that makes one.
    """
    return _compile(function, _nrt=False)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile into every caller, without reference counting: for code that runs per response."""
    return _compile(function, _nrt=False, inline="always")


def _compile(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    if not COMPILES:
        return function
    return with_source_cache(numba.njit(nogil=True, **options)(function))
