"""Values of evidence, records and published numbers as JSON."""

import json
import math
from pathlib import Path

import numpy as np

from ldpt.util.json_values import plain


def test_plain_gives_what_json_can_hold_without_nan_or_infinity() -> None:
    value = {1: math.inf, "a": (np.float64(0.5), np.arange(2)), "s": {"b", "a"}, "p": Path("x/y")}
    value |= {"n": [math.nan, -math.inf, np.int64(3), np.bool_(True), None]}
    found = plain(value)
    assert found == {
        "1": "inf",
        "a": [0.5, [0, 1]],
        "s": ["a", "b"],
        "p": "x/y",
        "n": ["nan", "-inf", 3, True, None],
    }
    assert json.loads(json.dumps(found, allow_nan=False)) == found
