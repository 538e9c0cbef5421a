"""Conversion of values to plain JSON, and strict parsing."""

import json
import math
from collections.abc import Mapping
from typing import Any


def plain(value: Any) -> Any:
    """Return a value in terms of JSON alone: NaN, infinities and other objects become text.

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


def read_json(text: object, limit: int | None = None) -> Any:
    """Parse JSON from outside strictly; None for anything that is not whole and plain JSON.

    None also for text beyond the limit, repeated keys, NaN, infinities and deep nesting. The
    offending text stays out of any error.

    >>> read_json('{"arm": 1}')
    {'arm': 1}
    >>> read_json('{"arm": 1, "arm": 2}') is None
    True
    """
    if not isinstance(text, (str, bytes)) or (limit is not None and len(text) > limit):
        return None
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key is repeated")
    return result


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
