"""Values as JSON can hold them."""

import math
from collections.abc import Mapping
from typing import Any


def plain(value: Any) -> Any:
    """A value in terms of JSON alone: NaN, infinities and other objects become text.

    >>> plain({"cells": (1, 2), "largest": math.inf})
    {'cells': [1, 2], 'largest': 'inf'}
    """
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
