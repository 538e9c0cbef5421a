"""Bits of 64-bit words."""

from typing import Any

import numpy as np

from ldpt.engines.jit import COMPILES, inlined

if COMPILES:
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def popcount(typing_context: Any, word: Any) -> Any:
        """Return the number of ones in a 64-bit word."""

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.int64), codegen

else:

    def popcount(word: int) -> int:
        """Return the number of ones in a 64-bit word."""
        return (int(word) & (2**64 - 1)).bit_count()


@inlined
def first_bits(word: int, m: int) -> int:
    """Return the m lowest bits of a word."""
    return word & ((np.int64(1) << m) - 1)
