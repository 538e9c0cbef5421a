"""Hashes of settings."""

from ldpt.provenance import stable_hash


def test_stable_hash_sees_types_and_no_order() -> None:
    assert stable_hash({"a": 1, "b": 2}) == stable_hash({"b": 2, "a": 1})
    assert stable_hash({"a": 1}) != stable_hash({"a": 1.0}) != stable_hash({"a": "1.0"})
