"""The manifest of a small finished run."""

from pathlib import Path

import pytest

from ldpt.provenance.manifest import manifest, read_manifest, run_hash
from tests.provenance.products import ROWS, flip


def test_manifest_refuses_products_that_differ_from_their_records(root: Path) -> None:
    flip(root / ROWS)
    with pytest.raises(ValueError, match=f"{ROWS} differs from its record"):
        manifest(root, [str(root / "figures/rows.png")], {}, {})


def test_manifest_lists_all_that_its_jobs_made_and_no_more(root: Path) -> None:
    """A rule may ask for one output of a job that has several."""
    content = manifest(root, [str(root / "figures/rows.pdf")], {}, {})
    names = {name for job in content["jobs"] for name in job["products"]}
    assert {"figures/rows.png", "results/tables/instances.csv"} <= names
    assert "results/simulations/mechanism.parquet" not in names


def test_manifest_says_where_the_config_came_from(root: Path) -> None:
    """The small run has no config but that of its Snakefile."""
    assert read_manifest(root)["origin"] == {"files": [], "overrides": {}}


def test_the_hash_of_a_run_leaves_out_versions_and_where_its_config_came_from() -> None:
    content = {"format": 2, "config": {"seed": 1}, "environment": {"numpy": "1"}, "origin": {}}
    other = content | {"environment": {"numpy": "2"}, "origin": {"files": ["a.yaml"]}}
    assert run_hash(content) == run_hash(other)
    assert run_hash(content) != run_hash(content | {"config": {"seed": 2}})
