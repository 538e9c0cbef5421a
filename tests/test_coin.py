"""The tables of ``coin`` against 40-digit arithmetic, and what their definition promises."""

import hashlib

import numpy as np

from ldpt import coin

DIGEST = "ba8f4c5e21538f4c893e5edf836489400911cb08268d79f0d0fe796b724b575f"


def test_tables_are_the_same_on_every_machine():
    """Only IEEE operations make them; a digest that differs means that decisions differ."""
    tables = [coin.tangents(0.5, 0.5, 0.5, 3.0), coin.tangents(0.8125, 0.1875, 0.625, 4.5)]
    text = b"".join(np.ascontiguousarray(table, "<f8").tobytes() for table in tables)
    assert hashlib.sha256(text).hexdigest() == DIGEST
