"""Records: damage and other formats are found when they are read."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpt.provenance import read_record
from ldpt.provenance.records import record_text

STABLE = {
    **{"format": 1, "product": "a", "sha256": "0" * 64, "bytes": 1, "rule": "r", "script": "s"},
    **{"code": {"hash": "0", "parts": {}}},
    **{name: {} for name in ("params", "wildcards", "inputs", "sources", "notes")},
}


@settings(max_examples=200, deadline=None)
@given(place=st.integers(0), bit=st.integers(0, 7))
def test_read_record_finds_any_flipped_bit(
    tmp_path_factory: pytest.TempPathFactory, place: int, bit: int
) -> None:
    content = bytearray(record_text(STABLE, {"host": "x", "wall_seconds": 1.5}).encode())
    content[place % len(content)] ^= 1 << bit
    path = tmp_path_factory.getbasetemp() / "record.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"is not a record|was modified"):
        read_record(path)


def test_read_record_refuses_another_format(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(record_text(STABLE | {"format": 99}, {}))
    with pytest.raises(ValueError, match="has format 99, supported: 2"):
        read_record(path)
