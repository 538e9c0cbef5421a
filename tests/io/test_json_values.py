"""Values of evidence and of published numbers as JSON."""

import json
import math

import numpy as np

from ldpt.io.json_values import plain


def test_plain_gives_what_json_can_hold_without_nan_or_infinity() -> None:
    value = {1: (np.float64(0.5), np.int64(3), math.nan), "limit": [-math.inf, True, None, "x"]}
    found = plain(value)
    assert found == {"1": [0.5, 3, "nan"], "limit": ["-inf", True, None, "x"]}
    assert json.loads(json.dumps(found, allow_nan=False)) == found
