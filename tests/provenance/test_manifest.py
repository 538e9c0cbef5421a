"""The manifest of a small finished run."""

from pathlib import Path

import pytest

from ldpt.provenance.manifest import manifest
from tests.provenance.products import ROWS, flip


def test_manifest_refuses_products_that_differ_from_their_records(root: Path) -> None:
    flip(root / ROWS)
    with pytest.raises(ValueError, match=f"{ROWS} differs from its record"):
        manifest(root, [str(root / "figures/rows.png")], {}, {})
