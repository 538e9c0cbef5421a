"""Values as JSON can hold them."""

import math
from collections.abc import Mapping
from typing import Any


def plain(value: Any) -> Any:
    """A value of Python or NumPy as JSON can hold it; NaN and infinity become text.

    >>> plain({"cells": (1, 2), "largest": math.inf})
    {'cells': [1, 2], 'largest': 'inf'}
    """
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if hasattr(value, "item"):
        value = value.item()
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value
